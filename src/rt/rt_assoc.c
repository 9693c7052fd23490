/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_assoc.c - associative arrays in memory that processes share: a hash
 * table of elements, found by
 *
 *   u32 scope, u32 id, u64 thread | the tuple, as rt_tuple_key() lays it out
 *
 *   struct rt_assoc | struct bucket [nbuckets] | struct element ...
 *
 * Each process has the store at another address, so it knows positions only.
 * A bucket has a spin lock, held for some tens of nanoseconds, by which all
 * that concerns its chain is done; memory is handed out from the end of the
 * used part, or from lists of freed elements of the same size class, without
 * a lock (the head of a list carries a count that makes each change differ).
 *
 * WHO WAITS.  A firing may be interrupted by a signal handler that fires, too:
 * the lock names its holder, and a firing on the other level of the same slot
 * gives up at once.  Others spin, then let others run a few times, then give
 * up.  To give up is to count a RT_DROP_DYNVAR.  Nobody waits for ever, not
 * even for a consumer that has died.
 *
 * Elements by reference are handed out as addresses.  Another thread may
 * remove one while its bytes are read: they are then any bytes of the store,
 * but memory they stay.
 *
 * The consumer works in the store of a process that can write anything into it:
 * it has a layout of its own, and what an element says of itself is checked
 * before it is used, and not read again.
 *
 * Compiled for the consumer and for the traced process.
 */
#include "rt/rt_assoc.h"
#include "rt/rt_impl.h"

#ifdef RT_NATIVE
#include "rt/rt_native_sys.h"
#else
#include <sched.h>
#endif

struct bucket {
	volatile uint32_t lock; /* slot + 1 of the holder; 0 free */
	uint32_t head;
};

struct element {
	uint32_t next; /* in its chain, or list of freed ones; 0 ends */
	uint32_t hash;
	uint32_t keylen;
	uint32_t cls; /* size class */
	/* uint8_t key[keylen]; uint8_t value[]; */
};

#define BYTES_PER_BUCKET 128u
#define BUCKETS_MIN	 16u
#define BUCKETS_MAX	 (1u << 20)
#define LINKS_MAX 4096 /* more: somebody has written where he must not */

int
rt_assoc_lay(struct rt_assoc_lay *lay, uint64_t size)
{
	uint32_t n = BUCKETS_MIN;
	uint64_t start;

	if (size > UINT32_MAX)
		size = UINT32_MAX & ~7u;
	while (n < BUCKETS_MAX && n * 2ull * BYTES_PER_BUCKET <= size)
		n *= 2;
	start = sizeof(struct rt_assoc) + n * sizeof(struct bucket);
	if (start >= size)
		return -1;
	lay->size = size;
	lay->nbuckets = n;
	lay->entries_off = (uint32_t)start;
	return 0;
}

int
rt_assoc_init(struct rt_assoc *a, uint64_t size)
{
	if (rt_assoc_lay(&a->lay, size) != 0)
		return -1;
	a->used = a->lay.entries_off;
	return 0;
}

/* A store, and its layout as we know it. */
struct store {
	struct rt_assoc *a;
	struct rt_assoc_lay lay;
};

static struct store
store_of(struct rt_assoc *a, const struct rt_assoc_lay *lay)
{
	struct store st;

	st.a = a;
	st.lay = lay != 0 ? *lay : a->lay;
	return st;
}

/* ---- memory -------------------------------------------------------------- */

/* The element at off with n bytes in all; NULL: there cannot be one. */
static struct element *
element_at(const struct store *st, uint32_t off, uint64_t n)
{
	if (off < st->lay.entries_off || (off & 7) || off + n > st->lay.size)
		return NULL;
	return (struct element *)(void *)((uint8_t *)st->a + off);
}

/*
 * Sizes are rounded up so that there are four classes from one power of two
 * to the next: at most a quarter is lost.  *n is rounded; RT_ASSOC_NCLASSES
 * and more: too large.
 */
#define SIZE_MIN_LOG 5

static uint32_t
size_class(uint64_t *n)
{
	uint64_t size = *n < 1u << SIZE_MIN_LOG ? 1u << SIZE_MIN_LOG : *n;
	uint32_t log = 63 - (uint32_t)__builtin_clzll(size);
	uint64_t step = 1ull << (log - 2);

	size = (size + step - 1) & ~(step - 1);
	log = 63 - (uint32_t)__builtin_clzll(size);
	*n = size;
	return (log - SIZE_MIN_LOG) * 4 + ((size >> (log - 2)) & 3);
}

