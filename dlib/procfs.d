/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * procfs.d - processes and threads: psinfo_t, lwpsinfo_t and the current ones,
 * curpsinfo and curlwpsinfo.
 *
 *	proc:::create { printf("%d %s", args[0]->pr_pid, curpsinfo->pr_fname); }
 *
 * Numbers of processes, groups, sessions and users are those of the outermost
 * namespaces.  Members that a translator below does not give are refused where
 * a program uses them: the kernel does not know them at the time of a probe.
 *
 * pr_fname and pr_psargs are strings, not arrays of char.  The arguments of a
 * process are in its own memory, so pr_psargs is those of the current process
 * only; of others it is the name.
 */
#pragma D depends_on library sched.d
#pragma D depends_on library regs.d

/* pr_flag of lwpsinfo_t */
inline int PR_STOPPED = 0x1;
inline int PR_ISTOP = 0x2;
inline int PR_DSTOP = 0x4;
inline int PR_IDLE = 0x10000000;

/* pr_dmodel */
inline char PR_MODEL_ILP32 = 1;
inline char PR_MODEL_LP64 = 2;

/* pr_state */
inline char SSLEEP = 1;
inline char SRUN = 2;
inline char SZOMB = 3;
inline char SSTOP = 4;
inline char SIDL = 5;
inline char SONPROC = 6;
inline char SWAIT = 7;

/* pr_stype: what a thread that sleeps waits for */
inline char SOBJ_NONE = 0;
inline char SOBJ_MUTEX = 1;
inline char SOBJ_RWLOCK = 2;
inline char SOBJ_CV = 3;	/* anything else: an event, a timer */
inline char SOBJ_SEMA = 4;
inline char SOBJ_USER = 5;	/* a lock of the program's: futex(2) */
inline char SOBJ_USER_PI = 6;	/* one that lends its priority */
inline char SOBJ_SHUTTLE = 7;

/* pr_bindpro, pr_bindpset: bound to none */
inline int PBIND_NONE = -1;
inline int PS_NONE = -1;

typedef struct timestruc {
	time_t tv_sec;
	long tv_nsec;
} timestruc_t;

typedef struct lwpsinfo {
	int pr_flag;		/* PR_STOPPED ... */
	id_t pr_lwpid;		/* thread id */
	uintptr_t pr_addr;	/* its struct task_struct */
	uintptr_t pr_wchan;
	char pr_stype;		/* SOBJ_NONE ... */
	char pr_state;		/* SSLEEP ... */
	char pr_sname;		/* the state as ps(1) writes it */
	char pr_nice;
	short pr_syscall;	/* its number; -1: in none, or the kernel's own */
	char pr_oldpri;
	char pr_cpu;
	int pr_pri;		/* the kernel's: lower runs first */
	ushort_t pr_pctcpu;
	timestruc_t pr_start;	/* since 1970 */
	timestruc_t pr_time;	/* on CPUs */
	string pr_clname;	/* scheduling class as ps(1) writes it */
	string pr_name;
	processorid_t pr_onpro;	/* CPU it runs on, or ran on last */
	processorid_t pr_bindpro;
	psetid_t pr_bindpset;
	int pr_lgrp;
} lwpsinfo_t;

