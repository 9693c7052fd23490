/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_feat.c - what this kernel and this process can do, found out by trying.
 *
 * A refusal must name what is missing: for want of privilege the capability,
 * read from the process's own set, not the text of EPERM.
 */
#include "engine/bpf/bpf_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/capability.h>

/* What says that a system call is one of 32-bit code. */
#define COMPAT(member, mask) static const char compat_member[] = member;
#include "dif/conv.def"

/* Newer than the C library's headers on some systems. */
#define CAP_PERFMON_NR 38
#define CAP_BPF_NR     39

/* ---- privilege ---------------------------------------------------------- */

static bool
have_cap(unsigned cap)
{
	struct __user_cap_header_struct h = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct d[2];

	if (syscall(SYS_capget, &h, d) != 0)
		return true; /* unknown: do not accuse */
	return (d[cap / 32].effective >> (cap % 32)) & 1;
}

static const char *
missing_caps(void)
{
	bool bpf = have_cap(CAP_BPF_NR), perfmon = have_cap(CAP_PERFMON_NR);

	if (have_cap(CAP_SYS_ADMIN) || (bpf && perfmon))
		return NULL;
	if (!bpf && !perfmon)
		return "CAP_BPF and CAP_PERFMON are";
	return bpf ? "CAP_PERFMON is" : "CAP_BPF is";
}

int
bpf_feat_error(struct err *e, int sys, const char *what)
{
	const char *caps =
		sys == EPERM || sys == EACCES ? missing_caps() : NULL;

	if (sys == ENOMEM)
		return err_nomem(e);
	if (caps != NULL)
		return err_set(e, &ERR_PRIV, sys,
			       "%s: %s missing (run as root, or grant it)",
			       what, caps);
	if (sys == EPERM || sys == EACCES)
		return err_set(e, &ERR_GENERIC, sys,
			       "%s: the kernel refuses BPF here (a container's "
			       "policy or a security module)",
			       what);
	if (sys == ENOSYS)
		return err_set(e, &ERR_GENERIC, sys,
			       "%s: this kernel has no bpf(2)", what);
	return err_set(e, &ERR_GENERIC, sys, "%s", what);
}

/* Kernels before 5.11 count BPF memory against this; later ones do not care. */
static void
raise_memlock(void)
{
	struct rlimit r = { RLIM_INFINITY, RLIM_INFINITY };

	setrlimit(RLIMIT_MEMLOCK, &r);
}

/* Load a program that only calls a helper with a piece of its frame. */
static int
try_flags(uint32_t type, uint32_t attach, uint32_t flags, int helper)
{
	struct em em = { 0 };
	struct err e = { 0 };
	int fd = -1;

	em_sti(&em, BPF_DW, FP, -8, 0);
	if (helper == BPF_FUNC_probe_write_user) {
		em_imm(&em, R1, 0);
		em_lea(&em, R2, FP, -8);
		em_imm(&em, R3, 8);
	} else {
		em_lea(&em, R1, FP, -8);
		em_imm(&em, R2, 8);
		em_imm(&em, R3, 0);
	}
	em_call(&em, helper);
	em_imm(&em, R0, 0);
	em_exit(&em);
	if (em_finish(&em, "probe", &e) == 0) {
		const struct sys_prog p = {
			.type = type,
			.attach_type = attach,
			.flags = flags,
			.name = "probe",
			.insns = em.code.v,
			.ninsns = (uint32_t)em.code.n,
		};
		fd = sys_prog_load(&p);
	} else {
		errno = ENOMEM; /* the only way for so short a program */
	}
	int sys = errno;
	em_fini(&em);
	errno = sys;
	return fd;
}

static int
try_prog(uint32_t type, uint32_t attach, int helper)
{
	return try_flags(type, attach, 0, helper);
}

