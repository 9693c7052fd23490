/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_sys.c - bpf(2), perf_event_open(2) and membarrier(2), wrapped.
 *
 * libbpf is not used for these: what is needed is small, and newer than the
 * libbpf of stable distributions.
 */
#include "engine/bpf/bpf_sys.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/membarrier.h>
#include <linux/perf_event.h>

static int
sys_bpf(int cmd, void *attr, uint32_t size)
{
	return (int)syscall(SYS_bpf, cmd, attr, size);
}

static uint64_t
ptr(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

/* Names of BPF objects are at most 15 characters of [A-Za-z0-9_.]. */
static void
copy_name(char *dst, const char *name)
{
	for (unsigned i = 0;
	     name != NULL && name[i] != '\0' && i < BPF_OBJ_NAME_LEN - 1; i++)
		dst[i] = name[i];
}

int
sys_map_create(const struct sys_map *m)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.map_type = m->type;
	a.key_size = m->key_size;
	a.value_size = m->value_size;
	a.max_entries = m->max_entries;
	a.map_flags = m->flags;
	copy_name(a.map_name, m->name);
	a.btf_fd = (uint32_t)m->btf_fd;
	a.btf_key_type_id = m->btf_key;
	a.btf_value_type_id = m->btf_value;
	return sys_bpf(BPF_MAP_CREATE, &a, sizeof(a));
}

/* value: what is put there, or where what is found goes. */
static int
map_elem(int cmd, int fd, const void *key, const void *value)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.map_fd = (uint32_t)fd;
	a.key = ptr(key);
	a.value = ptr(value);
	return sys_bpf(cmd, &a, sizeof(a));
}

int
sys_map_update(int fd, const void *key, const void *value)
{
	return map_elem(BPF_MAP_UPDATE_ELEM, fd, key, value);
}

int
sys_map_lookup(int fd, const void *key, void *value)
{
	return map_elem(BPF_MAP_LOOKUP_ELEM, fd, key, value);
}

int
sys_map_next(int fd, const void *key, void *next)
{
	return map_elem(BPF_MAP_GET_NEXT_KEY, fd, key, next);
}

int
sys_map_delete(int fd, const void *key)
{
	return map_elem(BPF_MAP_DELETE_ELEM, fd, key, NULL);
}

int
sys_map_freeze(int fd)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.map_fd = (uint32_t)fd;
	return sys_bpf(BPF_MAP_FREEZE, &a, sizeof(a));
}

int
sys_prog_load(const struct sys_prog *p)
{
	union bpf_attr a;
	int fd;

	memset(&a, 0, sizeof(a));
	a.prog_type = p->type;
	a.expected_attach_type = p->attach_type;
	a.attach_btf_id = p->attach_btf_id;
	a.prog_flags = p->flags;
	copy_name(a.prog_name, p->name);
	a.insns = ptr(p->insns);
	a.insn_cnt = p->ninsns;
	a.license = ptr("Dual BSD/GPL");
	a.prog_btf_fd = (uint32_t)p->btf_fd;
	a.func_info = ptr(p->funcs);
	a.func_info_cnt = p->nfuncs;
	a.func_info_rec_size = p->nfuncs ? sizeof(*p->funcs) : 0;
	a.log_buf = ptr(p->log);
	a.log_size = p->log ? p->logsize : 0;
	a.log_level = p->log ? 1 : 0;
	/* The verifier gives up with EAGAIN when a signal is pending. */
	for (int i = 0; i < 5; i++) {
		fd = sys_bpf(BPF_PROG_LOAD, &a, sizeof(a));
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	return fd;
}

int
sys_prog_misses(int fd, uint64_t *n)
{
	struct bpf_prog_info info = { 0 };
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.info.bpf_fd = (uint32_t)fd;
	a.info.info_len = sizeof(info);
	a.info.info = ptr(&info);
	if (sys_bpf(BPF_OBJ_GET_INFO_BY_FD, &a, sizeof(a)) != 0)
		return -1;
	*n = info.recursion_misses;
	return 0;
}

int
sys_btf_load(const void *data, uint32_t size, char *log, uint32_t logsize)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.btf = ptr(data);
	a.btf_size = size;
	a.btf_log_buf = ptr(log);
	a.btf_log_size = log ? logsize : 0;
	a.btf_log_level = log ? 1 : 0;
	return sys_bpf(BPF_BTF_LOAD, &a, sizeof(a));
}

