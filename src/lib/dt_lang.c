/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_lang.c - frames of languages: what Python's frames are called, which the
 * probes have noted (rt/rt_python.h), and code that a program has made, by its
 * perf map.
 *
 * Python's look like others: the file in the place of the object, the function,
 * and its line in the place of an offset: `app.py`Server.handle:42'.  What is
 * made at run time has "[jit]" for an object.
 *
 * jstack() is ustack() here, but that JVMs are asked for a perf map: that is
 * more than looking, so somebody must want it.
 */
#include "lib/dt_impl.h"

#include <string.h>

#include "lib/dt_lang.h"
#include "lib/dt_out.h"
#include "rt/rt_python.h"

/* What an engine knows of a frame; NULL: that is not the one. */
static const struct rt_py_area *
lang_area(const struct dt_engine *de, pid_t pid, uint64_t pc)
{
	bool process = dt_is_process(de);

	if (de->eng == NULL || de->ops->python == NULL ||
	    process != ((pc & RT_PY_PROCESS) != 0) ||
	    (process && de->target.pid != pid))
		return NULL;
	return de->ops->python(de->eng);
}

/* Name, file and line of a frame of Python, as rt_py_text() has them. */
static bool
lang_python(const dtrace_hdl_t *dtp, pid_t pid, uint64_t pc, struct buf *name,
	    struct buf *file, uint32_t *line)
{
	for (uint32_t i = 0; i < dtp->nengines; i++) {
		const struct rt_py_area *a =
			lang_area(&dtp->engines[i], pid, pc);

		if (a != NULL && rt_py_text(a, pc, name, file, line))
			return true;
	}
	return false;
}

uint64_t
dt_lang_key(const dtrace_hdl_t *dtp, pid_t pid, uint64_t pc)
{
	for (uint32_t i = 0; i < dtp->nengines; i++) {
		const struct rt_py_area *a =
			lang_area(&dtp->engines[i], pid, pc);

		if (a != NULL)
			return rt_py_by_line(a, pc);
	}
	return pc;
}

static void
python_put(const char *name, const char *file, uint32_t line,
	   enum dt_lang_what what, struct buf *out)
{
	const char *base = strrchr(file, '/');

	if (what == DT_LANG_SOURCE) {
		if (line != 0)
			buf_printf(out, " (%s:%u)", file, line);
		else
			buf_printf(out, " (%s)", file);
		return;
	}
	buf_puts(out, base != NULL ? base + 1 : file);
	if (what == DT_LANG_MOD)
		return;
	buf_printf(out, "`%s", name);
	if (what == DT_LANG_LINE && line != 0)
		buf_printf(out, ":%u", line);
}

bool
dt_lang_text(const dtrace_hdl_t *dtp, pid_t pid, uint64_t pc,
	     enum dt_lang_what what, struct buf *out)
{
	struct buf name = BUF_INIT, file = BUF_INIT;
	uint32_t line;

	if (!rt_py_is(pc))
		return false;
	if (lang_python(dtp, pid, pc, &name, &file, &line)) {
		python_put(buf_str(&name), buf_str(&file), line, what, out);
		out->failed |= name.failed || file.failed;
	} else if (what != DT_LANG_SOURCE) {
		buf_puts(out, "[python]");
	}
	buf_fini(&name);
	buf_fini(&file);
	return true;
}

bool
dt_lang_made(const dtrace_hdl_t *dtp, pid_t pid, uint64_t addr,
	     enum dt_lang_what what, struct buf *out)
{
	struct proc *p = proc_lookup(dtp->env.procs, pid);
	const char *name;
	uint64_t off;

	/* Files of code have their own names. */
	if (p == NULL || addr >> 47 != 0 ||
	    proc_addr_is_file(dtp->env.procs, pid, addr) ||
	    !proc_jit_name(p, addr, dtp->jstack, &name, &off))
		return false;
	buf_puts(out, "[jit]");
	if (what == DT_LANG_MOD)
		return true;
	buf_printf(out, "`%s", name);
	if (what == DT_LANG_LINE && off != 0)
		buf_printf(out, "+0x%llx", (unsigned long long)off);
	return true;
}

static bool
clause_asks(const struct dif_clause *c)
{
	for (uint32_t s = 0; s < c->nstmts; s++)
		for (uint32_t i = 0; i < c->stmts[s].nexprs; i++)
			if (c->stmts[s].exprs[i].jstack)
				return true;
	return false;
}

bool
dt_lang_asks(const dtrace_hdl_t *dtp)
{
	for (size_t i = 0; i < dtp->clauses.n; i++)
		if (clause_asks(dtp->clauses.v[i]))
			return true;
	return false;
}
