/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * <dtrace/sdt_module.h> - probes of one's own in a module of the Linux kernel:
 * one header, a line where the probe is, no change to the kernel.
 *
 *	DTRACE_PROBE2(read__done, struct file *, file, size_t, count);
 *
 * is the probe sdt:MODULE::read-done once the module is loaded, with args[0]
 * and args[1] of these types: pointers, and integers of up to 64 bits, six at
 * most.  Two underscores are a hyphen in D.  One probe may be in several
 * places.
 *
 * While nobody traces it a probe costs a nop, and its arguments are not
 * evaluated.  It may be wherever a tracepoint may be.  As long as somebody
 * does, the module cannot be unloaded.
 *
 * The module must have a licence that the kernel takes for GPL-compatible.  See
 * doc/howto-module.md.
 *
 * How: each place has a tracepoint without an event, an entry in the module's
 * table of tracepoints that BPF may be attached to, and a note in
 * .note.dtrace, which the kernel shows as /sys/module/MODULE/notes/.note.dtrace
 * (doc/decisions/0074-probes-in-modules.md).
 */
#ifndef DTRACE_SDT_MODULE_H
#define DTRACE_SDT_MODULE_H

#include <linux/jump_label.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/stringify.h>
#include <linux/trace_events.h>
#include <linux/tracepoint-defs.h>
#include <linux/types.h>

#if defined(CONFIG_BPF_EVENTS) && defined(CONFIG_TRACEPOINTS)

/* What a tracepoint calls for each program; its first parameter is the
   kernel's, struct bpf_prog or struct bpf_raw_tp_link. */
static notrace void __maybe_unused
dtrace_run1(void *link, u64 a)
{
	bpf_trace_run1(link, a);
}

static notrace void __maybe_unused
dtrace_run2(void *link, u64 a, u64 b)
{
	bpf_trace_run2(link, a, b);
}

static notrace void __maybe_unused
dtrace_run3(void *link, u64 a, u64 b, u64 c)
{
	bpf_trace_run3(link, a, b, c);
}

static notrace void __maybe_unused
dtrace_run4(void *link, u64 a, u64 b, u64 c, u64 d)
{
	bpf_trace_run4(link, a, b, c, d);
}

static notrace void __maybe_unused
dtrace_run5(void *link, u64 a, u64 b, u64 c, u64 d, u64 e)
{
	bpf_trace_run5(link, a, b, c, d, e);
}

static notrace void __maybe_unused
dtrace_run6(void *link, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f)
{
	bpf_trace_run6(link, a, b, c, d, e, f);
}

/* The name that a program is attached by: of this place alone, and of
   characters that names in BPF may have. */
#define DTRACE_TP_NAME(probe, n) \
	KBUILD_MODNAME "." KBUILD_BASENAME "." probe "." __stringify(n)

#define DTRACE_PASS1(a) (a)[0]
#define DTRACE_PASS2(a) DTRACE_PASS1(a), (a)[1]
#define DTRACE_PASS3(a) DTRACE_PASS2(a), (a)[2]
#define DTRACE_PASS4(a) DTRACE_PASS3(a), (a)[3]
#define DTRACE_PASS5(a) DTRACE_PASS4(a), (a)[4]
#define DTRACE_PASS6(a) DTRACE_PASS5(a), (a)[5]

