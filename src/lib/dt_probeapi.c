/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_probeapi.c - <dtrace/probe.h>: adding probes and removing them.
 *
 * Names reach the program as macro arguments, $1 and $2, so that no name can
 * be taken for anything else than a name, and all characters but ':' may be in
 * it.
 *
 * The two engines must not both write into the text of a process (dt_place.c),
 * and each probe has a handle that knows nothing of the others.  So here is
 * what handles do not have: the list of probes that are in place.  Where one is
 * already, the next goes to the same engine, or is refused.
 */
#include "lib/dt_probeapi.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"

/* Everything from the look at the list to the entry in it is done under the
   lock: two placements in one process would be in each other's way. */
static struct {
	pthread_mutex_t lock;
	struct dtprobe *first;
} living = { .lock = PTHREAD_MUTEX_INITIALIZER };

int
probeapi_fail(struct dtprobe *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(p->err, sizeof(p->err), fmt, ap);
	va_end(ap);
	for (char *s = p->err; (s = strchr(s, '\n')) != NULL;)
		*s = s[1] != '\0' ? ' ' : '\0';
	return -1;
}

int
probeapi_fail_dtp(struct dtprobe *p)
{
	int column, end = 0;

	probeapi_fail(p, "%s", dtrace_errmsg(p->dtp, dtrace_errno(p->dtp)));
	/* Where in the program it is, is said of a text nobody has seen. */
	char *at = strstr(p->err, " (column ");
	if (at != NULL && sscanf(at, " (column %d)%n", &column, &end) == 1 &&
	    end != 0 && at[end] == '\0')
		*at = '\0';
	return -1;
}

/* ---- what may be asked for ----------------------------------------------- */

/* What is wrong with the process that is meant; NULL: nothing. */
static const char *
spec_process(const dtprobe_spec_t *s)
{
	if (s->argv != NULL)
		return s->pid != 0	  ? "pid and argv exclude each other" :
		       s->argv[0] == NULL ? "argv has no program" : NULL;
	return s->pid > 0  ? NULL :
	       s->pid == 0 ? "no process: pid or argv is needed" :
			     "pid is not the number of a process";
}

static const char *
spec_name(const char *name, const char *empty, const char *colon)
{
	if (name == NULL)
		return NULL;
	return name[0] == '\0'		 ? empty :
	       strchr(name, ':') != NULL ? colon : NULL;
}

static const char *
spec_place(const dtprobe_spec_t *s)
{
	const char *why = spec_name(s->object,
				    "object is empty (NULL: the program)",
				    "object must not contain a colon");

	if (why == NULL)
		why = spec_name(s->function, "function is empty (* is all)",
				"function must not contain a colon");
	if (why != NULL)
		return why;
	if ((unsigned)s->at > DTPROBE_OFFSET)
		return "at is none of ENTRY, RETURN and OFFSET";
	if (s->function == NULL)
		return s->address == 0 ? "no place: function or address is "
					 "needed" :
		       s->at != DTPROBE_ENTRY || s->offset != 0 ?
					 "an address is the place itself: at "
					 "and offset are for functions" : NULL;
	if (s->address != 0)
		return "function and address exclude each other";
	return s->offset != 0 && s->at != DTPROBE_OFFSET ?
		       "offset is for DTPROBE_OFFSET" : NULL;
}

static const char *
spec_deed(const dtprobe_spec_t *s)
{
	const unsigned all = DTPROBE_COUNT | DTPROBE_ARGS | DTPROBE_REGS |
			     DTPROBE_STACK;

	if ((s->want & ~all) != 0)
		return "want has unknown bits";
	if ((s->want & DTPROBE_COUNT) != 0 && s->want != DTPROBE_COUNT)
		return "DTPROBE_COUNT means no events, and so nothing in them";
	if ((s->want & DTPROBE_COUNT) != 0 && s->handler != NULL)
		return "DTPROBE_COUNT means no events: the handler would "
		       "never be called";
	return s->handler != NULL && s->clause != NULL ?
		       "handler and clause exclude each other" : NULL;
}

static int
spec_check(struct dtprobe *p, const dtprobe_spec_t *s)
{
	const char *why = spec_process(s);

	if (why == NULL)
		why = spec_place(s);
	if (why == NULL)
		why = spec_deed(s);
	return why == NULL ? 0 : probeapi_fail(p, "%s", why);
}

/* ---- as a program -------------------------------------------------------- */

