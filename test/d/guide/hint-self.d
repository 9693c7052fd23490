/*
 * @run: -s %f
 * @status: 1
 * @stderr
 */
BEGIN { self->start = timestamp; this->strat = 1; }
END { trace(timestamp - self->strat); }
