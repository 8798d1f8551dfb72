/*
 * snapshot: reads and writes all objects as lines: --load and --save. The lines
 * are those of kwatch (doc/protocol.md).
 */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "type/api.h"

struct snapshot;

/*
 * Reads the whole file ("-": stdin), or the lines (borrowed; name is for
 * errors): event lines (ADDED and MODIFIED put an object, DELETED takes it
 * away, a BOOKMARK says which versions were used, ERROR says nothing), bare
 * objects and Lists. NULL with err: ERR_PERMANENT, "FILE:LINE: ...";
 * ERR_TRANSIENT if the file cannot be read.
 */
struct snapshot *snapshot_read(const char *path, struct err *err);
struct snapshot *snapshot_parse(
    struct span lines, const char *name, struct err *err);
void snapshot_free(struct snapshot *s); /* NULL is fine */

/*
 * Puts all objects into an empty store, with a gc and namespaces in place and
 * before requests are served; once. CustomResourceDefinitions come first,
 * whatever their place. Objects keep uid, creationTimestamp, generation,
 * status, deletion state and managedFields; they are written in the order of
 * their resource versions, the rest gets new ones. -1: "FILE:LINE: ...", with
 * the object's name; some objects may be there then.
 */
int snapshot_put(struct snapshot *s, struct api *api, struct err *err);

/*
 * Writes every object as an ADDED line that snapshot_read reads, sorted by
 * collection and key, CustomResourceDefinitions first, and a BOOKMARK with the
 * last version at the end: into PATH.tmp, which
 * then takes the place of path. "-" is stdout.
 */
int snapshot_save(struct api *api, const char *path, struct err *err);
/* Appends these lines to b. */
void snapshot_add(struct api *api, struct buf *b);

#endif
