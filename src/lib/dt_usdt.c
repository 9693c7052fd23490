/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_usdt.c - a static user probe in C: the text of the inline functions that
 * `dtrace -h` writes, which have the compiler make notes of where the probe is
 * and what its arguments are.
 *
 * A place of a probe is a nop and, in section .note.stapsdt, the note that
 * <sys/sdt.h> of SystemTap writes: its address, its names, for each argument
 * the size and the operand that holds it.  So gdb, perf, bpftrace and
 * SystemTap know the probe, and nothing is registered at run time.
 *
 * A probe, wherever its places are, has once in each program or library that
 * is linked (a COMDAT group named by the first of them):
 *
 *   - a semaphore in .probes, 16 bits that tracers count up while they listen,
 *     which is what ..._ENABLED() reads;
 *   - in .note.dtrace, a note with what only D wants to know of it: owner
 *     "DTrace", type 1, and as strings that end in NUL
 *
 *	provider, probe
 *	stability of provider, module, function, name, arguments:
 *		"Evolving/Evolving/Common ..."
 *	number of arguments, number of args[]: "2 1"
 *	type of each argument
 *	each args[]: the argument that it is made from, its type: "0 int"
 *
 * The instruction is one nop, which every kernel can step over without single
 * stepping, with one of four bytes behind it on x86-64: room for a jump.  It
 * is not the nop of five bytes that Linux 6.18 makes a call of, since a call
 * writes over the red zone of the function the probe stands in.
 *
 * The functions are inlined even where nothing is optimized, so the place is
 * in the function that the user wrote.  They have the historical names; in C
 * they are extern, as functions inline in the sense of C99 may call no others.
 *
 * See doc/decisions/0030-headers-of-probes.md and doc/howto-usdt.md.
 */
#include "dtrace/dtrace.h"
#include "lib/dt_header.h"

/* ---- what all probes of a header use ------------------------------------ */

static const char usdt_macros[] =
	"#ifdef __cplusplus\n"
	"#define _DTRACE_USDT_INLINE \\\n"
	"\tinline __attribute__((__always_inline__, __artificial__, \\\n"
	"\t__no_instrument_function__))\n"
	"#else\n"
	"#define _DTRACE_USDT_INLINE \\\n"
	"\textern __inline__ __attribute__((__gnu_inline__, \\\n"
	"\t__always_inline__, __artificial__, "
	"__no_instrument_function__))\n"
	"#endif\n"
	"\n"
	"/* Long as they are, they are few instructions. */\n"
	"#if defined(__clang__) || __GNUC__ >= 9\n"
	"#define _DTRACE_USDT_ASM __asm__ __inline__ __volatile__\n"
	"#else\n"
	"#define _DTRACE_USDT_ASM __asm__ __volatile__\n"
	"#endif\n"
	"\n"
	"/* Where arguments may be; clang would move all of \"nor\" to memory. */\n"
	"#ifdef __clang__\n"
	"#define _DTRACE_USDT_IN \"nr\"\n"
	"#else\n"
	"#define _DTRACE_USDT_IN \"nor\"\n"
	"#endif\n"
	"\n"
	"#ifdef __x86_64__\n"
	"#define _DTRACE_USDT_NOP \"nop\\n\\t.byte 0x0f, 0x1f, 0x40, 0x00\\n\"\n"
	"#else\n"
	"#define _DTRACE_USDT_NOP \"nop\\n\"\n"
	"#endif\n"
	"\n";

/* The note of a place, which goes where its code goes ("?"), and what prelink
   would tell it by. */
