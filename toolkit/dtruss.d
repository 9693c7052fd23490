#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dtruss - system calls of a process, with arguments and results
 *
 * Usage: dtrace run dtruss -p PID|-c CMD [CALL]
 *        dtrace run dtruss '' COMMAND
 * Needs: root; any user with -p or -c
 * Args:  $1  only this call; "" is any ("")
 *        $2  without -p and -c: all processes of this name ("")
 *
 * A line for each system call when it returns: the thread, how long it took in
 * microseconds, the call with its arguments, and its result, with the number of
 * the error if it failed. Paths are shown as text, as are the first 32 bytes that
 * read(2) and write(2) and their kin moved; descriptors are decimal, -100 is
 * AT_FDCWD; other arguments are hexadecimal, and so are the results of mmap(2),
 * mremap(2), brk(2) and shmat(2), which are addresses. A call that does not
 * return, such as exit_group(2), is shown when it begins. Calls that are newer
 * than this tool are shown with three arguments, whatever they have.
 *
 * Unlike strace(1) it neither stops the process for each call nor needs
 * ptrace(2) while it runs. It shows no structures; where these matter, write a
 * D program.
 *
 * See: syscount procsystime errinfo opensnoop
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs
#pragma D option switchrate=10hz

dtrace:::BEGIN
{
	printf("%7s %9s %s\n", "TID", "TIME(us)", "CALL = RESULT");
}

dtrace:::BEGIN
/$target == 0 && $$2 == ""/
{
	printf("dtruss needs -p, -c, or a name of processes\n");
	exit(2);
}

syscall:::entry
/($target == 0 ? pid != $pid && execname == $$2 : pid == $target) &&
    ($$1 == "" || probefunc == $$1)/
{
	self->began = timestamp;
	self->first = arg0;
	self->second = arg1;
	self->third = arg2;
	self->fourth = arg3;
	self->fifth = arg4;
	self->sixth = arg5;
}

syscall::exit:entry,
syscall::exit_group:entry
/self->began/
{
	printf("%7d %9s %s(%d)\n", tid, "-", probefunc, (int)arg0);
	self->began = 0;
}

/* What was kept is at hand for all clauses that follow. */
syscall:::return
{
	this->began = self->began;
	this->first = self->first;
	this->second = self->second;
	this->third = self->third;
	this->fourth = self->fourth;
	this->fifth = self->fifth;
	this->sixth = self->sixth;
	self->began = 0;
	self->first = 0;
	self->second = 0;
	self->third = 0;
	self->fourth = 0;
	self->fifth = 0;
	self->sixth = 0;
}

/* A path comes first.  Some machines have not all of these calls; execve is matched
   as it returns only where it fails, which need not be said each time. */
syscall::acct:return, syscall::chdir:return, syscall::chroot:return,
syscall::mq_unlink:return, syscall::rmdir:return, syscall::swapoff:return,
syscall::unlink:return, syscall::uselib:return
/this->began && errno != EFAULT && this->first != 0/
{
	printf("%7d %9d %s(\"%S\") = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc,
	    copyinstr(this->first), (int64_t)arg1, errno);
	this->began = 0;
}

syscall::access:return, syscall::chmod:return, syscall::creat:return,
syscall::lstat:return, syscall::mkdir:return, syscall::newlstat:return,
syscall::newstat:return, syscall::stat:return, syscall::statfs:return,
syscall::swapon:return, syscall::truncate:return, syscall::umount2:return,
syscall::utime:return, syscall::utimes:return
/this->began && errno != EFAULT && this->first != 0/
{
	printf("%7d %9d %s(\"%S\", 0x%x) = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc,
	    copyinstr(this->first), this->second, (int64_t)arg1, errno);
	this->began = 0;
}

syscall::chown:return, syscall::execv?:return, syscall::lchown:return,
syscall::listxattr:return, syscall::llistxattr:return, syscall::mknod:return,
syscall::open:return, syscall::readlink:return
/this->began && errno != EFAULT && this->first != 0/
{
	printf("%7d %9d %s(\"%S\", 0x%x, 0x%x) = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc,
	    copyinstr(this->first), this->second, this->third, (int64_t)arg1,
	    errno);
	this->began = 0;
}

