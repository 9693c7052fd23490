/*
 * a.out is the program of one process, also to who would wait for one.
 * @stderr
 * @status: 1
 * @run: -Zqs %f -c true
 */
pid*:a.out:main:entry
/pid == $target/
{
}
