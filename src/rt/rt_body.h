/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_body.h - the bodies of subroutines and of the data path, written once and
 * compiled for the interpreter (plain C) and for the kernel engine (clang
 * -target bpf; each is a global function that the verifier checks on its own).
 *
 * Calling convention: every body takes the machine state and at most four
 * 64-bit numbers, and returns a 64-bit number.  Arguments of subroutines are
 * the tuple stack (rt->tuple[0..rt->ntuple-1]).  A fault sets rt->fault and
 * rt->fault_val and returns 0.  String results are addresses in rt's scratch.
 * No loop is longer than RT_CONF(strsize) (or another constant of rt_conf), no
 * recursion, no libc, no writable globals.
 */
#ifndef RT_RT_BODY_H
#define RT_RT_BODY_H

#include "rt/rt.h"

/* What d_path() must know of the kernel: byte offsets, from BTF. */
struct rt_dpath {
	uint32_t known; /* all of them are */
	uint32_t path_mnt, path_dentry; /* struct path */
	uint32_t mount_mnt, mount_parent, mount_mountpoint; /* struct mount */
	uint32_t mnt_root; /* struct vfsmount */
	uint32_t dentry_parent, dentry_name, dentry_len, dentry_pprev;
	uint32_t task_fs, fs_root; /* task_struct, fs_struct */
	uint32_t pad;
};

/* Byte offsets in kernel structures on the way from a task to its cgroup, and
   the number of the cgroup that is the root for the consumer (0: the first). */
struct rt_cgroup {
	uint32_t known; /* all of them are */
	uint32_t task_cgroups; /* task_struct */
	uint32_t set_cgroup;   /* css_set: that of the second version */
	uint32_t cgroup_node;  /* cgroup */
	uint32_t node_parent, node_name, node_id; /* kernfs_node */
	uint32_t pad;
	uint64_t root;
};

/* Where the kernel keeps the return addresses that it has replaced by its own,
   for return probes: task_struct.utask, uprobe_task.return_instances, and
   members of struct return_instance. */
struct rt_uret {
	uint32_t known; /* all of them are */
	uint32_t task_utask, first, stack, orig, next;
};

/*
 * What rt_absent.c must know of the kernel: byte offsets, and where its map of
 * all memory and the structures of its pages begin.
 */
struct rt_absent {
	uint32_t known;	 /* all of it is, and has been tried */
	uint32_t levels; /* of the page table: 4 or 5 */
	uint32_t task_mm, mm_pgd;
	uint32_t vma_start, vma_flags, vma_pgoff, vma_file, vma_ops;
	uint32_t file_mapping;
	uint32_t mapping_head; /* of its xarray, in struct address_space */
	uint32_t xa_shift, xa_slots, xa_mask; /* mask: slots of a node - 1 */
	uint32_t folio_mapping, folio_index, folio_flags;
	uint32_t uptodate;  /* bit of the flags */
	uint32_t page_size; /* of struct page */
	uint32_t again; /* reads that fail come here: known, or some programs
			   may wait */
	uint64_t direct, pages;
	uint64_t phys; /* bits of an entry that are an address */
};

/* Where a process's numbers are, by PID namespace; level 0: the consumer is in
   the first one, and the rest does not matter. */
struct rt_pidns {
	uint32_t level, inum;
	/* Byte offsets: of our number in struct pid, and others. */
	uint32_t number;
	uint32_t task_thread_pid, task_signal, signal_pids;
	uint32_t pid_level, upid_size, upid_nr, upid_ns, ns_inum;
	uint32_t pad;
};

/*
 * In BPF the bodies refer to three symbols which the kernel engine's loader
 * binds: rt_conf (.rodata, below), rt_map_agg (ARRAY, nslots elements of
 * aggsize bytes) and rt_map_ctl (ARRAY, one struct rt_ctl).  In the
 * interpreter rt->host leads to the same three (struct rt_host_mem, rt_mem.h).
 *
 * Constants of a trace.  For BPF it is the frozen .rodata map, whose values
 * the verifier knows; the interpreter keeps one per host.
 */
