/*
 * redact: takes secrets out of objects that are written to a recording.
 *
 * Values become 32 hex digits of an HMAC-SHA-256 under a key that lives as
 * long as the process: equal values stay equal within one recording, and tell
 * nothing else. (The digits are base64 as well, so that a program that decodes
 * a Secret's data still can.) It replaces data and stringData of Secrets, the
 * annotation kubectl.kubernetes.io/last-applied-configuration of every object,
 * and the paths given (dotted, "[]" for elements; below a path every scalar).
 */
#ifndef REDACT_H
#define REDACT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

struct redact;

enum { REDACT_PATHS_MAX = 64 }; /* of one kind */

struct redact *redact_new(struct err *err); /* NULL: no random numbers */
void redact_free(struct redact *r);
/* Appends the object (valid JSON) without the secrets. paths: NULL-terminated
 * or NULL. group and kind are those of the object. */
void redact_object(const struct redact *r, struct span group, struct span kind,
    const char *const *paths, struct span object, struct buf *out);

#endif
