/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * tp_note.h - probes that modules bring with <dtrace/sdt_module.h>: their
 * notes, as the kernel shows them (/sys/module/MODULE/notes/.note.dtrace).
 */
#ifndef PROV_TP_NOTE_H
#define PROV_TP_NOTE_H

#include "base/vec.h"
#include "probe/probe.h"

/* One place of a probe. */
struct tp_note {
	const char *module, *probe;
	const char *tp; /* the tracepoint, as BPF attaches to it */
	const char *type[DIF_NARGS];
	uint32_t nargs;
};
struct tp_notes {
	VEC(struct tp_note) v;
};

/*
 * Read the notes of all modules that are loaded; strings are set's.  What is
 * not such a note is passed over.  0, or -1: no memory.
 */
int tp_notes_read(struct probe_set *set, struct tp_notes *out);
/* The notes of one module, of n bytes, whatever they are. */
int tp_notes_parse(struct probe_set *set, const char *module, const char *v,
		   size_t n, struct tp_notes *out);

#endif
