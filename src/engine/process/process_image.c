/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_image.c - a program of the tree that is laid out as an earlier one
 * was gets what was made for that one: its plan, code and patches, moved.
 *
 *	first of its kind	planned, made; what it has come to is an IMAGE
 *	second			planned, made, and compared with the image: what
 *				differs must be addresses, higher by as much as
 *				its libraries are.  Where they are is noted
 *				(moved[])
 *	from the third on	a copy of the image, with those addresses moved
 *
 * An image is of a STAGE: what a member was after it was entered, and again
 * after its libraries were there, which has the former as `prev`.  So what is
 * to be made at a stage is the difference between two images.  Programs that
 * map something later go on from there by themselves.
 *
 * WHAT IS ALIKE: the same files in the same order, and those that have places
 * at the same distances from each other (distances of the others do not matter;
 * so the program itself may be anywhere if it makes no system calls).  Jumps
 * and operands that are relative to code are then the same.  Our memory must be
 * at the same addresses, which code has for constants, and the regions at the
 * same distance from the libraries; where something else is there, the program
 * is planned and made as if it were the first.
 *
 * That the text is what its file has is looked at in each process, as when code
 * is made (image_text_same()); patch_apply() compares once more.
 *
 * Images are the root's, and of no use when the root has got other probes
 * since.
 */
#include "engine/process/process_impl.h"
#include "proc/proc_fs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define IMAGES_MAX 64u /* each has some hundred kilobytes */
#define IOVS	   64u

/* A file that is mapped, in order. */
struct image_obj {
	const void *file;
	uint64_t base;
	bool planned; /* it has places: its distance counts */
	bool scanned;
};
/* Code that a window stands for. */
struct image_text {
	uint64_t addr;
	uint32_t len, obj;
};
/* An address in code, of 8 bytes, or stored by two instructions:
   movl $low, d(%rsp); movl $high, d + 4(%rsp). */
struct image_addr {
	uint32_t low, high; /* where its halves are in the region */
};
#define HALVES_APART 8u
struct image_region {
	struct map_region r; /* its vectors are the image's, `mem` its bytes */
	size_t n0;	     /* from there on they differ from prev's */
	VEC(struct image_addr) moved;
	uint64_t by; /* its bytes have addresses for who is higher by this */
};
enum image_state {
	IMAGE_SEEN,  /* once */
	IMAGE_FIXED, /* what is at the very same addresses may have it */
	IMAGE_KNOWN, /* so may who is elsewhere */
	IMAGE_NEVER, /* two that are alike have differed */
};
struct image {
	const struct image *prev; /* NULL: a program that has only begun */
	enum image_state state;
	/* The root's numbers of these when it was made. */
	size_t nagain, nsites, ngroups;
	VEC(struct image_obj) objs;
	struct plan plan; /* its groups, classes, sites; numbers */
	uint8_t *site_moved; /* [sites]: its pc is */
	uint64_t shared, table, ctl_low, error_fire;
	uint32_t nregions;
	struct image_region region[RTN_NREGIONS];
	const struct x86_handler *class_proto;
	uint32_t *class_size, error_size;
	size_t nclasses;
	VEC(struct patch) patches;
	VEC(struct patch_move) moves;
	VEC(struct image_text) texts;
};

/* ---- memory -------------------------------------------------------------- */

static void *
image_dup(const void *v, size_t n, size_t size)
{
	void *p = calloc(n + 1, size);

	if (p != NULL && n != 0)
		memcpy(p, v, n * size);
	return p;
}

/* A vector that is another's again. */
#define IMAGE_DUP(to, from)                                                    \
	((to)->n = (from)->n, (to)->cap = (from)->n + 1,                       \
	 ((to)->v = image_dup((from)->v, (from)->n, sizeof(*(from)->v))) !=    \
		 NULL)

static void
image_free(struct image *im)
{
	for (uint32_t i = 0; i < im->nregions; i++) {
		free(im->region[i].r.handlers);
		free(im->region[i].r.made);
		free(im->region[i].r.mem);
		vec_fini(&im->region[i].moved);
	}
	vec_fini(&im->objs);
	vec_fini(&im->plan.groups);
	vec_fini(&im->plan.classes);
	vec_fini(&im->plan.sites);
	vec_fini(&im->patches);
	vec_fini(&im->moves);
	vec_fini(&im->texts);
	free(im->site_moved);
	free(im->class_size);
	free((void *)(uintptr_t)im->class_proto);
	free(im);
}

