/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * consumer.c PROGRAM COMMAND [ARG ...] - a consumer with a table of its own.
 *
 * It runs a command under a D program and prints nothing the way dtrace does:
 * records are counted by probe, and their values added up; aggregations are
 * read as rows of keys and numbers.  For example
 *
 *	consumer 'syscall::write:return { trace(arg0); @[probefunc] = count(); }
 *	    syscall::write:return { @size = quantize(arg0); }' ls -l
 *
 * It needs no privilege: the program runs in the process of the command.  See
 * doc/howto-consumer.md, and libdtrace(3) for each call.
 */
#include <dtrace/dtrace.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define TABLE_MAX 64

/* One probe that fired. */
struct entry {
	dtrace_id_t id;
	char name[DTRACE_FUNCNAMELEN + DTRACE_NAMELEN + 2];
	uint64_t count;
	int64_t sum; /* of all integers recorded */
};

struct table {
	struct entry entry[TABLE_MAX];
	int n;
	uint64_t errors, drops;
	bool ended; /* the command */
	int wstatus;
};

static volatile sig_atomic_t interrupted;

static void
on_signal(int sig)
{
	(void)sig;
	interrupted = 1;
}

/* ---- records ----------------------------------------------------------- */

/* The probe's entry; NULL: the table is full. */
static struct entry *
entry_get(struct table *t, const dtrace_probedesc_t *pd)
{
	for (int i = 0; i < t->n; i++)
		if (t->entry[i].id == pd->dtpd_id)
			return &t->entry[i];
	if (t->n == TABLE_MAX)
		return NULL;
	struct entry *e = &t->entry[t->n++];
	e->id = pd->dtpd_id;
	snprintf(e->name, sizeof(e->name), "%s:%s", pd->dtpd_func,
		 pd->dtpd_name);
	return e;
}

/* An integer of 1, 2, 4 or 8 bytes; 0: something else was recorded. */
static int64_t
rec_value(const dtrace_probedata_t *data, const dtrace_recdesc_t *rec)
{
	const char *p = data->dtpda_data + rec->dtrd_offset;
	int64_t q;
	int32_t d;
	int16_t w;
	int8_t b;

	switch (rec->dtrd_size) {
	case 8:
		memcpy(&q, p, sizeof(q));
		return q;
	case 4:
		memcpy(&d, p, sizeof(d));
		return d;
	case 2:
		memcpy(&w, p, sizeof(w));
		return w;
	case 1:
		memcpy(&b, p, sizeof(b));
		return b;
	default:
		return 0;
	}
}

/* Once a record. */
static int
chew(const dtrace_probedata_t *data, void *arg)
{
	struct entry *e = entry_get(arg, data->dtpda_pdesc);

	if (e != NULL)
		e->count++;
	return DTRACE_CONSUME_THIS; /* go on to its statements */
}

/* Once a statement; at the end of the record rec is NULL. */
static int
chewrec(const dtrace_probedata_t *data, const dtrace_recdesc_t *rec, void *arg)
{
	struct entry *e = entry_get(arg, data->dtpda_pdesc);

	if (rec == NULL)
		return DTRACE_CONSUME_NEXT;
	if (e != NULL && rec->dtrd_action == DTRACEACT_DIFEXPR)
		e->sum += rec_value(data, rec);
	/* What acts on aggregations is the library's to do. */
	return rec->dtrd_action == DTRACEACT_DIFEXPR ? DTRACE_CONSUME_NEXT :
						       DTRACE_CONSUME_THIS;
}

/* ---- handlers ---------------------------------------------------------- */

static int
on_error(const dtrace_errdata_t *data, void *arg)
{
	((struct table *)arg)->errors++;
	fprintf(stderr, "%s", data->dteda_msg);
	return DTRACE_HANDLE_OK; /* without a handler the work would end */
}

static int
on_drop(const dtrace_dropdata_t *data, void *arg)
{
	((struct table *)arg)->drops += data->dtdda_drops;
	fprintf(stderr, "%s", data->dtdda_msg);
	return DTRACE_HANDLE_OK;
}