static const char usdt_site[] =
	"#define _DTRACE_USDT_SITE(provider, probe, args) \\\n"
	"\t\"990:\\t\" _DTRACE_USDT_NOP \\\n"
	"\t\".pushsection .note.stapsdt,\\\"?\\\",\\\"note\\\"\\n\" \\\n"
	"\t\".balign 4\\n\" \\\n"
	"\t\".4byte 992f-991f, 994f-993f, 3\\n\" \\\n"
	"\t\"991: .asciz \\\"stapsdt\\\"\\n\" \\\n"
	"\t\"992: .balign 4\\n\" \\\n"
	"\t\"993: .8byte 990b, _.stapsdt.base\\n\" \\\n"
	"\t\".8byte \" provider \"_\" probe \"_semaphore\\n\" \\\n"
	"\t\".asciz \\\"\" provider \"\\\"\\n\" \\\n"
	"\t\".asciz \\\"\" probe \"\\\"\\n\" \\\n"
	"\t\".asciz \\\"\" args \"\\\"\\n\" \\\n"
	"\t\"994: .balign 4\\n\" \\\n"
	"\t\".popsection\\n\" \\\n"
	"\t\".ifndef _.stapsdt.base\\n\" \\\n"
	"\t\".pushsection .stapsdt.base,\\\"aG\\\",\\\"progbits\\\",\" \\\n"
	"\t\".stapsdt.base,comdat\\n\" \\\n"
	"\t\".weak _.stapsdt.base\\n\" \\\n"
	"\t\".hidden _.stapsdt.base\\n\" \\\n"
	"\t\"_.stapsdt.base: .space 1\\n\" \\\n"
	"\t\".size _.stapsdt.base, 1\\n\" \\\n"
	"\t\".popsection\\n\" \\\n"
	"\t\".endif\\n\"\n"
	"\n";

static const char usdt_once[] =
	"/* Once in each object: the semaphore, and what D knows of the probe. */\n"
	"#define _DTRACE_USDT_ONCE(sema, text) \\\n"
	"\t\".ifndef \" sema \"\\n\" \\\n"
	"\t\".pushsection .probes,\\\"awG\\\",\\\"progbits\\\",\" \\\n"
	"\tsema \",comdat\\n\" \\\n"
	"\t\".balign 2\\n\" \\\n"
	"\t\".weak \" sema \"\\n\" \\\n"
	"\t\".hidden \" sema \"\\n\" \\\n"
	"\t\".type \" sema \", \\\"object\\\"\\n\" \\\n"
	"\t\".size \" sema \", 2\\n\" \\\n"
	"\tsema \": .zero 2\\n\" \\\n"
	"\t\".popsection\\n\" \\\n"
	"\t\".pushsection .note.dtrace,\\\"G\\\",\\\"note\\\",\" \\\n"
	"\tsema \",comdat\\n\" \\\n"
	"\t\".balign 4\\n\" \\\n"
	"\t\".4byte 992f-991f, 994f-993f, 1\\n\" \\\n"
	"\t\"991: .asciz \\\"DTrace\\\"\\n\" \\\n"
	"\t\"992: .balign 4\\n\" \\\n"
	"\t\"993:\\n\" text \\\n"
	"\t\"994: .balign 4\\n\" \\\n"
	"\t\".popsection\\n\" \\\n"
	"\t\".endif\\n\"\n";

void
dt_usdt_begin(struct buf *out)
{
	buf_puts(out, usdt_macros);
	buf_puts(out, usdt_site);
	buf_puts(out, usdt_once);
}

void
dt_usdt_end(struct buf *out)
{
	static const char *const names[] = {
		"INLINE", "ASM", "IN", "NOP", "SITE", "ONCE",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		buf_printf(out, "#undef _DTRACE_USDT_%s\n", names[i]);
}

/* ---- a probe ------------------------------------------------------------ */

static void
write_string(const char *s, struct buf *out)
{
	buf_printf(out, "\n\t\t\"\\t.asciz \\\"%s\\\"\\n\"", s);
}

static void
write_stability(const struct lang *l, const struct lang_provider *pv,
		struct buf *out)
{
	static const char *const parts[] = { "provider", "module", "function",
					     "name", "args" };
	struct buf s = BUF_INIT;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		char text[64];
		uint8_t v[3];

		lang_provider_stab(l, pv, parts[i], v);
		dtrace_attribute_t a = { .dtat_name = v[0], .dtat_data = v[1],
					 .dtat_class = v[2] };
		buf_printf(&s, "%s%s", i > 0 ? " " : "",
			   dtrace_attr2str(a, text, sizeof(text)));
	}
	write_string(buf_str(&s), out);
	out->failed |= s.failed;
	buf_fini(&s);
}

