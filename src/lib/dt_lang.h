/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_lang.h - frames of languages in users' stacks.
 */
#ifndef LIB_DT_LANG_H
#define LIB_DT_LANG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "dtrace/dtrace.h"

enum dt_lang_what {
	DT_LANG_MOD,	/* app.py */
	DT_LANG_NAME,	/* app.py`Server.handle */
	DT_LANG_LINE,	/* app.py`Server.handle:42 */
	DT_LANG_SOURCE, /* " (/srv/app.py:42)", for what follows a frame */
};
/*
 * Append the text of a word of a process's stack that is a frame of a language
 * and no address.  False: it is an address.
 */
bool dt_lang_text(const dtrace_hdl_t *dtp, pid_t pid, uint64_t pc,
		  enum dt_lang_what what, struct buf *out);
/*
 * The same of an address in code that the program has made: `[jit]`name+0x10',
 * or "[jit]" for DT_LANG_MOD.  False: nobody knows its name.
 */
bool dt_lang_made(const dtrace_hdl_t *dtp, pid_t pid, uint64_t addr,
		  enum dt_lang_what what, struct buf *out);
/* True if some clause of those enabled calls jstack(). */
bool dt_lang_asks(const dtrace_hdl_t *dtp);
/* The word by which a frame differs from others in keys of aggregations: all
   places of a line are one. */
uint64_t dt_lang_key(const dtrace_hdl_t *dtp, pid_t pid, uint64_t pc);

#endif
