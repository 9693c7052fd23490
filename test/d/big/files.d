/*
 * What is read from and written to files, by name: each call, sizes, places in
 * the file, and who did it.  An open file is followed from its opening to its
 * closing; what a call does is speculated until its result is known.
 * @needs: bpf
 * @run: -qs %f 100 zero null generate -c '/bin/sh -c "dd if=/dev/zero of=/dev/null bs=512 count=3 status=none; cat generate generate >/dev/null; dd if=generate of=/dev/full bs=100 skip=1 count=2 status=none 2>&1 | grep -q full"'
 */

/*
 *	$1	bytes of a call that make it a large one
 *	$$2 ...	last parts of the names of files to tell of
 */
#pragma D option nspec=64
#pragma D option strsize=128
#pragma D option dynvarsize=4m
#pragma D option cleanrate=100hz

/* ---- what is asked ------------------------------------------------------- */

inline int LARGE = $1;
inline string FILE_1 = $$2;
inline string FILE_2 = $$3;
inline string FILE_3 = $$4;
inline int OURS = pid == $target || progenyof($target);

inline int wanted[string name] =
	name == FILE_1 || name == FILE_2 || name == FILE_3 || name == "full";

/* ---- one input or output ------------------------------------------------- */

enum direction {
	IN = 1,
	OUT = 2
};

typedef struct io {
	string io_file;		/* last part of the name */
	string io_dir;
	string io_kind;		/* of file system, in a word */
	int io_flags;		/* access that the file was opened for */
	int64_t io_at;		/* where it begins */
	int io_direct;		/* enum direction */
} io_t;

/* What is said of a file system. */
inline string fs_kind[string fs] =
	fs == "devtmpfs" || fs == "devpts" ? "devices" :
	fs == "proc" || fs == "sysfs" ? "kernel" :
	fs == "<none>" ? "none" : "storage";

inline int IO_ACCESS = 3;	/* O_RDONLY, O_WRONLY or O_RDWR */

translator io_t < fileinfo_t F > {
	io_file = F.fi_name;
	io_dir = F.fi_dirname;
	io_kind = fs_kind[F.fi_fs];
	io_flags = F.fi_oflags & IO_ACCESS;
	io_at = F.fi_offset;
	io_direct = (F.fi_oflags & IO_ACCESS) == O_RDONLY ? IN : OUT;
};

inline string access_name[int flags] =
	flags == O_RDONLY ? "read only" :
	flags == O_WRONLY ? "write only" : "read and write";

inline string size_class[int64_t n] =
	n < 0 ? "failed" : n == 0 ? "nothing" : n < LARGE ? "small" : "large";

/* The sizes of files and buffers are not our affair. */
inline int64_t at_most[int64_t n] = n < 1000 ? n : 1000;

/* ---- state --------------------------------------------------------------- */

struct totals {
	int64_t calls;
	int64_t bytes;
	int64_t failed;
	int last_errno;
};

struct totals totals[string, int];	/* by file and direction */
string opened_by[string];		/* who opened it first */
uint64_t next_at[string, pid_t];	/* where the last one ended */
int64_t sequential[string], jumps[string];
struct totals all;

self string file;
self uintptr_t name;
self int direction;
self int64_t asked;
self int64_t at;
self uint64_t begun;
self int spec;

/* ---- the beginning ------------------------------------------------------- */

dtrace:::BEGIN
{
	printf("%-5s %-9s %6s %6s %6s %s\n", "COMM", "FILE", "AT", "ASKED",
	    "DONE", "IS");
	all.calls = all.bytes = all.failed = 0;
	all.last_errno = 0;
}

/* ---- files are opened ---------------------------------------------------- */

/* The name is read when the call is over: it was in memory then. */
syscall::openat:entry
/OURS/
{
	self->name = arg1;
	self->asked = arg2;
}

syscall::openat:return
/self->name/
{
	self->file = basename(copyinstr(self->name));
	self->direction = wanted[self->file] && (int64_t)arg1 >= 0;
}

syscall::openat:return
/self->direction/
{
	if (opened_by[self->file] == NULL) {
		opened_by[self->file] = execname;
		@opens[self->file, "first"] = count();
	} else {
		@opens[self->file, "again"] = count();
	}
	@access[access_name[self->asked & IO_ACCESS]] = count();
}

syscall::openat:return
/self->name/
{
	self->name = 0;
	self->file = 0;
	self->asked = 0;
	self->direction = 0;
}

/* ---- calls begin --------------------------------------------------------- */