void
images_free(struct engine *root)
{
	for (size_t i = 0; i < root->images.n; i++)
		image_free(root->images.v[i]);
	vec_fini(&root->images);
}

/* ---- whether there is one ------------------------------------------------ */

static bool
image_may(const struct engine *m)
{
	return m->root != NULL && !m->joined && !m->off_images;
}

/* The files that it has mapped are those of the image, and those with places
   are all higher by *by. */
static bool
objs_alike(const struct engine *m, const struct image *im, uint64_t *by)
{
	bool any = false;

	if (m->world.objs.n != im->objs.n)
		return false;
	for (size_t i = 0; i < im->objs.n; i++) {
		const struct image_obj *o = &im->objs.v[i];
		uint64_t base;

		if (!world_obj_mapped(m->world.objs.v[i]) ||
		    world_obj_file(m->world.objs.v[i], &base) != o->file ||
		    (any && o->planned && base - o->base != *by))
			return false;
		if (o->planned)
			*by = base - o->base;
		any |= o->planned;
	}
	return any;
}

static bool
image_fits(const struct engine *m, const struct image *im, uint64_t *by)
{
	const struct engine *root = m->root;

	return im->prev == m->image && im->nagain == root->again.n &&
	       im->nsites == root->plan.sites.n &&
	       im->ngroups == root->plan.groups.n && objs_alike(m, im, by);
}

static struct image *
image_find(const struct engine *m, uint64_t *by)
{
	for (size_t i = 0; i < m->root->images.n; i++)
		if (image_fits(m, m->root->images.v[i], by))
			return m->root->images.v[i];
	return NULL;
}

/* ---- whether this process may have it ------------------------------------ */

/* True if its addresses are free. */
static bool
image_room(const struct engine *m, const struct image *im, uint64_t by)
{
	const uint64_t table = map_page_up(sizeof(struct rtn_table));
	struct err why = { 0 };
	struct gaps gs = { 0 };
	bool ok = gaps_read(m, &gs, &why) == 0 &&
		  gaps_has(&gs, im->shared, m->root->map.shared_len) &&
		  gaps_has(&gs, im->table, table) &&
		  (im->ctl_low == 0 || gaps_has(&gs, im->ctl_low, RTN_PAGE));

	for (uint32_t i = 0; ok && i < im->nregions; i++)
		ok = gaps_has(&gs, im->region[i].r.addr + by,
			      im->region[i].r.size);
	vec_fini(&gs.g);
	return ok;
}

/* True if the memory of the process is where the image's is. */
static bool
memory_alike(const struct engine *m, const struct image *im, uint64_t by)
{
	bool ok = m->map.shared == im->shared && m->map.table == im->table &&
		  m->map.ctl_low == im->ctl_low &&
		  m->map.nregions == im->nregions;

	for (uint32_t i = 0; ok && i < im->nregions; i++)
		ok = m->map.region[i].addr == im->region[i].r.addr + by;
	return ok;
}

/* At the next stage: true if the room that the image had left has been used as
   here. */
static bool
image_goes_on(const struct engine *m, const struct image *im, uint64_t by)
{
	bool ok = memory_alike(m, im, by);

	for (uint32_t i = 0; ok && i < im->nregions; i++)
		ok = im->region[i].n0 == m->map.region[i].buf.n &&
		     im->region[i].r.size == m->map.region[i].size;
	return ok && m->plan.sites.n == im->prev->plan.sites.n &&
	       im->plan.sites.n <= m->lay.nsites;
}

/* Some texts, of some pages, at a time. */
struct image_look {
	struct iovec to[IOVS], from[IOVS];
	size_t n, bytes;
	uint8_t buf[IOVS * 4096];
};