struct rt_conf {
	uint32_t strsize;
	uint32_t aggsize, agg_halfsize; /* bytes of an agg element, a half */
	uint32_t agg_buckets_off, agg_nbuckets, agg_entries_off;
	uint32_t bufsize;
	uint32_t nslots;
	/* byte offsets in kernel structs, from BTF; ~0: not there */
	uint32_t task_real_parent, task_tgid, task_pid, task_cred;
	uint32_t task_thread_info_status;
	uint32_t bufpolicy; /* enum rt_policy */
	uint32_t only_cpu;  /* native code: only there, + 1; 0: everywhere */
	uint32_t scratchsize; /* bytes a clause may take; 0: RT_SCRATCH */
	uint32_t unw_words; /* of the pool of rt_unwind.h: a power of two */
	uint32_t task_fsbase; /* kernel engine: in task_struct; 0: not known */
	uint32_t mm_arg_start; /* kernel engine: in mm_struct */
	struct rt_dpath dpath;
	struct rt_pidns pidns;
	struct rt_cgroup cgroup;
	struct rt_uret uret;
	struct rt_absent absent;
	uint64_t wall_offset; /* walltimestamp - timestamp at load */
	uint64_t agg_words[64]; /* words of each aggregation's cell by id - 1,
				   for ids up to 64; rt_agg_cell is told */
};

/*
 * rt_unwind.c: the frames of the user's stack, at most `max` of them (and 512),
 * from these registers, to RT_FRAMES(rt): how many; 0 where nothing is known of
 * the code at pc, or of the process, and frame pointers must do.
 * RT_UNWIND_WANT: the consumer is to look (kernel engine).  With `max` may come
 *
 * RT_UNWIND_CALLER  pc is a return address: the frame that was below has gone
 * RT_UNWIND_BELOW   what is below the stack pointer is not there any more (not
 *                   in the kernel)
 * RT_UNWIND_PLACED  the code at pc is a probe's: it does not tell how far the
 *                   function's frame is built
 * RT_UNWIND_OWED    a stack that is not whole may be owed (rt_unwind.h)
 * RT_UNWIND_KEPT    what is owed may be read more than once, or never
 */
#define RT_UNWIND_WANT	 (1ull << 32)
#define RT_UNWIND_MAX	 512u
#define RT_UNWIND_CALLER (1u << 16)
#define RT_UNWIND_BELOW  (1u << 17)
#define RT_UNWIND_PLACED (1u << 18)
#define RT_UNWIND_OWED	 (1u << 19)
#define RT_UNWIND_KEPT	 (1u << 20)
#define RT_FRAMES(rt)  ((uint64_t *)(void *)((rt)->key + RT_KEY_MAX))
uint64_t rt_unwind(struct rt *rt, uint64_t pc, uint64_t sp, uint64_t fp,
		   uint64_t max);
/* Of n > 0 frames in RT_FRAMES(rt), which the kernel has found along frame
   pointers: how many are left if the stack ends in front of the first caller
   that is behind no call (kernel engine). */
uint64_t rt_unwind_calls(struct rt *rt, uint64_t n);

/* rt_python.c, for rt_unwind.c, which calls them in this order: at the first
   frame, where the stack of a C function had the next _PyCFrame, and as long as
   unw.py_frame is not 0.  The last returns a word of the stack, or 0. */
uint64_t rt_python_begin(struct rt *rt);
uint64_t rt_python_threads(struct rt *rt);
uint64_t rt_python_mark(struct rt *rt);
uint64_t rt_python_enter(struct rt *rt);
uint64_t rt_python_frame(struct rt *rt);
uint64_t rt_python_code(struct rt *rt, uint64_t code);

/* rt_perl.c: likewise; a frame may be none (0), and another may follow. */
uint64_t rt_perl_begin(struct rt *rt);
uint64_t rt_perl_enter(struct rt *rt);
uint64_t rt_perl_frame(struct rt *rt);
uint64_t rt_perl_info(struct rt *rt, uint64_t at);
uint64_t rt_perl_code(struct rt *rt, uint64_t sub, uint64_t file);

/*
 * rt_absent.c, BPF only: after a read of user memory has failed.  The address,
 * in the kernel, of a copy of the n bytes at addr (RT_STR_MAX at most), which
 * lasts until the next body runs; str: of the string, whose end may come
 * before.  0: they cannot be had, and the read is a fault; rt->absent_at is
 * the first address that could not.
 */
uint64_t rt_absent(struct rt *rt, uint64_t addr, uint64_t n, uint64_t str);

