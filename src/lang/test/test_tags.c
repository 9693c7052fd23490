/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Every tag that the checker raises, raised: D text, tag, line.  Those of the
 * lexer, the parser and declarations are in test_lex.c, test_parse.c and
 * test_decl.c.
 */
#include "lang/test/check_test.h"
#include "base/test/fds.h"

static const struct {
	const char *tag, *text;
	int line;
} rows[] = {
	{ "D_PDESC_ZERO", "none:::x{}", 1 },
	{ "D_PRED_SCALAR", "BEGIN/\"a\"/{}", 1 },
	{ "D_FUNC_UNDEF", "BEGIN{foo()}", 1 },
	{ "D_FUNC_UNDEF", "BEGIN{panic()}", 1 },
	{ "D_FUNC_IDKIND", "BEGIN{pid()}", 1 },
	{ "D_FUNC_IDENT", "BEGIN{(x+1)()}", 1 },
	{ "D_FUNC_UNDEF", "BEGIN{breakpoint()}", 1 },
	{ "D_FUNC_UNDEF", "BEGIN{return(0)}", 1 },
	{ "D_FUNC_UNDEF", "BEGIN{pcap((void *)arg0, 1)}", 1 },
	{ "D_PROTO_LEN", "BEGIN{print()}", 1 },
	{ "D_PRINT_VOID", "BEGIN{print((void)0)}", 1 },
	{ "D_PRINT_DYN", "BEGIN{print(ustack())}", 1 },
	{ "D_PRINT_AGG", "BEGIN{@a = count(); print(@a)}", 1 },
	{ "D_PRINT_SIZE",
	  "struct s{int n; char b[];}; BEGIN{print(((struct s *)arg0)->b)}",
	  1 },
	{ "D_FREOPEN_INVALID", "BEGIN{freopen(\".\")}", 1 },
	{ "D_PROTO_LEN", "BEGIN{ftruncate(1)}", 1 },
	{ "D_PROTO_LEN", "BEGIN{stop(1)}", 1 },
	{ "D_PROTO_LEN", "BEGIN{setopt()}", 1 },
	{ "D_PROTO_ARG", "BEGIN{setopt(1)}", 1 },
	{ "D_PROTO_LEN", "BEGIN{chill()}", 1 },
	{ "D_PROTO_ARG", "BEGIN{chill(\"a\")}", 1 },
	{ "D_USTACK_STRSIZE", "BEGIN{jstack(5, -1)}", 1 },
	{ "D_USTACK_FRAMES", "BEGIN{jstack(0)}", 1 },
	{ "D_USTACK_PROTO", "BEGIN{jstack(1, 2, 3)}", 1 },
	{ "D_OP_ACT", "BEGIN{x = printf(\"a\")}", 1 },
	{ "D_OP_ACT", "BEGIN{arg0 ? trace(1) : trace(2)}", 1 },
	{ "D_OP_LVAL", "BEGIN{1 = 2}", 1 },
	{ "D_OP_WRITE", "BEGIN{pid = 2}", 1 },
	{ "D_OP_WRITE", "typed:::{args[0] = 2}", 1 },
	{ "D_OP_WRITE", "BEGIN{`jiffies = 2}", 1 },
	{ "D_OP_INCOMPAT", "int x; BEGIN{x = \"s\"}", 1 },
	{ "D_OP_INCOMPAT", "BEGIN{x = curthread + curthread}", 1 },
	{ "D_OP_INCOMPAT", "BEGIN{x = curthread == 5}", 1 },
	{ "D_OP_INT", "BEGIN{x = ~\"s\"}", 1 },
	{ "D_OP_INT", "BEGIN{x = curthread % 2}", 1 },
	{ "D_OP_ARITH", "BEGIN{x = \"a\" * 2}", 1 },
	{ "D_OP_ARITH", "int *p; BEGIN{p *= 2}", 1 },
	{ "D_OP_ARITH", "int *p; BEGIN{p /= 2}", 1 },
	{ "D_OP_ARITH", "int *p, i; BEGIN{i += p}", 1 },
	{ "D_OP_INT", "int *p; BEGIN{p %= 2}", 1 },
	{ "D_OP_INT", "int *p; BEGIN{p &= 2}", 1 },
	{ "D_OP_INT", "int *p; BEGIN{p |= 2}", 1 },
	{ "D_OP_INT", "int *p; BEGIN{p ^= 2}", 1 },
	{ "D_OP_INT", "int *p; BEGIN{p <<= 2}", 1 },
	{ "D_OP_INT", "int *p; BEGIN{p >>= 2}", 1 },
	{ "D_OP_SCALAR", "BEGIN{x = \"a\" && 1}", 1 },
	{ "D_OP_SCALAR", "BEGIN{x = !execname}", 1 },
	{ "D_OP_SOU", "BEGIN{x = pid.a}", 1 },
	{ "D_OP_PTR", "BEGIN{x = pid->a}", 1 },
	{ "D_OP_PTR", "int a; BEGIN{x = a[1]}", 1 },
	{ "D_OP_INCOMPLETE", "struct foo; struct foo *p; BEGIN{x = p->a}", 1 },
	{ "D_OP_INCOMPLETE", "struct foo; struct foo *p; BEGIN{x = p + 1}", 1 },
	{ "D_OP_DYN", "BEGIN{@a = count(); x = @a}", 1 },
	{ "D_OP_ARRFUN", "int a[4]; BEGIN{a = 0}", 1 },
	{ "D_TYPE_MEMBER", "struct foo {int x;}; struct foo v; BEGIN{x = v.y}",
	  1 },
	{ "D_DEREF_NONPTR", "BEGIN{x = *pid}", 1 },
	{ "D_DEREF_FUNC", "BEGIN{x = *(int (*)(int))arg0}", 1 },
	{ "D_OP_INCOMPAT", "BEGIN{x = (int (*)(int))arg0 + 1}", 1 },
	{ "D_OP_INCOMPAT", "BEGIN{x = (void *)arg0 + 1}", 1 },
	{ "D_OP_INCOMPAT", "BEGIN{x = 1 + (void *)arg0}", 1 },
	{ "D_OP_VFPTR", "void *p; BEGIN{p += 1}", 1 },
	{ "D_OP_VFPTR", "void *p; BEGIN{p++}", 1 },
	{ "D_OP_VFPTR", "BEGIN{i -= alloca(8)}", 1 },
	{ "D_OP_VFPTR", "int (*f)(int); BEGIN{f -= 1}", 1 },
	{ "D_OP_SCALAR", "string s; BEGIN{s++}", 1 },
	{ "D_OP_INCOMPAT", "string s; BEGIN{s += 1}", 1 },
	{ "D_OP_INCOMPAT", "int i; BEGIN{i += \"x\"}", 1 },
	{ "D_OP_INCOMPAT", "BEGIN{x = \"a\" + \"b\"}", 1 },
	{ "D_OP_INCOMPAT", "BEGIN{x = 1 - \"b\"}", 1 },
	{ "D_AGG_MDIM", "BEGIN{@a[1][2] = count()}", 1 },
	{ "D_ARGS_TYPE", "bystruct:::{trace(args[0])}", 1 },
	{ "D_DEREF_VOID", "BEGIN{x = *(void *)arg0}", 1 },
	{ "D_ADDROF_VAR", "int x; BEGIN{y = &x}", 1 },
	{ "D_ADDROF_LVAL", "BEGIN{y = &1}", 1 },
	{ "D_ADDROF_BITFIELD",
	  "struct s{int a:3;}; BEGIN{y = &((struct s *)arg0)->a}", 1 },
	{ "D_SIZEOF_BITFIELD",
	  "struct s{int a:3;}; BEGIN{y = sizeof(((struct s *)arg0)->a)}", 1 },
	{ "D_SIZEOF_TYPE", "BEGIN{y = sizeof(void)}", 1 },
	{ "D_OFFSETOF_TYPE", "BEGIN{y = offsetof(int, a)}", 1 },
	{ "D_OFFSETOF_TYPE", "BEGIN{y = offsetof(struct nosuch, a)}", 1 },
	{ "D_UNKNOWN", "struct s{int a;}; BEGIN{y = offsetof(struct s, b)}",
	  1 },
	{ "D_UNKNOWN", "BEGIN{y = (long short)0}", 1 },
	{ "D_OFFSETOF_BITFIELD",
	  "struct s{int a:3;}; BEGIN{y = offsetof(struct s, a)}", 1 },
	{ "D_CAST_INVAL", "struct s{int a;}; BEGIN{y = (struct s)1}", 1 },
	{ "D_CAST_INVAL", "BEGIN{y = (int)execname}", 1 },
	{ "D_STRINGOF_TYPE",
	  "struct s{int a;}; struct s v; BEGIN{y = stringof(v)}", 1 },
	{ "D_DIV_ZERO", "BEGIN{y = arg0 / 0}", 1 },
	{ "D_DIV_ZERO", "BEGIN{arg1; y = 1; y %= 0}", 1 },
	{ "D_VAR_UNDEF", "BEGIN{y = self->x}", 1 },
	{ "D_VAR_UNDEF", "BEGIN{y = z[1]}", 1 },
	{ "D_IDENT_UNDEF", "BEGIN{y = z}", 1 },
	{ "D_IDENT_UNDEF", "BEGIN{y = y}", 1 },
	{ "D_VAR_UNSUP", "BEGIN{y = zonename}", 1 },
	{ "D_ARR_LOCAL", "BEGIN{this->a[1] = 1}", 1 },
	{ "D_IDENT_BADREF", "BEGIN{a[1] = 1; x = a}", 1 },
	{ "D_IDENT_BADREF", "BEGIN{a[1] = 1; x = sizeof(a)}", 1 },
	{ "D_IDENT_BADREF", "BEGIN{trace(args)}", 1 },
	{ "D_ARR_BADREF", "int a[4]; BEGIN{x = a[1, 2]}", 1 },
	{ "D_ARR_BOUNDS", "int a[4]; BEGIN{x = a[4]}", 1 },
	{ "D_DECL_LOCASSC", "this int a[int];", 1 },
	{ "D_DECL_IDRED", "int pid;", 1 },
	{ "D_DECL_IDRED", "int a; string a;", 1 },
	{ "D_DECL_VOIDOBJ", "void a;", 1 },
	{ "D_DECL_INCOMPLETE", "struct foo a;", 1 },
	{ "D_PROTO_ARG",
	  "struct s{int a;}; struct t{int a;}; struct s v; struct t w;"
	  "BEGIN{a[v] = 1; a[w] = 1}",
	  1 },
	{ "D_KEY_TYPE", "BEGIN{a[trace(1)] = 1}", 1 },
	{ "D_KEY_TYPE", "BEGIN{@[trace(0)] = count()}", 1 },
	{ "D_KEY_TYPE", "BEGIN{@a = count(); @[@a] = count()}", 1 },
	{ "D_KEY_TYPE",
	  "struct s{int a;}; translator struct s < int I > { a = I; };"
	  "BEGIN{@[xlate <struct s>(1)] = count()}",
	  1 },
	{ "D_KEY_TYPE",
	  "struct s{int a;}; translator struct s < int I > { a = I; };"
	  "BEGIN{a[xlate <struct s *>(1)] = 1}",
	  1 },
	{ "D_CAST_INVAL",
	  "struct s{int a;}; translator struct s < int I > { a = I; };"
	  "BEGIN{x = (uintptr_t)xlate <struct s *>(1)}",
	  1 },
	{ "D_PROTO_ARG", "BEGIN{exit(trace(1))}", 1 },
	{ "D_PROTO_ARG", "BEGIN{x = progenyof(trace(1))}", 1 },
	{ "D_PROTO_ARG", "inline int i[int a] = a; BEGIN{x = i(trace(1))}", 1 },
	{ "D_PRINTF_ARG_TYPE", "BEGIN{printf(\"%d\", printf(\"x\"))}", 1 },
	{ "D_PRINTF_ARG_TYPE", "BEGIN{@a = count(); printf(\"%d\", @a)}", 1 },
	{ "D_TRACE_VOID", "BEGIN{trace(trace(1))}", 1 },
	{ "D_STRINGOF_TYPE", "BEGIN{x = stringof(trace(0))}", 1 },
	{ "D_OP_ARITH", "BEGIN{x = -trace(0)}", 1 },
	{ "D_OP_ARITH", "BEGIN{x = +trace(0)}", 1 },
	{ "D_VAR_UNDEF", "BEGIN{p -= trace(0)}", 1 },
	{ "D_PROTO_LEN", "BEGIN{pid ? printf(\"x\") : trace()}", 1 },
	{ "D_PROTO_LEN", "BEGIN{pid ? tracemem(0, 1, 2, 3) : 1}", 1 },
	{ "D_CG_EXPR", "BEGIN{avg(1)}", 1 },
	{ "D_OP_INCOMPAT", "BEGIN{@a = count(); x = @a + 3}", 1 },
	{ "D_ADDROF_VAR", "BEGIN{@a = count(); x = &@a}", 1 },
	{ "D_TRUNC_SCALAR", "BEGIN{@a = count(); trunc(@a, @a)}", 1 },
	{ "D_PRED_SCALAR", "int a[4]; BEGIN /a/ {}", 1 },
	{ "D_PRED_SCALAR", "BEGIN /trace(1)/ {}", 1 },
	{ "D_KEY_TYPE", "BEGIN{a[stack()] = 1}", 1 },
	{ "D_PROTO_LEN", "BEGIN{a[1] = 1; a[1,2] = 1}", 1 },
	{ "D_PROTO_ARG", "BEGIN{a[1] = 1; a[\"x\"] = 1}", 1 },
	{ "D_PROTO_LEN", "BEGIN{strlen()}", 1 },
	{ "D_PROTO_ARG", "BEGIN{strlen(1)}", 1 },
	{ "D_PROTO_LEN", "BEGIN{trace()}", 1 },
	{ "D_ARGS_IDX", "BEGIN{args[0]}", 1 },
	{ "D_ARGS_NONE", "inline int i = args[0];", 1 },
	{ "D_ARGS_IDX", "typed:::{args[7]}", 1 },
	{ "D_ARGS_MULTI", "mixed:::{args[0]}", 1 },
	{ "D_REGS_IDX", "BEGIN{uregs[99]}", 1 },
	{ "D_AGG_NULL", "BEGIN{@a = count(); @a}", 1 },
	{ "D_AGG_FUNC", "BEGIN{@a = 1}", 1 },
	{ "D_AGG_FUNC", "BEGIN{x = count()}", 1 },
	{ "D_AGG_REDEF", "BEGIN{@a = count(); @a = sum(1)}", 1 },
	{ "D_AGG_SCALAR", "BEGIN{@a = sum(\"x\")}", 1 },
	{ "D_PROTO_LEN", "BEGIN{@a[1] = count(); @a = count()}", 1 },
	{ "D_PROTO_ARG", "BEGIN{@a[1] = count(); @a[\"x\"] = count()}", 1 },
	{ "D_PROTO_LEN", "BEGIN{@a = quantize()}", 1 },
	{ "D_PROTO_LEN", "BEGIN{@a = quantize(1, 2, 3)}", 1 },
	{ "D_PROTO_ARG", "BEGIN{@a = quantize(1, \"x\")}", 1 },
	{ "D_PROTO_ARG", "BEGIN{@a = lquantize(1, 0, 9, 1, \"x\")}", 1 },
	{ "D_LQUANT_BASETYPE", "BEGIN{@a = lquantize(1, pid, 2)}", 1 },
	{ "D_LQUANT_BASEVAL", "BEGIN{@a = lquantize(1, 0x100000000, 2)}", 1 },
	{ "D_LQUANT_LIMTYPE", "BEGIN{@a = lquantize(1, 1, pid)}", 1 },
	{ "D_LQUANT_LIMVAL", "BEGIN{@a = lquantize(1, 1, 0x100000000)}", 1 },
	{ "D_LQUANT_MISMATCH", "BEGIN{@a = lquantize(1, 10, 1)}", 1 },
	{ "D_LQUANT_STEPTYPE", "BEGIN{@a = lquantize(1, 1, 10, pid)}", 1 },
	{ "D_LQUANT_STEPTYPE", "BEGIN{@a = lquantize(1, 1, 10, 0)}", 1 },
	{ "D_LQUANT_STEPTYPE", "BEGIN{@a = lquantize(1, 1, 10, -1)}", 1 },
	{ "D_LQUANT_STEPVAL", "BEGIN{@a = lquantize(1, 1, 100000, 70000)}", 1 },
	{ "D_LQUANT_STEPLARGE", "BEGIN{@a = lquantize(1, 1, 10, 20)}", 1 },
	{ "D_LQUANT_STEPSMALL", "BEGIN{@a = lquantize(1, 1, 100000, 1)}", 1 },
	{ "D_LQUANT_MATCHBASE",
	  "BEGIN{@a = lquantize(1, 1, 10); @a = lquantize(1, 2, 11)}", 1 },
	{ "D_LQUANT_MATCHLIM",
	  "BEGIN{@a = lquantize(1, 1, 10); @a = lquantize(1, 1, 11)}", 1 },
	{ "D_LQUANT_MATCHSTEP",
	  "BEGIN{@a = lquantize(1, 1, 10); @a = lquantize(1, 1, 10,2)}", 1 },
	{ "D_LLQUANT_FACTORTYPE", "BEGIN{@a = llquantize(1, pid, 0, 6, 20)}",
	  1 },
	{ "D_LLQUANT_FACTORVAL", "BEGIN{@a = llquantize(1, 1, 0, 6, 20)}", 1 },
	{ "D_LLQUANT_LMAGTYPE", "BEGIN{@a = llquantize(1, 10, pid, 6, 20)}",
	  1 },
	{ "D_LLQUANT_LMAGVAL", "BEGIN{@a = llquantize(1, 10, -1, 6, 20)}", 1 },
	{ "D_LLQUANT_HMAGTYPE", "BEGIN{@a = llquantize(1, 10, 0, pid, 20)}",
	  1 },
	{ "D_LLQUANT_HMAGVAL", "BEGIN{@a = llquantize(1, 10, 0, 30, 20)}", 1 },
	{ "D_LLQUANT_STEPTYPE", "BEGIN{@a = llquantize(1, 10, 0, 6, pid)}", 1 },
	{ "D_LLQUANT_STEPVAL", "BEGIN{@a = llquantize(1, 10, 0, 6, 21)}", 1 },
	{ "D_LLQUANT_STEPVAL", "BEGIN{@a = llquantize(1, 10, 0, 6, 30)}", 1 },
	{ "D_LLQUANT_STEPVAL", "BEGIN{@a = llquantize(1, 10, 0, 6, 4)}", 1 },
	{ "D_LLQUANT_STEPVAL", "BEGIN{@a = llquantize(1, 10, 2, 6, 80)}", 1 },
	{ "D_LLQUANT_MATCHFACTOR",
	  "BEGIN{@a = llquantize(1, 10, 0, 6, 20);@a = llquantize(1, 2, 0, 6, "
	  "2)}",
	  1 },
	{ "D_LLQUANT_MATCHLMAG",
	  "BEGIN{@a = llquantize(1, 10, 0, 6, 20);@a = llquantize(1, 10, 1, 6, "
	  "20)}",
	  1 },
	{ "D_LLQUANT_MATCHHMAG",
	  "BEGIN{@a = llquantize(1, 10, 0, 6, 20);@a = llquantize(1, 10, 0, 7, "
	  "20)}",
	  1 },
	{ "D_LLQUANT_MATCHSTEPS",
	  "BEGIN{@a = llquantize(1, 10, 0, 6, 20);@a = llquantize(1, 10, 0, 6, "
	  "10)}",
	  1 },
	{ "D_PROTO_LEN", "BEGIN{speculate()}", 1 },
	{ "D_PROTO_LEN", "BEGIN{commit(1, 2)}", 1 },
	{ "D_PROTO_ARG", "BEGIN{discard(\"x\")}", 1 },
	{ "D_PROTO_LEN", "BEGIN{s = speculation(1)}", 1 },
	{ "D_OP_ACT", "BEGIN{s = commit(1)}", 1 },
	{ "D_SPEC_DREC", "BEGIN{trace(1);\nspeculate(1)}", 2 },
	{ "D_SPEC_SPEC", "BEGIN{speculate(1);\nspeculate(1)}", 2 },
	{ "D_SPEC_SPEC", "BEGIN{speculate(1); if (arg0) {\nspeculate(2)}}", 2 },
	{ "D_SPEC_COMM", "BEGIN{commit(1);\nspeculate(1)}", 2 },
	{ "D_COMM_COMM", "BEGIN{commit(1);\ncommit(2)}", 2 },
	{ "D_COMM_DREC", "BEGIN{ustack();\ncommit(1)}", 2 },
	{ "D_DREC_COMM", "BEGIN{commit(1);\ntrace(1)}", 2 },
	{ "D_DREC_COMM", "BEGIN{commit(1);\nsystem(\"true\")}", 2 },
	{ "D_AGG_SPEC", "BEGIN{speculate(1);\n@a = count()}", 2 },
	{ "D_AGG_COMM", "BEGIN{commit(1);\n@a = count()}", 2 },
	{ "D_ACT_SPEC", "BEGIN{speculate(1);\nfreopen(\"true\")}", 2 },
	{ "D_DREC_COMM", "BEGIN{commit(1);\nexit(0)}", 2 },
	{ "D_ACT_SPEC", "BEGIN{speculate(1);\ncopyoutstr(\"a\", 1, 2)}", 2 },
	{ "D_ACT_SPEC", "BEGIN{speculate(1);\ncopyout(alloca(4), 1, 2)}", 2 },
	{ "D_EXIT_SPEC", "BEGIN{speculate(1);\nexit(0)}", 2 },
	{ "D_PRINTF_DYN_PROTO", "BEGIN{printf(\"%*d\")}", 1 },
	{ "D_PRINTF_DYN_TYPE", "BEGIN{printf(\"%*d\", \"x\", 1)}", 1 },
	{ "D_PRINTF_AGG_CONV", "BEGIN{printf(\"%@d\", 1)}", 1 },
	{ "D_PRINTF_ARG_PROTO", "BEGIN{printf(\"%d\")}", 1 },
	{ "D_PROTO_LEN", "BEGIN{printf()}", 1 },
	{ "D_PRINTF_ARG_TYPE", "BEGIN{printf(\"%d\", \"x\")}", 1 },
	{ "D_PRINTF_ARG_TYPE", "BEGIN{printf(\"%s\", 1)}", 1 },
	{ "D_PRINTF_ARG_TYPE", "BEGIN{printf(\"%f\", 1)}", 1 },
	{ "D_PRINTF_ARG_TYPE", "BEGIN{printf(\"%s\", stack())}", 1 },
	{ "D_PRINTF_ARG_EXTRA", "BEGIN{printf(\"%d\", 1, 2)}", 1 },
	{ "D_PRINTF_ARG_FMT", "BEGIN{printf(execname)}", 1 },
	{ "D_SYNTAX", "BEGIN{printf(\"%q\", 1)}", 1 },
	{ "D_SYNTAX", "BEGIN{printf(\"%\", 1)}", 1 },
	{ "D_SYNTAX", "BEGIN{printf(\"%5\", 1)}", 1 },
	{ "D_SYNTAX", "BEGIN{printf(\"%.*\", 1)}", 1 },
	{ "D_SYNTAX", "BEGIN{printf(\"%z\", 1)}", 1 },
	{ "D_SYNTAX", "BEGIN{printf(\"%**d\", 1, 2, 3)}", 1 },
	{ "D_SYNTAX", "BEGIN{printf(\"%.*.*d\", 1, 2, 3)}", 1 },
	{ "D_SYNTAX", "BEGIN{printf(\"%1$d\", 1)}", 1 },
	{ "D_SYNTAX", "BEGIN{printf(\"%-%\", 1)}", 1 },
	{ "D_SIZEOF_BITFIELD",
	  "struct s{int a:3;} v; BEGIN{printf(\"%d%d\", sizeof(v.a))}", 1 },
	{ "D_PRINTF_FMT_EMPTY", "BEGIN{printf(\"\")}", 1 },
	{ "D_PROTO_LEN", "BEGIN{printa()}", 1 },
	{ "D_PRINTA_AGGARG", "BEGIN{printa(1)}", 1 },
	{ "D_PRINTA_PROTO", "BEGIN{printa(\"x\")}", 1 },
	{ "D_PRINTA_AGGARG", "BEGIN{@a=count(); printa(\"x\", 1)}", 1 },
	{ "D_PRINTA_AGGBAD", "BEGIN{printa(@a)}", 1 },
	{ "D_PRINTA_AGGKEY", "BEGIN{@a=count(); @b[1]=count(); printa(@a,@b)}",
	  1 },
	{ "D_PRINTA_AGGPROTO",
	  "BEGIN{@a[1]=count(); @b[\"x\"]=count(); printa(@a,@b)}", 1 },
	{ "D_PRINTA_AGGPROTO", "BEGIN{@b[1]=count(); printa(@b[1])}", 1 },
	{ "D_TRACE_VOID", "BEGIN{trace((void)0)}", 1 },
	{ "D_TRACE_DYN", "BEGIN{trace(stack())}", 1 },
	{ "D_TRACE_AGG", "BEGIN{@a=count(); trace(@a)}", 1 },
	{ "D_TRACEMEM_ADDR", "BEGIN{tracemem(\"x\", 1)}", 1 },
	{ "D_TRACEMEM_SIZE", "BEGIN{tracemem(arg0, arg1)}", 1 },
	{ "D_TRACEMEM_ARGS", "BEGIN{tracemem(arg0)}", 1 },
	{ "D_TRACEMEM_DYNSIZE", "BEGIN{tracemem(arg0, 1, \"x\")}", 1 },
	{ "D_STACK_PROTO", "BEGIN{stack(1,2)}", 1 },
	{ "D_STACK_SIZE", "BEGIN{stack(pid)}", 1 },
	{ "D_USTACK_FRAMES", "BEGIN{ustack(0)}", 1 },
	{ "D_USTACK_STRSIZE", "BEGIN{ustack(1,-1)}", 1 },
	{ "D_USTACK_PROTO", "BEGIN{ustack(1,2,3)}", 1 },
	{ "D_CLEAR_PROTO", "BEGIN{clear()}", 1 },
	{ "D_CLEAR_AGGARG", "BEGIN{clear(1)}", 1 },
	{ "D_CLEAR_AGGBAD", "BEGIN{clear(@a)}", 1 },
	{ "D_NORMALIZE_PROTO", "BEGIN{@a=count();normalize(@a)}", 1 },
	{ "D_NORMALIZE_SCALAR", "BEGIN{@a=count();normalize(@a,\"x\")}", 1 },
	{ "D_NORMALIZE_AGGARG", "BEGIN{normalize(1,1)}", 1 },
	{ "D_NORMALIZE_AGGBAD", "BEGIN{normalize(@a,1)}", 1 },
	{ "D_TRUNC_PROTO", "BEGIN{trunc()}", 1 },
	{ "D_TRUNC_SCALAR", "BEGIN{@a=count();trunc(@a,\"x\")}", 1 },
	{ "D_TRUNC_AGGARG", "BEGIN{trunc(1)}", 1 },
	{ "D_TRUNC_AGGBAD", "BEGIN{trunc(@a)}", 1 },
	{ "D_IDENT_BADREF", "BEGIN{x = strlen}", 1 },
	{ "D_SYM_NOTYPES", "BEGIN{x = `foo}", 1 },
	{ "D_XLATE_SOU", "BEGIN{x = xlate <int *>(pid)}", 1 },
	{ "D_XLATE_SOU", "translator struct nosuch < int I > { a = I; };", 1 },
	{ "D_XLATE_REDECL",
	  "struct s{int a;}; translator struct s < int I > { a = I; };\n"
	  "translator struct s < int J > { b = J; };",
	  2 },
	{ "D_XLATE_NONE",
	  "struct s{int a;}; BEGIN{trace(xlate <struct s>(1).a)}", 1 },
	{ "D_OP_WRITE", "typed:::{*(char *)args[1] = 1}", 1 },
	{ "D_OP_INCOMPLETE", "struct f; BEGIN{x = *(struct f *)arg0}", 1 },
	{ "D_OP_INCOMPLETE",
	  "struct s {int n; int v[];}; BEGIN{trace(((struct s *)arg0)->v)}",
	  1 },
	{ "D_PDESC_ZERO", "BEGIN{}\n\nnone:::x{}", 3 },
	{ "D_IDENT_UNDEF", "BEGIN\n{\n\tx = 1;\n\ty = z;\n}", 4 },
	{ "D_OP_INCOMPAT", "inline string S = 3;", 1 },
	{ "D_IDENT_UNDEF", "BEGIN{x = `nosuch}", 1 },
	{ "D_OP_DYN", "BEGIN{@a++}", 1 },
	{ "D_OP_LVAL", "inline int N = 3; BEGIN{N = 4}", 1 },
};

