/*
 * A program whose functions have no names; here one of the system's.
 *
 * @run: -xerrtags -qs %f -c /bin/true
 * @error: D_PROC_FUNC 8
 */

pid$target:a.out::entry { }
