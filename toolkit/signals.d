#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * signals - signals that are sent, by whom and to whom, counted
 *
 * Usage: dtrace run signals [SECONDS]
 *        dtrace run signals -p PID|-c CMD [SECONDS]
 * Needs: root
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Counts every signal that is generated, by a system call or by the kernel (a
 * child has ended, a timer has run out, a fault): the thread that was running
 * then, which for timers is anyone, and the receiver. At the end a table, the
 * most frequent ones last. With -p or -c only signals to that process, or from
 * it, are counted.
 *
 * See: killsnoop exitsnoop
 */
#pragma D option quiet
#pragma D option defaultargs

/* Numbers as signal(7) has them for this machine; 32 and more: of real time. */
inline string signal_name[int S] =
	S == 1 ? "HUP" : S == 2 ? "INT" : S == 3 ? "QUIT" : S == 4 ? "ILL" :
	S == 5 ? "TRAP" : S == 6 ? "ABRT" : S == 7 ? "BUS" : S == 8 ? "FPE" :
	S == 9 ? "KILL" : S == 10 ? "USR1" : S == 11 ? "SEGV" :
	S == 12 ? "USR2" : S == 13 ? "PIPE" : S == 14 ? "ALRM" :
	S == 15 ? "TERM" : S == 17 ? "CHLD" : S == 18 ? "CONT" :
	S == 19 ? "STOP" : S == 20 ? "TSTP" : S == 21 ? "TTIN" :
	S == 22 ? "TTOU" : S == 23 ? "URG" : S == 24 ? "XCPU" :
	S == 25 ? "XFSZ" : S == 26 ? "VTALRM" : S == 27 ? "PROF" :
	S == 28 ? "WINCH" : S == 29 ? "IO" : S == 30 ? "PWR" :
	S == 31 ? "SYS" : "RT";

proc:::signal-send
/$target == 0 || pid == $target || args[1]->pr_pid == $target/
{
	@[pid, execname, signal_name[args[2]], args[2], args[1]->pr_pid,
	    args[1]->pr_fname] = count();
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printf("%7s %-16s %-7s %3s %7s %-16s %7s\n", "FROM", "COMMAND",
	    "SIGNAL", "NR", "TO", "COMMAND", "COUNT");
	printa("%7d %-16S %-7S %3d %7d %-16S %@7d\n", @);
}
