/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* check_json.h - whether a text is JSON, by a parser, not by who wrote it. */
#ifndef FUZZ_CHECK_JSON_H
#define FUZZ_CHECK_JSON_H

#include <stdlib.h>

#include <yajl/yajl_parse.h>

/* Abort unless the text is values of JSON, one after the other. */
static inline void
check_json(const char *p, size_t n)
{
	yajl_handle y = yajl_alloc(NULL, NULL, NULL);

	if (y == NULL)
		abort();
	yajl_config(y, yajl_allow_multiple_values, 1);
	if (yajl_parse(y, (const unsigned char *)p, n) != yajl_status_ok ||
	    yajl_complete_parse(y) != yajl_status_ok)
		abort();
	yajl_free(y);
}

#endif
