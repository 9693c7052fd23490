/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_json.c - json(): one value out of a document, by its path.
 *
 *   json("{\"a\": {\"b\": [1, {\"c\": \"x\"}]}}", "a.b[1].c") is "x"
 *
 * A path is names and indices: a name ends at a dot, a bracket or the end, so
 * members whose names have those in them cannot be reached; "" is a name too.
 * Strings come without their quotes, escapes resolved; numbers, true, false
 * and null as they stand; objects and arrays as their text.  What is not
 * there, and a document that ends too early (at strsize, perhaps), give the
 * null pointer.  Of members with one name the first counts.  What is not on
 * the path is not checked.
 *
 * The document is in W, the path in V.  An automaton takes the document byte
 * by byte, once.  It never has to go back up: where the path enters an object
 * or an array, the value is in there or nowhere.  So it knows one container,
 * the last one that the path has entered, and of what it passes over in there
 * it only counts the brackets.  Strings are resolved in place, for they never
 * get longer.
 */
#include "rt/rt_impl.h"

enum json_state {
	JSON_VALUE, /* a value that is on the path begins here */
	JSON_NAME,  /* the name of a member, or the end of the object */
	JSON_COLON, /* of the member that the path names */
	JSON_PASS,  /* over a value that is not wanted, to the next one */
	JSON_TREE,  /* in the object or array that is wanted */
	JSON_WORD,  /* in the number that is wanted, or in true */
	JSON_STR,   /* in the string that is wanted, or in a name */
	JSON_FOUND,
	JSON_NONE
};

/* Where in a string. */
enum json_in { JSON_IN_NONE, JSON_IN_STR, JSON_IN_ESCAPE, JSON_IN_CODE };

struct json {
	uint32_t state;      /* enum json_state */
	uint32_t in;         /* enum json_in; in PASS and TREE, too */
	uint32_t path;       /* where in V the part of the path begins */
	uint32_t last;       /* there is none any more: the value is wanted */
	uint32_t at;         /* how far a name agrees with the part, in V */
	uint32_t differ;     /* and then it does not */
	uint32_t naming;     /* the string is a name, not the value */
	uint32_t array;      /* the container is an array */
	uint32_t skip;       /* elements before the one that is wanted */
	uint32_t deep;       /* brackets open in what is passed over or taken */
	uint32_t start, end; /* of the value in W */
	uint32_t code, digits; /* of \u1234: digits that are missing */
	uint32_t high;         /* the first half of a surrogate pair, or 0 */
};
_Static_assert(sizeof(struct json) <= sizeof(((struct rt *)0)->tmp),
	       "the automaton's state lies in rt->tmp");
#define JSON(rt) ((struct json *)(void *)(rt)->tmp)

#define REPLACEMENT 0xfffdu /* for what is no character */

uint64_t rt_json_index(struct rt *rt, uint64_t from);
uint64_t rt_json_char(struct rt *rt, uint64_t code);
uint64_t rt_json_step(struct rt *rt, uint64_t pos);
uint64_t rt_window_json(struct rt *rt, uint64_t from);

/* ---- the path ------------------------------------------------------------ */

/* True if a name in the path ends with this byte of V. */
RT_INLINE int
json_ends_part(uint64_t c)
{
	return c == 0 || c == '.' || c == '[';
}

/* A part ends before `end`: to the next one. */
RT_INLINE void
json_next_part(struct rt *rt, uint64_t end)
{
	struct json *j = JSON(rt);
	uint8_t c = *RT_WORK(RT_V(rt), end);

	j->last = c == 0;
	j->path = (uint32_t)end + (c == '.');
}

/* "[123]" at `from` in V: the number, and in the upper half where in V it
   ends.  0: it is no index, or none that a document can have. */
RT_GLOBAL uint64_t
rt_json_index(struct rt *rt, uint64_t from)
{
	uint64_t i, d, n = 0;

	if (!rt)
		return 0;
	RT_FOR(i, 8, 1, 1) {
		d = (uint64_t)*RT_WORK(RT_V(rt), from + 1 + i) - '0';
		if (d > 9)
			break;
		n = n * 10 + d;
	}
	if (i == 0 || *RT_WORK(RT_V(rt), from + 1 + i) != ']' ||
	    !json_ends_part(*RT_WORK(RT_V(rt), from + 2 + i)))
		return 0;
	return (from + 2 + i) << 32 | n;
}

/* ---- strings ------------------------------------------------------------- */

/* A byte of the string: of the value, or of a name, which is compared. */
RT_INLINE void
json_put(struct rt *rt, uint64_t c)
{
	struct json *j = JSON(rt);
	uint8_t v;

	if (!j->naming) {
		*RT_WORK(RT_W(rt), j->end) = (uint8_t)c;
		j->end++;
		return;
	}
	v = *RT_WORK(RT_V(rt), j->at);
	if (json_ends_part(v) || v != c)
		j->differ = 1;
	else
		j->at++;
}