static int
on_proc(struct ps_prochandle *p, const char *msg, void *arg)
{
	struct table *t = arg;

	(void)msg;
	t->ended = true;
	t->wstatus = dtrace_proc_wstatus(p);
	return DTRACE_HANDLE_OK;
}

/* ---- aggregations ------------------------------------------------------ */

static int
row(const dtrace_aggdata_t *d, void *arg)
{
	const dtrace_aggdesc_t *ad = d->dtada_desc;

	(void)arg;
	printf("@%s", ad->dtagd_name);
	for (int i = 0; i < ad->dtagd_nkeys; i++) {
		const dtrace_aggkey_t *k = &d->dtada_keys[i];
		if (k->dtak_is_string)
			printf(" %s", k->dtak_str);
		else
			printf(" %" PRId64, k->dtak_int);
	}
	printf(" = %" PRId64 "\n", d->dtada_value);
	return DTRACE_AGGWALK_NEXT;
}

/* ---- the order of calls ------------------------------------------------ */

static int
fail(dtrace_hdl_t *dtp, const char *what)
{
	fprintf(stderr, "%s: %s\n", what,
		dtrace_errmsg(dtp, dtrace_errno(dtp)));
	dtrace_close(dtp);
	return 1;
}

/* Until the command has ended, exit() was called, or we are interrupted. */
static int
work(dtrace_hdl_t *dtp, struct table *t)
{
	dtrace_workstatus_t st;

	do {
		if (!interrupted && !t->ended)
			dtrace_sleep(dtp);
		if ((interrupted || t->ended) && dtrace_stop(dtp) != 0)
			return -1;
		st = dtrace_work(dtp, stdout, chew, chewrec, t);
	} while (st == DTRACE_WORKSTATUS_OKAY);
	return st == DTRACE_WORKSTATUS_DONE ? 0 : -1;
}

int
main(int argc, char **argv)
{
	struct table t = { 0 };
	dtrace_proginfo_t info;
	int err;

	if (argc < 3) {
		fprintf(stderr, "usage: consumer PROGRAM COMMAND [ARG ...]\n");
		return 2;
	}
	dtrace_hdl_t *dtp = dtrace_open(DTRACE_VERSION, 0, &err);
	if (dtp == NULL) {
		fprintf(stderr, "open: %s\n", dtrace_errmsg(NULL, err));
		return 1;
	}
	if (dtrace_setopt(dtp, "engine", "process") != 0 ||
	    dtrace_handle_err(dtp, on_error, &t) != 0 ||
	    dtrace_handle_drop(dtp, on_drop, &t) != 0 ||
	    dtrace_handle_proc(dtp, on_proc, &t) != 0)
		return fail(dtp, "set up");
	/* Before compiling: the program may name $target. */
	struct ps_prochandle *p =
		dtrace_proc_create(dtp, argv[2], argv + 2, NULL, NULL);
	if (p == NULL)
		return fail(dtp, argv[2]);
	dtrace_prog_t *prog = dtrace_program_strcompile(
		dtp, argv[1], DTRACE_PROBESPEC_NAME, 0, 0, NULL);
	if (prog == NULL || dtrace_program_exec(dtp, prog, &info) != 0)
		return fail(dtp, "compile");
	signal(SIGINT, on_signal);
	if (dtrace_go(dtp) != 0)
		return fail(dtp, "go");
	dtrace_proc_continue(dtp, p);
	if (work(dtp, &t) != 0)
		return fail(dtp, "work");

	for (int i = 0; i < t.n; i++)
		printf("%s: %" PRIu64 " records, sum %" PRId64 "\n",
		       t.entry[i].name, t.entry[i].count, t.entry[i].sum);
	if (dtrace_aggregate_snap(dtp) != 0 ||
	    dtrace_aggregate_walk_valrevsorted(dtp, row, NULL) != 0)
		return fail(dtp, "aggregations");
	printf("%u probes, %" PRIu64 " errors, %" PRIu64 " drops\n",
	       info.dpi_matches, t.errors, t.drops);
	dtrace_close(dtp);
	return WIFEXITED(t.wstatus) ? WEXITSTATUS(t.wstatus) : 1;
}
