/*
 * outgoing: an object as it goes out: without managedFields, projected, with
 * digests in place of what is secret, and cut to its identity if it is too long
 * for a line.
 */
#ifndef OUTGOING_H
#define OUTGOING_H

#include "base/buf.h"
#include "json/json.h"
#include "kind.h"

/* Appends it. */
void outgoing_body(
    const struct kind *k, const struct json_frame *f, struct buf *out);
/* The body of a whole object is too long: it becomes that of its sketch, or
 * empty, if its metadata alone is too long. */
void outgoing_shorten(
    const struct kind *k, const struct json_frame *f, struct buf *body);
void outgoing_say_long(const struct kind *k, const struct json_frame *f,
    uint64_t length, const char *what);

#endif
