/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_known.c - functions that were analysed in one program of the tree are
 * known in the next: of a library only its place differs.
 *
 * Kept by file and address in the file.  All programs of a tree share their
 * files (world_open()), which stay as long as the root.
 */
#include "engine/process/process_impl.h"

#include <stdlib.h>
#include <string.h>

struct known_key {
	const void *file;
	uint64_t at;
};
struct known {
	struct code_fn fn;
	const char *why;
	uint64_t base;
	struct known *next;
};

/* In the table, the first of all: to free them. */
static const struct known_key list_key = { NULL, 0 };

static struct known_key
key_of(const struct plan_fn *f, uint64_t *base)
{
	struct known_key k = { 0 };

	k.file = world_obj_file(f->obj, base);
	k.at = f->addr - *base;
	return k;
}

static bool
addrs_copy(uint64_t **to, const uint64_t *from, size_t n, uint64_t by)
{
	*to = n != 0 ? malloc(n * sizeof(**to)) : NULL;
	for (size_t i = 0; *to != NULL && i < n; i++)
		(*to)[i] = from[i] + by;
	return n == 0 || *to != NULL;
}

#define ADDRS(list)                                                            \
	(to->list.n = to->list.cap = from->list.n,                             \
	 addrs_copy(&to->list.v, from->list.v, from->list.n, by))

/* A copy whose addresses are higher.  False: no memory. */
static bool
known_copy(struct code_fn *to, const struct code_fn *from, uint64_t by)
{
	size_t n = from->outs.n;

	*to = *from;
	to->outs.v = n != 0 ? malloc(n * sizeof(*to->outs.v)) : NULL;
	to->outs.cap = n;
	to->targets.v = to->insns.v = to->syscalls.v = NULL;
	for (uint32_t i = 0; i < to->nparts; i++)
		to->part[i].addr += by;
	if ((n != 0 && to->outs.v == NULL) || !ADDRS(targets) ||
	    !ADDRS(insns) || !ADDRS(syscalls)) {
		code_fn_fini(to);
		memset(to, 0, sizeof(*to));
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		to->outs.v[i] = from->outs.v[i];
		to->outs.v[i].addr += by;
	}
	return true;
}

bool
known_find(struct engine *eng, struct plan_fn *f)
{
	const struct known *k;
	struct known_key key;
	uint64_t base;

	if (eng->known == NULL)
		return false;
	key = key_of(f, &base);
	k = hash_find(eng->known, &key, sizeof(key));
	if (k == NULL || !known_copy(&f->fn, &k->fn, base - k->base))
		return false;
	f->why = k->why;
	return true;
}

/* Reasons are the root's, or for ever. */
static const char *
known_why(struct engine *eng, const char *why)
{
	struct engine *root = eng->root != NULL ? eng->root : eng;

	return why != NULL ? arena_strdup(root->arena, why) : NULL;
}

void
known_add(struct engine *eng, const struct plan_fn *f)
{
	struct known *k;
	struct known_key key;

	if (eng->known == NULL)
		return;
	k = calloc(1, sizeof(*k));
	if (k == NULL || !known_copy(&k->fn, &f->fn, 0)) {
		free(k);
		return;
	}
	key = key_of(f, &k->base);
	k->why = known_why(eng, f->why);
	k->next = hash_find(eng->known, &list_key, sizeof(list_key));
	if ((f->why != NULL && k->why == NULL) ||
	    hash_set(eng->known, &key, sizeof(key), k) != 0) {
		code_fn_fini(&k->fn);
		free(k);
		return;
	}
	(void)hash_set(eng->known, &list_key, sizeof(list_key), k);
}

void
known_free(struct engine *root)
{
	struct known *k, *next;

	if (root->known == NULL)
		return;
	for (k = hash_find(root->known, &list_key, sizeof(list_key)); k != NULL;
	     k = next) {
		next = k->next;
		code_fn_fini(&k->fn);
		free(k);
	}
	hash_free(root->known);
	root->known = NULL;
}
