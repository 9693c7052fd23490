/*
 * Functions and instructions of the kernel that are not there: which field it
 * is, and what was meant.
 * @needs: bpf kprobe
 * @run: -x errfmt=full -s %f
 * @status: 1
 * @stderr
 */
fbt:nosuch::entry {}
fbt:vmlinx::entry {}
fbt:vmlinux:vfs_raed:entry {}
fbt::vfs_read:entri {}
fbt::nosuch_*:entry {}
instr:nosuch::call-* {}
instr::vfs_raed:call-* {}
instr::vfs_read:cal-* {}
kinst::vfs_raed:0 {}
fbt::vfs_read:4 {}
