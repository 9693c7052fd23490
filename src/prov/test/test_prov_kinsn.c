/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_prov_kinsn.c - instr and kinst on a kernel of three functions that is
 * made here: names, what is left out, sites, and what is said where there are
 * none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/test/fds.h"
#include "probe/test/probe_exact.h"
#include "proc/proc.h"
#include "prov/kinsn_over.h"
#include "prov/prov.h"

static struct prov_env env;
static struct probe_set *ps;
static struct err e;
static bool locked; /* nobody may read the text */
static bool probed; /* kprobes stand in it */
static char found[1024];

static const struct kfunc list[] = {
	{ "vfs_read", "vmlinux", 0x1000, false, 0 },
	{ "bpf_prog_load", "vmlinux", 0x2000, false, 0 },
	{ "ext4_iget", "ext4", 0x9000, false, 0 },
};

/* nopl; push %rbx; jmp .+3; ud2; lock incl (%rdi); nop; ret; padding */
static const uint8_t code[] = "\x0f\x1f\x44\0\0\x53\xeb\x02\x0f\x0b\xf0\xff\x07"
			      "\x90\xc3\x90\x90\xcc";

/* Two of its instructions with a breakpoint and a jump over them. */
static const uint8_t code_over[] = "\xe9\1\2\3\4\x53\xeb\x02\x0f\x0b\xcc\xff\x07"
				   "\x90\xc3\x90\x90\xcc";

/*
 * A table of kprobes, at TABLE, and the kprobes: the two, one that is not
 * written over the text now, and a list that leads nowhere.
 */
#define TABLE 0x100000
#define KP(i) (TABLE + 0x1000 + 64 * (i))
struct kp {
	uint64_t addr, next;
	uint32_t flags;
	uint8_t opcode, pad[3], copied[4];
};
static const struct kover_layout layout = {
	.addr = offsetof(struct kp, addr), .next = offsetof(struct kp, next),
	.flags = offsetof(struct kp, flags),
	.opcode = offsetof(struct kp, opcode),
	.copied = offsetof(struct kp, copied),
};
#define NEXT(i) (KP(i) + offsetof(struct kp, next))
static const uint64_t heads[64] = { [5] = NEXT(1), [60] = NEXT(0), [63] = 8 };
static const struct kp kps[] = {
	{ .addr = 0x100a, .opcode = 0xf0, .next = NEXT(2) },
	{ .addr = 0x1000, .opcode = 0x0f, .flags = 4,
	  .copied = { 0x1f, 0x44 } },
	{ .addr = 0x1005, .opcode = 0x90 },
};

int __wrap_kovers_read(const struct prov *pv, struct kovers *v,
		       struct err *err);
const struct kfunc *__wrap_kfunc_list(struct proc_set *p, size_t *n,
				      struct err *err);
uint64_t __wrap_kfunc_addr(struct proc_set *p, const struct kfunc *f);
const char *__wrap_kfunc_why_not(struct proc_set *p, const char *module,
				 const char *name);
bool __wrap_ksym_at(struct proc_set *p, uint64_t addr, char *kind,
		    uint64_t *size);
int __wrap_ktext_read(struct proc_set *p, uint64_t addr, void *buf, size_t n,
		      struct err *err);
int __wrap_ktext_bad(struct proc_set *p, uint64_t addr, struct err *err);

const struct kfunc *
__wrap_kfunc_list(struct proc_set *p, size_t *n, struct err *err)
{
	*n = sizeof(list) / sizeof(*list);
	return list;
}

uint64_t
__wrap_kfunc_addr(struct proc_set *p, const struct kfunc *f)
{
	return f->addr;
}

const char *
__wrap_kfunc_why_not(struct proc_set *p, const char *module, const char *name)
{
	return strcmp(name, "do_nmi") == 0 ? "it is black" : NULL;
}

bool
__wrap_ksym_at(struct proc_set *p, uint64_t addr, char *kind, uint64_t *size)
{
	*kind = 'T';
	*size = sizeof(code) - 1;
	return true;
}

