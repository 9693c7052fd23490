/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * hash.h - a table from byte strings to pointers.
 *
 * Keys are copied.  Values are the caller's.  Iteration is in order of
 * insertion, so output made from a table does not depend on hashing.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash;

struct hash *hash_new(void); /* NULL: no memory */
void hash_free(struct hash *h);
/* The value of a key, or NULL. */
void *hash_find(const struct hash *h, const void *key, size_t len);
/*
 * Set (or, with val NULL, remove) a key.  Returns 0, or -1 when there is no
 * memory.
 */
int hash_set(struct hash *h, const void *key, size_t len, void *val);
size_t hash_count(const struct hash *h);
/*
 * Iterate: start with *pos = 0; false at the end.  The table may not change
 * meanwhile, except that the value just seen may be replaced or removed.
 */
bool hash_next(const struct hash *h, size_t *pos, const void **key, size_t *len,
	       void **val);

/* The same for NUL-terminated keys. */
void *hash_find_str(const struct hash *h, const char *key);
int hash_set_str(struct hash *h, const char *key, void *val);

/* A hash function, the same for ever: FNV-1a with a finishing mix. */
uint64_t hash_bytes(const void *p, size_t len);
/* One for tables in memory, of eight bytes at once: another on other machines,
   and perhaps in later versions. */
uint64_t hash_quick(const void *p, size_t len);

#endif