typedef struct psinfo {
	int pr_flag;
	int pr_nlwp;		/* threads */
	pid_t pr_pid;
	pid_t pr_ppid;
	pid_t pr_pgid;		/* process group */
	pid_t pr_sid;		/* session */
	uid_t pr_uid;		/* real */
	uid_t pr_euid;		/* effective */
	gid_t pr_gid;
	gid_t pr_egid;
	uintptr_t pr_addr;	/* its struct task_struct */
	size_t pr_size;		/* KB of memory mapped */
	size_t pr_rssize;	/* KB of it that are there */
	dev_t pr_ttydev;	/* controlling terminal, or -1 */
	ushort_t pr_pctcpu;
	ushort_t pr_pctmem;
	timestruc_t pr_start;	/* since 1970 */
	timestruc_t pr_time;
	timestruc_t pr_ctime;
	string pr_fname;	/* name */
	string pr_psargs;	/* arguments, joined by blanks */
	int pr_wstat;
	int pr_argc;
	uintptr_t pr_argv;	/* address of the vector of arguments */
	uintptr_t pr_envp;	/* of the environment */
	char pr_dmodel;		/* PR_MODEL_LP64 ... */
	id_t pr_taskid;
	projid_t pr_projid;
	int pr_nzomb;
	poolid_t pr_poolid;
	zoneid_t pr_zoneid;
	id_t pr_contract;
	lwpsinfo_t pr_lwp;	/* its first thread */
} psinfo_t;

/* ---- a task ------------------------------------------------------------- */

translator timestruc_t < hrtime_t NS > {
	tv_sec = NS / 1000000000;
	tv_nsec = NS % 1000000000;
};

/* When something began that was at a time of the monotonic clock. */
inline hrtime_t __since_1970[uint64_t MONO] =
	walltimestamp - (int64_t)timestamp + (int64_t)MONO;

/* States in which a task is stopped or traced, new, ended; see ps(1). */
inline int __task_stopped[struct task_struct *T] =
	(T->__state & (0x4 | 0x8)) != 0;
inline int __task_ended[struct task_struct *T] = T->exit_state != 0;
inline int __task_state[struct task_struct *T] =
	__task_ended[T] ? SZOMB :
	T->__state == 0 ? (T->on_cpu != 0 ? SONPROC : SRUN) :
	__task_stopped[T] ? SSTOP :
	(T->__state & 0x800) != 0 ? SIDL : SSLEEP;

/* Moved from one struct to the other in 5.16. */
inline processorid_t __task_cpu[struct task_struct *T] =
	__has_member(struct thread_info, cpu) ? T->thread_info.cpu : T->cpu;

/* The number in dtrace's own PID namespace, which has $__pidlevel others around
   it; 0: it has none there. */
inline int __pid_nr[struct pid *P] = $__pidlevel == 0 ? P->numbers[0].nr :
	P == NULL || P->level < $__pidlevel ||
	P->numbers[$__pidlevel].ns->ns.inum != $__pidspace ? 0 :
	P->numbers[$__pidlevel].nr;
inline int __task_tgid[struct task_struct *T] =
	$__pidlevel == 0 ? T->tgid : __pid_nr[T->signal->pids[1]];

/* In struct task_struct where mutexes are debugged, and since 6.16. */
inline int __task_mutex[struct task_struct *T] =
	__has_member(struct task_struct, blocked_on) ? T->blocked_on != NULL : 0;
/* Kernels without priorities that are lent have no such member. */
inline int __task_pi[struct task_struct *T] =
	__has_member(struct task_struct, pi_blocked_on) ?
	T->pi_blocked_on != NULL : 0;
inline char __task_stype[struct task_struct *T] =
	T->__state == 0 ? SOBJ_NONE : __task_pi[T] ? SOBJ_USER_PI :
	__task_mutex[T] ? SOBJ_MUTEX : SOBJ_CV;

