/*
 * sinkline: the lines that the sink prints (doc/protocol.md, "Event lines").
 */
#ifndef SINKLINE_H
#define SINKLINE_H

#include "base/buf.h"
#include "base/span.h"
#include "value/objref.h"

/* SINK_OBJECTS: the objects of ADDED and MODIFIED, and no other line. */
enum sink_form { SINK_PLAIN, SINK_TIMESTAMPS, SINK_OBJECTS };

/*
 * All append a line with its newline. names: who made this version, as it stands
 * between quotes; or empty. length: of the object, if body is only its identity;
 * else 0. SINK_OBJECTS has no line of that: it would be taken for the object.
 */
void sinkline_add(struct buf *b, enum sink_form form, const char *type,
    struct span body, struct span names, uint64_t length);
/* A DELETED that is made up. */
void sinkline_add_gone(
    struct buf *b, enum sink_form form, const struct objref *gone);
void sinkline_add_bookmark(struct buf *b, enum sink_form form,
    const char *annotation, struct span value, const char *api_version,
    const char *kind);

#endif