/* The probe description; $1 and $2 stand for the names. */
static void
text_place(struct buf *b, const dtprobe_spec_t *s, pid_t pid)
{
	if (s->function == NULL)
		buf_printf(b, "pid%d:$1:-:%llx", (int)pid,
			   (unsigned long long)s->address);
	else if (s->at == DTPROBE_OFFSET)
		buf_printf(b, "pid%d:$1:$2:%llx", (int)pid,
			   (unsigned long long)s->offset);
	else
		buf_printf(b, "pid%d:$1:$2:%s", (int)pid,
			   s->at == DTPROBE_ENTRY ? "entry" : "return");
}

static void
text_event(struct buf *b, const struct dtprobe *p)
{
	buf_puts(b, "{ trace(pid); trace(tid);");
	for (unsigned i = 0; i < p->nargs; i++)
		buf_printf(b, " trace(arg%u);", i);
	for (unsigned i = 0; (p->want & DTPROBE_REGS) && i < DTPROBE_NREGS; i++)
		buf_printf(b, " trace(uregs[%u]);", i);
	if (p->want & DTPROBE_STACK)
		buf_printf(b, " ustack(%u);", DTPROBE_NFRAMES);
	buf_puts(b, " }");
}

/* Compile and enable; *n: the probes that it matched, if not NULL. */
static int
program_add(struct dtprobe *p, const dtprobe_spec_t *s, const struct buf *text,
	    unsigned *n)
{
	const char *object = s->object != NULL	 ? s->object :
			     s->function != NULL ? "a.out" : "";
	const char *argv[] = { "dtprobe", object,
			       s->function != NULL ? s->function : "", NULL };
	dtrace_proginfo_t info;
	dtrace_prog_t *prog;

	if (text->failed)
		return probeapi_fail(p, "out of memory");
	prog = dtrace_program_strcompile(p->dtp, buf_str(text),
					 DTRACE_PROBESPEC_NAME,
					 DTRACE_C_ARGREF, 3,
					 (char *const *)argv);
	if (prog == NULL || dtrace_program_exec(p->dtp, prog, &info) != 0)
		return probeapi_fail_dtp(p);
	if (n != NULL)
		*n = info.dpi_matches;
	return 0;
}

/* One clause at the place; *n as above. */
static int
clause_add(struct dtprobe *p, const dtprobe_spec_t *s, const char *clause,
	   unsigned *n)
{
	struct buf b = BUF_INIT;
	int rc;

	text_place(&b, s, p->pid);
	buf_printf(&b, " %s", clause);
	rc = program_add(p, s, &b, n);
	buf_fini(&b);
	return rc;
}

static int
programs_add(struct dtprobe *p, const dtprobe_spec_t *s)
{
	struct buf event = BUF_INIT;
	int rc = clause_add(p, s, "{ @" PROBEAPI_AGG " = count(); }",
			    &p->places);

	if (rc == 0 && p->handler != NULL) {
		text_event(&event, p);
		rc = event.failed ? probeapi_fail(p, "out of memory") :
				    clause_add(p, s, buf_str(&event), NULL);
		buf_fini(&event);
	}
	if (rc == 0 && s->clause != NULL)
		rc = clause_add(p, s, s->clause, NULL);
	return rc;
}

/* ---- adding -------------------------------------------------------------- */

/* A process that stops all of its own threads never lets them go again. */
static const char *
engine_name(const dtprobe_spec_t *s)
{
	bool any = s->engine == NULL || strcmp(s->engine, "auto") == 0;

	return any && s->pid == getpid() ? "kernel" : s->engine;
}

/* The library's words do not say which option, for it was not asked by name. */
static int
add_option(struct dtprobe *p, const char *opt, const char *val)
{
	if (dtrace_setopt(p->dtp, opt, val) == 0)
		return 0;
	return probeapi_fail(p, "%s %s: %s", opt, val,
			     dtrace_errmsg(p->dtp, dtrace_errno(p->dtp)));
}

static int
add_options(struct dtprobe *p, const dtprobe_spec_t *s)
{
	const char *engine = engine_name(s);
	char size[32];

	if (s->pid == getpid() && engine != NULL &&
	    strcmp(engine, "process") == 0)
		return probeapi_fail(p, "the process engine cannot work in "
					"the process that uses it");
	snprintf(size, sizeof(size), "%zu", s->bufsize);
	if (dtrace_setopt(p->dtp, "quiet", NULL) != 0 ||
	    dtrace_setopt(p->dtp, "switchrate", "10ms") != 0)
		return probeapi_fail_dtp(p);
	if (s->bufsize != 0 && add_option(p, "bufsize", size) != 0)
		return -1;
	if (engine != NULL && add_option(p, "engine", engine) != 0)
		return -1;
	return probeapi_listen(p);
}

