/*
 * System calls by process and name: how many, how long, on the CPU how long,
 * how many fail and why.  Times differ from run to run, so what is told of
 * them is only what must hold.
 * @needs: bpf
 * @run: -C -DVERBOSE=1 -qs %f all -c '/bin/sh -c "cd /; cd /no/such; cd /; umask 022; umask 027; exec /bin/true"'
 */

/*
 * Argument $$1: "all", or the one command to tell of.  What is told of calls
 * is in the order in which it is asked for: counts, elapsed times, times on
 * the CPU, sizes, errors.
 */
#pragma D option defaultargs
#pragma D option dynvarsize=8m
#pragma D option aggsize=2m
#pragma D option aggsortkey

#ifndef VERBOSE
#define VERBOSE 0
#endif
#define ON(call)	syscall::call:return /self->begun && OURS/
#define OURS		(pid == $target || progenyof($target))

/* ---- what is asked ------------------------------------------------------- */

inline string COMMAND = $$1 == "" ? "all" : $$1;
inline int SHOW_TIMES = VERBOSE;
inline int SHOW_ERRORS = 1;
inline int BUCKETS = 16;

/* ---- classes of calls ---------------------------------------------------- */

enum class {
	CLASS_FILES = 0,
	CLASS_MEMORY,
	CLASS_PROCESSES,
	CLASS_SIGNALS,
	CLASS_OTHERS,
	CLASSES
};

inline int class_of[string call] =
	call == "read" || call == "write" || call == "openat" ||
	call == "close" || call == "newfstatat" || call == "chdir" ?
	    CLASS_FILES :
	call == "mmap" || call == "munmap" || call == "mprotect" ||
	call == "brk" ? CLASS_MEMORY :
	call == "execve" || call == "exit_group" || call == "umask" ||
	call == "getppid" ? CLASS_PROCESSES :
	strstr(call, "sig") != NULL ? CLASS_SIGNALS : CLASS_OTHERS;

inline string class_name[int c] =
	c == CLASS_FILES ? "files" :
	c == CLASS_MEMORY ? "memory" :
	c == CLASS_PROCESSES ? "processes" :
	c == CLASS_SIGNALS ? "signals" : "others";

inline string error_name[int e] =
	e == ENOENT ? "ENOENT" : e == EACCES ? "EACCES" :
	e == EBADF ? "EBADF" : e == EINVAL ? "EINVAL" : "another";

/* ---- one call ------------------------------------------------------------ */

typedef struct call {
	uint64_t c_begun;
	uint64_t c_cpu;		/* vtimestamp at its beginning */
	uint64_t c_arg;
	int c_class;
	char c_nested;
} call_t;

typedef struct outcome {
	int o_failed;
	int o_errno;
	string o_what;
	int64_t o_value;
} outcome_t;

translator outcome_t < int64_t R > {
	o_failed = R == -1 && errno != 0;
	o_errno = R == -1 ? errno : 0;
	o_what = R == -1 && errno != 0 ? error_name[errno] : "success";
	o_value = R;
};

/* ---- state --------------------------------------------------------------- */

self call_t call;
self int begun;
self string last;

uint64_t elapsed[string, string];	/* by command and call */
uint64_t oncpu[string, string];
uint64_t calls[string, string];
uint64_t errors[string, string, int];
uint64_t by_class[int];
string longest;
uint64_t longest_ns;
int64_t impossible;			/* times that cannot be */
int64_t umasks[int];

/* ---- the beginning ------------------------------------------------------- */

dtrace:::BEGIN
{
	impossible = 0;
	longest = "none";
	printf("Tracing %s\n", COMMAND == "all" ? "all commands" : COMMAND);
}

/* ---- every call ---------------------------------------------------------- */

syscall:::entry
/OURS && (COMMAND == "all" || execname == COMMAND)/
{
	self->call.c_nested = self->begun != 0;
	self->call.c_arg = arg0;
	self->call.c_begun = timestamp;
	self->call.c_cpu = vtimestamp;
	self->call.c_class = class_of[probefunc];
	self->begun = 1;
}

syscall:::entry
/self->begun && self->call.c_nested/
{
	@nested[probefunc] = count();
}