syscall::mq_open:return
/this->began && errno != EFAULT && this->first != 0/
{
	printf("%7d %9d %s(\"%S\", 0x%x, 0x%x, 0x%x) = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc,
	    copyinstr(this->first), this->second, this->third, this->fourth,
	    (int64_t)arg1, errno);
	this->began = 0;
}

/* Two of them, or a path and a name. */
syscall::link:return, syscall::lremovexattr:return,
syscall::pivot_root:return, syscall::removexattr:return,
syscall::rename:return, syscall::symlink:return
/this->began && errno != EFAULT && this->first != 0 && this->second != 0/
{
	printf("%7d %9d %s(\"%S\", \"%S\") = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc,
	    copyinstr(this->first), copyinstr(this->second), (int64_t)arg1,
	    errno);
	this->began = 0;
}

syscall::getxattr:return, syscall::lgetxattr:return
/this->began && errno != EFAULT && this->first != 0 && this->second != 0/
{
	printf("%7d %9d %s(\"%S\", \"%S\", 0x%x, 0x%x) = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc,
	    copyinstr(this->first), copyinstr(this->second), this->third,
	    this->fourth, (int64_t)arg1, errno);
	this->began = 0;
}

syscall::lsetxattr:return, syscall::mount:return, syscall::setxattr:return
/this->began && errno != EFAULT && this->first != 0 && this->second != 0/
{
	printf("%7d %9d %s(\"%S\", \"%S\", 0x%x, 0x%x, 0x%x) = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc,
	    copyinstr(this->first), copyinstr(this->second), this->third,
	    this->fourth, this->fifth, (int64_t)arg1, errno);
	this->began = 0;
}

syscall::symlinkat:return
/this->began && errno != EFAULT && this->first != 0 && this->third != 0/
{
	printf("%7d %9d %s(\"%S\", %d, \"%S\") = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc,
	    copyinstr(this->first), (int)this->second, copyinstr(this->third),
	    (int64_t)arg1, errno);
	this->began = 0;
}

/* A descriptor, or AT_FDCWD, and a path. */
syscall::faccessat:return, syscall::fchmodat:return, syscall::fspick:return,
syscall::futimesat:return, syscall::inotify_add_watch:return,
syscall::mkdirat:return, syscall::open_tree:return, syscall::unlinkat:return
/this->began && errno != EFAULT && this->second != 0/
{
	printf("%7d %9d %s(%d, \"%S\", 0x%x) = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc, (int)this->first,
	    copyinstr(this->second), this->third, (int64_t)arg1, errno);
	this->began = 0;
}

syscall::faccessat2:return, syscall::fchmodat2:return,
syscall::mknodat:return, syscall::newfstatat:return, syscall::openat:return,
syscall::openat2:return, syscall::readlinkat:return,
syscall::utimensat:return
/this->began && errno != EFAULT && this->second != 0/
{
	printf("%7d %9d %s(%d, \"%S\", 0x%x, 0x%x) = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc, (int)this->first,
	    copyinstr(this->second), this->third, this->fourth, (int64_t)arg1,
	    errno);
	this->began = 0;
}

syscall::execveat*:return, syscall::fchownat:return,
syscall::mount_setattr:return, syscall::name_to_handle_at:return,
syscall::open_tree_attr:return, syscall::statx:return
/this->began && errno != EFAULT && this->second != 0/
{
	printf("%7d %9d %s(%d, \"%S\", 0x%x, 0x%x, 0x%x) = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc, (int)this->first,
	    copyinstr(this->second), this->third, this->fourth, this->fifth,
	    (int64_t)arg1, errno);
	this->began = 0;
}