static bool
look_same(const struct engine *m, struct image_look *l,
	  const struct image *im, size_t first, size_t end, uint64_t by)
{
	size_t at = 0;

	if (l->n != 0 && process_vm_readv(proc_face(m->pid), l->to, l->n,
					  l->from, l->n, 0) !=
				 (ssize_t)l->bytes)
		return false;
	for (size_t i = first, k = 0; i < end; i++) {
		const struct image_text *t = &im->texts.v[i];
		const struct code_world *w =
			world_x86(m->world.objs.v[t->obj]);
		const uint8_t *file = w->bytes(w->arg, t->addr + by, t->len);
		uint64_t lo = (uint64_t)(uintptr_t)l->from[k].iov_base;

		while (t->addr + by >= lo + l->from[k].iov_len) {
			at += l->from[k].iov_len;
			lo = (uint64_t)(uintptr_t)l->from[++k].iov_base;
		}
		if (file == NULL ||
		    memcmp(l->buf + at + (t->addr + by - lo), file, t->len))
			return false;
	}
	l->n = l->bytes = 0;
	return true;
}

/* One more; near the one before they are read as one.  False: it is full. */
static bool
look_add(struct image_look *l, uint64_t addr, uint32_t len)
{
	struct iovec *last = l->n != 0 ? &l->from[l->n - 1] : NULL;
	uint64_t lo = last != NULL ? (uint64_t)(uintptr_t)last->iov_base : 0;
	uint64_t end = lo + (last != NULL ? last->iov_len : 0), more;

	if (last != NULL && addr >= lo && addr - lo < 4096) {
		more = addr + len > end ? addr + len - end : 0;
		if (l->bytes + more > sizeof(l->buf))
			return false;
		last->iov_len += more;
		l->to[l->n - 1].iov_len += more;
		l->bytes += more;
		return true;
	}
	if (l->n == IOVS || l->bytes + len > sizeof(l->buf))
		return false;
	l->from[l->n] = (struct iovec){ (void *)(uintptr_t)addr, len };
	l->to[l->n++] = (struct iovec){ l->buf + l->bytes, len };
	l->bytes += len;
	return true;
}

/* True if what the windows stand for is as in the files. */
static bool
image_text_same(const struct engine *m, const struct image *im, uint64_t by)
{
	struct image_look *l = malloc(sizeof(*l));
	size_t first = 0;
	bool ok = l != NULL;

	if (ok)
		l->n = l->bytes = 0;
	for (size_t i = 0; ok && i < im->texts.n; i++) {
		const struct image_text *t = &im->texts.v[i];

		if (look_add(l, t->addr + by, t->len))
			continue;
		ok = i > first && look_same(m, l, im, first, i, by) &&
		     look_add(l, t->addr + by, t->len);
		first = i;
	}
	ok = ok && look_same(m, l, im, first, im->texts.n, by);
	free(l);
	return ok;
}

void
image_look(struct engine *m)
{
	struct image *im;
	uint64_t by = 0;

	m->adopts = NULL;
	if (!image_may(m) || beside_any(m))
		return;
	im = image_find(m, &by);
	if (im == NULL || im->state == IMAGE_SEEN ||
	    im->state == IMAGE_NEVER || (im->state == IMAGE_FIXED && by != 0) ||
	    (im->prev == NULL ? !image_room(m, im, by)
			      : !image_goes_on(m, im, by)) ||
	    !image_text_same(m, im, by))
		return;
	m->adopts = im;
	m->moved = by;
}

/* ---- its copy ------------------------------------------------------------ */

static void
image_notes(struct engine *m)
{
	const struct image *im = m->adopts;

	for (size_t i = 0; i < im->objs.n; i++) {
		struct later_note *n = world_obj_note(m->world.objs.v[i]);

		n->planned |= im->objs.v[i].planned;
		n->scanned |= im->objs.v[i].scanned;
	}
}

static int
image_patches(struct engine *m, struct err *e)
{
	const struct image *im = m->adopts;
	const uint64_t by = m->moved;

	vec_fini(&m->patches);
	vec_fini(&m->moves);
	if (!IMAGE_DUP(&m->patches, &im->patches) ||
	    !IMAGE_DUP(&m->moves, &im->moves))
		return err_nomem(e);
	for (size_t i = 0; i < m->patches.n; i++) {
		m->patches.v[i].addr += by;
		m->patches.v[i].mine += by;
		if (m->patches.v[i].land != 0)
			m->patches.v[i].land += by;
		if (m->patches.v[i].sem)
			m->patches.v[i].by += by;
	}
	for (size_t i = 0; i < m->moves.n; i++) {
		m->moves.v[i].from += by;
		m->moves.v[i].to += by;
	}
	return 0;
}

