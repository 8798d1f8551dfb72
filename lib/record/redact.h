/*
 * redact: takes secrets out of objects that are written to a recording.
 *
 * Values become keyed digests (record/redacted.h), of the HMAC-SHA-256 under a key:
 * that of a recording, or one that lives as long as the process. Equal values
 * stay equal under one key, and tell nothing else. In the data of a Secret the
 * digest is of the decoded value, and in base64: a program that decodes, copies
 * or writes it as stringData has the same one. It replaces data and stringData
 * of Secrets, the annotation kubectl.kubernetes.io/last-applied-configuration of
 * every object, and the paths given (dotted, "[]" for elements; below a path
 * every scalar). Of an object with such values it also replaces annotations that
 * are one of them, have one of 8 bytes or more (redacted.h), or are the
 * manifest of an object: JSON with data, stringData, spec or kind, or gzip in
 * base64. Those of kpipe.dev stay.
 *
 * An object at any depth of another one is a Secret, too, if its kind says so: in
 * a template, a list, a status. A text that has the manifest of a Secret (a kind
 * and data, in JSON or YAML) is a digest as a whole. What is a digest stays.
 */
#ifndef REDACT_H
#define REDACT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

struct redact;

enum { REDACT_PATHS_MAX = 64 }; /* paths of a kind */
enum { REDACT_KEY_SIZE = 32 };

struct redact *redact_new(struct err *err); /* NULL: no random numbers */
/* Makes digests by the key, which is copied. */
struct redact *redact_new_keyed(const unsigned char key[REDACT_KEY_SIZE]);
void redact_free(struct redact *r);
/* Appends 16 hex digits that tell keys apart, and nothing of the key. */
void redact_add_name(const struct redact *r, struct buf *b);
/* Whether anything in text (JSON, or another one) may be a Secret: its kind is
 * named, as JSON and YAML do it. Escapes that JSON does not need were replaced
 * before (json_plain). */
bool redact_has_secret(struct span text);
/* Appends the object (valid JSON) without the secrets. paths: NULL-terminated
 * or NULL. group and kind are those of the object. */
void redact_object(const struct redact *r, struct span group, struct span kind,
    const char *const *paths, struct span object, struct buf *out);

#endif