/* Two of both. */
syscall::renameat:return
/this->began && errno != EFAULT && this->second != 0 && this->fourth != 0/
{
	printf("%7d %9d %s(%d, \"%S\", %d, \"%S\") = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc, (int)this->first,
	    copyinstr(this->second), (int)this->third, copyinstr(this->fourth),
	    (int64_t)arg1, errno);
	this->began = 0;
}

syscall::linkat:return, syscall::move_mount:return, syscall::renameat2:return
/this->began && errno != EFAULT && this->second != 0 && this->fourth != 0/
{
	printf("%7d %9d %s(%d, \"%S\", %d, \"%S\", 0x%x) = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc, (int)this->first,
	    copyinstr(this->second), (int)this->third, copyinstr(this->fourth),
	    this->fifth, (int64_t)arg1, errno);
	this->began = 0;
}

/* Bytes that were moved. */
syscall::read:return, syscall::write:return
/this->began && (int64_t)arg1 > 0/
{
	printf("%7d %9d %s(%d, \"%S\", %d) = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc, (int)this->first,
	    copyinstr(this->second, arg1 < 32 ? arg1 + 1 : 33), this->third,
	    (int64_t)arg1, errno);
	this->began = 0;
}

syscall::pread64:return, syscall::pwrite64:return
/this->began && (int64_t)arg1 > 0/
{
	printf("%7d %9d %s(%d, \"%S\", %d, %d) = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc, (int)this->first,
	    copyinstr(this->second, arg1 < 32 ? arg1 + 1 : 33), this->third,
	    this->fourth, (int64_t)arg1, errno);
	this->began = 0;
}

syscall::recvfrom:return, syscall::sendto:return
/this->began && (int64_t)arg1 > 0/
{
	printf("%7d %9d %s(%d, \"%S\", %d, 0x%x, 0x%x, 0x%x) = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc, (int)this->first,
	    copyinstr(this->second, arg1 < 32 ? arg1 + 1 : 33), this->third,
	    this->fourth, this->fifth, this->sixth, (int64_t)arg1, errno);
	this->began = 0;
}

/* Descriptors come first. */
syscall::close:return, syscall::dup:return, syscall::fchdir:return,
syscall::fdatasync:return, syscall::fsync:return, syscall::syncfs:return
/this->began/
{
	printf("%7d %9d %s(%d) = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc, (int)this->first,
	    (int64_t)arg1, errno);
	this->began = 0;
}

syscall::dup2:return, syscall::fchmod:return, syscall::flock:return,
syscall::fstat:return, syscall::fstatfs:return, syscall::ftruncate:return,
syscall::listen:return, syscall::newfstat:return, syscall::shutdown:return
/this->began/
{
	printf("%7d %9d %s(%d, 0x%x) = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc, (int)this->first,
	    this->second, (int64_t)arg1, errno);
	this->began = 0;
}

syscall::accept:return, syscall::bind:return, syscall::connect:return,
syscall::fchown:return, syscall::fcntl:return, syscall::getdents:return,
syscall::getdents64:return, syscall::getpeername:return,
syscall::getsockname:return, syscall::ioctl:return, syscall::lseek:return,
syscall::read:return, syscall::readv:return, syscall::recvmsg:return,
syscall::sendmsg:return, syscall::write:return, syscall::writev:return
/this->began/
{
	printf("%7d %9d %s(%d, 0x%x, 0x%x) = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc, (int)this->first,
	    this->second, this->third, (int64_t)arg1, errno);
	this->began = 0;
}

syscall::accept4:return, syscall::epoll_wait:return,
syscall::fadvise64:return, syscall::fallocate:return, syscall::pread64:return,
syscall::pwrite64:return, syscall::sendmmsg:return
/this->began/
{
	printf("%7d %9d %s(%d, 0x%x, 0x%x, 0x%x) = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc, (int)this->first,
	    this->second, this->third, this->fourth, (int64_t)arg1, errno);
	this->began = 0;
}

syscall::getsockopt:return, syscall::preadv:return, syscall::pwritev:return,
syscall::recvmmsg:return, syscall::setsockopt:return
/this->began/
{
	printf("%7d %9d %s(%d, 0x%x, 0x%x, 0x%x, 0x%x) = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc, (int)this->first,
	    this->second, this->third, this->fourth, this->fifth, (int64_t)arg1,
	    errno);
	this->began = 0;
}

