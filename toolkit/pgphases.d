#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pgphases - where PostgreSQL spends the time of queries: parse to sort
 *
 * Usage: dtrace run pgphases [SECONDS]
 *        dtrace run pgphases -p PID [SECONDS]
 * Needs: root; any user with -p
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *
 * For parsing, rewriting, planning, executing and sorting: how often, the time
 * in all and at most, and a histogram of microseconds. Sorting is within
 * executing. Prepared statements are parsed and mostly planned once.
 *
 * All backends of all servers are seen that run a postgres with these probes,
 * as Debian's does; -p is one of them.
 *
 * See: pgquery, pgslow
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs
#pragma D option aggsortpos=1

self uint64_t parse;
self uint64_t rewrite;
self uint64_t plan;
self uint64_t execute;
self uint64_t sort;

postgresql*:::query-parse-start
/$target == 0 || pid == $target/
{
	self->parse = timestamp;
}

postgresql*:::query-rewrite-start
/$target == 0 || pid == $target/
{
	self->rewrite = timestamp;
}

postgresql*:::query-plan-start
/$target == 0 || pid == $target/
{
	self->plan = timestamp;
}

postgresql*:::query-execute-start
/$target == 0 || pid == $target/
{
	self->execute = timestamp;
}

postgresql*:::sort-start
/$target == 0 || pid == $target/
{
	self->sort = timestamp;
}

postgresql*:::query-parse-done
/self->parse/
{
	this->us = (timestamp - self->parse) / 1000;
	@us["parse"] = quantize(this->us);
	@calls["parse"] = count();
	@sum["parse"] = sum(this->us);
	@max["parse"] = max(this->us);
	self->parse = 0;
}

postgresql*:::query-rewrite-done
/self->rewrite/
{
	this->us = (timestamp - self->rewrite) / 1000;
	@us["rewrite"] = quantize(this->us);
	@calls["rewrite"] = count();
	@sum["rewrite"] = sum(this->us);
	@max["rewrite"] = max(this->us);
	self->rewrite = 0;
}

postgresql*:::query-plan-done
/self->plan/
{
	this->us = (timestamp - self->plan) / 1000;
	@us["plan"] = quantize(this->us);
	@calls["plan"] = count();
	@sum["plan"] = sum(this->us);
	@max["plan"] = max(this->us);
	self->plan = 0;
}

postgresql*:::query-execute-done
/self->execute/
{
	this->us = (timestamp - self->execute) / 1000;
	@us["execute"] = quantize(this->us);
	@calls["execute"] = count();
	@sum["execute"] = sum(this->us);
	@max["execute"] = max(this->us);
	self->execute = 0;
}

postgresql*:::sort-done
/self->sort/
{
	this->us = (timestamp - self->sort) / 1000;
	@us["sort"] = quantize(this->us);
	@calls["sort"] = count();
	@sum["sort"] = sum(this->us);
	@max["sort"] = max(this->us);
	self->sort = 0;
}


profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	printa("%s, us:%@d\n", @us);
	printf("%-10s %10s %14s %14s\n", "PHASE", "COUNT", "TIME(us)",
	    "LONGEST(us)");
	printa("%-10s %@10d %@14d %@14d\n", @calls, @sum, @max);
}
