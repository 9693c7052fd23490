/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_unwind.c - when a return may not be caught by replacing the return
 * address.
 *
 * The kernel's return probe puts the address of a trampoline in place of the
 * return address.  Four kinds of code do not survive that:
 *
 *  - whoever unwinds the stack finds a frame that no table describes: a C++
 *    exception or a Rust panic ends the process instead of being caught, and
 *    so does the end of a thread by pthread_exit() or by being cancelled;
 *  - whoever keeps a copy of the return address and comes back by it a second
 *    time (setjmp, getcontext, vfork) jumps to a trampoline that has been
 *    used up.
 *
 *  - code that is not entered by a call has no return address at the top of
 *    its stack: at _start the argument count is there, in the linker's
 *    resolver its own arguments;
 *
 *  - Go moves stacks, and goroutines from thread to thread: the trampoline is
 *    told of another thread's return.
 *
 * All were seen to kill programs (Linux 6.18).  Functions of processes that
 * may unwind, and those of the other kinds, have their returns probed
 * at their ret instructions, which costs more and harms nothing.  A process may
 * unwind if an object of it, other than the C library and the unwinder
 * themselves, names a function that unwinding cannot do without.
 */
#include "engine/bpf/bpf_impl.h"

#include <string.h>

#include "elf/elf.h"

static const char *const unwind_names[] = {
	"__gxx_personality_v0",   "rust_eh_personality",  "_Unwind_Resume",
	"_Unwind_RaiseException", "_Unwind_ForcedUnwind", "pthread_exit",
	"pthread_cancel",
};
/* Functions of the second and third kind; '*' ends a prefix. */
static const char *const odd_names[] = {
	"setjmp",          "_setjmp",       "__setjmp",       "sigsetjmp",
	"__sigsetjmp",     "__sigjmp_save", "getcontext",     "__getcontext",
	"swapcontext",     "__swapcontext", "vfork",          "__vfork",
	"__libc_vfork",    "_start",        "_dl_start_user", "__restore_rt",
	"__start_context", "_dl_runtime_*",
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool
name_is_odd(const char *name)
{
	for (size_t i = 0; i < COUNT(odd_names); i++) {
		size_t n = strcspn(odd_names[i], "*");

		if (strncmp(odd_names[i], name, n) == 0 &&
		    (odd_names[i][n] == '*' || name[n] == '\0'))
			return true;
	}
	return false;
}

/* By any of its names. */
bool
bpf_unwind_odd(struct elf_file *elf, uint64_t fn)
{
	const struct elf_sym *s = elf_sym_at(elf, fn), *first, *end;
	size_t n;

	if (fn == elf_entry(elf))
		return true;
	if (s == NULL || s->addr != fn)
		return false;
	first = elf_syms(elf, &n);
	end = first + n;
	while (s > first && s[-1].addr == fn)
		s--;
	for (; s < end && s->addr == fn; s++)
		if (name_is_odd(s->name))
			return true;
	return false;
}

/* True if a name is in a table of NUL-terminated strings. */
static bool
strtab_has(const char *tab, size_t size, const char *name)
{
	size_t len = strlen(name) + 1;
	const char *p = tab, *end = tab + size;

	while (p < end) {
		p = memmem(p, (size_t)(end - p), name, len);
		if (p == NULL)
			return false;
		if (p == tab || p[-1] == '\0')
			return true;
		p += len;
	}
	return false;
}

/* Undefined symbols count too, so it is the strings that are looked at; a
   static program has its functions in its symbol table. */
static bool
obj_names(struct elf_file *elf, const char *name)
{
	size_t size;
	const char *tab = elf_section(elf, ".dynstr", &size, NULL);

	return (tab != NULL && strtab_has(tab, size, name)) ||
	       (elf_interp(elf) == NULL && elf_sym_find(elf, name) != NULL);
}

/* The libraries that only offer unwinding to others. */
static bool
obj_is_runtime(const struct engine_object *o)
{
	static const char *const names[] = {
		"libc.so.", "libpthread.so.", "libgcc_s.so.",
		"ld-linux", "ld-musl",        "libthread_db.so."
	};

	for (size_t i = 0; i < COUNT(names); i++)
		if (strncmp(o->name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

bool
bpf_unwind_process(const struct engine *eng, int32_t pid)
{
	const struct engine_files *f = eng->opts.files;
	struct engine_object o;

	for (size_t i = 0; f != NULL && f->object(f->arg, pid, i, &o); i++) {
		struct err e = { 0 };
		struct elf_file *elf;

		if (obj_is_runtime(&o))
			continue;
		elf = f->open(f->arg, pid, o.path, &e);
		for (size_t k = 0; elf != NULL && k < COUNT(unwind_names); k++)
			if (obj_names(elf, unwind_names[k]))
				return true;
	}
	return f == NULL;
}