syscall::epoll_pwait:return, syscall::epoll_pwait2:return,
syscall::recvfrom:return, syscall::sendto:return
/this->began/
{
	printf("%7d %9d %s(%d, 0x%x, 0x%x, 0x%x, 0x%x, 0x%x) = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc, (int)this->first,
	    this->second, this->third, this->fourth, this->fifth, this->sixth,
	    (int64_t)arg1, errno);
	this->began = 0;
}

/* What comes back is an address. */
syscall::brk:return
/this->began && errno == 0/
{
	printf("%7d %9d %s(0x%x) = 0x%x error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc, this->first, arg1,
	    errno);
	this->began = 0;
}

syscall::shmat:return
/this->began && errno == 0/
{
	printf("%7d %9d %s(%d, 0x%x, 0x%x) = 0x%x error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc, this->first,
	    this->second, this->third, arg1, errno);
	this->began = 0;
}

syscall::mremap:return
/this->began && errno == 0/
{
	printf("%7d %9d %s(0x%x, 0x%x, 0x%x, 0x%x, 0x%x) = 0x%x error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc, this->first,
	    this->second, this->third, this->fourth, this->fifth, arg1, errno);
	this->began = 0;
}

syscall::mmap:return
/this->began && errno == 0/
{
	printf("%7d %9d %s(0x%x, 0x%x, 0x%x, 0x%x, %d, 0x%x) = 0x%x error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc, this->first,
	    this->second, this->third, this->fourth, (int)this->fifth,
	    this->sixth, arg1, errno);
	this->began = 0;
}

syscall::mmap:return
/this->began/
{
	printf("%7d %9d %s(0x%x, 0x%x, 0x%x, 0x%x, %d, 0x%x) = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc, this->first,
	    this->second, this->third, this->fourth, (int)this->fifth,
	    this->sixth, (int64_t)arg1, errno);
	this->began = 0;
}

/* All others, by the number of their arguments; those of three, and calls that are
   newer than this list, come last. */
syscall::fork:return, syscall::getegid:return, syscall::geteuid:return,
syscall::getgid:return, syscall::getpgrp:return, syscall::getpid:return,
syscall::getppid:return, syscall::gettid:return, syscall::getuid:return,
syscall::inotify_init:return, syscall::munlockall:return,
syscall::pause:return, syscall::sched_yield:return, syscall::setsid:return,
syscall::sync:return, syscall::vfork:return, syscall::vhangup:return
/this->began/
{
	printf("%7d %9d %s() = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc, (int64_t)arg1,
	    errno);
	this->began = 0;
}

syscall::acct:return, syscall::adjtimex:return, syscall::alarm:return,
syscall::brk:return, syscall::chdir:return, syscall::chroot:return,
syscall::close:return, syscall::dup:return, syscall::epoll_create:return,
syscall::epoll_create1:return, syscall::eventfd:return,
syscall::fchdir:return, syscall::fdatasync:return, syscall::fsync:return,
syscall::getpgid:return, syscall::getsid:return,
syscall::inotify_init1:return, syscall::io_destroy:return,
syscall::iopl:return, syscall::memfd_secret:return, syscall::mlockall:return,
syscall::mq_unlink:return, syscall::personality:return, syscall::pipe:return,
syscall::pkey_free:return, syscall::rmdir:return,
syscall::sched_get_priority_max:return,
syscall::sched_get_priority_min:return, syscall::sched_getscheduler:return,
syscall::set_tid_address:return, syscall::setfsgid:return,
syscall::setfsuid:return, syscall::setgid:return, syscall::setuid:return,
syscall::shmdt:return, syscall::swapoff:return, syscall::syncfs:return,
syscall::sysinfo:return, syscall::time:return, syscall::timer_delete:return,
syscall::timer_getoverrun:return, syscall::times:return,
syscall::umask:return, syscall::uname:return, syscall::unlink:return,
syscall::unshare:return, syscall::uselib:return, syscall::userfaultfd:return
/this->began/
{
	printf("%7d %9d %s(0x%x) = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc, this->first,
	    (int64_t)arg1, errno);
	this->began = 0;
}

