/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * tp_note.c - the notes of <dtrace/sdt_module.h>.
 *
 * A note's description is some texts, one behind the other, each with its 0:
 * the probe, the tracepoint, and the types of the arguments as the module's
 * author wrote them.  Whoever loads a module could do worse than write notes
 * that are wrong; but they are bytes from elsewhere, so nothing is believed of
 * their lengths.
 */
#include "prov/tp_note.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODULES	  "/sys/module"
#define NOTES_MAX 65536u
#define NOTE_NAME "dtrace"
#define NOTE_TYPE 1u

struct note_head {
	uint32_t namesz, descsz, type;
};

/* The text at *at, of those in v[0..n), and past it; NULL: there is none. */
static const char *
note_text(const char *v, size_t n, size_t *at)
{
	const char *s = v + *at;

	if (*at >= n || memchr(s, '\0', n - *at) == NULL)
		return NULL;
	*at += strlen(s) + 1;
	return s;
}

/* As D writes it: read__done is read-done. */
static const char *
note_probe_name(struct probe_set *set, const char *s)
{
	char name[64], *p;

	snprintf(name, sizeof(name), "%s", s);
	while ((p = strstr(name, "__")) != NULL && p[2] != '\0') {
		*p = '-';
		memmove(p + 1, p + 2, strlen(p + 2) + 1);
	}
	return probe_str(set, name);
}

static int
note_add(struct probe_set *set, const char *module, const char *v, size_t n,
	 struct tp_notes *out)
{
	struct tp_note t = { .module = probe_str(set, module) };
	size_t at = 0;
	const char *probe = note_text(v, n, &at);
	const char *tp = probe != NULL ? note_text(v, n, &at) : NULL;
	const char *type;

	if (tp == NULL || probe[0] == '\0')
		return 0;
	t.probe = note_probe_name(set, probe);
	t.tp = probe_str(set, tp);
	if (t.module == NULL || t.probe == NULL || t.tp == NULL)
		return -1;
	while (t.nargs < DIF_NARGS && (type = note_text(v, n, &at)) != NULL) {
		t.type[t.nargs] = probe_str(set, type);
		if (t.type[t.nargs++] == NULL)
			return -1;
	}
	return vec_push(&out->v, t) ? 0 : -1;
}

static size_t
padded(uint32_t n)
{
	return ((size_t)n + 3) & ~(size_t)3;
}

int
tp_notes_parse(struct probe_set *set, const char *module, const char *v,
	       size_t n, struct tp_notes *out)
{
	struct note_head h;

	while (n >= sizeof(h)) {
		memcpy(&h, v, sizeof(h));
		v += sizeof(h);
		n -= sizeof(h);
		size_t name = padded(h.namesz), desc = padded(h.descsz);

		/* The last one's padding may be missing. */
		if (name > n || h.descsz > n - name)
			return 0;
		if (h.type == NOTE_TYPE && h.namesz == sizeof(NOTE_NAME) &&
		    memcmp(v, NOTE_NAME, sizeof(NOTE_NAME)) == 0 &&
		    note_add(set, module, v + name, h.descsz, out) != 0)
			return -1;
		if (desc > n - name)
			return 0;
		v += name + desc;
		n -= name + desc;
	}
	return 0;
}

static int
read_module(struct probe_set *set, const char *module, char *buf,
	    struct tp_notes *out)
{
	char path[300];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), MODULES "/%s/notes/.note.dtrace", module);
	f = fopen(path, "re");
	if (f == NULL)
		return 0;
	n = fread(buf, 1, NOTES_MAX, f);
	fclose(f);
	return tp_notes_parse(set, module, buf, n, out);
}

int
tp_notes_read(struct probe_set *set, struct tp_notes *out)
{
	DIR *d = opendir(MODULES);
	char *buf = malloc(NOTES_MAX);
	struct dirent *de;
	int rv = buf != NULL ? 0 : -1;

	out->v.n = 0;
	while (rv == 0 && d != NULL && (de = readdir(d)) != NULL)
		if (de->d_name[0] != '.')
			rv = read_module(set, de->d_name, buf, out);
	free(buf);
	if (d != NULL)
		closedir(d);
	return rv;
}
