/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_native.c - the blob: all that generated code calls in a traced process,
 * as one piece of machine code that runs wherever it is copied.
 *
 * The bodies that the interpreter and the kernel engine run are compiled once
 * more (RT_NATIVE), with those that only native code has.  The compiler is
 * told that there is no C library and that only general registers may be used
 * (the build says how: meson.build); the linker leaves one section of code
 * and constants; tools/blob.py refuses anything that would need a loader
 * (data, a GOT, a relocation) and writes struct rtn_image.
 *
 * Here the code is a guest on the stack of a thread that knows nothing of it:
 * it saves no vector state because it touches none, takes no lock of the
 * host's, keeps its frames small, and may be interrupted by a signal handler
 * that enters it again, on the other level of the slot.
 */
#include "rt/rt_work.c"
#include "rt/rt_str.c"
#include "rt/rt_tok.c"
#include "rt/rt_path.c"
#include "rt/rt_text.c"
#include "rt/rt_json.c"
#include "rt/rt_scratch.c"
#include "rt/rt_subr.c"
#include "rt/rt_key.c"
#include "rt/rt_agg.c"
#include "rt/rt_agg_add.c"
#include "rt/rt_spec.c"
#include "rt/rt_execargs.c"
#include "rt/rt_chill.c"
#include "rt/rt_var.c"
#include "rt/rt_assoc.c"
#include "rt/rt_native_mem.c"
#include "rt/rt_native_thread.c"
#include "rt/rt_native_wait.c"
#include "rt/rt_native_fork.c"
#include "rt/rt_native_fire.c"
#include "rt/rt_python.c"
#include "rt/rt_perl.c"
#include "rt/rt_unwind_bare.c"
#include "rt/rt_unwind.c"
#include "rt/rt_native_stack.c"
#include "rt/rt_native_var.c"