syscall::access:return, syscall::arch_prctl:return, syscall::capget:return,
syscall::capset:return, syscall::chmod:return, syscall::clock_adjtime:return,
syscall::clock_getres:return, syscall::clock_gettime:return,
syscall::clock_settime:return, syscall::clone3:return, syscall::creat:return,
syscall::delete_module:return, syscall::dup2:return, syscall::eventfd2:return,
syscall::fanotify_init:return, syscall::fchmod:return, syscall::flock:return,
syscall::fremovexattr:return, syscall::fsopen:return, syscall::fstat:return,
syscall::fstatfs:return, syscall::ftruncate:return, syscall::getcwd:return,
syscall::getgroups:return, syscall::getitimer:return,
syscall::getpriority:return, syscall::getrlimit:return,
syscall::getrusage:return, syscall::gettimeofday:return,
syscall::inotify_rm_watch:return, syscall::io_setup:return,
syscall::io_uring_setup:return, syscall::ioprio_get:return,
syscall::kill:return, syscall::landlock_restrict_self:return,
syscall::link:return, syscall::listen:return, syscall::lremovexattr:return,
syscall::lstat:return, syscall::memfd_create:return, syscall::mkdir:return,
syscall::mlock:return, syscall::mq_notify:return, syscall::msgget:return,
syscall::munlock:return, syscall::munmap:return, syscall::nanosleep:return,
syscall::newfstat:return, syscall::newlstat:return, syscall::newstat:return,
syscall::pidfd_open:return, syscall::pipe2:return, syscall::pivot_root:return,
syscall::pkey_alloc:return, syscall::process_mrelease:return,
syscall::removexattr:return, syscall::rename:return,
syscall::rt_sigpending:return, syscall::rt_sigsuspend:return,
syscall::sched_getparam:return, syscall::sched_rr_get_interval:return,
syscall::sched_setparam:return, syscall::set_robust_list:return,
syscall::setdomainname:return, syscall::setgroups:return,
syscall::sethostname:return, syscall::setns:return, syscall::setpgid:return,
syscall::setregid:return, syscall::setreuid:return, syscall::setrlimit:return,
syscall::settimeofday:return, syscall::shutdown:return,
syscall::sigaltstack:return, syscall::stat:return, syscall::statfs:return,
syscall::swapon:return, syscall::symlink:return,
syscall::timer_gettime:return, syscall::timerfd_create:return,
syscall::timerfd_gettime:return, syscall::tkill:return,
syscall::truncate:return, syscall::umount2:return, syscall::ustat:return,
syscall::utime:return, syscall::utimes:return
/this->began/
{
	printf("%7d %9d %s(0x%x, 0x%x) = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc, this->first,
	    this->second, (int64_t)arg1, errno);
	this->began = 0;
}

