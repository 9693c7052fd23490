/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * words.c - which words does a text have, and how often?
 *
 *	cc -g -O2 -fno-inline words.c -o words
 *	./words <text
 *
 * It is right, and slower than it should be: doc/tutorial.md finds out why.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUCKETS 65536

struct word {
	struct word *next;
	long count;
	char text[64];
};

static struct word *table[BUCKETS];

static int
next_char(void)
{
	unsigned char c;

	return read(0, &c, 1) == 1 ? c : EOF;
}

/* The next word into text; false at the end. */
static int
next_word(char *text, size_t size)
{
	size_t n = 0;
	int c = next_char();

	while (c == ' ' || c == '\n')
		c = next_char();
	while (c != EOF && c != ' ' && c != '\n') {
		if (n < size - 1)
			text[n++] = c;
		c = next_char();
	}
	text[n] = 0;
	return n > 0;
}

/* A number made of all letters. */
static unsigned
hash(const char *text)
{
	unsigned h = 0;

	while (*text)
		h = h + (unsigned char)*text++;
	return h;
}

static int
same(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/* The row of this word, made if it is not there. */
static struct word *
find(const char *text)
{
	unsigned h = hash(text);
	struct word **bucket = &table[h % BUCKETS];

	for (struct word *w = *bucket; w; w = w->next)
		if (same(w->text, text))
			return w;

	struct word *w = calloc(1, sizeof(*w));

	if (!w)
		abort();
	strcpy(w->text, text);
	w->next = *bucket;
	*bucket = w;
	return w;
}

int
main(void)
{
	char text[64];
	long words = 0, different = 0;

	while (next_word(text, sizeof(text))) {
		words++;
		if (find(text)->count++ == 0)
			different++;
	}
	printf("%ld words, %ld different\n", words, different);
	return 0;
}
