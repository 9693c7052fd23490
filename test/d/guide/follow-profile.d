/*
 * Samples of the process engine are those of the target alone: who asks for the
 * processes that it makes is told so.
 * @run: -x engine=process -x follow=fork -qs %f -c true
 * @stderr
 */
profile-7 { n++; }
BEGIN { exit(0); }
