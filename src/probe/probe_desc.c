/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * probe_desc.c - probe descriptions as text: "a:b:c:d", filled from the right.
 * The right-most field given is the one that `spec` names, so that -m text is
 * "provider:module"; fields that are not given match everything.
 */
#include <ctype.h>
#include <string.h>

#include "probe/probe_impl.h"

static const char *const field_names[PROBE_NFIELD] = { "provider", "module",
						       "function", "name" };

static bool
all_digits(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isdigit((unsigned char)s[i]))
			return false;
	return n != 0;
}

static int
parse_id(const char *s, size_t n, struct dif_pdesc *out, struct err *e)
{
	uint64_t id = 0;

	for (size_t i = 0; i < n && id <= UINT32_MAX; i++)
		id = id * 10 + (uint64_t)(s[i] - '0');
	if (id == 0 || id > UINT32_MAX)
		return err_set(e, &ERR_GENERIC, 0,
			       "%.*s: not a probe identifier", (int)n, s);
	out->id = (uint32_t)id;
	return 0;
}

/* From the right: *n is the length that is left to the left of the field. */
static const char *
take_field(struct arena *a, const char *s, size_t *n, bool *more)
{
	size_t end = *n, start = end;

	while (start > 0 && s[start - 1] != ':')
		start--;
	*more = start > 0;
	*n = start > 0 ? start - 1 : 0;
	return arena_strndup(a, s + start, end - start);
}

int
probe_parse_desc(struct arena *a, const char *text, int spec,
		 struct dif_pdesc *out, struct err *e)
{
	const char **field[] = { &out->prov, &out->mod, &out->func,
				 &out->name };
	bool more = true;
	size_t n;

	if (spec >= PROBE_NFIELD)
		spec = PROBE_NAME;
	*out = (struct dif_pdesc){ 0, "", "", "", "" };
	while (isspace((unsigned char)*text))
		text++;
	n = strlen(text);
	while (n > 0 && isspace((unsigned char)text[n - 1]))
		n--;
	if ((spec < 0 || spec == PROBE_NAME) && all_digits(text, n))
		return parse_id(text, n, out, e);
	if (spec < 0)
		spec = PROBE_NAME;
	for (int i = spec; more; i--) {
		if (i < 0)
			return err_set(e, &ERR_GENERIC, 0,
				       "overspecified probe description: %s "
				       "(its last field is the %s)",
				       text, field_names[spec]);
		*field[i] = take_field(a, text, &n, &more);
		if (*field[i] == NULL)
			return err_nomem(e);
	}
	return 0;
}