static int
add_process(struct dtprobe *p, const dtprobe_spec_t *s)
{
	p->proc = s->argv != NULL ?
			  dtrace_proc_create(p->dtp, NULL, s->argv, NULL,
					     NULL) :
			  dtrace_proc_grab(p->dtp, s->pid, 0);
	if (p->proc == NULL)
		return probeapi_fail_dtp(p);
	p->pid = dtrace_proc_pid(p->proc);
	return 0;
}

/* The lock is held.  A probe that is in the process already, or NULL. */
static const struct dtprobe *
living_in(pid_t pid)
{
	const struct dtprobe *q = living.first;

	while (q != NULL && (q->pid != pid || q->state != PROBEAPI_LIVE))
		q = q->next;
	return q;
}

/* Which decides on the engine. */
static int
add_engine(struct dtprobe *p, const dtprobe_spec_t *s, const struct dtprobe *q)
{
	const char *name = q->in_process ? "process" : "kernel";

	if (s->engine != NULL && strcmp(s->engine, "auto") != 0 &&
	    strcmp(s->engine, name) != 0)
		return probeapi_fail(p,
				     "process %d has a probe of the %s engine; "
				     "one of the other engine cannot join it",
				     (int)p->pid, name);
	return dtrace_setopt(p->dtp, "engine", name) == 0 ?
		       0 : probeapi_fail_dtp(p);
}

static int
add_locked(struct dtprobe *p, const dtprobe_spec_t *s)
{
	const struct dtprobe *q = living_in(p->pid);

	if (q != NULL && add_engine(p, s, q) != 0)
		return -1;
	if (dtrace_go(p->dtp) != 0)
		return q == NULL ? probeapi_fail_dtp(p) :
				   probeapi_fail(
					   p, "%s (a probe that is in the "
					      "process may be in its way)",
					   dtrace_errmsg(p->dtp,
							 dtrace_errno(p->dtp)));
	p->in_process = strstr(dtrace_engines(p->dtp), "engine process:") !=
			NULL;
	p->next = living.first;
	living.first = p;
	return 0;
}

static int
add_go(struct dtprobe *p, const dtprobe_spec_t *s)
{
	int rc;

	pthread_mutex_lock(&living.lock);
	rc = add_locked(p, s);
	pthread_mutex_unlock(&living.lock);
	return rc;
}

static int
add_all(struct dtprobe *p, const dtprobe_spec_t *s)
{
	int e = 0;

	if (spec_check(p, s) != 0)
		return -1;
	p->dtp = dtrace_open(DTRACE_VERSION, 0, &e);
	if (p->dtp == NULL)
		return probeapi_fail(p, "%s", dtrace_errmsg(NULL, e));
	if (s->handler != NULL && (s->want & DTPROBE_ARGS) != 0 &&
	    s->function != NULL)
		p->nargs = s->at == DTPROBE_ENTRY  ? DTPROBE_NARGS :
			   s->at == DTPROBE_RETURN ? 2 : 0;
	if (add_options(p, s) != 0 || add_process(p, s) != 0 ||
	    programs_add(p, s) != 0)
		return -1;
	return add_go(p, s);
}

dtprobe_t *
dtprobe_add(const dtprobe_spec_t *s, char *err, size_t errlen)
{
	struct dtprobe *p = calloc(1, sizeof(*p));

	if (p == NULL) {
		if (err != NULL)
			snprintf(err, errlen, "out of memory");
		return NULL;
	}
	p->want = s->want;
	p->handler = s->handler;
	p->arg = s->arg;
	p->has_clause = s->clause != NULL;
	p->status = -1;
	if (add_all(p, s) == 0)
		return p;
	if (err != NULL)
		snprintf(err, errlen, "%s", p->err);
	dtrace_close(p->dtp); /* ends a program that has not begun */
	free(p);
	return NULL;
}

/* ---- removing ------------------------------------------------------------ */

static void
remove_entry(struct dtprobe *p)
{
	struct dtprobe **pp = &living.first;

	pthread_mutex_lock(&living.lock);
	while (*pp != p)
		pp = &(*pp)->next;
	*pp = p->next;
	pthread_mutex_unlock(&living.lock);
}

int
dtprobe_remove(dtprobe_t *p)
{
	int rc;

	if (p == NULL)
		return 0;
	/* Stopped first: what a started program does afterwards is its own. */
	rc = dtrace_stop(p->dtp);
	if (dt_engines_left(p->dtp))
		rc = -1;
	probeapi_finish(p);
	dtrace_proc_release(p->dtp, p->proc);
	dtrace_close(p->dtp);
	remove_entry(p);
	free(p);
	return rc;
}