/* What the probe is to D: the strings of the note in .note.dtrace. */
static void
write_once(const struct lang *l, const struct lang_provider *pv,
	   const struct lang_provider_probe *p, struct buf *out)
{
	struct buf s = BUF_INIT;

	buf_printf(out, "_DTRACE_USDT_INLINE void\n"
			"__dtracenote_%s___%s(void)\n{\n",
		   pv->name, p->cname);
	buf_printf(out, "\t_DTRACE_USDT_ASM(_DTRACE_USDT_ONCE("
			"\"%s_%s_semaphore\",",
		   pv->name, p->cname);
	write_string(pv->name, out);
	write_string(p->cname, out);
	write_stability(l, pv, out);
	buf_printf(&s, "%u %u", p->nargs, p->nxargs);
	write_string(buf_str(&s), out);
	for (uint32_t i = 0; i < p->nargs; i++)
		write_string(p->args[i].type, out);
	for (uint32_t i = 0; i < p->nxargs; i++) {
		buf_reset(&s);
		buf_printf(&s, "%u %s", p->map[i], p->xargs[i].type);
		write_string(buf_str(&s), out);
	}
	buf_puts(out, "));\n}\n");
	out->failed |= s.failed;
	buf_fini(&s);
}

/* A floating-point number is passed as its bits, that any tracer can read. */
static void
write_bits(const struct dt_carg *args, uint32_t n, struct buf *out)
{
	for (uint32_t i = 0; i < n; i++)
		if (args[i].is_float)
			buf_printf(out, "\tunsigned %s b%u;\n",
				   args[i].size == 4 ? "int" : "long", i);
	for (uint32_t i = 0; i < n; i++)
		if (args[i].is_float)
			buf_printf(out, "\t__builtin_memcpy(&b%u, &a%u, "
					"sizeof(b%u));\n",
				   i, i, i);
}

static void
write_site(const struct lang_provider *pv, const struct lang_provider_probe *p,
	   const struct dt_carg *args, struct buf *out)
{
	buf_printf(out, "\t_DTRACE_USDT_ASM(_DTRACE_USDT_SITE(\"%s\", \"%s\","
			"\n\t\t\"",
		   pv->name, p->cname);
	for (uint32_t i = 0; i < p->nargs; i++)
		buf_printf(out, "%s%s%u@%%[a%u]", i > 0 ? " " : "",
			   args[i].is_signed ? "-" : "", args[i].size, i);
	buf_puts(out, "\")");
	for (uint32_t i = 0; i < p->nargs; i++)
		buf_printf(out, "%s [a%u] _DTRACE_USDT_IN (%c%u)",
			   i > 0 ? ",\n\t\t" : "\n\t\t: :", i,
			   args[i].is_float ? 'b' : 'a', i);
	buf_puts(out, ");\n");
}

static void
write_enabled(const struct lang_provider *pv,
	      const struct lang_provider_probe *p, struct buf *out)
{
	buf_printf(out, "_DTRACE_USDT_INLINE int\n"
			"__dtraceenabled_%s___%s(void)\n{\n",
		   pv->name, p->cname);
	buf_printf(out, "\t__dtracenote_%s___%s();\n"
			"\treturn __builtin_expect(%s_%s_semaphore != 0, 0) != 0;\n"
			"}\n",
		   pv->name, p->cname, pv->name, p->cname);
}

static void
write_probe(const struct lang_provider *pv,
	    const struct lang_provider_probe *p, const struct dt_carg *args,
	    struct buf *out)
{
	buf_printf(out, "_DTRACE_USDT_INLINE void\n__dtrace_%s___%s(",
		   pv->name, p->cname);
	for (uint32_t i = 0; i < p->nargs; i++) {
		const char *type = buf_str(&args[i].type);
		size_t n = args[i].type.n;

		buf_printf(out, "%s%s%sa%u", i > 0 ? ", " : "", type,
			   n > 0 && type[n - 1] == '*' ? "" : " ", i);
	}
	buf_printf(out, "%s)\n{\n", p->nargs == 0 ? "void" : "");
	write_bits(args, p->nargs, out);
	buf_printf(out, "\t__dtracenote_%s___%s();\n", pv->name, p->cname);
	write_site(pv, p, args, out);
	buf_puts(out, "}\n");
}

void
dt_usdt_probe(const struct lang *l, const struct lang_provider *pv,
	      const struct lang_provider_probe *p, const struct dt_carg *args,
	      struct buf *out)
{
	buf_printf(out, "\nextern volatile unsigned short %s_%s_semaphore\n"
			"\t__attribute__((__visibility__(\"hidden\")));\n",
		   pv->name, p->cname);
	write_once(l, pv, p, out);
	write_enabled(pv, p, out);
	write_probe(pv, p, args, out);
}