static void
every_row_raises_its_tag(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct dif_prog *p;
		struct ct t;

		ct_open(&t);
		p = ct_try(&t, rows[i].text);
		if (p != NULL || t.e.tag == NULL ||
		    strcmp(t.e.tag->name, rows[i].tag) != 0 ||
		    t.e.loc.line != rows[i].line)
			fail_msg("%s\n  gave %s at line %d (%s), not %s at "
				 "line %d",
				 rows[i].text,
				 t.e.tag != NULL ? t.e.tag->name : "no error",
				 t.e.loc.line, t.e.msg, rows[i].tag,
				 rows[i].line);
		ct_close(&t);
	}
}

/* A balanced tree of 2^depth operands that cannot be folded. */
static void
tree(struct buf *b, int depth)
{
	if (depth == 0) {
		buf_puts(b, "arg0");
		return;
	}
	buf_putc(b, '(');
	tree(b, depth - 1);
	buf_puts(b, depth % 2 != 0 ? " + " : " * ");
	tree(b, depth - 1);
	buf_putc(b, ')');
}

static const char *
tree_tag(int depth, uint32_t iregs)
{
	static char tag[32];
	struct lang_limits lim = { .iregs = iregs };
	struct lang_src s = { .spec = LANG_SPEC_NAME, .limits = &lim };
	struct buf b = BUF_INIT;
	struct dif_prog *p;
	struct ct t;

	buf_puts(&b, "BEGIN{x = ");
	tree(&b, depth);
	buf_puts(&b, "}");
	ct_open(&t);
	s.text = buf_str(&b);
	s.len = strlen(s.text);
	p = lang_compile(t.lang, &s, &t.e);
	snprintf(tag, sizeof(tag), "%s", p == NULL ? t.e.tag->name : "");
	dif_prog_free(p);
	ct_close(&t);
	buf_fini(&b);
	return tag;
}

static void
registers_run_out(void **state)
{
	assert_string_equal(tree_tag(6, 0), "");  /* seven registers */
	assert_string_equal(tree_tag(10, 0), ""); /* some wait in memory */
	assert_string_equal(tree_tag(10, 3), "");
	assert_string_equal(tree_tag(1, 2), "D_NOREG");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_raises_its_tag),
		cmocka_unit_test(registers_run_out),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