translator lwpsinfo_t < struct task_struct *T > {
	pr_stype = __task_stype[T];
	pr_flag = (__task_stopped[T] ? PR_STOPPED : 0) |
	    (T->pid == 0 ? PR_IDLE : 0);
	pr_lwpid = $__pidlevel == 0 ? T->pid : __pid_nr[T->thread_pid];
	pr_addr = (uintptr_t)T;
	pr_state = __task_state[T];
	pr_sname = __task_ended[T] ? 'Z' :
	    T->__state == 0 ? (T->on_cpu != 0 ? 'O' : 'R') :
	    __task_stopped[T] ? 'T' : (T->__state & 0x800) != 0 ? 'I' : 'S';
	pr_nice = T->static_prio - 120;
	pr_cpu = __task_cpu[T];
	pr_pri = T->prio;
	pr_start = xlate <timestruc_t> (__since_1970[T->start_time]);
	pr_time = xlate <timestruc_t> ((hrtime_t)T->se.sum_exec_runtime);
	pr_clname = T->policy == 0 ? "TS" : T->policy == 1 ? "FF" :
	    T->policy == 2 ? "RR" : T->policy == 3 ? "B" :
	    T->policy == 5 ? "IDL" : T->policy == 6 ? "DLN" :
	    T->policy == 7 ? "EXT" : "?";
	pr_name = stringof(T->comm);
	pr_onpro = __task_cpu[T];
	pr_bindpro = T->nr_cpus_allowed == 1 ? __task_cpu[T] : PBIND_NONE;
	pr_bindpset = PS_NONE;
};

/* Pages are counted by each kind (1: anonymous, 0: of files, 3: shared
   memory), since 6.2 by CPU as well; the sums here may be some behind. */
inline int64_t __mm_pages[struct mm_struct *M, int KIND] =
	__has_member(struct mm_rss_stat, count) ?
	M->rss_stat.count[KIND].counter : M->rss_stat[KIND].count;

/* Where exec left argc, argv[] and envp[]: at the start of the stack. */
inline uintptr_t __task_stack[struct task_struct *T] =
	T->mm == NULL ? 0 : T->mm->start_stack;
inline int __task_argc[struct task_struct *T] =
	__task_tgid[T] != pid || T->mm == NULL ? 0 :
	*(int *)copyin(T->mm->start_stack, sizeof(int));

translator psinfo_t < struct task_struct *T > {
	pr_flag = 0;
	pr_nlwp = T->signal->nr_threads;
	pr_pid = __task_tgid[T];
	pr_ppid = __task_tgid[T->real_parent];
	pr_pgid = __pid_nr[T->signal->pids[2]]; /* PIDTYPE_PGID */
	pr_sid = __pid_nr[T->signal->pids[3]];  /* PIDTYPE_SID */
	pr_uid = T->real_cred->uid.val;
	pr_euid = T->real_cred->euid.val;
	pr_gid = T->real_cred->gid.val;
	pr_egid = T->real_cred->egid.val;
	pr_addr = (uintptr_t)T;
	pr_size = T->mm == NULL ? 0 : T->mm->total_vm * 4;
	pr_rssize = T->mm == NULL ? 0 : 4 * (__mm_pages[T->mm, 0] +
	    __mm_pages[T->mm, 1] + __mm_pages[T->mm, 3]);
	pr_ttydev = T->signal->tty == NULL ? -1 :
	    T->signal->tty->driver->major << 20 |
	    (T->signal->tty->driver->minor_start + T->signal->tty->index);
	pr_start = xlate <timestruc_t> (__since_1970[T->start_time]);
	pr_ctime = xlate <timestruc_t>
	    ((hrtime_t)(T->signal->cutime + T->signal->cstime));
	pr_fname = stringof(T->comm);
	pr_psargs = __task_tgid[T] == pid ? execargs : stringof(T->comm);
	pr_wstat = T->exit_code;
	pr_argc = __task_argc[T];
	pr_argv = T->mm == NULL ? 0 : T->mm->start_stack + 8;
	pr_envp = __task_tgid[T] != pid || T->mm == NULL ? 0 :
	    T->mm->start_stack + 8 * (__task_argc[T] + 2);
	pr_dmodel = T->mm != NULL && T->mm->task_size <= 0xffffffff ?
	    PR_MODEL_ILP32 : PR_MODEL_LP64;
	pr_taskid = 0;
	pr_projid = 0;
	pr_nzomb = 0;
	pr_poolid = 0;
	pr_zoneid = 0;
	pr_contract = 0;
	pr_lwp = xlate <lwpsinfo_t> (T->group_leader);
};

