/*
 * recordref: which object a value of a recording is about: an object, or a
 * reference that has its names beside its kind.
 */
#ifndef RECORDREF_H
#define RECORDREF_H

#include "base/arena.h"
#include "base/span.h"
#include "value/objref.h"

/* Namespace, name and uid decoded, in names if need be (json_name); the rest
 * raw, as it stands between the quotes. */
struct objref recordref_of(struct span value, struct arena *names);

/* A version or time, raw: what stands between the quotes, or a number as
 * it is written. */
struct span recordref_text(struct span value);

#endif
