/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_sys.h - the system calls of the kernel engine, each wrapped once.
 *
 * Wrappers return a file descriptor or 0, or -1 with errno set; the callers
 * know what the object is for and make the message.  Every descriptor is
 * close-on-exec.
 */
#ifndef ENGINE_BPF_BPF_SYS_H
#define ENGINE_BPF_BPF_SYS_H

#include <stddef.h>
#include <stdint.h>

#include "dif/dif.h"
#include "engine/bpf/bpf_uapi.h"

struct sys_map {
	uint32_t type, key_size, value_size, max_entries, flags;
	const char *name;
	int btf_fd; /* 0: none */
	uint32_t btf_key, btf_value;
};
int sys_map_create(const struct sys_map *m);
int sys_map_update(int fd, const void *key, const void *value);
int sys_map_freeze(int fd);
/* -1 with ENOENT: it is not there; or, of sys_map_next(), there is none behind
   key.  key NULL: the first. */
int sys_map_lookup(int fd, const void *key, void *value);
int sys_map_next(int fd, const void *key, void *next);
int sys_map_delete(int fd, const void *key);

struct sys_prog {
	uint32_t type, attach_type, attach_btf_id;
	uint32_t flags; /* BPF_F_SLEEPABLE */
	const char *name;
	const struct bpf_insn *insns;
	uint32_t ninsns;
	int btf_fd; /* 0: none */
	const struct bpf_func_info *funcs;
	uint32_t nfuncs;
	char *log; /* NULL: none */
	uint32_t logsize;
};
int sys_prog_load(const struct sys_prog *p);
/* How often the kernel has not run a program, as one was running there. */
int sys_prog_misses(int fd, uint64_t *n);
int sys_btf_load(const void *data, uint32_t size, char *log, uint32_t logsize);

/* Run a raw_tp program; cpu -1: here.  *ret is its result. */
int sys_prog_run(int fd, const uint64_t *args, unsigned nargs, int cpu,
		 uint32_t *ret);

/* Wait until all programs that run now and may not sleep have ended. 0 / -1. */
int sys_grace(void);

/* Attach to a raw tracepoint; name NULL: the tp_btf program knows.  Kernels
   before 6.10 take no cookie but 0. */
int sys_raw_tp_open(int prog, const char *name, uint64_t cookie);
int sys_link_perf(int prog, int perf_fd, uint64_t cookie);
struct sys_uprobes {
	const char *path;
	const uint64_t *offs, *cookies;
	const uint64_t *sems; /* NULL: none has a semaphore */
	uint32_t n;
	int pid; /* 0: all */
	int ret; /* fire at the return */
};
int sys_link_uprobes(int prog, const struct sys_uprobes *u);

struct sys_kprobes {
	const char *const *syms; /* NULL: addrs says which */
	const uint64_t *addrs, *cookies;
	uint32_t n;
	int ret; /* fire at the return */
};
int sys_link_kprobes(int prog, const struct sys_kprobes *k);

/* A number that sysfs has of a source of events: "kprobe" and "type", or
   "format/retprobe".  -1: not there. */
long sys_pmu_number(const char *pmu, const char *file);
/* A cpu-clock sampler of that CPU; not running until enabled. */
int sys_perf_clock(int cpu, uint64_t period_ns);
/* A sampler of every `count` of these events on that CPU; likewise. */
int sys_perf_counter(int cpu, const struct dif_counter *c, uint64_t count);
/* A uprobe by perf event.  Its semaphore is in the upper half of config. */
int sys_perf_uprobe(uint32_t type, uint64_t config, const char *path,
		    uint64_t off, int pid);
/* A kprobe by perf event; name NULL: at addr. */
int sys_perf_kprobe(uint32_t type, uint64_t config, const char *name,
		    uint64_t addr);
int sys_perf_enable(int fd);

#endif