int
image_plan(struct engine *m, struct err *e)
{
	const struct image *im = m->adopts;
	struct plan *p = &m->plan;

	vec_fini(&p->groups);
	vec_fini(&p->classes);
	vec_fini(&p->sites);
	if (plan_forget(m, e) != 0)
		return -1;
	if (!IMAGE_DUP(&p->groups, &im->plan.groups) ||
	    !IMAGE_DUP(&p->classes, &im->plan.classes) ||
	    !IMAGE_DUP(&p->sites, &im->plan.sites))
		return err_nomem(e);
	for (size_t i = 0; i < p->sites.n; i++)
		if (im->site_moved[i])
			p->sites.v[i].pc += m->moved;
	memcpy(p->sys, im->plan.sys, sizeof(p->sys));
	memcpy(p->sys_group, im->plan.sys_group, sizeof(p->sys_group));
	p->sys_missed = NULL;
	p->nsys = im->plan.nsys;
	p->nsys_refused = im->plan.nsys_refused;
	p->nplaces = im->plan.nplaces;
	p->ncopies = im->plan.ncopies;
	p->ngroups = im->plan.ngroups;
	p->maps_brk = im->plan.maps_brk != 0 ? im->plan.maps_brk + m->moved : 0;
	image_notes(m);
	return image_patches(m, e);
}

void
image_regions(struct engine *m)
{
	const struct image *im = m->adopts;
	struct map *map = &m->map;

	map->shared = im->shared;
	map->table = im->table;
	map->ctl_low = im->ctl_low;
	map->nregions = im->nregions;
	for (uint32_t i = 0; i < im->nregions; i++) {
		const struct map_region *from = &im->region[i].r;

		map->region[i] = (struct map_region){
			.addr = from->addr + m->moved,
			.size = from->size,
			.lo = from->lo + m->moved,
			.hi = from->hi + m->moved,
		};
	}
}

static uint64_t
addr_get(const uint8_t *p, struct image_addr at)
{
	uint32_t low, high;

	memcpy(&low, p + at.low, sizeof(low));
	memcpy(&high, p + at.high, sizeof(high));
	return low | (uint64_t)high << 32;
}

static void
addr_put(uint8_t *p, struct image_addr at, uint64_t v)
{
	uint32_t low = (uint32_t)v, high = (uint32_t)(v >> 32);

	memcpy(p + at.low, &low, sizeof(low));
	memcpy(p + at.high, &high, sizeof(high));
}

static int
image_classes(struct engine *m, struct err *e)
{
	const struct image *im = m->adopts;
	const size_t n = im->nclasses + 1;

	m->class_size = arena_calloc(m->arena, n, sizeof(*m->class_size));
	m->class_proto = arena_calloc(m->arena, n, sizeof(*m->class_proto));
	if (m->class_size == NULL || m->class_proto == NULL)
		return err_nomem(e);
	memcpy(m->class_size, im->class_size, n * sizeof(*m->class_size));
	memcpy(m->class_proto, im->class_proto, n * sizeof(*m->class_proto));
	m->nclasses = im->nclasses;
	m->error_size = im->error_size;
	return 0;
}

/* The image's bytes are made those of a program that is higher by `by`. */
static void
region_moved_to(struct image_region *r, uint64_t by)
{
	const uint64_t more = by - r->by;

	for (size_t k = 0; more != 0 && k < r->moved.n; k++) {
		struct image_addr at = r->moved.v[k];

		at.low -= (uint32_t)r->n0;
		at.high -= (uint32_t)r->n0;
		addr_put(r->r.mem, at, addr_get(r->r.mem, at) + more);
	}
	r->by = by;
}

/* They are written into the file, and not where we have it mapped: each page
   there would be a fault, and be cleared first. */
static bool
region_write(const struct engine *m, const struct map_region *to,
	     const struct image_region *from)
{
	size_t n = from->r.buf.n - from->n0;
	off_t at = (off_t)(to->off + from->n0);

	for (size_t i = 0; i < n;) {
		ssize_t r = pwrite(m->map.fd, from->r.mem + i, n - i,
				   at + (off_t)i);

		if (r <= 0)
			return false;
		i += (size_t)r;
	}
	return true;
}

