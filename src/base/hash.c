/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * hash.c - entries in a vector in order of insertion, an open-addressed index
 * over them.  A removed entry keeps its place with val == NULL until the next
 * growth compacts.
 */
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

struct entry {
	uint64_t hash;
	void *val; /* NULL: removed */
	size_t len;
	char *key;
};

struct hash {
	struct entry *v;
	size_t n, cap; /* entries used, room */
	size_t live;
	uint32_t *idx; /* entry number + 1; 0 empty */
	size_t mask;   /* slots - 1 */
};

uint64_t
hash_bytes(const void *p, size_t len)
{
	const unsigned char *s = p;
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ s[i]) * 0x100000001b3u;
	h ^= h >> 32;
	h *= 0x9e3779b97f4a7c15u;
	return h ^ (h >> 29);
}

uint64_t
hash_quick(const void *p, size_t len)
{
	const unsigned char *s = p;
	uint64_t h = 0xcbf29ce484222325u ^ len, w;

	for (; len > sizeof(w); s += sizeof(w), len -= sizeof(w)) {
		memcpy(&w, s, sizeof(w));
		h = (h ^ w) * 0x9e3779b97f4a7c15u;
		h ^= h >> 32;
	}
	w = 0;
	if (len > 0)
		memcpy(&w, s, len);
	h = (h ^ w) * 0x9e3779b97f4a7c15u;
	h ^= h >> 32;
	h *= 0x9e3779b97f4a7c15u;
	return h ^ (h >> 29);
}

struct hash *
hash_new(void)
{
	return calloc(1, sizeof(struct hash));
}

void
hash_free(struct hash *h)
{
	if (h == NULL)
		return;
	for (size_t i = 0; i < h->n; i++)
		free(h->v[i].key);
	free(h->v);
	free(h->idx);
	free(h);
}

static void
hash_index(struct hash *h, size_t i)
{
	size_t s = h->v[i].hash & h->mask;

	while (h->idx[s] != 0)
		s = (s + 1) & h->mask;
	h->idx[s] = (uint32_t)(i + 1);
}

static void
hash_compact(struct hash *h)
{
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++) {
		if (h->v[i].val == NULL)
			free(h->v[i].key);
		else
			h->v[n++] = h->v[i];
	}
	h->n = n;
}

/*
 * Compact away removed entries and make room for one more.  All memory is had
 * before anything changes: entries and index must always agree.
 */
static int
hash_grow(struct hash *h)
{
	size_t cap = h->live < 8 ? 16 : h->live * 2;
	size_t slots = 32;

	if (cap > UINT32_MAX / 4)
		return -1;
	if (cap < h->cap)
		cap = h->cap;
	while (slots < cap * 2)
		slots *= 2;
	uint32_t *idx = calloc(slots, sizeof(*idx));
	if (idx == NULL)
		return -1;
	struct entry *v = realloc(h->v, cap * sizeof(*v));
	if (v == NULL) {
		free(idx);
		return -1;
	}
	h->v = v;
	h->cap = cap;
	hash_compact(h);
	free(h->idx);
	h->idx = idx;
	h->mask = slots - 1;
	for (size_t i = 0; i < h->n; i++)
		hash_index(h, i);
	return 0;
}

static struct entry *
hash_entry(const struct hash *h, uint64_t hash, const void *key, size_t len)
{
	if (h->idx == NULL)
		return NULL;
	for (size_t s = hash & h->mask; h->idx[s] != 0; s = (s + 1) & h->mask) {
		struct entry *e = &h->v[h->idx[s] - 1];
		if (e->hash == hash && e->len == len &&
		    (len == 0 || memcmp(e->key, key, len) == 0))
			return e;
	}
	return NULL;
}

void *
hash_find(const struct hash *h, const void *key, size_t len)
{
	struct entry *e = hash_entry(h, hash_quick(key, len), key, len);

	return e == NULL ? NULL : e->val;
}

int
hash_set(struct hash *h, const void *key, size_t len, void *val)
{
	uint64_t hash = hash_quick(key, len);
	struct entry *e = hash_entry(h, hash, key, len);

	if (e != NULL) {
		h->live += (size_t)(val != NULL) - (size_t)(e->val != NULL);
		e->val = val;
		return 0;
	}
	if (val == NULL)
		return 0;
	char *k = malloc(len + 1);
	if (k == NULL)
		return -1;
	if (len > 0)
		memcpy(k, key, len);
	k[len] = '\0';
	if (h->n == h->cap && hash_grow(h) != 0) {
		free(k);
		return -1;
	}
	h->v[h->n] = (struct entry){ .hash = hash, .val = val, .len = len,
				     .key = k };
	hash_index(h, h->n++);
	h->live++;
	return 0;
}

size_t
hash_count(const struct hash *h)
{
	return h->live;
}

bool
hash_next(const struct hash *h, size_t *pos, const void **key, size_t *len,
	  void **val)
{
	while (*pos < h->n) {
		const struct entry *e = &h->v[(*pos)++];
		if (e->val == NULL)
			continue;
		if (key != NULL)
			*key = e->key;
		if (len != NULL)
			*len = e->len;
		*val = e->val;
		return true;
	}
	return false;
}

void *
hash_find_str(const struct hash *h, const char *key)
{
	return hash_find(h, key, strlen(key));
}

int
hash_set_str(struct hash *h, const char *key, void *val)
{
	return hash_set(h, key, strlen(key), val);
}
