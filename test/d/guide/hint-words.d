/*
 * Words in clauses that mean something elsewhere.
 * @run: -x errfmt=full -s %f hello
 * @status: 1
 * @stderr
 */
BEGIN { trace($1); }
BEGIN { @start[tid] = timestamp; }
BEGIN { @n = 1; }
