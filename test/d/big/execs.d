/*
 * Who starts what: attempts are speculated, told if the command ran, and
 * forgotten if it did not; processes are told of when they end.
 * @needs: bpf
 * @run: -C -qs %f 1 "" "" -c '/bin/sh -c "/bin/echo one >/dev/null; (/bin/true a b; exit 3); /no/such/command; kill -9 $$"'
 */

/*
 * Arguments, all of which may be left out:
 *	$1	also tell of users and groups
 *	$$2	tell only of this command
 *	$$3	tell only of what this command starts
 */
#pragma D option defaultargs
#pragma D option nspec=16
#pragma D option specsize=32k
#pragma D option cleanrate=50hz
#pragma D option dynvarsize=4m

#define MINE	(pid == $target || progenyof($target))
#define WIDE(x)	((x) < 10 ? "    " : (x) < 100 ? "   " : "  ")

/* ---- what is asked ------------------------------------------------------- */

inline int OPT_ids = $1;
inline string OPT_name = $$2;
inline string OPT_parent = $$3;
inline int FILTER_name = OPT_name == "" ? 0 : 1;
inline int FILTER_parent = OPT_parent == "" ? 0 : 1;

/* ---- what is told of a process ------------------------------------------- */

/* How a process ended, in words. */
inline string how_ended[int reason] =
	reason == CLD_EXITED ? "exited" :
	reason == CLD_KILLED ? "was killed" :
	reason == CLD_DUMPED ? "dumped core" : "vanished";

/* The name by which users know a thing of numbers. */
enum kind {
	KIND_SHELL = 1,
	KIND_TOOL,
	KIND_OTHER
};

inline int kind_of[string name] =
	name == "sh" || name == "bash" || name == "dash" ? KIND_SHELL :
	name == "echo" || name == "true" ? KIND_TOOL : KIND_OTHER;

typedef struct command {
	string c_name;		/* last part of the path */
	string c_args;		/* as they were given */
	int c_kind;		/* enum kind */
	int c_depth;		/* how many ancestors of ours it has */
	pid_t c_pid;
	pid_t c_parent;
	uid_t c_user;
	int c_nargs;		/* blanks in c_args, and one */
} command_t;

/* How deep a process is under the first that we see. */
int depth[pid_t];

translator command_t < psinfo_t *P > {
	c_name = P->pr_fname;
	c_args = P->pr_psargs;
	c_kind = kind_of[P->pr_fname];
	c_depth = depth[P->pr_pid];
	c_pid = P->pr_pid;
	c_parent = P->pr_ppid;
	c_user = P->pr_uid;
	c_nargs = strtok(P->pr_psargs, " ") == NULL ? 0 :
	    strtok(NULL, " ") == NULL ? 1 :
	    strtok(NULL, " ") == NULL ? 2 : 3;
};

inline command_t *curcommand = xlate <command_t *> (curpsinfo);

/* ---- state --------------------------------------------------------------- */

struct life {
	uint64_t begun;
	uint64_t tries;
	uint64_t failures;
	int kind;
	int depth;
};

struct life lives[pid_t];	/* of processes that are there */
string started_as[pid_t, int];	/* name of its nth command */
int commands[pid_t];		/* how many it has been */
self string path;		/* what is being executed */
self int spec;
int64_t total, failed, shells;

/* ---- the beginning ------------------------------------------------------- */

dtrace:::BEGIN
{
	depth[$target] = 1;
	lives[$target].begun = timestamp;
	lives[$target].depth = 1;
	total = 0;
	printf("%-8s %-7s %s\n", "EVENT", "DEPTH", OPT_ids ? "USER COMMAND" :
	    "COMMAND");
}

/* ---- processes come ------------------------------------------------------- */

proc:::create
/MINE/
{
	this->child = args[0]->pr_pid;
	depth[this->child] = depth[pid] + 1;
	lives[this->child].begun = timestamp;
	lives[this->child].depth = depth[pid] + 1;
	commands[this->child] = 0;
	@events["create", depth[this->child]] = count();
}