int
sys_prog_run(int fd, const uint64_t *args, unsigned nargs, int cpu,
	     uint32_t *ret)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.test.prog_fd = (uint32_t)fd;
	a.test.ctx_in = ptr(args);
	a.test.ctx_size_in = nargs * 8;
	if (cpu >= 0) {
		a.test.flags = BPF_F_TEST_RUN_ON_CPU;
		a.test.cpu = (uint32_t)cpu;
	}
	if (sys_bpf(BPF_PROG_TEST_RUN, &a, sizeof(a)) != 0)
		return -1;
	if (ret != NULL)
		*ret = a.test.retval;
	return 0;
}

int
sys_grace(void)
{
	return (int)syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

int
sys_raw_tp_open(int prog, const char *name, uint64_t cookie)
{
	struct uapi_raw_tp a = {
		.name = ptr(name),
		.prog_fd = (uint32_t)prog,
		.cookie = cookie,
	};

	return sys_bpf(BPF_RAW_TRACEPOINT_OPEN, &a, sizeof(a));
}

int
sys_link_perf(int prog, int perf_fd, uint64_t cookie)
{
	struct uapi_perf_link a = {
		.prog_fd = (uint32_t)prog,
		.perf_fd = (uint32_t)perf_fd,
		.attach_type = UAPI_ATTACH_PERF_EVENT,
		.cookie = cookie,
	};

	return sys_bpf(BPF_LINK_CREATE, &a, sizeof(a));
}

int
sys_link_uprobes(int prog, const struct sys_uprobes *u)
{
	struct uapi_uprobe_multi a = {
		.prog_fd = (uint32_t)prog,
		.attach_type = UAPI_TRACE_UPROBE_MULTI,
		.path = ptr(u->path),
		.offsets = ptr(u->offs),
		.cookies = ptr(u->cookies),
		.ref_ctr_offsets = ptr(u->sems),
		.cnt = u->n,
		.multi_flags = u->ret ? UAPI_F_UPROBE_MULTI_RETURN : 0,
		.pid = (uint32_t)u->pid,
	};

	return sys_bpf(BPF_LINK_CREATE, &a, sizeof(a));
}

int
sys_link_kprobes(int prog, const struct sys_kprobes *k)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.link_create.prog_fd = (uint32_t)prog;
	a.link_create.attach_type = BPF_TRACE_KPROBE_MULTI;
	a.link_create.kprobe_multi.flags =
		k->ret ? BPF_F_KPROBE_MULTI_RETURN : 0;
	a.link_create.kprobe_multi.cnt = k->n;
	a.link_create.kprobe_multi.syms = ptr(k->syms);
	a.link_create.kprobe_multi.addrs = ptr(k->addrs);
	a.link_create.kprobe_multi.cookies = ptr(k->cookies);
	return sys_bpf(BPF_LINK_CREATE, &a, sizeof(a));
}

long
sys_pmu_number(const char *pmu, const char *file)
{
	char path[128], text[64] = "";
	const char *p = text;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/%s",
		 pmu, file);
	f = fopen(path, "re");
	if (f == NULL)
		return -1;
	if (fgets(text, sizeof(text), f) == NULL)
		text[0] = '\0';
	fclose(f);
	if (strncmp(p, "config:", 7) == 0)
		p += 7;
	return isdigit((unsigned char)*p) ? strtol(p, NULL, 10) : -1;
}

static int
sys_perf_open(struct perf_event_attr *a, int pid, int cpu)
{
	return (int)syscall(SYS_perf_event_open, a, pid, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

int
sys_perf_counter(int cpu, const struct dif_counter *c, uint64_t count)
{
	struct perf_event_attr a = {
		.size = sizeof(a),
		.type = c->type,
		.config = c->config,
		.sample_period = count,
		.exclude_user = !c->user,
		.exclude_kernel = !c->kernel,
		.exclude_hv = !c->kernel,
		.disabled = 1,
	};

	return sys_perf_open(&a, -1, cpu);
}

int
sys_perf_clock(int cpu, uint64_t period_ns)
{
	static const struct dif_counter clock = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.user = true,
		.kernel = true,
	};

	return sys_perf_counter(cpu, &clock, period_ns);
}

int
sys_perf_uprobe(uint32_t type, uint64_t config, const char *path, uint64_t off,
		int pid)
{
	struct perf_event_attr a = {
		.size = sizeof(a),
		.type = type,
		.config = config,
		.config1 = ptr(path),
		.config2 = off,
		.disabled = 1,
	};

	return sys_perf_open(&a, pid > 0 ? pid : -1, pid > 0 ? -1 : 0);
}

int
sys_perf_kprobe(uint32_t type, uint64_t config, const char *name,
		uint64_t addr)
{
	struct perf_event_attr a = {
		.size = sizeof(a),
		.type = type,
		.config = config,
		.config1 = ptr(name),
		.config2 = name != NULL ? 0 : addr,
		.disabled = 1,
	};

	return sys_perf_open(&a, -1, 0);
}

int
sys_perf_enable(int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}