syscall::accept4:return, syscall::cachestat:return,
syscall::clock_nanosleep:return, syscall::epoll_ctl:return,
syscall::epoll_wait:return, syscall::faccessat2:return,
syscall::fadvise64:return, syscall::fallocate:return,
syscall::fchmodat2:return, syscall::fgetxattr:return,
syscall::futex_requeue:return, syscall::futex_wake:return,
syscall::getxattr:return, syscall::io_uring_register:return,
syscall::kexec_load:return, syscall::landlock_add_rule:return,
syscall::lgetxattr:return, syscall::listmount:return,
syscall::lsm_get_self_attr:return, syscall::lsm_set_self_attr:return,
syscall::migrate_pages:return, syscall::mknodat:return,
syscall::mq_open:return, syscall::msgsnd:return, syscall::newfstatat:return,
syscall::openat:return, syscall::openat2:return,
syscall::pidfd_send_signal:return, syscall::pkey_mprotect:return,
syscall::pread64:return, syscall::prlimit64:return, syscall::ptrace:return,
syscall::pwrite64:return, syscall::quotactl:return,
syscall::quotactl_fd:return, syscall::readlinkat:return,
syscall::reboot:return, syscall::removexattrat:return,
syscall::renameat:return, syscall::request_key:return, syscall::rseq:return,
syscall::rt_sigaction:return, syscall::rt_sigprocmask:return,
syscall::rt_sigtimedwait:return, syscall::rt_tgsigqueueinfo:return,
syscall::sched_getattr:return, syscall::semctl:return,
syscall::semtimedop:return, syscall::sendfile:return,
syscall::sendmmsg:return, syscall::set_mempolicy_home_node:return,
syscall::signalfd4:return, syscall::socketpair:return,
syscall::statmount:return, syscall::sync_file_range:return,
syscall::tee:return, syscall::timer_settime:return,
syscall::timerfd_settime:return, syscall::utimensat:return,
syscall::vmsplice:return, syscall::wait4:return
/this->began/
{
	printf("%7d %9d %s(0x%x, 0x%x, 0x%x, 0x%x) = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc, this->first,
	    this->second, this->third, this->fourth, (int64_t)arg1, errno);
	this->began = 0;
}

syscall::add_key:return, syscall::clone:return, syscall::execveat*:return,
syscall::fanotify_mark:return, syscall::fchownat:return,
syscall::file_getattr:return, syscall::file_setattr:return,
syscall::fsconfig:return, syscall::fsetxattr:return,
syscall::futex_waitv:return, syscall::get_mempolicy:return,
syscall::getsockopt:return, syscall::io_getevents:return,
syscall::kcmp:return, syscall::kexec_file_load:return, syscall::keyctl:return,
syscall::linkat:return, syscall::listxattrat:return,
syscall::lsetxattr:return, syscall::mount:return,
syscall::mount_setattr:return, syscall::move_mount:return,
syscall::mq_timedreceive:return, syscall::mq_timedsend:return,
syscall::mremap:return, syscall::msgrcv:return,
syscall::name_to_handle_at:return, syscall::open_tree_attr:return,
syscall::perf_event_open:return, syscall::ppoll:return, syscall::prctl:return,
syscall::preadv:return, syscall::process_madvise:return,
syscall::pwritev:return, syscall::recvmmsg:return,
syscall::remap_file_pages:return, syscall::renameat2:return,
syscall::select:return, syscall::setsockopt:return, syscall::setxattr:return,
syscall::statx:return, syscall::waitid:return
/this->began/
{
	printf("%7d %9d %s(0x%x, 0x%x, 0x%x, 0x%x, 0x%x) = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc, this->first,
	    this->second, this->third, this->fourth, this->fifth, (int64_t)arg1,
	    errno);
	this->began = 0;
}

syscall::copy_file_range:return, syscall::epoll_pwait:return,
syscall::epoll_pwait2:return, syscall::futex:return,
syscall::futex_wait:return, syscall::getxattrat:return,
syscall::io_pgetevents:return, syscall::io_uring_enter:return,
syscall::mbind:return, syscall::move_pages:return, syscall::preadv2:return,
syscall::process_vm_readv:return, syscall::process_vm_writev:return,
syscall::pselect6:return, syscall::pwritev2:return, syscall::recvfrom:return,
syscall::sendto:return, syscall::setxattrat:return, syscall::splice:return
/this->began/
{
	printf("%7d %9d %s(0x%x, 0x%x, 0x%x, 0x%x, 0x%x, 0x%x) = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc, this->first,
	    this->second, this->third, this->fourth, this->fifth, this->sixth,
	    (int64_t)arg1, errno);
	this->began = 0;
}

syscall:::return
/this->began/
{
	printf("%7d %9d %s(0x%x, 0x%x, 0x%x) = %d error %d\n",
	    tid, (timestamp - this->began) / 1000, probefunc, this->first,
	    this->second, this->third, (int64_t)arg1, errno);
}
