/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * elf_debug.c - where the symbols of stripped objects are.
 *
 * Two places: a separate debug file, found by the object's build-id under
 * /usr/lib/debug/.build-id or by the name in .gnu_debuglink (beside the
 * object, in .debug there, under /usr/lib/debug); and .gnu_debugdata, a small
 * xz-compressed ELF file in the object itself.  What that unpacks to has a
 * bound: some bytes of xz can stand for gigabytes.
 * A debug file that does not belong to the object (its build-id, or the CRC of
 * the link, differs) is not used: wrong names are worse than none.
 * See GDB's manual, "Debugging Information in Separate Files".
 */
#include "elf/elf_impl.h"

#include <limits.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEBUG_ROOT "/usr/lib/debug"

/* The build-id note's bytes; NULL: none. */
static const uint8_t *
elf_build_id(struct elf_file *f, size_t *len)
{
	size_t size, pos = 0, next, name_off, desc_off;
	const char *p = elf_section(f, ".note.gnu.build-id", &size, NULL);
	Elf_Data d = { 0 };
	GElf_Nhdr nh;

	if (p == NULL)
		return NULL;
	d.d_buf = (void *)(uintptr_t)p;
	d.d_size = size;
	d.d_type = ELF_T_NHDR;
	d.d_version = EV_CURRENT;
	d.d_align = 4;
	while ((next = gelf_getnote(&d, pos, &nh, &name_off, &desc_off)) > 0) {
		if (nh.n_type == NT_GNU_BUILD_ID && nh.n_namesz == 4 &&
		    memcmp(p + name_off, "GNU", 4) == 0 && nh.n_descsz >= 2 &&
		    nh.n_descsz <= 64) {
			*len = nh.n_descsz;
			return (const uint8_t *)p + desc_off;
		}
		pos = next;
	}
	return NULL;
}

/* Of what went wrong with a candidate only that there was no memory matters. */
static void
debug_nomem(const struct err *why, struct err *e)
{
	if (why->tag == &ERR_NOMEM)
		err_nomem(e);
}

/* Open a candidate; NULL when it is missing, damaged or another file's, with *e
   where there is no memory. */
static struct elf_file *
elf_debug_try(const char *path, const uint8_t *id, size_t idlen, struct err *e)
{
	struct err why = { 0 };
	struct elf_file *d;
	const uint8_t *did;
	size_t n = 0;

	if (access(path, R_OK) != 0)
		return NULL;
	d = elf_open(path, &why);
	debug_nomem(&why, e);
	if (d == NULL)
		return NULL;
	did = elf_build_id(d, &n);
	if (!elf_has_symtab(d, SHT_SYMTAB) || did == NULL || n != idlen ||
	    memcmp(did, id, n) != 0) {
		elf_close(d);
		return NULL;
	}
	return d;
}

static struct elf_file *
elf_debug_by_id(const uint8_t *id, size_t n, struct err *e)
{
	char path[256];
	size_t at;

	at = (size_t)snprintf(path, sizeof(path), DEBUG_ROOT "/.build-id/%02x/",
			      id[0]);
	for (size_t i = 1; i < n; i++)
		at += (size_t)snprintf(path + at, sizeof(path) - at, "%02x",
				       id[i]);
	snprintf(path + at, sizeof(path) - at, ".debug");
	return elf_debug_try(path, id, n, e);
}

/*
 * By the link's name.  Objects that have a link but no build-id are older than
 * anything this tracer runs on; for them there is no cheap way to know that
 * the file is the right one, so they keep the symbols they have.
 */
static struct elf_file *
elf_debug_by_link(struct elf_file *f, const uint8_t *id, size_t n,
		  struct err *e)
{
	static const struct {
		const char *root, *sub;
	} places[] = { { "", "" }, { "", ".debug/" }, { DEBUG_ROOT, "" } };
	size_t size;
	const char *link = elf_section(f, ".gnu_debuglink", &size, NULL);
	char dir[PATH_MAX], path[2 * PATH_MAX + 64];
	char *slash;

	if (link == NULL || memchr(link, '\0', size) == NULL ||
	    strchr(link, '/') != NULL || link[0] == '\0' ||
	    realpath(f->path, dir) == NULL)
		return NULL;
	slash = strrchr(dir, '/');
	if (slash == NULL)
		return NULL;
	*slash = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct elf_file *d;

		snprintf(path, sizeof(path), "%s%s/%s%s", places[i].root, dir,
			 places[i].sub, link);
		d = elf_debug_try(path, id, n, e);
		if (d != NULL)
			return d;
	}
	return NULL;
}

/* ---- .gnu_debugdata ------------------------------------------------- */

/* Unpack n bytes of xz into *out, malloc'ed.  False: damaged, or too much, or,
   with *e, no memory. */
static bool
debug_unpack(const uint8_t *p, size_t n, uint8_t **out, size_t *len,
	     struct err *e)
{
	lzma_stream z = LZMA_STREAM_INIT;
	lzma_ret rc = lzma_stream_decoder(&z, ELF_UNPACK_MAX, 0);
	size_t cap = 0;

	*out = NULL;
	*len = 0;
	z.next_in = p;
	z.avail_in = n;
	while (rc == LZMA_OK && cap < ELF_UNPACK_MAX) {
		size_t more = cap == 0 ? 1u << 16 : cap;
		uint8_t *v = realloc(*out, cap + more);

		if (v == NULL) {
			err_nomem(e);
			break;
		}
		*out = v;
		z.next_out = v + cap;
		z.avail_out = more;
		rc = lzma_code(&z, LZMA_FINISH);
		cap += more;
		*len = cap - z.avail_out;
	}
	lzma_end(&z);
	return rc == LZMA_STREAM_END;
}

/* The object in .gnu_debugdata, opened; NULL: there is none. */
static struct elf_file *
debug_inside(struct elf_file *f, struct err *e)
{
	struct elf_file *d = NULL;
	struct err why = { 0 };
	uint8_t *v;
	size_t n, len;
	const void *p = elf_section(f, ".gnu_debugdata", &n, NULL);

	if (p == NULL)
		return NULL;
	if (debug_unpack(p, n, &v, &len, e))
		d = elf_open_mem(v, len, f->path, &why);
	debug_nomem(&why, e);
	free(v);
	if (d != NULL && !elf_has_symtab(d, SHT_SYMTAB)) {
		elf_close(d);
		d = NULL;
	}
	return d;
}

struct elf_file *
elf_debug_open(struct elf_file *f, struct err *e)
{
	struct elf_file *d = debug_inside(f, e);
	const uint8_t *id;
	size_t n;

	if (d != NULL)
		return d;
	id = elf_build_id(f, &n);
	if (id == NULL)
		return NULL;
	d = elf_debug_by_id(id, n, e);
	return d != NULL ? d : elf_debug_by_link(f, id, n, e);
}
