/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_uapi.h - parts of the kernel's BPF interface that the headers of older
 * distributions lack.  Values are ABI; whether the running kernel knows them
 * is found out by trying (bpf_feat.c), never from its version.
 */
#ifndef ENGINE_BPF_BPF_UAPI_H
#define ENGINE_BPF_BPF_UAPI_H

#include <stdint.h>

#include <linux/bpf.h>

/* enum bpf_attach_type, Linux 6.6 */
#define UAPI_TRACE_UPROBE_MULTI     48
#define UAPI_TRACE_RAW_TP           23
#define UAPI_F_UPROBE_MULTI_RETURN  1u

/* BPF_LINK_CREATE for uprobe_multi. */
struct uapi_uprobe_multi {
	uint32_t prog_fd;
	uint32_t target_fd;
	uint32_t attach_type;
	uint32_t flags;
	uint64_t path;
	uint64_t offsets;
	uint64_t ref_ctr_offsets;
	uint64_t cookies;
	uint32_t cnt;
	uint32_t multi_flags;
	uint32_t pid;
	uint32_t pad;
};

/* BPF_RAW_TRACEPOINT_OPEN; the cookie, Linux 6.10. */
struct uapi_raw_tp {
	uint64_t name;
	uint32_t prog_fd;
	uint32_t pad;
	uint64_t cookie;
};

/* BPF_LINK_CREATE for perf events, Linux 5.15. */
struct uapi_perf_link {
	uint32_t prog_fd;
	uint32_t perf_fd;
	uint32_t attach_type;
	uint32_t flags;
	uint64_t cookie;
};
#define UAPI_ATTACH_PERF_EVENT 41 /* BPF_PERF_EVENT */

#endif
