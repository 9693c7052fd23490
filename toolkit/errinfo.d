#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * errinfo - system calls that fail, counted by error
 *
 * Usage: dtrace run errinfo [COMMAND [SECONDS]]
 *        dtrace run errinfo -p PID|-c CMD [COMMAND [SECONDS]]
 * Needs: root; any user with -p or -c
 * Args:  $1  only processes of this name; "" is any ("")
 *        $2  seconds after which it ends; 0: when it is interrupted (0)
 *
 * Counts calls that return an error, by name of the process, call, and error,
 * the most frequent ones last. Many errors are nothing to worry about:
 * programs look for files in several places. With -p or -c only that process
 * is counted; without, all are, but not dtrace itself.
 *
 * See: syscount dtruss opensnoop
 */
#pragma D option quiet
#pragma D option defaultargs

/* The commonest; others are numbers. */
inline string error_name[int E] =
	E == EPERM ? "EPERM not permitted" :
	E == ENOENT ? "ENOENT no such file" :
	E == ESRCH ? "ESRCH no such process" :
	E == EINTR ? "EINTR interrupted" :
	E == EIO ? "EIO input or output failed" :
	E == EBADF ? "EBADF no such descriptor" :
	E == ECHILD ? "ECHILD no such child" :
	E == EAGAIN ? "EAGAIN would have to wait" :
	E == ENOMEM ? "ENOMEM no memory" :
	E == EACCES ? "EACCES permission denied" :
	E == EFAULT ? "EFAULT bad address" :
	E == EBUSY ? "EBUSY in use" :
	E == EEXIST ? "EEXIST is there already" :
	E == ENOTDIR ? "ENOTDIR no directory" :
	E == EISDIR ? "EISDIR a directory" :
	E == EINVAL ? "EINVAL bad argument" :
	E == EMFILE ? "EMFILE too many open files" :
	E == ENOTTY ? "ENOTTY no terminal" :
	E == ENOSPC ? "ENOSPC disk full" :
	E == ESPIPE ? "ESPIPE cannot seek" :
	E == EPIPE ? "EPIPE nobody reads" :
	E == ENOSYS ? "ENOSYS no such call" :
	E == ELOOP ? "ELOOP too many links" :
	E == ENODATA ? "ENODATA no such attribute" :
	E == EOPNOTSUPP ? "EOPNOTSUPP not supported" :
	E == ECONNRESET ? "ECONNRESET the other end broke off" :
	E == ENOTCONN ? "ENOTCONN not connected" :
	E == ETIMEDOUT ? "ETIMEDOUT took too long" :
	E == ECONNREFUSED ? "ECONNREFUSED nobody listens" :
	E == EINPROGRESS ? "EINPROGRESS goes on" : "";

syscall:::return
/errno != 0 && ($target == 0 ? pid != $pid : pid == $target) &&
    ($$1 == "" || execname == $$1)/
{
	@[execname, probefunc, errno, error_name[errno]] = count();
}

profile:::tick-1s
/$2 != 0 && ++seconds >= $2/
{
	exit(0);
}

dtrace:::END
{
	printf("%-16s %-20s %8s %4s %s\n", "COMMAND", "CALL", "COUNT", "ERR",
	    "NAME");
	printa("%-16S %-20S %@8d %4d %S\n", @);
}