static int
swap64_assoc(volatile uint64_t *p, uint64_t from, uint64_t to)
{
	return __atomic_compare_exchange_n(p, &from, to, 0, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

/* The list's next head: one change more, and this element. */
static uint64_t
changed(uint64_t head, uint32_t off)
{
	return ((head >> 32) + 1) << 32 | off;
}

static uint32_t
freed_pop(const struct store *st, uint32_t cls, uint64_t n)
{
	volatile uint64_t *list = &st->a->freed[cls];
	uint64_t head;
	struct element *el;

	do {
		head = *list;
		el = element_at(st, (uint32_t)head, n);
		if (el == NULL)
			return 0;
	} while (!swap64_assoc(list, head, changed(head, el->next)));
	return (uint32_t)head;
}

static void
freed_push(const struct store *st, struct element *el, uint32_t off)
{
	uint32_t cls = *(volatile uint32_t *)&el->cls;
	volatile uint64_t *list;
	uint64_t head;

	if (cls >= RT_ASSOC_NCLASSES)
		return;
	list = &st->a->freed[cls];
	do {
		head = *list;
		el->next = (uint32_t)head;
	} while (!swap64_assoc(list, head, changed(head, off)));
}

/* Memory for n bytes in all: its offset, 0 if there is none. */
static uint32_t
element_alloc(const struct store *st, uint64_t n, uint32_t *cls)
{
	uint64_t used;
	uint32_t off;

	*cls = size_class(&n);
	if (*cls >= RT_ASSOC_NCLASSES)
		return 0;
	off = freed_pop(st, *cls, n);
	if (off != 0)
		return off;
	do {
		used = st->a->used;
		if (used > st->lay.size || n > st->lay.size - used)
			return 0;
	} while (!swap64_assoc(&st->a->used, used, used + n));
	return (uint32_t)used;
}

/* ---- buckets ------------------------------------------------------------- */

#define SPINS  256
#define YIELDS 8

static inline void
pause_cpu(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#endif
}

static void
let_others_run(struct rt *rt)
{
#ifdef RT_NATIVE
	if (!RTN_SHARED(rt)->seccomp)
		rtn_syscall0(RTN_SYS_sched_yield);
#else
	(void)rt;
	sched_yield();
#endif
}

static struct bucket *
buckets_of(struct rt_assoc *a)
{
	return (struct bucket *)(void *)(a + 1);
}

/* 0, or -1: not to be had. */
static int
bucket_lock(struct rt *rt, struct rt_assoc *a, struct bucket *b)
{
	uint32_t i, holder;

	rt->bucket = (uint32_t)(b - buckets_of(a)) + 1;
	for (i = 0; i < SPINS * YIELDS; i++) {
		holder = 0;
		if (b->lock == 0 &&
		    __atomic_compare_exchange_n(&b->lock, &holder,
						rt->slot + 1, 0,
						__ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return 0;
		holder = b->lock;
		if (holder != 0 &&
		    (holder - 1) / RT_LEVELS == rt->slot / RT_LEVELS)
			return -1;
		pause_cpu();
		if (i % SPINS == SPINS - 1)
			let_others_run(rt);
	}
	return -1;
}

static void
bucket_unlock(struct bucket *b)
{
	__atomic_store_n(&b->lock, 0, __ATOMIC_RELEASE);
}

/* A chain is whole at any moment: a link is set in one store, after all
   else. */
void
rt_assoc_abandon(struct rt *rt, struct rt_assoc *a,
		 const struct rt_assoc_lay *lay)
{
	const struct store st = store_of(a, lay);
	uint32_t n = rt->bucket;

	if (n != 0 && n <= st.lay.nbuckets &&
	    buckets_of(a)[n - 1].lock == rt->slot + 1)
		bucket_unlock(&buckets_of(a)[n - 1]);
	rt->bucket = 0;
}

/* ---- elements ------------------------------------------------------------ */

/* The key in rt->key and where it belongs; then, the bucket held, the link
   that leads to the element (0 at its end: there is none). */
struct place {
	struct store st;
	struct bucket *bucket;
	uint32_t hash, keylen;
	uint64_t need; /* bytes of the element in all */
	uint32_t *link, off; /* and what was read there */
};

struct prefix {
	uint32_t scope, id;
	uint64_t thread;
};

static uint32_t
assoc_hash(const uint8_t *key, uint64_t n)
{
	uint64_t h = n, word;

	for (uint64_t i = 0; i + 8 <= n; i += 8) {
		memcpy(&word, key + i, 8);
		h = (h ^ word) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 32;
	}
	return (uint32_t)h;
}

/* Make the key; 0, or -1 with a fault. */
static int
place_key(struct rt *rt, const struct rt_assoc_ref *ref, struct place *p)
{
	struct prefix pre = { ref->scope, ref->id, ref->tid };

	memcpy(rt->key, &pre, sizeof(pre));
	p->st = store_of(ref->store, ref->lay);
	p->keylen = (uint32_t)rt_tuple_key(rt, sizeof(pre));
	if (rt->fault != RT_FAULT_NONE)
		return -1;
	p->need = sizeof(struct element) + p->keylen + ref->var->size;
	p->hash = assoc_hash(rt->key, p->keylen);
	p->bucket = &buckets_of(p->st.a)[p->hash & (p->st.lay.nbuckets - 1)];
	return 0;
}

static int
same_key(const struct rt *rt, const struct place *p, const struct element *el,
	 uint32_t off)
{
	return el->hash == p->hash && el->keylen == p->keylen &&
	       element_at(&p->st, off, p->need) != NULL &&
	       memcmp(el + 1, rt->key, p->keylen) == 0;
}

/* Hold the bucket and look: the element, or NULL. */
static struct element *
place_find(struct rt *rt, struct place *p)
{
	struct element *el;

	p->link = &p->bucket->head;
	for (int i = 0; i < LINKS_MAX; i++) {
		p->off = *(volatile uint32_t *)p->link;
		el = element_at(&p->st, p->off, sizeof(*el));
		if (el == NULL || same_key(rt, p, el, p->off))
			return el;
		p->link = &el->next;
	}
	return NULL;
}

static uint8_t *
assoc_value(const struct place *p, struct element *el)
{
	return (uint8_t *)(el + 1) + p->keylen;
}

/* Add an element, zeroed, at the end of the chain; NULL: no room. */
static struct element *
place_make(struct rt *rt, struct place *p, uint32_t size)
{
	uint32_t cls, off = element_alloc(&p->st, p->need, &cls);
	struct element *el = element_at(&p->st, off, p->need);

	if (el == NULL)
		return NULL;
	el->next = 0;
	el->hash = p->hash;
	el->keylen = p->keylen;
	el->cls = cls;
	memcpy(el + 1, rt->key, p->keylen);
	memset(assoc_value(p, el), 0, size);
	__atomic_store_n(p->link, off, __ATOMIC_RELEASE);
	return el;
}

static void
place_remove(struct rt *rt, struct place *p)
{
	struct element *el = place_find(rt, p);

	if (el == NULL)
		return;
	__atomic_store_n(p->link, el->next, __ATOMIC_RELEASE);
	freed_push(&p->st, el, p->off);
}

/* ---- load and store ------------------------------------------------------ */

static uint64_t
dynvar_drop(struct rt *rt)
{
	rt->drops[RT_DROP_DYNVAR]++;
	return 0;
}

uint64_t
rt_assoc_load(struct rt *rt, const struct rt_assoc_ref *ref)
{
	struct element *el;
	struct place p;
	uint64_t val = 0;

	if (place_key(rt, ref, &p) != 0)
		return 0;
	if (bucket_lock(rt, p.st.a, p.bucket) != 0)
		return dynvar_drop(rt);
	el = place_find(rt, &p);
	if (el != NULL && ref->var->flags & RTN_VAR_REF)
		val = (uintptr_t)assoc_value(&p, el);
	else if (el != NULL)
		memcpy(&val, assoc_value(&p, el), 8);
	bucket_unlock(p.bucket);
	return val;
}

/* Copy what is referred to; 0 or -1.  What follows a string's end is zeroed. */
static int
ref_read(struct rt *rt, const struct rtn_var *v, uint8_t *dst, uint64_t src)
{
	long n;

	if (!(v->flags & RTN_VAR_STR))
		return rt_read(rt, dst, v->bytes, src) == 0 ? 0 : -1;
	n = rt_read_str(rt, dst, RT_CONF(strsize), src);
	if (n < 0)
		return -1;
	memset(dst + n, 0, v->size - (uint64_t)n);
	return 0;
}

/*
 * Set the element, the bucket held.  good: the value can be had; where not,
 * the element is made all the same, and zero.
 */
static void
assoc_set(struct rt *rt, struct place *p, const struct rtn_var *v,
	  uint64_t val, int good)
{
	struct element *el = place_find(rt, p);

	if (el == NULL)
		el = place_make(rt, p, v->size);
	if (el == NULL) {
		dynvar_drop(rt);
		return;
	}
	if (!(v->flags & RTN_VAR_REF)) {
		memcpy(assoc_value(p, el), &val, 8);
	} else if (!good || ref_read(rt, v, assoc_value(p, el), val) != 0) {
		memset(assoc_value(p, el), 0, v->size);
		rt_fail(rt, RT_FAULT_BADADDR, val);
	}
}

/*
 * What is referred to may have to be fetched from afar, which nobody should
 * wait for: it is copied to the work area W before the bucket is locked,
 * where it fits there.
 */
void
rt_assoc_store(struct rt *rt, const struct rt_assoc_ref *ref, uint64_t val)
{
	const struct rtn_var *v = ref->var;
	uint64_t from = val;
	struct place p;
	int good = 1;

	if (place_key(rt, ref, &p) != 0)
		return;
	if (val != 0 && v->flags & RTN_VAR_REF && v->size <= RT_STR_MAX) {
		good = ref_read(rt, v, RT_W(rt), val) == 0;
		if (good)
			from = rt->self + RT_W_OFF;
	}
	if (bucket_lock(rt, p.st.a, p.bucket) != 0) {
		dynvar_drop(rt);
		return;
	}
	if (val == 0)
		place_remove(rt, &p);
	else
		assoc_set(rt, &p, v, from, good);
	bucket_unlock(p.bucket);
}
