/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * btf_index.c - BTF with its names made quick to find.
 *
 * libbpf finds a type by name with a walk over all of them, which costs a
 * millisecond each on a distribution kernel.  Here one open-addressed table
 * from (name, kind) to id is built at the first look-up and serves them all.
 * A module's split BTF has its own, smaller table; what it does not know is
 * asked of the kernel's.
 *
 * libbpf checks the shape of the whole (sizes, string offsets); ids that point
 * nowhere make btf__type_by_id() return NULL, which every walk here expects.
 * Walks along references are bounded, because foreign BTF may be circular.
 */
#include "elf/btf.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/hash.h"

#define BTF_DIR       "/sys/kernel/btf"

struct slot {
	uint32_t hash;
	uint32_t id; /* 0: empty */
};

struct btf_index {
	struct btf *btf;        /* owned */
	struct btf_index *base; /* split: the kernel's, not owned */
	uint32_t start, end;    /* ids [start, end) are in this BTF itself */
	struct slot *slots;     /* NULL until the first look-up */
	uint32_t mask;
};

static struct btf_index *
btf_index_open(const char *dir, const char *name, struct btf_index *base,
	       struct err *e)
{
	struct btf_index *bi;
	char path[512];
	int len, rc;

	len = snprintf(path, sizeof(path), "%s/%s", dir ? dir : BTF_DIR, name);
	if (len < 0 || (size_t)len >= sizeof(path)) {
		err_set(e, &ERR_GENERIC, ENAMETOOLONG, "BTF of %s", name);
		return NULL;
	}
	bi = calloc(1, sizeof(*bi));
	if (bi == NULL) {
		err_nomem(e);
		return NULL;
	}
	errno = 0;
	bi->btf = base ? btf__parse_split(path, base->btf)
		       : btf__parse(path, NULL);
	rc = libbpf_get_error(bi->btf) ? errno : 0;
	if (bi->btf == NULL || rc != 0) {
		bi->btf = NULL;
		btf_index_free(bi);
		err_set(e, &ERR_GENERIC, rc ? rc : EINVAL,
			"cannot read BTF type data from %s", path);
		return NULL;
	}
	bi->base = base;
	bi->start = base ? base->end : 1;
	bi->end = btf__type_cnt(bi->btf);
	return bi;
}

struct btf_index *
btf_index_kernel(const char *dir, struct err *e)
{
	return btf_index_open(dir, "vmlinux", NULL, e);
}

struct btf_index *
btf_index_module(struct btf_index *vmlinux, const char *dir, const char *module,
		 struct err *e)
{
	/* The name is the user's: it must not lead out of the directory. */
	if (strchr(module, '/') != NULL || module[0] == '.') {
		err_set(e, &ERR_GENERIC, 0, "%s: not a module's name", module);
		return NULL;
	}
	return btf_index_open(dir, module, vmlinux, e);
}

void
btf_index_free(struct btf_index *bi)
{
	if (bi == NULL)
		return;
	btf__free(bi->btf);
	free(bi->slots);
	free(bi);
}

struct btf *
btf_index_btf(struct btf_index *bi)
{
	return bi->btf;
}

/* True if names of this kind are ever asked for. */
static bool
btf_index_wants(uint32_t kind)
{
	switch (kind) {
	case BTF_KIND_INT:
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_FLOAT:
	case BTF_KIND_FUNC:
	case BTF_KIND_VAR:
	case BTF_KIND_DATASEC:
		return true;
	default:
		return false;
	}
}

static uint32_t
btf_index_hash(const char *name, uint32_t kind)
{
	uint64_t h = hash_quick(name, strlen(name));

	return (uint32_t)(h ^ (h >> 32)) ^ kind * 0x9e3779b9u;
}

static bool
btf_index_same(const struct btf_index *bi, uint32_t id, const char *name,
	       uint32_t kind)
{
	const struct btf_type *t = btf__type_by_id(bi->btf, id);
	const char *s = btf__name_by_offset(bi->btf, t->name_off);

	return btf_kind(t) == kind && strcmp(s, name) == 0;
}

/* The slot of (name, kind), or the empty one where it would go. */
static struct slot *
btf_index_slot(const struct btf_index *bi, uint32_t hash, const char *name,
	       uint32_t kind)
{
	uint32_t i = hash & bi->mask;

	while (bi->slots[i].id != 0 &&
	       !(bi->slots[i].hash == hash &&
		 btf_index_same(bi, bi->slots[i].id, name, kind)))
		i = (i + 1) & bi->mask;
	return &bi->slots[i];
}

static int
btf_index_build(struct btf_index *bi)
{
	uint32_t n = 64;

	while (n < (bi->end - bi->start) * 2 && n < (1u << 30))
		n *= 2;
	bi->slots = calloc(n, sizeof(*bi->slots));
	if (bi->slots == NULL)
		return -1;
	bi->mask = n - 1;
	for (uint32_t id = bi->start; id < bi->end; id++) {
		const struct btf_type *t = btf__type_by_id(bi->btf, id);
		const char *name;
		struct slot *s;
		uint32_t hash;

		if (t == NULL || t->name_off == 0 ||
		    !btf_index_wants(btf_kind(t)))
			continue;
		name = btf__name_by_offset(bi->btf, t->name_off);
		if (name == NULL)
			continue;
		hash = btf_index_hash(name, btf_kind(t));
		s = btf_index_slot(bi, hash, name, btf_kind(t));
		if (s->id == 0)
			*s = (struct slot){ hash, id };
	}
	return 0;
}

uint32_t
btf_index_find(struct btf_index *bi, const char *name, uint32_t kind)
{
	uint32_t hash = btf_index_hash(name, kind);

	errno = 0;
	for (; bi != NULL; bi = bi->base) {
		uint32_t id;

		if (bi->slots == NULL && btf_index_build(bi) != 0) {
			errno = ENOMEM;
			return 0;
		}
		id = btf_index_slot(bi, hash, name, kind)->id;
		if (id != 0)
			return id;
	}
	return 0;
}