/* A character as UTF-8. */
RT_GLOBAL uint64_t
rt_json_char(struct rt *rt, uint64_t code)
{
	if (!rt)
		return 0;
	if (code < 0x80) {
		json_put(rt, code);
		return 0;
	}
	if (code >= 0x10000)
		json_put(rt, 0xf0 | code >> 18);
	else if (code >= 0x800)
		json_put(rt, 0xe0 | code >> 12);
	else
		json_put(rt, 0xc0 | code >> 6);
	if (code >= 0x10000)
		json_put(rt, 0x80 | (code >> 12 & 0x3f));
	if (code >= 0x800)
		json_put(rt, 0x80 | (code >> 6 & 0x3f));
	json_put(rt, 0x80 | (code & 0x3f));
	return 0;
}

/* What follows is no second half of a pair. */
RT_INLINE void
json_end_pair(struct rt *rt)
{
	struct json *j = JSON(rt);

	if (j->high)
		rt_json_char(rt, REPLACEMENT);
	j->high = 0;
}

RT_INLINE int
json_is_high(uint64_t code)
{
	return code >> 10 == 0xd800 >> 10;
}

RT_INLINE int
json_is_low(uint64_t code)
{
	return code >> 10 == 0xdc00 >> 10;
}

/* The number of a \u1234 is complete.  No string of D can hold a NUL. */
RT_INLINE void
json_code_unit(struct rt *rt, uint64_t code)
{
	struct json *j = JSON(rt);

	if (j->high && json_is_low(code)) {
		code = 0x10000 + (((uint64_t)j->high & 0x3ff) << 10) +
		       (code & 0x3ff);
		j->high = 0;
	}
	json_end_pair(rt);
	if (json_is_high(code))
		j->high = (uint32_t)code;
	else
		rt_json_char(rt, code == 0 || json_is_low(code) ? REPLACEMENT
								: code);
}

RT_INLINE void
json_code_digit(struct rt *rt, uint64_t c)
{
	struct json *j = JSON(rt);
	uint64_t d = rt_text_digit(c);

	if (d > 15) {
		j->state = JSON_NONE;
		return;
	}
	j->code = j->code << 4 | (uint32_t)d;
	j->digits--;
	if (j->digits)
		return;
	j->in = JSON_IN_STR;
	json_code_unit(rt, j->code);
}

/* What a letter behind a backslash stands for. */
RT_INLINE uint64_t
json_unescaped(uint64_t c)
{
	switch (c) {
	case 'b':
		return '\b';
	case 'f':
		return '\f';
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	case 't':
		return '\t';
	}
	return c;
}

RT_INLINE void
json_escape(struct rt *rt, uint64_t c)
{
	struct json *j = JSON(rt);

	if (c == 'u') {
		j->in = JSON_IN_CODE;
		j->code = 0;
		j->digits = 4;
		return;
	}
	j->in = JSON_IN_STR;
	json_end_pair(rt);
	json_put(rt, json_unescaped(c));
}

/* The closing quote. */
RT_INLINE void
json_end_string(struct rt *rt)
{
	struct json *j = JSON(rt);

	json_end_pair(rt);
	j->in = JSON_IN_NONE;
	if (!j->naming) {
		j->state = JSON_FOUND;
	} else if (j->differ || !json_ends_part(*RT_WORK(RT_V(rt), j->at))) {
		j->state = JSON_PASS;
	} else {
		json_next_part(rt, j->at);
		j->state = JSON_COLON;
	}
}

RT_INLINE void
json_in_string(struct rt *rt, uint64_t c)
{
	struct json *j = JSON(rt);

	if (j->in == JSON_IN_CODE) {
		json_code_digit(rt, c);
	} else if (j->in == JSON_IN_ESCAPE) {
		json_escape(rt, c);
	} else if (c == '"') {
		json_end_string(rt);
	} else if (c == '\\') {
		j->in = JSON_IN_ESCAPE;
	} else {
		json_end_pair(rt);
		json_put(rt, c);
	}
}

/* The opening quote, at pos. */
RT_INLINE void
json_begin_string(struct rt *rt, uint64_t pos, uint32_t naming)
{
	struct json *j = JSON(rt);

	j->state = JSON_STR;
	j->in = JSON_IN_STR;
	j->naming = naming;
	j->differ = j->high = 0;
	j->at = j->path;
	j->start = j->end = (uint32_t)pos + 1;
}

/* ---- values -------------------------------------------------------------- */

/* The value that begins with c has a part of the path in it. */
RT_INLINE void
json_enter(struct rt *rt, uint64_t c)
{
	struct json *j = JSON(rt);
	uint64_t index;

	j->state = JSON_NONE;
	j->array = *RT_WORK(RT_V(rt), j->path) == '[';
	if (!j->array) {
		if (c == '{')
			j->state = JSON_NAME;
		return;
	}
	index = rt_json_index(rt, j->path);
	if (c != '[' || index == 0)
		return;
	json_next_part(rt, index >> 32);
	j->skip = (uint32_t)index;
	j->state = j->skip ? JSON_PASS : JSON_VALUE;
}

