/*
 * trees: of JSON in tests, in one arena: read, written, and the lines of a
 * recording.
 */
#ifndef TREES_H
#define TREES_H

#include <stdlib.h>

#include "base/arena.h"
#include "tree/tree.h"
#include "process/file.h"
#include "tap.h"

static struct arena arena;

/* A test whose JSON is bad ends. */
static struct node *
parse_span(struct span text)
{
	struct err err = ERR_INIT;
	struct node *n = tree_parse(&arena, text, TREE_LIMITS, NULL, &err);

	if (n == NULL) {
		printf("Bail out! %s: %.*s\n", err.message, SPAN_ARG(text));
		exit(1);
	}
	return n;
}

__attribute__((unused)) static struct node *
parse(const char *text)
{
	return parse_span(span_str(text));
}

/* Members in order; NULL: no node. */
__attribute__((unused)) static const char *
written(const struct node *n)
{
	struct buf b = BUF_INIT;
	const char *text;

	if (n == NULL)
		return NULL;
	tree_write_sorted(&b, n);
	text = arena_str(&arena, buf_span(&b));
	buf_release(&b);
	return text;
}

__attribute__((unused)) static int
span_order(const void *x, const void *y)
{
	return span_cmp(*(const struct span *)x, *(const struct span *)y);
}

typedef void line_fn(void *arg, struct node *line);

/* Returns their number; the arena is reset behind each. */
__attribute__((unused)) static int
each_line(const char *file, line_fn *fn, void *arg)
{
	struct buf text = BUF_INIT;
	struct err err = ERR_INIT;
	struct span rest;
	int count = 0;

	if (file_read(file, 64, &text, &err) != 0)
		ok(false, err.message);
	for (rest = buf_span(&text); rest.n > 0; count++) {
		fn(arg, parse_span(span_cut(&rest, '\n')));
		arena_reset(&arena);
	}
	buf_release(&text);
	return count;
}

#endif
