#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * capable - capabilities that the kernel asks for
 *
 * Usage: dtrace run capable [denied]
 *        dtrace run capable -p PID|-c CMD [denied]
 * Needs: root; a kernel with the tracepoint cap_capable (6.14)
 * Args:  $1  denied: only those that were refused (all)
 *
 * A line each time that the kernel asks whether a thread has a capability: its
 * user, process and name, the capability, and whether it was granted. Not
 * every refusal makes a system call fail: some are asked where another right
 * would do as well. Which privileges a service needs can be read from this.
 *
 * With -p or -c only that process is shown; without, all are, but not dtrace
 * itself.
 *
 * See: setuids errinfo
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option switchrate=10hz

dtrace:::BEGIN
{
	cap[0] = "CHOWN"; cap[1] = "DAC_OVERRIDE"; cap[2] = "DAC_READ_SEARCH";
	cap[3] = "FOWNER"; cap[4] = "FSETID"; cap[5] = "KILL";
	cap[6] = "SETGID"; cap[7] = "SETUID"; cap[8] = "SETPCAP";
	cap[9] = "LINUX_IMMUTABLE"; cap[10] = "NET_BIND_SERVICE";
	cap[11] = "NET_BROADCAST"; cap[12] = "NET_ADMIN"; cap[13] = "NET_RAW";
	cap[14] = "IPC_LOCK"; cap[15] = "IPC_OWNER"; cap[16] = "SYS_MODULE";
	cap[17] = "SYS_RAWIO"; cap[18] = "SYS_CHROOT"; cap[19] = "SYS_PTRACE";
	cap[20] = "SYS_PACCT"; cap[21] = "SYS_ADMIN"; cap[22] = "SYS_BOOT";
	cap[23] = "SYS_NICE"; cap[24] = "SYS_RESOURCE"; cap[25] = "SYS_TIME";
	cap[26] = "SYS_TTY_CONFIG"; cap[27] = "MKNOD"; cap[28] = "LEASE";
	cap[29] = "AUDIT_WRITE"; cap[30] = "AUDIT_CONTROL";
	cap[31] = "SETFCAP"; cap[32] = "MAC_OVERRIDE"; cap[33] = "MAC_ADMIN";
	cap[34] = "SYSLOG"; cap[35] = "WAKE_ALARM"; cap[36] = "BLOCK_SUSPEND";
	cap[37] = "AUDIT_READ"; cap[38] = "PERFMON"; cap[39] = "BPF";
	cap[40] = "CHECKPOINT_RESTORE";
	printf("%6s %7s %-16s %3s %-18s %s\n", "UID", "PID", "COMMAND", "CAP",
	    "NAME", "ANSWER");
}

sdt:capability::cap_capable
/($target == 0 ? pid != $pid : pid == $target) &&
    ($$1 != "denied" || (int)arg4 != 0)/
{
	printf("%6d %7d %-16S %3d %-18S %S\n", uid, pid, execname, (int)arg3,
	    cap[(int)arg3], (int)arg4 == 0 ? "granted" : "denied");
}
