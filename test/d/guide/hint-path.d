/*
 * A path from here, as an object of a probe.
 * @run: -x errfmt=full -s %f
 * @status: 1
 * @stderr
 */
uprobe:./prog:work
{
}
uretprobe:../prog:work
{
}
pid1:./prog:work:entry
{
}
