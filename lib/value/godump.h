/*
 * godump: values as Go prints them (%#v), as messages of the API server have
 * them: `core.PodTemplateSpec{ObjectMeta:v1.ObjectMeta{Name:"", ...}}`, some
 * hundred bytes before the cause of a refusal. Kubernetes 1.36 prints many of
 * them as JSON: `Invalid value: {"labels":...}`.
 */
#ifndef GODUMP_H
#define GODUMP_H

#include "base/buf.h"
#include "base/span.h"

/* Appends the text; of each such value only `core.PodTemplateSpec{...}`, and of
 * JSON that is long `{...}`. */
void godump_shorten(struct buf *b, struct span text);

#endif