/* The value that begins with c, at pos, is the one that is wanted. */
RT_INLINE void
json_begin(struct rt *rt, uint64_t c, uint64_t pos)
{
	struct json *j = JSON(rt);

	if (c == '"') {
		json_begin_string(rt, pos, 0);
		return;
	}
	j->start = (uint32_t)pos;
	if (c == '{' || c == '[') {
		j->state = JSON_TREE;
		j->deep = 1;
	} else {
		j->state = c == ',' || c == ']' || c == '}' ? JSON_NONE
							    : JSON_WORD;
	}
}

/* A comma or a closing bracket behind a value that was passed over. */
RT_INLINE void
json_next_value(struct rt *rt, uint64_t c)
{
	struct json *j = JSON(rt);

	if (c != ',') {
		j->state = JSON_NONE;
	} else if (!j->array) {
		j->state = JSON_NAME;
	} else {
		j->skip--;
		if (j->skip == 0)
			j->state = JSON_VALUE;
	}
}

/* In a string of something that is passed over or taken as it is. */
RT_INLINE void
json_over_string(struct rt *rt, uint64_t c)
{
	struct json *j = JSON(rt);

	if (j->in == JSON_IN_ESCAPE)
		j->in = JSON_IN_STR;
	else if (c == '\\')
		j->in = JSON_IN_ESCAPE;
	else if (c == '"')
		j->in = JSON_IN_NONE;
}

/* In PASS and TREE. */
RT_INLINE void
json_over(struct rt *rt, uint64_t c, uint64_t pos)
{
	struct json *j = JSON(rt);
	int closes = c == ']' || c == '}';

	if (j->in != JSON_IN_NONE) {
		json_over_string(rt, c);
	} else if (c == '"') {
		j->in = JSON_IN_STR;
	} else if (c == '[' || c == '{') {
		j->deep++;
	} else if (j->deep == 0) {
		if (closes || c == ',')
			json_next_value(rt, c);
	} else if (closes) {
		j->deep--;
		if (j->deep == 0 && j->state == JSON_TREE) {
			j->end = (uint32_t)pos + 1;
			j->state = JSON_FOUND;
		}
	}
}

/* ---- the automaton ------------------------------------------------------- */

RT_INLINE int
json_is_blank(uint64_t c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* In the states that know what must come next but for blanks. */
RT_INLINE void
json_expect(struct rt *rt, uint64_t c, uint64_t pos)
{
	struct json *j = JSON(rt);

	if (j->state == JSON_NAME && c == '"')
		json_begin_string(rt, pos, 1);
	else if (j->state == JSON_COLON && c == ':')
		j->state = JSON_VALUE;
	else if (j->state != JSON_VALUE)
		j->state = JSON_NONE;
	else if (j->last)
		json_begin(rt, c, pos);
	else
		json_enter(rt, c);
}

/* Take the byte of W at pos; return 1 at the end. */
RT_GLOBAL uint64_t
rt_json_step(struct rt *rt, uint64_t pos)
{
	struct json *j;
	uint8_t c;

	if (!rt)
		return 1;
	j = JSON(rt);
	c = *RT_WORK(RT_W(rt), pos);
	if (c == 0) {
		j->state = JSON_NONE;
	} else if (j->state == JSON_STR) {
		json_in_string(rt, c);
	} else if (j->state == JSON_PASS || j->state == JSON_TREE) {
		json_over(rt, c, pos);
	} else if (j->state == JSON_WORD) {
		if (json_is_blank(c) || c == ',' || c == ']' || c == '}') {
			j->end = (uint32_t)pos;
			j->state = JSON_FOUND;
		}
	} else if (!json_is_blank(c)) {
		json_expect(rt, c, pos);
	}
	return j->state >= JSON_FOUND;
}

RT_GLOBAL uint64_t
rt_window_json(struct rt *rt, uint64_t from)
{
	uint64_t i;

	if (!rt)
		return 1;
	RT_FOR(i, RT_WINDOW, 1, 1)
		if (rt_json_step(rt, from + i))
			return 1;
	return 0;
}

RT_GLOBAL uint64_t
rt_subr_json(struct rt *rt)
{
	uint64_t i, max;
	struct json *j;

	if (!rt)
		return 0;
	if (!rt_work_fetch(rt, rt->tuple[0].val) ||
	    !rt_work_fetch2(rt, rt->tuple[1].val))
		return 0;
	j = JSON(rt);
	j->state = JSON_VALUE;
	j->in = JSON_IN_NONE;
	j->path = j->last = j->deep = 0;
	max = rt_strmax(rt);
	RT_FOR(i, max, RT_WINDOW, 1)
		if (rt_window_json(rt, i))
			break;
	if (j->state != JSON_FOUND)
		return 0;
	return rt_work_keep(rt, j->start, j->end - j->start);
}