syscall::read:entry
/OURS && wanted[fds[arg0].fi_name]/
{
	self->direction = IN;
	self->file = fds[arg0].fi_name;
	self->at = fds[arg0].fi_offset;
	self->asked = arg2;
	self->begun = timestamp;
	self->spec = speculation();
	@kinds[xlate <io_t> (fds[arg0]).io_kind,
	    xlate <io_t> (fds[arg0]).io_direct] = count();
}

syscall::write:entry
/OURS && wanted[fds[arg0].fi_name]/
{
	self->direction = OUT;
	self->file = fds[arg0].fi_name;
	self->at = fds[arg0].fi_offset;
	self->asked = arg2;
	self->begun = timestamp;
	self->spec = speculation();
	@kinds[xlate <io_t> (fds[arg0]).io_kind,
	    xlate <io_t> (fds[arg0]).io_direct] = count();
	@heads[stringof(copyin(arg1, 2))] = count();
}

syscall::read:entry, syscall::write:entry
/self->spec/
{
	speculate(self->spec);
	printf("%-5s %-9s %6d %6d", execname, self->file, self->at,
	    at_most[self->asked]);
}

/* Does it go on where the last one ended? */
syscall::read:entry, syscall::write:entry
/self->direction/
{
	if (self->at == next_at[self->file, pid]) {
		sequential[self->file]++;
	} else {
		jumps[self->file]++;
	}
}

/* ---- calls end ----------------------------------------------------------- */

syscall::read:return, syscall::write:return
/self->direction/
{
	this->n = (int64_t)arg1;
	totals[self->file, self->direction].calls++;
	all.calls++;
	if (this->n < 0) {
		totals[self->file, self->direction].failed++;
		totals[self->file, self->direction].last_errno = errno;
		all.failed++;
		all.last_errno = errno;
		@errors[self->file, errno] = count();
	} else {
		totals[self->file, self->direction].bytes += this->n;
		all.bytes += this->n;
		next_at[self->file, pid] = self->at + this->n;
		@bytes[execname, self->file] = sum(this->n);
	}
	@classes[probefunc, size_class[this->n]] = count();
}

/* Only what moved something, or failed, is told. */
syscall::read:return, syscall::write:return
/self->spec && (int64_t)arg1 == 0/
{
	discard(self->spec);
	self->spec = 0;
	@ends[execname, self->file] = count();
}

syscall::read:return, syscall::write:return
/self->spec && (int64_t)arg1 != 0/
{
	speculate(self->spec);
	printf(" %6d %s %s\n", at_most[(int64_t)arg1],
	    self->direction == IN ? "in," : "out,",
	    size_class[(int64_t)arg1]);
}

syscall::read:return, syscall::write:return
/self->spec/
{
	commit(self->spec);
	self->spec = 0;
}

syscall::read:return, syscall::write:return
/self->direction/
{
	@sizes[self->direction == IN ? "in" : "out"] =
	    quantize(self->asked < 1024 ? self->asked : 0);
	@slow = max((timestamp - self->begun) / 60000000000ull);
	self->direction = 0;
	self->file = 0;
	self->asked = 0;
	self->at = 0;
	self->begun = 0;
}

/* ---- the end ------------------------------------------------------------- */

dtrace:::END
{
	printf("\n%d calls, %d failed, the last with ENOSPC: %d\n", all.calls,
	    all.failed, all.last_errno == ENOSPC);
	printf("zero: %d calls, %d bytes; null: %d calls\n",
	    totals["zero", IN].calls, totals["zero", IN].bytes,
	    totals["null", OUT].calls);
	printf("full: %d calls, %d failed\n", totals["full", OUT].calls,
	    totals["full", OUT].failed);
	printf("%s was opened by %s, %s by %s\n", FILE_1, opened_by[FILE_1],
	    FILE_3, opened_by[FILE_3]);
	printf("generate: %s in order, %d elsewhere\n",
	    sequential["generate"] > 2 ? "mostly" : "rarely",
	    jumps["generate"]);
	printa("open %s, %s time: %@d\n", @opens);
	printa("to be %s: %@d\n", @access);
	printa("%s, direction %d: %@d\n", @kinds);
	printa("%s of %s: %@d\n", @classes);
	printa("%s has read all of %s: %@d\n", @ends);
	printa("writing to %s fails with %d: %@d\n", @errors);
	printa("minutes: %@d\n", @slow);
	trunc(@heads, 1);
	clear(@heads);
	trunc(@bytes, 2);
	printf("most bytes:");
	printa(" %s %s;", @bytes);
	printf("\n");
	printa(@sizes);
	trunc(@heads);
}
