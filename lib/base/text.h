/*
 * text: bytes that never change, with a count of references: the store, its
 * history and a thousand watchers share an object's JSON.
 */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>

#include "base/span.h"

struct text {
	size_t refs;
	size_t n;
	char p[]; /* n bytes and a NUL */
};

struct text *text_make(struct span bytes); /* copies; one reference */
struct text *text_ref(struct text *t);	   /* returns t; NULL gives NULL */
void text_unref(struct text *t); /* the last one frees; NULL is fine */
static inline struct span
text_span(const struct text *t)
{
	return t == NULL ? SPAN_NONE : span_make(t->p, t->n);
}

#endif
