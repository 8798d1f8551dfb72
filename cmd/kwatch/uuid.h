/*
 * uuid: the uids of Kubernetes in half their size.
 */
#ifndef UUID_H
#define UUID_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

enum { UUID_BYTES = 16 };

/* False: uid is not a UUID in lower case; some aggregated servers have others.
 * `to` may be written then, too. */
bool uuid_parse(struct span uid, char to[UUID_BYTES]);
/* Appends the text that was parsed. */
void uuid_add(struct buf *b, const char bytes[UUID_BYTES]);

#endif
