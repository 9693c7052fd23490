#!/usr/sbin/dtrace -qs
/*
 * a header
 */
#pragma D option quiet
#pragma D option switchrate=10hz
#pragma D option defaultargs

inline int SCREEN = 21;
inline int OPT_all = $1;
inline string OPT_name = $$2;
inline int MAX = SCREEN > 20 ? 20 : 10;

self int last;
uint64_t start[pid_t, string];

dtrace:::BEGIN
/OPT_all || 1/
{
	printf("%-20s %10s\n", "PROC", "COUNT");
	lines = SCREEN + 1;
	secs = 5;
	OPT_all ? printf("all\n") : 1;
}

syscall::write:entry,
syscall::pwrite*:entry
/ execname != "dtrace" && pid == $target /
{
	self->start = timestamp;
	start[pid, execname] = timestamp;
	@bytes[execname, pid] = sum(arg2);
	this->x = (int)arg0 > 0 ? "a" : "b";
}

syscall::*write:return
/self->start/
{
	this->elapsed = (timestamp - self->start) / 1000;
	@lat[probefunc] = quantize(this->elapsed);
	@l2["x"] = lquantize(this->elapsed, 0, 100, 10);
	self->start = 0;
	self->last = errno
}

profile:::tick-1s
/--secs == 0/
{
	trunc(@bytes, 10);
	printa("%-20s %d %@10d\n", @bytes);
	secs = 5;
	exit(0);
}

pid$target::malloc:entry { @[ustack(5)] = count(); }
profile:::profile-997hz /arg1/ { @pc[uregs[R_PC] & ~0xffULL] = count(); }
fbt::vfs_read:entry { trace(stringof(((struct file *)arg0)->f_path.dentry->d_name.name)); }
END { printf("done\n"); }
