/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_python.h - frames of CPython in users' stacks: where a walk finds them
 * (rt_python.c), and what it leaves for the consumer to name them by.
 *
 * A frame of Python is a word of the stack like any other, of a form that no
 * address has:
 *
 *   63    62           ... 32  31   20  19      0
 *   1     from the     0       number   code unit + 1, counted from the start
 *         process              of the   of the function's code; 0: before it
 *         engine               code
 *
 * Frames of Perl are of the same form (rt_perl.c), with a line in the place of
 * the code unit.  The number leads to what was copied of the code object when
 * it was met first: its name, its file, its table of lines.  Copies are made by
 * the probe, so that names are those of the moment, whatever becomes of object
 * and process.
 */
#ifndef RT_RT_PYTHON_H
#define RT_RT_PYTHON_H

#ifndef __bpf__ /* there rt.h has the types */
#include <stdint.h>
#endif

#define RT_PY_TAG	(1ull << 63)
#define RT_PY_PROCESS	(1ull << 62)
#define RT_PY_LINE                                                             \
	(1ull << 61) /* the consumer's, and Perl's: a line, no code unit */
#define RT_PY_AT_BITS	20
#define RT_PY_AT_MAX	((1u << RT_PY_AT_BITS) - 1) /* so far, or farther */
#define RT_PY_CODES	4096u
#define RT_PY_UNKNOWN	(RT_PY_CODES - 1) /* there was no room for it */
#define RT_PY_TEXT	(1u << 20)
#define RT_PY_NAME_MAX	0x1ffu	/* bytes of a name or a path */
#define RT_PY_LINES_MAX 0x1fffu /* bytes of a table of lines */

/* Bytes that are read of a frame and of a code object. */
#define RT_PY_FRAME 80u
#define RT_PY_CODE  200u

/* Not 0 if it is a frame of Python, and no address. */
static inline int
rt_py_is(uint64_t pc)
{
	return (pc & ~(RT_PY_PROCESS | RT_PY_LINE)) >> 32 == RT_PY_TAG >> 32;
}

/* Bytes that are read of a context, a place in the source, and what a sub has.
 */
#define RT_PL_CONTEXT 104u
#define RT_PL_COP     56u
#define RT_PL_SUB     96u
#define RT_PL_STASH   64u

/*
 * How the frames of a process's Perl are found (rt_perl.c); key 0: it has none.
 * The small members are offsets in Perl's own structures.
 */
struct rt_pl {
	uint64_t key; /* address of the key that leads to a thread's interpreter
		       */
	uint64_t run; /* code of the function that runs Perl's instructions */
	uint64_t call[3]; /* and of those that call it, for Perl's code */
	uint32_t run_n, call_n[3]; /* bytes of these */
	uint16_t i_info, i_cop;	   /* the interpreter: PERL_SI, COP */
	uint8_t si_cx, si_prev, si_top; /* PERL_SI */
	uint8_t cx_size, cx_cop, cx_retop, cx_cv, cx_env; /* PERL_CONTEXT */
	uint8_t cop_line, cop_file;
	uint8_t cv_stash, cv_gv, cv_flags; /* XPVCV */
	uint8_t gv_name, gv_stash;	   /* XPVGV */
	uint8_t hv_name, hv_count; /* of what a stash has, and its names */
	uint8_t pad[3];
};

/*
 * How a process's frames are found, as its version of Python has them; tss 0:
 * it has none.  The byte-sized members are offsets in Python's own structures.
 */
struct rt_py {
	uint64_t tss; /* address of the key that leads to a thread's state;
			 threads not 0: of the word that leads to the
			 interpreter's */
	uint64_t code_type; /* address of PyCode_Type */
	uint32_t specific;  /* offset in struct pthread of the C library */
	uint32_t threads; /* PyInterpreterState: its threads; 0: there are keys,
			     and _PyCFrames */
	uint8_t ts_cframe;  /* PyThreadState */
	uint8_t cf_frame, cf_prev; /* _PyCFrame */
	uint8_t f_code, f_prev, f_instr; /* _PyInterpreterFrame */
	uint8_t f_entry; /* not 0 there: entered from C; 0: owner says it */
	uint8_t f_owner;
	uint8_t c_line, c_file, c_qual, c_lines, c_code; /* PyCodeObject */
	uint8_t s_ascii, s_other; /* headers of strings */
	uint8_t ts_next, ts_thread, ts_frame; /* PyThreadState, without a key */
	uint8_t pad[6];
	struct rt_pl pl;
};

enum rt_py_state { RT_PY_FREE, RT_PY_BUSY, RT_PY_DONE, RT_PY_NO_ROOM };

/* A code object as it was met. */
struct rt_py_code {
	uint32_t state; /* enum rt_py_state */
	uint32_t pid;	/* kernel engine, where all processes share the table */
	uint64_t code, check; /* its address, and a hash of what it has */
	uint32_t text; /* where name, file and lines are, in this order */
	uint32_t line;	      /* its first */
	uint16_t nname, nfile, nlines; /* bytes */
	uint8_t name_kind, file_kind;  /* bytes of a character: 1, 2, 4; or: */
#define RT_PY_UTF8 8
};

struct rt_py_area {
	uint32_t used; /* bytes of text; more than there are: full */
	uint32_t pad;
	struct rt_py_code code[RT_PY_CODES];
	uint8_t text[RT_PY_TEXT + RT_PY_LINES_MAX + 1];
};

#endif