syscall:::return
/self->begun/
{
	this->took = timestamp - self->call.c_begun;
	this->cpu = vtimestamp - self->call.c_cpu;
	elapsed[execname, probefunc] += this->took;
	oncpu[execname, probefunc] += this->cpu;
	calls[execname, probefunc]++;
	by_class[self->call.c_class]++;
	self->last = probefunc;
	/* A call is on the CPU for no longer than it takes. */
	if (this->cpu > this->took + 1000000) {
		impossible++;
	} else if (this->took > longest_ns) {
		longest_ns = this->took;
		longest = strjoin(execname, strjoin("/", probefunc));
	}
}

syscall:::return
/self->begun && SHOW_TIMES/
{
	@elapsed[execname, probefunc] = sum(this->took);
	@oncpu[execname, probefunc] = sum(this->cpu);
	@average[execname] = avg(this->took);
	@spread[execname] = stddev(this->took);
	@shape[class_name[self->call.c_class]] = quantize(this->took);
	@fine = lquantize(this->took / 1000, 0, BUCKETS, 1);
	@coarse = llquantize(this->took, 10, 0, 6, 20);
}

syscall:::return
/self->begun/
{
	@calls[class_name[self->call.c_class],
	    xlate <outcome_t> ((int64_t)arg1).o_what]
	    = count();
	@any = count();
}

syscall:::return
/self->begun && SHOW_ERRORS && xlate <outcome_t> ((int64_t)arg1).o_failed/
{
	errors[execname, probefunc, errno]++;
	if (probefunc == "chdir") {
		@failures[execname, probefunc, error_name[errno]] = count();
	} else {
		@elsewhere[error_name[errno]] = count();
	}
}

/* ---- calls of which more is told ----------------------------------------- */

ON(chdir)
{
	printf("%s: %s, %s\n", execname, probefunc,
	    xlate <outcome_t> ((int64_t)arg1).o_what);
	@said["chdir", class_name[self->call.c_class]] = count();
}

ON(umask)
{
	umasks[self->call.c_arg]++;
	printf("%s: umask %03o, %d of them\n", execname,
	    (int)self->call.c_arg, umasks[self->call.c_arg]);
	@said["umask", class_name[self->call.c_class]] = count();
	@masks = sum(self->call.c_arg);
}

ON(execve)
{
	printf("now %s, after %s\n", execname, self->last);
	@said["execve", class_name[self->call.c_class]] = count();
}

syscall::exit_group:entry
/self->begun/
{
	printf("%s ends\n", execname);
}

/* ---- a call is over ------------------------------------------------------ */

syscall:::return
/self->begun/
{
	self->begun = 0;
	self->call.c_begun = 0;
	self->call.c_cpu = 0;
}

/* ---- the end ------------------------------------------------------------- */

dtrace:::END
{
	printf("\n%d times that cannot be; the longest call is %s\n",
	    impossible, longest_ns > 0 ? "known" : "unknown");
	printf("chdir: %d calls, %d fail; times %s\n", calls["sh", "chdir"],
	    errors["sh", "chdir", ENOENT],
	    elapsed["sh", "chdir"] > 0 &&
	    oncpu["sh", "chdir"] <= elapsed["sh", "chdir"] + 1000000 ?
	    "agree" : "disagree");
	printf("classes: files %s, memory %s, processes %s\n",
	    by_class[CLASS_FILES] > 3 ? "yes" : "no",
	    by_class[CLASS_MEMORY] > 3 ? "yes" : "no",
	    by_class[CLASS_PROCESSES] > 3 ? "yes" : "no");
}

dtrace:::END
{
	printa("%s: %s fails with %s: %@d\n", @failures);
	printa("%s is of %s: %@d\n", @said);
	printa("masks add up to %@d\n", @masks);
	printf("calls that began within calls:\n");
	printa("  %s %@d\n", @nested);
	trunc(@calls);
	trunc(@elapsed);
	trunc(@oncpu);
	trunc(@shape);
	clear(@fine);
	clear(@coarse);
	clear(@average);
	clear(@spread);
	normalize(@any, 1000000);
	printa("%@d million calls\n", @any);
}

dtrace:::END
{
	trunc(@elsewhere);
	trunc(@average);
	trunc(@spread);
	trunc(@fine);
	trunc(@coarse);
}
