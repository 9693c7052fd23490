/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fuzz_prog.c - any bytes as a program for libdtrace, with the D library and
 * the probes that need no kernel: its pragmas set options, it is compiled,
 * matched and laid out as if it were to run, and the probes it declares make a
 * header.
 *
 * The first byte says how to compile.  Names of processes are left out, since
 * what they have in them is not the program's, and options that write files.
 */
#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/dt_impl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
names_process(const char *s)
{
	while ((s = strstr(s, "pid")) != NULL) {
		s += 3;
		if (isdigit((unsigned char)*s) || *s == '$')
			return true;
	}
	return false;
}

static void
header(dtrace_hdl_t *dtp)
{
	char *text = NULL;
	size_t n = 0;
	FILE *fp = open_memstream(&text, &n);

	if (fp == NULL)
		abort();
	dtrace_program_header(dtp, fp, "fuzz.h");
	fclose(fp);
	free(text);
}

/* The options ctypes and dtypes open files to be written. */
static bool
names_file(const char *s)
{
	return strstr(s, "types") != NULL;
}

/* As dtrace_go() does it, up to the engines. */
static void
enable(dtrace_hdl_t *dtp, dtrace_prog_t *p)
{
	dtrace_proginfo_t info;
	struct dt_comps comps;
	struct err e = { 0 };

	if (dtrace_program_exec(dtp, p, &info) != 0 ||
	    dt_enabling_make(dtp) != 0)
		return;
	dt_comps_make(dtp->en_arena, &dtp->en, &comps, &e);
}

static void
compile(dtrace_hdl_t *dtp, const char *text, unsigned sw)
{
	static char args[3][8] = { "fuzz.d", "12", "a b" };
	char *argv[] = { args[0], args[1], args[2] };
	unsigned cflags = 0;

	cflags |= sw & 1 ? DTRACE_C_ZDEFS : 0;
	cflags |= sw & 2 ? DTRACE_C_DEFARG | DTRACE_C_ARGREF : 0;
	cflags |= sw & 4 ? DTRACE_C_EMPTY : 0;
	cflags |= sw & 8 ? DTRACE_C_PSPEC : 0;
	cflags |= sw & 16 ? DTRACE_C_EATTR | DTRACE_C_ETAGS : 0;
	cflags |= sw & 32 ? DTRACE_C_NOLIBS : 0;
	dtrace_prog_t *p = dtrace_program_strcompile(
		dtp, text, DTRACE_PROBESPEC_NAME, cflags, 3, argv);
	if (p == NULL) {
		if (dtrace_errno(dtp) == 0 ||
		    *dtrace_errmsg(dtp, dtrace_errno(dtp)) == '\0')
			abort();
		return;
	}
	header(dtp);
	enable(dtp, p);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	dtrace_hdl_t *dtp;
	char *text;
	int err;

	if (size == 0)
		return 0;
	text = strndup((const char *)data + 1, size - 1);
	if (text == NULL)
		abort();
	if (!names_process(text) && !names_file(text)) {
		dtp = dtrace_open(DTRACE_VERSION,
				  DTRACE_O_NODEV | DTRACE_O_NOSYS, &err);
		if (dtp == NULL)
			abort();
		compile(dtp, text, data[0]);
		dtrace_close(dtp);
	}
	free(text);
	return 0;
}
