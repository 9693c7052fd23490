/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pid_fn.h - the pid provider's objects and functions.
 *
 * Names are not unique: two objects may have one base name, an object may have
 * ten static functions called init.  Probes of one name are one probe that
 * fires at several places, so a probe points to a group of functions.
 *
 *	probe pid7:libx.so:init:entry ──▶ pid_probe ──▶ pid_group
 *							  │
 *				    pid_fn (libx.so, 0x1230) ─▶ pid_fn ...
 */
#ifndef PROV_PID_FN_H
#define PROV_PID_FN_H

#include "base/arena.h"
#include "base/hash.h"
#include "probe/probe.h"
#include "proc/proc.h"
#include "code/code.h"

struct pid_fn {
	struct pid_fn *next; /* in its group */
	struct proc_obj *obj;
	struct elf_file *elf;
	const char *name; /* the group's */
	struct code_body body;
	/* Bit per byte: an instruction begins here.  NULL: not looked for yet;
	   pid_site.c. */
	uint8_t *begins;
};

struct pid_group {
	const char *prov, *mod, *func; /* interned in the probe set */
	struct proc *proc; /* NULL: every process */
	struct pid_fn *fns;
};

enum pid_what { PID_ENTRY, PID_RETURN, PID_OFFSET, PID_ABSOLUTE };

/* probe.data */
struct pid_probe {
	enum pid_what what;
	uint64_t off; /* OFFSET: in the function; ABSOLUTE: link address */
	const struct pid_group *group; /* not ABSOLUTE */
	struct proc *proc;
	struct proc_obj *obj; /* ABSOLUTE */
};

/* prov.data */
struct pid_data {
	struct arena *arena;
	struct hash *groups; /* "prov\1mod\1func" -> struct pid_group */
	struct hash *served; /* description -> generation + 1 of its process */
	struct hash *files; /* struct pid_files, by module field */
	const struct dif_recipes *entry, *go, *go_stack, *ret, *none;
};

/*
 * The name by which probes call an object that a description calls `text`:
 * base name, soname, path, either cut at a '.', or a.out; NULL: there is none
 * so.  text is neither empty nor a glob.
 */
const char *pid_mod_name(struct proc *p, const char *text);
/* True if a module field of a description means this object.  canon is
   pid_mod_name()'s answer, or NULL if text is empty or a glob. */
bool pid_mod_is(const struct proc_obj *o, const char *text, const char *canon);

/*
 * The objects, of all processes, that a description of every process means by
 * its module field, text: each file once.  They are looked for again when
 * probes are asked for anew (probe_asks()), and if there are some no sooner
 * than two seconds later: of hundreds of descriptions each asks, when it is
 * compiled and when it is enabled.
 */
struct pid_files {
	const char *mod; /* by which probes call them; NULL: text is a glob, or
			    there are none */
	struct proc_obj **objs;
	size_t n;
	uint64_t asks, ms;
	uint64_t turn; /* another whenever they have been looked for */
};
/* cache is of struct pid_files, by text, in the arena.  NULL + *e: no
   memory. */
const struct pid_files *pid_files_get(struct prov *pv, struct hash *cache,
				      struct arena *a, const char *text,
				      struct err *e);
/* The objects of one more process, out->objs in the arena, under the same
   module.  0, or -1 + *e: no memory. */
int pid_files_of(struct prov *pv, struct hash *cache, struct arena *a,
		 const char *text, struct proc *p, struct pid_files *out,
		 struct err *e);

/* For probes of every process: a path by which we can open the object's file
   when the process that it was found in has ended, if there is one.  NULL: no
   memory. */
const char *pid_file_path(struct probe_set *ps, const struct proc_obj *o);

/*
 * Call fn for every function of an object of which a name matches.  A function
 * with several names is met once, under that of the symbol that elf_syms()
 * prefers.  A name that the loader chooses a function for (an IFUNC) means all
 * that it may choose.  0, or what fn returned when not 0, or -1 + *e.
 */
struct pid_found {
	struct proc_obj *obj;
	struct elf_file *elf;
	const char *name;  /* its probes' */
	const char *asked; /* the one that matches */
	struct code_body body;
};
int pid_each_fn(struct proc_obj *o, const char *func,
		int (*fn)(void *arg, const struct pid_found *f), void *arg,
		struct err *e);
/* True if func, a name, means what the loader chooses in the object, and no
   code shows all that it may choose. */
bool pid_chosen_unknown(struct proc_obj *o, const char *func);

/* The instruction that address v means of the objects of p that match the
   module field; mod is the one's name if that is exact.  -1 + *e, with what is
   near. */
struct pid_address {
	struct proc_obj *obj;
	struct elf_file *elf;
	uint64_t addr; /* as linked */
};
int pid_address_find(struct proc *p, const char *pattern, const char *mod,
		     uint64_t v, struct pid_address *a, struct err *e);

/* The group of a function's name, with the function in it.  NULL + *e. */
struct pid_group *pid_group_add(struct prov *pv, struct proc *p,
				const struct pid_found *f, struct err *e);

/*
 * The hooks of struct prov_ops that pid and instr (prov_uinstr.c) share.  Names
 * of providers are the hook's own, prov_ops.name, and the number of the
 * process; names of instructions are hexadecimal offsets, or those of instr.h.
 */
int pid_init(struct prov *pv, struct err *e);
int pid_provide(struct prov *pv, const struct dif_pdesc *pd, struct err *e);
void pid_canon(struct prov *pv, struct dif_pdesc *pd);
int32_t pid_of(struct prov *pv, const struct dif_pdesc *pd);
int pid_every(struct prov *pv, const struct dif_pdesc *pd, struct proc *p,
	      struct err *e);
void pid_fini(struct prov *pv);
/* prov_ops.file, of both. */
struct elf_file *pid_file(const struct probe *p, size_t n, const char **path);
/* prov_pid.c's arguments, in pid_args.c. */
int pid_args(struct prov *pv, const struct probe *p, struct probe_args *out,
	     struct err *e);
/* Where a function's arguments are: as C has them, or Go. */
enum pid_lang { PID_LANG_C, PID_LANG_GO, PID_LANG_GO_STACK };
enum pid_lang pid_fn_lang(const struct pid_fn *f);

/* ---- the machine's convention, in pid_abi_<machine>.c -------------------- */

/*
 * Where the arguments of a function of type fn are: map[n] is the raw argument
 * that has parameter n, bit n of *unread is set for one that none has.  How
 * many are known: all behind one of no known size are not.
 */
uint32_t pid_abi_args(struct type *fn, enum pid_lang lang,
		      uint8_t map[DIF_NARGS], uint32_t *unread);
/* True if its result is in the register of raw results. */
bool pid_abi_result(struct type *fn);
/* Raw arguments of functions of Go. */
extern const struct dif_recipes pid_abi_go, pid_abi_go_stack;

/* prov_pid.c's sites, in pid_site.c. */
int pid_sites(struct prov *pv, const struct probe *p, struct site_list *out,
	      struct err *e);

#endif