/* One per row of subr.def that an engine serves: */
#define SUBR(id, name, proto, eng, flags, needs) \
	uint64_t rt_subr_##name(struct rt *rt);
#include "dif/subr.def"
#undef SUBR

/* One per row of var.def that says RT: the variable's value; rt_var.c. */
#define VAR(id, name, type, kind, bound, i, k, p, needs, stab, what) \
	uint64_t rt_var_##name(struct rt *rt);
#include "dif/var.def"
#undef VAR

/* Compare strings at two addresses: (uint64_t)-1, 0 or 1.  Strings in each
   address may be anywhere the program may read. */
uint64_t rt_scmp(struct rt *rt, uint64_t a, uint64_t b);
/* ALLOCS: n bytes of zeroed scratch, 8-aligned; its address. */
uint64_t rt_allocs(struct rt *rt, uint64_t n);
/* COPYS: n bytes from src to scratch at dst. */
uint64_t rt_copys(struct rt *rt, uint64_t src, uint64_t dst, uint64_t n);
/* STB..STX: size 1, 2, 4, 8 bytes to scratch at addr. */
uint64_t rt_store(struct rt *rt, uint64_t addr, uint64_t val, uint64_t size);
/*
 * The cell of a keyed aggregation: key is rt->key[0..keysize-1], agg the id,
 * cellsize its bytes.  Made (zeroed; min and max: their start values are the
 * caller's, who is told by RT_AGG_NEW in the result) if it is not there.
 * Returns the byte offset of the cell in the slot's agg element | RT_AGG_NEW,
 * or 0 after counting a drop.
 */
#define RT_AGG_NEW (1ull << 32)
uint64_t rt_agg_cell(struct rt *rt, uint64_t agg, uint64_t keysize,
		     uint64_t cellsize);
/*
 * One per row of agg.def with a MAP: what goes into the cell for value v; of
 * histograms the bucket, as dif_*_bucket().  arg: the packed bounds, zero:
 * dif_agg_zero().  A body uses what it ignores by RT_OPAQUE(): else clang
 * leaves it out of calls that it sees, which the verifier refuses.
 */
#define AGG(code, name, words, map, shown, bounds, min, max, proto)     \
	uint64_t rt_agg_##name(struct rt *rt, uint64_t arg, uint64_t v, \
			       uint64_t zero);
#include "dif/agg.def"
#undef AGG

/* rt_agg_add.c, not for BPF.  The start of a cell of zeroes; and a value, to a
   cell at an address.  0. */
uint64_t rt_agg_start(uint64_t *cell, uint64_t func);
struct rt_aggop { /* native code: lies in the frame */
	uint64_t func, arg, inc;
	uint64_t zero; /* dif_agg_zero() */
};
uint64_t rt_agg_add(struct rt *rt, uint64_t cell, uint64_t val,
		    const struct rt_aggop *op);
/*
 * Assemble the tuple stack into rt->key after `prefix` bytes that the caller
 * has put there, in the layout of dif_layout() for array keys: values 8 bytes,
 * strings zero padded to strsize rounded up to 8, other by-reference data its
 * size rounded up to 8.  Returns the total length; sets rt->keylen.
 */
uint64_t rt_tuple_key(struct rt *rt, uint64_t prefix);

/* rt_chill.c: let ns nanoseconds pass, or fault. */
uint64_t rt_chill(struct rt *rt, uint64_t ns);

/* cgroup and container of the kernel's task at rt->tmp[0], BPF only
   (rt_cgroup.c). */
uint64_t rt_cgroup(struct rt *rt);
uint64_t rt_container(struct rt *rt);

/* execargs: a string of the n bytes of arguments at the user address from. */
uint64_t rt_execargs(struct rt *rt, uint64_t from, uint64_t n);

/* rt_text.c: the name of a provider of every process, which is the string at
   prov with a star for its end, in process pid: pid1234. */
uint64_t rt_every_prov(struct rt *rt, uint64_t prov, uint64_t pid);

/*
 * rt_spec.c.  id as the D program gives it: any number.  speculate(): the id if
 * that speculation is active, else 0.  commit() and discard(): end it; to is
 * RT_SPEC_COMMITTED or RT_SPEC_DISCARDED.  The id, or 0 if it was not active.
 */
uint64_t rt_spec_active(struct rt *rt, uint64_t id);
uint64_t rt_spec_end(struct rt *rt, uint64_t id, uint64_t to);

#endif