/* ---- the current one ---------------------------------------------------- */

/*
 * What built-in variables say serves every engine; the rest asks the kernel's
 * task, which the kernel engine alone can.  Nobody has a value of this type.
 */
typedef struct dtrace_self {
	int ds_unused;
} dtrace_self_t;

/* Threads of the kernel (PF_KTHREAD) have no user registers. */
inline short __self_syscall = (curthread->flags & 0x200000) != 0 ? -1 :
	(short)uregs[R_SYSNR];

translator lwpsinfo_t < dtrace_self_t *S > {
	pr_stype = __task_stype[curthread] != SOBJ_CV ||
	    __self_syscall != __NR_futex ? __task_stype[curthread] : SOBJ_USER;
	pr_syscall = __self_syscall;
	pr_flag = xlate <lwpsinfo_t *> (curthread)->pr_flag;
	pr_lwpid = tid;
	pr_addr = (uintptr_t)curthread;
	pr_state = SONPROC;
	pr_sname = 'O';
	pr_nice = xlate <lwpsinfo_t *> (curthread)->pr_nice;
	pr_cpu = cpu;
	pr_pri = xlate <lwpsinfo_t *> (curthread)->pr_pri;
	pr_start = xlate <timestruc_t> (__since_1970[curthread->start_time]);
	pr_time = xlate <timestruc_t> ((hrtime_t)vtimestamp);
	pr_clname = xlate <lwpsinfo_t *> (curthread)->pr_clname;
	pr_name = execname;
	pr_onpro = cpu;
	pr_bindpro = xlate <lwpsinfo_t *> (curthread)->pr_bindpro;
	pr_bindpset = PS_NONE;
	pr_lgrp = lgrp;
};

translator psinfo_t < dtrace_self_t *S > {
	pr_flag = 0;
	pr_nlwp = xlate <psinfo_t *> (curthread)->pr_nlwp;
	pr_pid = pid;
	pr_ppid = ppid;
	pr_pgid = xlate <psinfo_t *> (curthread)->pr_pgid;
	pr_sid = xlate <psinfo_t *> (curthread)->pr_sid;
	pr_uid = uid;
	pr_euid = xlate <psinfo_t *> (curthread)->pr_euid;
	pr_gid = gid;
	pr_egid = xlate <psinfo_t *> (curthread)->pr_egid;
	pr_addr = (uintptr_t)curthread;
	pr_size = xlate <psinfo_t *> (curthread)->pr_size;
	pr_rssize = xlate <psinfo_t *> (curthread)->pr_rssize;
	pr_ttydev = xlate <psinfo_t *> (curthread)->pr_ttydev;
	pr_start = xlate <timestruc_t>
	    (__since_1970[curthread->group_leader->start_time]);
	pr_ctime = xlate <timestruc_t> ((hrtime_t)(curthread->signal->cutime +
	    curthread->signal->cstime));
	pr_fname = execname;
	pr_psargs = execargs;
	pr_wstat = 0;
	pr_argc = xlate <psinfo_t *> (curthread)->pr_argc;
	pr_argv = xlate <psinfo_t *> (curthread)->pr_argv;
	pr_envp = xlate <psinfo_t *> (curthread)->pr_envp;
	pr_dmodel = xlate <psinfo_t *> (curthread)->pr_dmodel;
	pr_taskid = 0;
	pr_projid = 0;
	pr_nzomb = 0;
	pr_poolid = 0;
	pr_zoneid = 0;
	pr_contract = 0;
	pr_lwp = xlate <lwpsinfo_t> (curthread->group_leader);
};

inline psinfo_t *curpsinfo = xlate <psinfo_t *> ((dtrace_self_t *)NULL);
inline lwpsinfo_t *curlwpsinfo = xlate <lwpsinfo_t *> ((dtrace_self_t *)NULL);