int
__wrap_ktext_read(struct proc_set *p, uint64_t addr, void *buf, size_t n,
		  struct err *err)
{
	const uint64_t at = (addr - KP(0)) % 64;

	if (locked || addr < 0x1000)
		return err_set(err, &ERR_GENERIC, 0, "it is locked");
	if (addr >= KP(0))
		memcpy(buf, (const char *)&kps[(addr - KP(0)) / 64] + at, n);
	else if (addr >= TABLE)
		memcpy(buf, (const char *)heads + (addr - TABLE), n);
	else
		memcpy(buf, (probed ? code_over : code) + addr % 0x1000, n);
	return 0;
}

int
__wrap_kovers_read(const struct prov *pv, struct kovers *v, struct err *err)
{
	return probed ? kovers_walk(NULL, TABLE, &layout, v, err) : 0;
}

/* A place that the kernel rewrites: the first nop of one of them. */
int
__wrap_ktext_bad(struct proc_set *p, uint64_t addr, struct err *err)
{
	return addr == 0x9000;
}

static int
setup(void **state)
{
	err_clear(&e);
	locked = probed = false;
	ps = probe_set_new(&env, &e);
	if (ps == NULL ||
	    probe_set_add_prov(ps, &prov_instr_ops, prov_instr_init, &e) != 0)
		return -1;
	return probe_set_add_prov(ps, &prov_kinst_ops, prov_kinst_init, &e);
}

static int
teardown(void **state)
{
	probe_set_free(ps);
	return 0;
}

static int
take(void *arg, struct probe *p)
{
	size_t n = strlen(found);

	snprintf(found + n, sizeof(found) - n, "%s%s:%s", n ? " " : "", p->func,
		 p->name);
	if (arg != NULL)
		*(struct probe **)arg = p;
	return 0;
}

static int
match(const char *prov, const char *func, const char *name)
{
	struct dif_pdesc pd = { 0, prov, "", func, name };

	found[0] = '\0';
	err_clear(&e);
	return probe_match(ps, &pd, take, NULL, &e);
}

static void
test_kinds(void **state)
{
	assert_int_equal(match("instr", "vfs_read", ""), 6);
	assert_string_equal(found,
			    "vfs_read:nop-0 vfs_read:push-5 vfs_read:jmp-6 "
			    "vfs_read:lock-a vfs_read:nop-d vfs_read:ret-e");
	assert_int_equal(match("instr", "vfs_*", "lock-*"), 1);
	assert_string_equal(found, "vfs_read:lock-a");
	assert_int_equal(match("instr", "*", "lock-*"), 2);
	assert_int_equal(match("instr", "vfs_read", "*-[de]"), 2);
	/* The same again makes nothing. */
	assert_int_equal(match("instr", "vfs_read", ""), 6);
	/* One that the kernel rewrites. */
	assert_int_equal(match("instr", "ext4_iget", "nop-*"), 1);
	assert_string_equal(found, "ext4_iget:nop-d");
}