proc:::start
/MINE && depth[pid] != 0/
{
	@events["start", depth[pid]] = count();
}

/* ---- they execute --------------------------------------------------------- */

proc:::exec
/MINE && (!FILTER_parent || execname == OPT_parent)/
{
	self->path = stringof(args[0]);
	self->spec = speculation();
	lives[pid].tries++;
}

proc:::exec
/self->spec/
{
	speculate(self->spec);
	printf("exec     %d       %s->", depth[pid], execname);
	printf(" %s%s\n", WIDE(strlen(self->path)), self->path);
}

proc:::exec-success
/self->spec && FILTER_name && execname != OPT_name/
{
	discard(self->spec);
	self->spec = 0;
}

proc:::exec-success
/self->spec/
{
	commit(self->spec);
}

proc:::exec-success
/self->spec/
{
	this->n = commands[pid]++;
	started_as[pid, this->n] = curcommand->c_name;
	lives[pid].kind = curcommand->c_kind;
	total++;
	if (curcommand->c_kind == KIND_SHELL) {
		shells++;
	} else if (curcommand->c_kind == KIND_TOOL && curcommand->c_nargs > 1) {
		@tools[curcommand->c_name, curcommand->c_nargs] = count();
	} else {
		@alone[curcommand->c_name] = count();
	}
	if (OPT_ids) {
		printf("%-8s %-7d %4d %s (%s, %d words)\n", "runs",
		    curcommand->c_depth, curcommand->c_user, curcommand->c_name,
		    basename(self->path), curcommand->c_nargs);
	} else {
		printf("%-8s %-7d %s\n", "runs", curcommand->c_depth,
		    curcommand->c_args);
	}
	self->spec = 0;
	self->path = 0;
}

/* A command that is not there leaves no line of its own. */
proc:::exec-failure
/self->spec/
{
	discard(self->spec);
	failed++;
	lives[pid].failures++;
	@errors[args[0] == ENOENT ? "no such file" :
	    args[0] == EACCES ? "not permitted" : "another",
	    dirname(self->path)] = count();
	self->spec = 0;
	self->path = 0;
}

/* ---- they end --------------------------------------------------------------- */

syscall::exit_group:entry
/MINE/
{
	self->status = arg0 & 0xff;
	self->ended = 1;
}

proc:::exit
/MINE && depth[pid] != 0/
{
	this->n = commands[pid];
	printf("%-8s %-7d %s %s with %d\n", "end", depth[pid],
	    this->n > 0 ? started_as[pid, this->n - 1] : execname,
	    how_ended[args[0]], self->ended ? self->status : -1);
	@ages[how_ended[args[0]],
	    timestamp - lives[pid].begun < 3600 * 1000000000ull] = count();
	@statuses = lquantize(self->status, 0, 10, 1);
	@kinds[lives[pid].kind] = count();
	@deepest = max(lives[pid].depth);
	self->status = 0;
	self->ended = 0;
}

/* What is dead needs no room. */
proc:::exit
/MINE/
{
	depth[pid] = 0;
	commands[pid] = 0;
	lives[pid].begun = 0;
	lives[pid].tries = 0;
	started_as[pid, 0] = 0;
}

/* ---- the end ------------------------------------------------------------------ */

dtrace:::END
{
	printf("\n%d commands, %d of them shells; %d failed\n", total, shells,
	    failed);
	printa("%-12s at depth %d: %@d\n", @events);
	printa("%-12s with %d words: %@d\n", @tools);
	printa("%-12s alone: %@d\n", @alone);
	printa("%s in %s: %@d\n", @errors);
	printa("%s, within the hour %d: %@d\n", @ages);
	printa("kind %d: %@d\n", @kinds);
	printa("deepest: %@d\n", @deepest);
	printa(@statuses);
}