static int
image_region(struct engine *m, uint32_t i, struct err *e)
{
	struct image_region *from = &m->adopts->region[i];
	struct map_region *r = &m->map.region[i];
	const size_t n = m->adopts->nclasses + 1;

	r->handlers = arena_calloc(m->arena, n, sizeof(*r->handlers));
	r->made = arena_calloc(m->arena, n, sizeof(*r->made));
	if (r->handlers == NULL || r->made == NULL)
		return err_nomem(e);
	memcpy(r->handlers, from->r.handlers, n * sizeof(*r->handlers));
	memcpy(r->made, from->r.made, n * sizeof(*r->made));
	region_moved_to(from, m->moved);
	if (!region_write(m, r, from))
		return err_set(e, &ERR_GENERIC, errno,
			       "shared memory cannot be written");
	code_region_moved(m, r, &from->r, m->moved);
	return 0;
}

int
image_code(struct engine *m, struct err *e)
{
	const struct image *im = m->adopts;

	if (image_classes(m, e) != 0)
		return -1;
	for (uint32_t i = 0; i < im->nregions; i++)
		if (image_region(m, i, e) != 0)
			return -1;
	if (im->error_fire != 0)
		m->sh->error_fire = im->error_fire + m->moved;
	return 0;
}

void
image_adopted(struct engine *m)
{
	m->root->nalike += m->image == NULL;
	m->image = m->adopts;
	m->adopts = NULL;
}

/* ---- what a member has become -------------------------------------------- */

static bool
take_objs(struct image *im, const struct engine *m)
{
	for (size_t i = 0; i < m->world.objs.n; i++) {
		struct world_obj *o = m->world.objs.v[i];
		const struct later_note *n = world_obj_note(o);
		struct image_obj x = { .planned = n->planned || n->np != 0,
				       .scanned = n->scanned };

		x.file = world_obj_file(o, &x.base);
		if (!world_obj_mapped(o) || !vec_push(&im->objs, x))
			return false;
	}
	return true;
}

static bool
take_texts(struct image *im, const struct engine *m)
{
	for (size_t i = 0; i < m->texts.n; i++) {
		struct image_text t = { .addr = m->texts.v[i].lo };
		struct inject_span s;

		t.len = (uint32_t)(m->texts.v[i].hi - t.addr);
		while (t.obj < m->world.objs.n &&
		       (s = world_obj_span(m->world.objs.v[t.obj]),
			t.addr < s.lo || t.addr >= s.hi))
			t.obj++;
		if (t.obj == m->world.objs.n || !vec_push(&im->texts, t))
			return false;
	}
	return true;
}

static bool
take_plan(struct image *im, const struct engine *m)
{
	const struct plan *p = &m->plan;
	struct plan *to = &im->plan;

	memcpy(to->sys, p->sys, sizeof(to->sys));
	memcpy(to->sys_group, p->sys_group, sizeof(to->sys_group));
	to->nsys = p->nsys;
	to->nsys_refused = p->nsys_refused;
	to->nplaces = p->nplaces;
	to->ncopies = p->ncopies;
	to->ngroups = p->ngroups;
	to->maps_brk = p->maps_brk;
	im->site_moved = calloc(p->sites.n + 1, 1);
	if (im->site_moved == NULL || !IMAGE_DUP(&to->groups, &p->groups) ||
	    !IMAGE_DUP(&to->classes, &p->classes) ||
	    !IMAGE_DUP(&to->sites, &p->sites))
		return false;
	/* Sites of its own go with it; reasons are its own, too. */
	for (size_t i = 0; i < to->groups.n; i++) {
		if (i >= m->root->plan.groups.n)
			to->groups.v[i].site = NULL;
		if (to->groups.v[i].why != NULL)
			to->groups.v[i].why = plan_other;
	}
	return true;
}

static bool
take_region(struct image_region *to, const struct map_region *r, size_t n0,
	    size_t nclasses)
{
	const size_t n = nclasses + 1;

	to->r = *r;
	to->n0 = n0;
	to->r.handlers = image_dup(r->handlers, n, sizeof(*r->handlers));
	to->r.made = image_dup(r->made, n, sizeof(*r->made));
	to->r.mem = image_dup(r->mem + n0, r->buf.n - n0, 1);
	return to->r.handlers != NULL && to->r.made != NULL &&
	       to->r.mem != NULL;
}

