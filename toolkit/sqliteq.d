#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * sqliteq - statements that a process runs in SQLite, and their time
 *
 * Usage: dtrace run sqliteq -p PID [SECONDS]
 *        dtrace run sqliteq -c CMD [SECONDS]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * For each text of SQL how many times it was run, how many rows came, and the
 * time in microseconds in sqlite3_step, in all and at most for one step. A run
 * ends with the step that gives no further row (or an error), or with
 * sqlite3_reset or sqlite3_finalize before that. What SQLite runs for itself
 * is part of the time. Texts are cut at strsize (256 bytes). The time to
 * compile statements is in the line (prepare).
 *
 * Statements that were prepared before tracing began are "?". Those that were
 * prepared from UTF-16 are not told apart either.
 *
 * See: pgquery, fsyncs
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs
#pragma D option aggsortpos=2
#pragma D option dynvarsize=8m

string sql[uintptr_t];
int running[uintptr_t];
self int prepares;	/* within each other, as SQLite reads its schema */
self int steps;
self uintptr_t text;
self uintptr_t where;
self uintptr_t stmt;
self uint64_t start;
self uint64_t began;

pid$target::sqlite3_prepare:entry,
pid$target::sqlite3_prepare_v2:entry
/self->prepares++ == 0/
{
	self->began = timestamp;
	self->text = arg1;
	self->where = arg3;
}

pid$target::sqlite3_prepare_v3:entry
/self->prepares++ == 0/
{
	self->began = timestamp;
	self->text = arg1;
	self->where = arg4;
}

pid$target::sqlite3_prepare:return,
pid$target::sqlite3_prepare_v2:return,
pid$target::sqlite3_prepare_v3:return
/self->prepares == 1 && self->where && (int)arg1 == 0/
{
	this->stmt = *(uintptr_t *)copyin(self->where, sizeof(uintptr_t));
	sql[this->stmt] = copyinstr(self->text);
	running[this->stmt] = 0;
}

pid$target::sqlite3_prepare:return,
pid$target::sqlite3_prepare_v2:return,
pid$target::sqlite3_prepare_v3:return
/self->prepares == 1 && self->where/
{
	this->ns = timestamp - self->began;
	@runs["(prepare)"] = sum(1);
	@sum["(prepare)"] = sum(this->ns);
	@max["(prepare)"] = max(this->ns);
	self->where = 0;
	self->text = 0;
	self->began = 0;
}

pid$target::sqlite3_prepare:return,
pid$target::sqlite3_prepare_v2:return,
pid$target::sqlite3_prepare_v3:return
/self->prepares > 0/
{
	self->prepares--;
}

/* Steps within a prepare or a step are SQLite's own. */
pid$target::sqlite3_step:entry
/self->steps++ == 0 && self->prepares == 0/
{
	self->stmt = arg0;
	self->start = timestamp;
}

/* 100: SQLITE_ROW. */
pid$target::sqlite3_step:return
/self->steps == 1 && self->start/
{
	this->text = sql[self->stmt] == NULL ? "?" : sql[self->stmt];
	this->ns = timestamp - self->start;
	@runs[this->text] = sum(!running[self->stmt]);
	@rows[this->text] = sum((int)arg1 == 100);
	@sum[this->text] = sum(this->ns);
	@max[this->text] = max(this->ns);
	running[self->stmt] = (int)arg1 == 100;
	self->start = 0;
	self->stmt = 0;
}

pid$target::sqlite3_step:return
/self->steps > 0/
{
	self->steps--;
}

pid$target::sqlite3_reset:entry
{
	running[arg0] = 0;
}

pid$target::sqlite3_finalize:entry
{
	running[arg0] = 0;
	sql[arg0] = 0;
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	normalize(@sum, 1000);
	normalize(@max, 1000);
	printf("%8s %10s %12s %12s  %s\n", "RUNS", "ROWS", "TIME(us)",
	    "LONGEST(us)", "SQL");
	printa("%@8d %@10d %@12d %@12d  %S\n", @runs, @rows, @sum, @max);
}
