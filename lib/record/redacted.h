/*
 * redacted: the text that stands for a value which redact.h took out:
 * "redacted-" and 30 hex digits. The first digits are of the key, and tell
 * which digests compare: under one key, equal values have equal digests. In
 * the data of a Secret the digest is in base64, as every value is there.
 */
#ifndef REDACTED_H
#define REDACTED_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

/* kubectl's annotation that repeats the object: redacted as a whole. */
#define REDACTED_LAST_APPLIED "kubectl.kubernetes.io/last-applied-configuration"

enum { REDACTED_SIZE = 39 };
/* The name of a digest in messages. */
#define REDACTED_DIGEST "a digest in the place of a hidden value"

/* Appends a digest; name and value: hex digits of the key and of the value, at
 * least 6 and 24. */
void redacted_add(struct buf *b, struct span name, struct span value);
/* The first one in a text that does not escape it; SPAN_NONE: none. */
struct span redacted_find(struct span text);
/* Whether a text, of JSON or not, has one in any form (redacted_search). */
bool redacted_in(struct span text);
/* The one that the text is, also in base64 (then in scratch). SPAN_NONE: it is
 * another text. */
struct span redacted_of(struct span text, struct buf *scratch);
/* Whether two of them are under one key. */
bool redacted_compare(struct span a, struct span b);

/*
 * Looks for something in a text, in any form that a program gives it without
 * losing it: as it is, in base64 (also that of URLs) wherever that begins and
 * however its lines are broken, in JSON within a string, and three of these in
 * one another.
 *
 * has: whether a text has it, as it is; size: bytes that it has at least, 3 or
 * more.
 */
typedef bool redacted_has(struct span text, const void *what);
bool redacted_search(
    struct span text, size_t size, redacted_has *has, const void *what);

#endif