static bool
take_code(struct image *im, const struct engine *m)
{
	im->nclasses = m->nclasses;
	im->error_size = m->error_size;
	im->error_fire = m->sh->error_fire;
	im->class_size = image_dup(m->class_size, m->nclasses + 1,
				   sizeof(*m->class_size));
	im->class_proto = image_dup(m->class_proto, m->nclasses + 1,
				    sizeof(*m->class_proto));
	im->shared = m->map.shared;
	im->table = m->map.table;
	im->ctl_low = m->map.ctl_low;
	im->nregions = m->map.nregions;
	for (uint32_t i = 0; i < im->nregions; i++)
		if (!take_region(&im->region[i], &m->map.region[i],
				 im->prev != NULL
					 ? im->prev->region[i].r.buf.n
					 : 0,
				 m->nclasses))
			return false;
	return im->class_size != NULL && im->class_proto != NULL &&
	       IMAGE_DUP(&im->patches, &m->patches) &&
	       IMAGE_DUP(&im->moves, &m->moves);
}

/* True if there can be an image of it at all. */
static bool
can_be_taken(const struct engine *m)
{
	if (m->plan.land != NULL || m->odd || beside_any(m) ||
	    (m->image != NULL && m->image->nregions != m->map.nregions))
		return false;
	for (size_t i = 0; i < m->patches.n; i++)
		if (m->patches.v[i].over)
			return false;
	return true;
}

static struct image *
image_take(const struct engine *m)
{
	struct image *im = calloc(1, sizeof(*im));

	if (im == NULL)
		return NULL;
	im->prev = m->image;
	im->nagain = m->root->again.n;
	im->nsites = m->root->plan.sites.n;
	im->ngroups = m->root->plan.groups.n;
	if (take_objs(im, m) && take_texts(im, m) && take_plan(im, m) &&
	    take_code(im, m))
		return im;
	image_free(im);
	return NULL;
}

/* ---- the second of a kind ------------------------------------------------ */

/*
 * True if addresses can be known by a difference.  The low half must have
 * changed, since they are looked for where it stands, and the high one, or else
 * whatever stands behind the low one would pass for it.
 */
static bool
learn_tells(uint64_t by)
{
	return (uint32_t)by != 0 && by + (1ull << 32) > 1ull << 33;
}

/* True if there is an address, in bytes [from, n) of both, with byte i in its
   low half, that differs by `by`. */
static bool
learn_addr(const uint8_t *a, const uint8_t *b, size_t from, size_t i, size_t n,
	   uint64_t by, struct image_addr *at)
{
	for (uint32_t low = (uint32_t)i; low + 4 > i; low--) {
		for (uint32_t apart = 4; apart <= HALVES_APART;
		     apart += HALVES_APART - 4) {
			*at = (struct image_addr){ low, low + apart };
			if (at->high + 4 <= n &&
			    addr_get(b, *at) - addr_get(a, *at) == by)
				return true;
		}
		if (low == from)
			break;
	}
	return false;
}

/* Bytes that differ are addresses, higher by `by`: where those are. */
static bool
learn_bytes(struct image_region *r, const struct image_region *other,
	    uint64_t by)
{
	const size_t n = r->r.buf.n - r->n0;
	const uint8_t *a = r->r.mem, *b = other->r.mem;
	struct image_addr at;

	r->moved.n = 0;
	for (size_t i = 0, from = 0; i < n; i++) {
		if (a[i] == b[i])
			continue;
		if (!learn_addr(a, b, from, i, n, by, &at))
			return false;
		from = at.high + 4;
		i = from - 1;
		at.low += (uint32_t)r->n0;
		at.high += (uint32_t)r->n0;
		if (!vec_push(&r->moved, at))
			return false;
	}
	return true;
}

static bool
learn_region(struct image_region *a, const struct image_region *b,
	     size_t nclasses, uint64_t by)
{
	if (a->r.addr + by != b->r.addr || a->r.size != b->r.size ||
	    a->r.buf.n != b->r.buf.n || a->n0 != b->n0 ||
	    a->r.maps.code + by != b->r.maps.code ||
	    memcmp(a->r.made, b->r.made, nclasses) != 0)
		return false;
	for (size_t i = 0; i < nclasses; i++)
		if (a->r.made[i] &&
		    a->r.handlers[i].code != 0 &&
		    a->r.handlers[i].code + by != b->r.handlers[i].code)
			return false;
	return learn_bytes(a, b, by);
}

