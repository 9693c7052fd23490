/*
 * The module that is the kernel itself on Solaris.
 * @needs: bpf kprobe
 * @run: -x errfmt=full -s %f
 * @status: 1
 * @stderr
 */
fbt:genunix:vfs_read:entry {}
