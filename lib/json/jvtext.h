/*
 * jvtext: libjq's values as text, and back; their keys and members.
 *
 * libjq keeps numbers as doubles, prints integers from 1e17 on as 1e+17
 * (which Go's integer fields refuse), prints infinity as a number, and prints
 * trees deeper than 256 levels as text that is not JSON. So values for the
 * cluster are printed here, and a value that would change on the way is an
 * error.
 *
 * As everywhere around libjq: a function consumes its jv arguments and
 * returns owned ones; an argument named ..._peek is only borrowed.
 */
#ifndef JVTEXT_H
#define JVTEXT_H

#include <stdint.h>
#include <jv.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "json/stream.h"

enum {
	JVTEXT_DEPTH_MAX = 256,
	JVTEXT_BYTES_MAX = STREAM_MAX /* longest text */
};

/* The largest integer that no other integer is rounded to: 2^53 - 1. */
#define JVTEXT_INT_MAX INT64_C(9007199254740991)

/*
 * The one value in text, owned; jv_invalid() with err set if it is not JSON
 * or deeper than JVTEXT_DEPTH_MAX. The message holds nothing of the text.
 * libjq is lenient (01, NaN, invalid UTF-8): json_check() comes first for
 * text from strangers. Integers beyond 2^53 lose digits.
 */
jv jvtext_parse(struct span text, struct err *err);

/*
 * Appends value as compact JSON with its keys in byte order. -1 with err (and
 * b as it was) if it is deeper than JVTEXT_DEPTH_MAX or longer than
 * JVTEXT_BYTES_MAX (small values that share their parts can print as huge
 * text), or holds a number that is not finite or an integer beyond
 * JVTEXT_INT_MAX, which would lose digits. err names the path, never a value.
 */
int jvtext_add(struct buf *b, jv value_peek, struct err *err);
/* The order of keys: that of their bytes, or that of libjq. */
enum jvtext_order { JVTEXT_SORTED, JVTEXT_KEPT };
int jvtext_add_ordered(
    struct buf *b, jv value_peek, enum jvtext_order order, struct err *err);

/* Appends a path step: ".key", "[\"odd key\"]" or "[3]"; also for messages. */
void jvtext_add_key(struct buf *b, struct span key);
void jvtext_add_index(struct buf *b, int index);

/* Member or element, borrowed: valid while the container is. jv_invalid()
 * if there is none or value is not an object. */
jv jvtext_peek(jv object_peek, const char *key);
/* A string's text, borrowed; SPAN_NONE if value is not a string. */
struct span jvtext_span(jv string_peek);

/*
 * jv_string_sized() of text, owned, for short texts that come again and again,
 * as keys of objects do. A new string is allocated, checked for UTF-8 and
 * hashed; one that is kept here saves that. The number of kept strings is
 * bounded, and a text that replaces another one costs no more than a new
 * string.
 */
jv jvtext_key(struct span text);

/*
 * The members of an object, for code that writes it:
 *
 *	struct jvtext_members m;
 *	jvtext_members_init(&m, object, JVTEXT_SORTED);
 *	for (size_t i = 0; i < m.count; i++)
 *		... m.items[i].key, m.items[i].value
 *	jvtext_members_release(&m);
 */
enum { JVTEXT_FEW = 16 };
struct jvtext_member {
	struct span key; /* text of name */
	jv name, value;
};
struct jvtext_members {
	struct jvtext_member *items; /* few, or allocated */
	size_t count;
	struct jvtext_member few[JVTEXT_FEW];
};
void jvtext_members_init(
    struct jvtext_members *m, jv object_peek, enum jvtext_order order);
void jvtext_members_release(struct jvtext_members *m);

/* "a number", "an array": the sort of a value, for messages. */
const char *jvtext_sort(jv value_peek);

/*
 * Whether the value is small enough to be printed. It looks at no more values
 * than fit in JVTEXT_BYTES_MAX, so it is quick even if many parts are shared.
 */
enum jvtext_size { JVTEXT_FITS, JVTEXT_DEEP, JVTEXT_LONG };
enum jvtext_size jvtext_measure(jv value_peek);

#endif