static bool
learn_patches(const struct image *a, const struct image *b, uint64_t by)
{
	if (a->patches.n != b->patches.n || a->moves.n != b->moves.n ||
	    a->texts.n != b->texts.n)
		return false;
	for (size_t i = 0; i < a->patches.n; i++) {
		const struct patch *p = &a->patches.v[i], *q = &b->patches.v[i];

		if (p->addr + by != q->addr || p->len != q->len ||
		    p->look != q->look || p->landing != q->landing ||
		    p->sem != q->sem || p->by_len != q->by_len ||
		    p->nlead != q->nlead || (p->sem && p->by + by != q->by) ||
		    memcmp(p->was, q->was, sizeof(p->was)) != 0 ||
		    memcmp(p->now, q->now, sizeof(p->now)) != 0 ||
		    memcmp(p->lead, q->lead, sizeof(p->lead)) != 0)
			return false;
	}
	for (size_t i = 0; i < a->moves.n; i++)
		if (a->moves.v[i].from + by != b->moves.v[i].from ||
		    a->moves.v[i].to + by != b->moves.v[i].to)
			return false;
	return true;
}

static bool
learn_plan(struct image *a, const struct image *b, uint64_t by)
{
	const struct plan *p = &a->plan, *q = &b->plan;

	if (p->sites.n != q->sites.n || p->groups.n != q->groups.n ||
	    p->classes.n != q->classes.n || a->nclasses != b->nclasses ||
	    p->nsys != q->nsys || p->nsys_refused != q->nsys_refused ||
	    p->maps_brk + (p->maps_brk != 0 ? by : 0) != q->maps_brk ||
	    memcmp(p->sys, q->sys, sizeof(p->sys)) != 0)
		return false;
	for (size_t i = 0; i < p->sites.n; i++) {
		struct rtn_site s = p->sites.v[i];

		a->site_moved[i] = s.pc != q->sites.v[i].pc;
		s.pc += a->site_moved[i] ? by : 0;
		if (memcmp(&s, &q->sites.v[i], sizeof(s)) != 0)
			return false;
	}
	for (size_t i = 0; i < p->groups.n; i++)
		if ((p->groups.v[i].why != NULL) !=
			    (q->groups.v[i].why != NULL) ||
		    p->groups.v[i].probe != q->groups.v[i].probe ||
		    p->groups.v[i].cls != q->groups.v[i].cls)
			return false;
	return true;
}

/* Another one that is alike, higher by `by`.  One whose memory is elsewhere
   says nothing about it. */
static void
image_compare(struct image *a, const struct image *b, uint64_t by)
{
	bool ok = a->nregions == b->nregions && learn_plan(a, b, by) &&
		  learn_patches(a, b, by) &&
		  a->error_fire + (a->error_fire != 0 ? by : 0) ==
			  b->error_fire;

	for (uint32_t i = 0; ok && i < a->nregions; i++)
		ok = learn_region(&a->region[i], &b->region[i], a->nclasses,
				  by);
	a->state = !ok		? IMAGE_NEVER
		   : by == 0	? IMAGE_FIXED
				: IMAGE_KNOWN;
}

void
image_learn(struct engine *m)
{
	struct image *was, *is = NULL;
	uint64_t by = 0;

	if (!image_may(m))
		return;
	m->off_images = true;
	was = image_find(m, &by);
	if (was != NULL && by != 0 && !learn_tells(by))
		return;
	if (!can_be_taken(m) || (was == NULL &&
				 m->root->images.n >= IMAGES_MAX) ||
	    (was != NULL && !memory_alike(m, was, by)))
		return;
	is = image_take(m);
	if (is == NULL)
		return;
	if (was == NULL) {
		if (!vec_push(&m->root->images, is)) {
			image_free(is);
			return;
		}
		was = is;
	} else {
		if (was->state == IMAGE_SEEN || was->state == IMAGE_FIXED)
			image_compare(was, is, by);
		image_free(is);
	}
	if (was->state == IMAGE_NEVER)
		return;
	m->image = was;
	m->moved = by;
	m->off_images = false;
}