/* What others' kprobes have written over is taken for what it was. */
static void
test_probed(void **state)
{
	struct kovers v = { 0 };
	uint8_t part[] = { 2, 3, 4 };

	probed = true;
	assert_int_equal(match("instr", "vfs_read", ""), 6);
	assert_string_equal(found,
			    "vfs_read:nop-0 vfs_read:push-5 vfs_read:jmp-6 "
			    "vfs_read:lock-a vfs_read:nop-d vfs_read:ret-e");
	assert_int_equal(kovers_walk(NULL, TABLE, &layout, &v, &e), 0);
	assert_int_equal(v.n, 3);
	assert_int_equal(v.v[0].addr, 0x1000); /* in order */
	assert_int_equal(v.v[1].addr, 0x1005);
	assert_int_equal(v.v[2].addr, 0x100a);
	/* Where ftrace traces it, too. */
	uint8_t entry[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0xe8, 1, 2, 3, 4 };
	kovers_undo(&v, 0x3000, entry, sizeof(entry));
	assert_memory_equal(entry + 4, code, 5);
	memcpy(entry, "\x0f\x1f\x40\0\xe8", 5);
	kovers_undo(&v, 0x3000, entry, sizeof(entry));
	assert_memory_equal(entry + 4, code, 5);
	entry[0] = 0xe8;
	kovers_undo(&v, 0x3000, entry, sizeof(entry));
	assert_memory_equal(entry, code, 5);
	/* A piece that begins within a jump says nothing of its own. */
	kovers_undo(&v, 0x1002, part, sizeof(part));
	assert_int_equal(part[0], 2);
	locked = true;
	assert_int_equal(kovers_walk(NULL, TABLE, &layout, &v, &e), 0);
	assert_int_equal(v.n, 0);
	free(v.v);
}

static void
test_offsets(void **state)
{
	assert_int_equal(match("kinst", "vfs_read", "10"), 1);
	assert_string_equal(found, "vfs_read:10");
	assert_int_equal(match("kinst", "vfs_read", ""), 6);
}

static void
fails(const char *prov, const char *func, const char *name,
      const struct err_tag *tag, const char *says)
{
	assert_int_equal(match(prov, func, name), -1);
	assert_ptr_equal(e.tag, tag);
	assert_non_null(strstr(e.msg, says));
}

static void
test_errors(void **state)
{
	fails("instr", "bpf_prog_load", "", &D_PROC_FUNC, "BPF");
	fails("instr", "do_nmi", "", &D_PROC_FUNC, "it is black");
	fails("instr", "ext4_iget", "nop-0", &D_PROC_FUNC, "itself");
	fails("instr", "vfs_read", "lock", &D_PROC_NAME, "lock-1f");
	fails("instr", "vfs_read", "jmp-7", &D_PROC_ALIGN, "begins");
	fails("instr", "vfs_read", "call-6", &D_PROC_ALIGN, "begins");
	fails("kinst", "vfs_read", "a", &D_PROC_NAME, "decimal");
	fails("kinst", "vfs_read", "8", &D_PROC_ALIGN, "begins");
	fails("kinst", "", "5", &D_PROC_FUNC, "name a function");
	assert_int_equal(match("instr", "no_such", ""), 0);
	locked = true;
	fails("instr", "vfs_read", "ret-*", &ERR_GENERIC, "locked");
}

/* A description that does not name the provider gets none. */
static void
test_asked(void **state)
{
	assert_int_equal(match("", "vfs_read", "ret-e"), 0);
	assert_int_equal(match("*", "vfs_read", "ret-e"), 0);
	assert_int_equal(match("instr*", "vfs_read", "ret-e"), 0);
	assert_int_equal(match("instr12", "vfs_read", "ret-e"), 0);
}

static void
test_sites(void **state)
{
	struct dif_pdesc pd = { 0, "instr", "ext4", "ext4_iget", "lock-a" };
	struct site_list l = { 0 };
	struct probe *p = NULL;

	assert_int_equal(probe_match(ps, &pd, take, &p, &e), 1);
	assert_int_equal(p->owner->ops->sites(p->owner, p, &l, &e), 0);
	assert_int_equal(l.n, 1);
	assert_int_equal(l.v[0].kind, DIF_SITE_KINSN);
	assert_int_equal(l.v[0].addr, 0x900a);
	assert_int_equal(l.v[0].off, 10);
	assert_string_equal(l.v[0].mod, "ext4");
	assert_string_equal(l.v[0].tp, "ext4_iget");
	free(l.v);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_kinds, setup, teardown),
		cmocka_unit_test_setup_teardown(test_probed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_offsets, setup, teardown),
		cmocka_unit_test_setup_teardown(test_errors, setup, teardown),
		cmocka_unit_test_setup_teardown(test_asked, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sites, setup, teardown),
	};
	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