/* A place: its tables, and what it does while somebody traces it. */
#define DTRACE_SITE(n, probe, id, types, ...)                                  \
	do {                                                                   \
		static struct tracepoint dtrace_tp_ = {                        \
			.name = DTRACE_TP_NAME(probe, id),                     \
		};                                                             \
		static struct bpf_raw_event_map dtrace_map_ __used             \
			__section("__bpf_raw_tp_map") = {                      \
				.tp = &dtrace_tp_,                             \
				.bpf_func = (void *)dtrace_run##n,             \
				.num_args = n,                                 \
			};                                                     \
		static const struct {                                          \
			u32 namesz, descsz, type;                              \
			char name[8];                                          \
			char desc[sizeof(probe "\0" DTRACE_TP_NAME(            \
				probe, id) types)];                            \
		} dtrace_note_ __used __aligned(4)                             \
			__section(".note.dtrace") = {                          \
				7, sizeof(dtrace_note_.desc), 1, "dtrace",     \
				probe "\0" DTRACE_TP_NAME(probe, id) types     \
			};                                                     \
		if (static_key_false((struct static_key *)&dtrace_tp_.key)) {  \
			const u64 a_[] = { __VA_ARGS__ };                      \
			struct tracepoint_func *f_;                            \
			preempt_disable_notrace();                             \
			f_ = rcu_dereference_raw(dtrace_tp_.funcs);            \
			for (; f_ != NULL && f_->func != NULL; f_++)           \
				((__typeof__(&dtrace_run##n))f_->func)(        \
					f_->data, DTRACE_PASS##n(a_));         \
			preempt_enable_notrace();                              \
		}                                                              \
	} while (0)

/* The argument as the type says; an error if it is not of it. */
#define DTRACE_ARG(t, a) ({ t arg_ = (a); (u64)(arg_); })

#define DTRACE_PROBE(name)                                                     \
	DTRACE_SITE(1, #name, __COUNTER__, "", 0)
#define DTRACE_PROBE1(name, t0, a0)                                            \
	DTRACE_SITE(1, #name, __COUNTER__, "\0" #t0, DTRACE_ARG(t0, a0))
#define DTRACE_PROBE2(name, t0, a0, t1, a1)                                    \
	DTRACE_SITE(2, #name, __COUNTER__, "\0" #t0 "\0" #t1,                  \
		    DTRACE_ARG(t0, a0), DTRACE_ARG(t1, a1))
#define DTRACE_PROBE3(name, t0, a0, t1, a1, t2, a2)                            \
	DTRACE_SITE(3, #name, __COUNTER__, "\0" #t0 "\0" #t1 "\0" #t2,         \
		    DTRACE_ARG(t0, a0), DTRACE_ARG(t1, a1),                    \
		    DTRACE_ARG(t2, a2))
#define DTRACE_PROBE4(name, t0, a0, t1, a1, t2, a2, t3, a3)                    \
	DTRACE_SITE(4, #name, __COUNTER__,                                     \
		    "\0" #t0 "\0" #t1 "\0" #t2 "\0" #t3,                       \
		    DTRACE_ARG(t0, a0), DTRACE_ARG(t1, a1),                    \
		    DTRACE_ARG(t2, a2), DTRACE_ARG(t3, a3))
#define DTRACE_PROBE5(name, t0, a0, t1, a1, t2, a2, t3, a3, t4, a4)            \
	DTRACE_SITE(5, #name, __COUNTER__,                                     \
		    "\0" #t0 "\0" #t1 "\0" #t2 "\0" #t3 "\0" #t4,              \
		    DTRACE_ARG(t0, a0), DTRACE_ARG(t1, a1),                    \
		    DTRACE_ARG(t2, a2), DTRACE_ARG(t3, a3),                    \
		    DTRACE_ARG(t4, a4))
#define DTRACE_PROBE6(name, t0, a0, t1, a1, t2, a2, t3, a3, t4, a4, t5, a5)    \
	DTRACE_SITE(6, #name, __COUNTER__,                                     \
		    "\0" #t0 "\0" #t1 "\0" #t2 "\0" #t3 "\0" #t4 "\0" #t5,     \
		    DTRACE_ARG(t0, a0), DTRACE_ARG(t1, a1),                    \
		    DTRACE_ARG(t2, a2), DTRACE_ARG(t3, a3),                    \
		    DTRACE_ARG(t4, a4), DTRACE_ARG(t5, a5))

#else /* a kernel that has no way in: no probes */

#define DTRACE_PROBE(name) do { } while (0)
#define DTRACE_PROBE1(name, ...) do { } while (0)
#define DTRACE_PROBE2(name, ...) do { } while (0)
#define DTRACE_PROBE3(name, ...) do { } while (0)
#define DTRACE_PROBE4(name, ...) do { } while (0)
#define DTRACE_PROBE5(name, ...) do { } while (0)
#define DTRACE_PROBE6(name, ...) do { } while (0)

#endif

#endif