bool
bpf_feat_sleeps(uint32_t attach)
{
	int fd = try_flags(BPF_PROG_TYPE_KPROBE, attach, BPF_F_SLEEPABLE,
			   BPF_FUNC_copy_from_user);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* True if the kernel knows the program, and refuses it what reads the kernel.
   That is what lockdown=confidentiality means to BPF. */
static bool
is_locked_down(void)
{
	int fd = try_prog(BPF_PROG_TYPE_RAW_TRACEPOINT, 0,
			  BPF_FUNC_probe_read_user);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int
bpf_feat_check(struct err *e)
{
	int fd;

	raise_memlock();
	fd = try_prog(BPF_PROG_TYPE_RAW_TRACEPOINT, 0,
		      BPF_FUNC_probe_read_kernel);
	if (fd < 0)
		return errno == EINVAL && is_locked_down()
			       ? err_set(e, &ERR_GENERIC, 0,
					 "DTrace needs BPF that reads the "
					 "kernel's memory: the kernel is locked "
					 "down (lockdown=confidentiality), "
					 "which refuses that to root too")
			       : bpf_feat_error(e, errno, "DTrace needs BPF");
	close(fd);
	return 0;
}

int
bpf_feat_copyout(struct err *e)
{
	int fd = try_prog(BPF_PROG_TYPE_RAW_TRACEPOINT, 0,
			  BPF_FUNC_probe_write_user);

	if (fd < 0 && errno == ENOMEM)
		return err_nomem(e);
	if (fd < 0)
		return err_set(e, &ERR_GENERIC, errno,
			       "copyout(): this kernel lets no tracing program "
			       "write to user memory (it is locked down, or "
			       "CAP_SYS_ADMIN is missing)");
	close(fd);
	return 0;
}

int
bpf_feat_load(struct em *em, const char *name, struct err *e)
{
	int fd = -1, sys = 0;

	if (em_finish(em, name, e) == 0) {
		const struct sys_prog p = {
			.type = BPF_PROG_TYPE_RAW_TRACEPOINT,
			.name = name,
			.insns = em->code.v,
			.ninsns = (uint32_t)em->code.n,
		};
		fd = sys_prog_load(&p);
		sys = errno;
	}
	em_fini(em);
	errno = sys;
	return fd;
}

/* True if the kernel takes the code, which is freed. */
static bool
feat_taken(struct em *em)
{
	struct err e = { 0 };
	int fd;

	em_imm(em, R0, 0);
	em_exit(em);
	fd = bpf_feat_load(em, "dtrace_probe", &e);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

bool
bpf_feat_kvar(uint32_t btf_id)
{
	struct em em = { 0 };

	if (btf_id == 0)
		return false;
	em_kvar(&em, R1, btf_id);
	return feat_taken(&em);
}

bool
bpf_feat_tp_cookie(void)
{
	struct em em = { 0 };

	em_call(&em, BPF_FUNC_get_attach_cookie);
	return feat_taken(&em);
}

/* A link to nothing is refused differently where the kind is known. */
bool
bpf_feat_multi(void)
{
	int fd = try_prog(BPF_PROG_TYPE_KPROBE, UAPI_TRACE_UPROBE_MULTI,
			  BPF_FUNC_probe_read_kernel);
	const uint64_t off = 0;
	const struct sys_uprobes u = { .path = "/", .offs = &off, .n = 1 };

	if (fd < 0)
		return false;
	int link = sys_link_uprobes(fd, &u);
	int sys = errno;
	if (link >= 0)
		close(link);
	close(fd);
	return link >= 0 || sys == EBADF;
}

/* ---- facts from BTF ----------------------------------------------------- */

/* Byte offset of a member; looks into unnamed structs.  ~0u: none. */
static uint32_t
member_off(const struct btf *b, uint32_t type, const char *name, unsigned depth)
{
	const struct btf_type *t = btf__type_by_id(b, type);

	if (t == NULL || !btf_is_composite(t) || depth > 4)
		return ~0u;
	for (unsigned i = 0; i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];
		const char *s = btf__name_by_offset(b, m->name_off);
		uint32_t off = btf_member_bit_offset(t, i) / 8, in;
		if (s != NULL && s[0] != '\0') {
			if (strcmp(s, name) == 0)
				return off;
			continue;
		}
		in = member_off(b, m->type, name, depth + 1);
		if (in != ~0u)
			return off + in;
	}
	return ~0u;
}

static uint32_t
struct_off(const struct btf *b, const char *sname, const char *name)
{
	int id = btf__find_by_name_kind(b, sname, BTF_KIND_STRUCT);

	return id > 0 ? member_off(b, (uint32_t)id, name, 0) : ~0u;
}

static void
mm_offsets(const struct btf *b, struct bpf_ktypes *k)
{
	int id = btf__find_by_name_kind(b, "mm_struct", BTF_KIND_STRUCT);

	k->mm_exec_vm = k->mm_arg_start = k->mm_arg_end = ~0u;
	if (id <= 0)
		return;
	k->mm_exec_vm = member_off(b, (uint32_t)id, "exec_vm", 0);
	k->mm_arg_start = member_off(b, (uint32_t)id, "arg_start", 0);
	k->mm_arg_end = member_off(b, (uint32_t)id, "arg_end", 0);
}

static uint32_t
off_sum(uint32_t a, uint32_t b)
{
	return a == ~0u || b == ~0u ? ~0u : a + b;
}

static uint32_t
tracepoint_id(const struct btf *b, const char *name)
{
	int id = btf__find_by_name_kind(b, name, BTF_KIND_TYPEDEF);

	return id > 0 ? (uint32_t)id : 0;
}

uint32_t
bpf_feat_member(const struct btf *b, uint32_t type, const char *member)
{
	return member_off(b, type, member, 0);
}

/* The kernel's types could not be read: errno says why, but libbpf says ESRCH
   for whatever kept it from opening the file. */
static int
no_types(struct err *e)
{
	int fd;

	if (errno == ENOMEM)
		return err_nomem(e);
	fd = open("/sys/kernel/btf/vmlinux", O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno != ENOENT)
		return err_set(e, &ERR_GENERIC, errno,
			       "cannot read the kernel's types");
	if (fd >= 0)
		close(fd);
	return err_set(e, &ERR_GENERIC, 0,
		       "this kernel does not describe its types "
		       "(/sys/kernel/btf/vmlinux; CONFIG_DEBUG_INFO_BTF)");
}

/* For d_path(): all, or nothing is known. */
static void
dpath_offsets(const struct btf *b, struct rt_dpath *d)
{
	uint32_t name = struct_off(b, "dentry", "d_name");
	const struct {
		uint32_t *to, off;
	} offs[] = {
		{ &d->path_mnt, struct_off(b, "path", "mnt") },
		{ &d->path_dentry, struct_off(b, "path", "dentry") },
		{ &d->mount_mnt, struct_off(b, "mount", "mnt") },
		{ &d->mount_parent, struct_off(b, "mount", "mnt_parent") },
		{ &d->mount_mountpoint,
		  struct_off(b, "mount", "mnt_mountpoint") },
		{ &d->mnt_root, struct_off(b, "vfsmount", "mnt_root") },
		{ &d->dentry_parent, struct_off(b, "dentry", "d_parent") },
		{ &d->dentry_name, off_sum(name, struct_off(b, "qstr", "name")) },
		{ &d->dentry_len, off_sum(name, struct_off(b, "qstr", "len")) },
		{ &d->dentry_pprev,
		  off_sum(struct_off(b, "dentry", "d_hash"),
			  struct_off(b, "hlist_bl_node", "pprev")) },
		{ &d->task_fs, struct_off(b, "task_struct", "fs") },
		{ &d->fs_root, struct_off(b, "fs_struct", "root") },
	};

	d->known = 1;
	for (size_t i = 0; i < sizeof(offs) / sizeof(*offs); i++) {
		*offs[i].to = offs[i].off;
		if (offs[i].off == ~0u)
			d->known = 0;
	}
}

/* For cgroup and container: all, or nothing is known. */
static void
cgroup_offsets(const struct btf *b, struct rt_cgroup *c)
{
	c->task_cgroups = struct_off(b, "task_struct", "cgroups");
	c->set_cgroup = struct_off(b, "css_set", "dfl_cgrp");
	c->cgroup_node = struct_off(b, "cgroup", "kn");
	c->node_parent = struct_off(b, "kernfs_node", "parent");
	if (c->node_parent == ~0u) /* since 6.14 */
		c->node_parent = struct_off(b, "kernfs_node", "__parent");
	c->node_name = struct_off(b, "kernfs_node", "name");
	c->node_id = struct_off(b, "kernfs_node", "id");
	c->known = c->task_cgroups != ~0u && c->set_cgroup != ~0u &&
		   c->cgroup_node != ~0u && c->node_parent != ~0u &&
		   c->node_name != ~0u && c->node_id != ~0u;
}

/* For stacks with return probes on them: all, or nothing is known. */
static void
uret_offsets(const struct btf *b, struct rt_uret *u)
{
	u->task_utask = struct_off(b, "task_struct", "utask");
	u->first = struct_off(b, "uprobe_task", "return_instances");
	u->stack = struct_off(b, "return_instance", "stack");
	u->orig = struct_off(b, "return_instance", "orig_ret_vaddr");
	u->next = struct_off(b, "return_instance", "next");
	u->known = u->task_utask != ~0u && u->first != ~0u &&
		   u->stack != ~0u && u->orig != ~0u && u->next != ~0u;
}

/* A variable of its own, or (6.2 to 6.14) a member of one; 0: not to be had. */
static void
preempt_count(const struct btf *b, struct bpf_ktypes *k)
{
	int own = btf__find_by_name_kind(b, "__preempt_count", BTF_KIND_VAR);
	int hot = btf__find_by_name_kind(b, "pcpu_hot", BTF_KIND_VAR);

	k->preempt_var = 0;
	k->preempt_off = 0;
	if (own > 0) {
		k->preempt_var = (uint32_t)own;
	} else if (hot > 0) {
		k->preempt_off = struct_off(b, "pcpu_hot", "preempt_count");
		if (k->preempt_off != ~0u)
			k->preempt_var = (uint32_t)hot;
	}
}

int
bpf_feat_pidns(struct rt_pidns *ns, struct err *e)
{
	struct btf *b = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	const struct btf_type *t = NULL;
	int id;

	if (b == NULL)
		return no_types(e);
	ns->task_thread_pid = struct_off(b, "task_struct", "thread_pid");
	ns->task_signal = struct_off(b, "task_struct", "signal");
	ns->signal_pids = struct_off(b, "signal_struct", "pids");
	ns->pid_level = struct_off(b, "pid", "level");
	ns->number = struct_off(b, "pid", "numbers");
	ns->upid_nr = struct_off(b, "upid", "nr");
	ns->upid_ns = struct_off(b, "upid", "ns");
	ns->ns_inum = off_sum(struct_off(b, "pid_namespace", "ns"),
			      struct_off(b, "ns_common", "inum"));
	id = btf__find_by_name_kind(b, "upid", BTF_KIND_STRUCT);
	if (id > 0)
		t = btf__type_by_id(b, (uint32_t)id);
	ns->upid_size = t != NULL ? t->size : ~0u;
	btf__free(b);
	if (ns->task_thread_pid == ~0u || ns->task_signal == ~0u ||
	    ns->signal_pids == ~0u || ns->pid_level == ~0u ||
	    ns->number == ~0u || ns->upid_nr == ~0u || ns->upid_ns == ~0u ||
	    ns->ns_inum == ~0u || ns->upid_size == ~0u)
		return err_set(e, &ERR_GENERIC, 0,
			       "this kernel's struct pid is not understood");
	return 0;
}

uint32_t
bpf_feat_tp_id(const char *tp)
{
	struct btf *b = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	char name[128];
	uint32_t id;

	if (libbpf_get_error(b))
		return 0;
	snprintf(name, sizeof(name), "btf_trace_%s", tp);
	id = tracepoint_id(b, name);
	btf__free(b);
	return id;
}

const struct btf *
bpf_feat_btf(struct engine *eng)
{
	if (eng->btf == NULL)
		eng->btf = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	return eng->btf;
}

void
bpf_feat_btf_free(struct engine *eng)
{
	btf__free(eng->btf);
	eng->btf = NULL;
}

uint32_t
bpf_feat_fsbase(struct engine *eng)
{
	const struct btf *b;

	if (eng->kt.task_fsbase != 0)
		return eng->kt.task_fsbase;
	b = bpf_feat_btf(eng);
	if (b == NULL)
		return ~0u;
	return eng->kt.task_fsbase =
		       off_sum(struct_off(b, "task_struct", "thread"),
			       struct_off(b, "thread_struct", "fsbase"));
}

int
bpf_feat_ktypes(struct engine *eng, struct err *e)
{
	struct bpf_ktypes *k = &eng->kt;
	const struct btf *b;

	if (k->known)
		return 0;
	b = bpf_feat_btf(eng);
	if (b == NULL)
		return no_types(e);
	k->known = true;
	k->task_real_parent = struct_off(b, "task_struct", "real_parent");
	k->task_tgid = struct_off(b, "task_struct", "tgid");
	k->task_start_time = struct_off(b, "task_struct", "start_time");
	if (eng->threads) {
		k->task_pid = struct_off(b, "task_struct", "pid");
		k->task_comm = struct_off(b, "task_struct", "comm");
		k->task_cred = struct_off(b, "task_struct", "cred");
		k->cred_uid = struct_off(b, "cred", "uid");
		k->cred_gid = struct_off(b, "cred", "gid");
	}
	k->task_compat = off_sum(struct_off(b, "task_struct", "thread_info"),
				 struct_off(b, "thread_info", compat_member));
	k->task_sum_exec =
		off_sum(struct_off(b, "task_struct", "se"),
			struct_off(b, "sched_entity", "sum_exec_runtime"));
	if (eng->needs & DIF_NEED_DPATH)
		dpath_offsets(b, &k->dpath);
	if ((eng->needs & DIF_NEED_CGROUP) ||
	    (eng->threads && eng->opts.cgroup.id != 0)) {
		cgroup_offsets(b, &k->cgroup);
		k->cgroup_level = struct_off(b, "cgroup", "level");
		k->cgroup_ancestors = struct_off(b, "cgroup", "ancestors");
	}
	uret_offsets(b, &k->uret);
	k->task_flags = struct_off(b, "task_struct", "flags");
	/* Each look-up costs about a millisecond. */
	if ((eng->needs & DIF_NEED_ARGS) || eng->unw.wanted)
		k->task_mm = struct_off(b, "task_struct", "mm");
	if ((eng->needs & DIF_NEED_ARGS) || eng->unw.wanted)
		mm_offsets(b, k);
	if (eng->unw.wanted)
		(void)bpf_feat_fsbase(eng);
	if (eng->needs & DIF_NEED_PREEMPT)
		preempt_count(b, k);
	k->switch_btf_id = tracepoint_id(b, "btf_trace_sched_switch");
	k->enter_btf_id = tracepoint_id(b, "btf_trace_sys_enter");
	k->exit_btf_id = tracepoint_id(b, "btf_trace_sys_exit");
	return 0;
}
