/*
 * snapshot: reads and writes all objects as lines: --load and --save. The lines
 * are those of kwatch (doc/protocol.md).
 */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "base/err.h"
#include "type/api.h"

/*
 * Reads the whole file ("-": stdin): event lines (ADDED and MODIFIED put an
 * object, DELETED takes it away, a BOOKMARK says which versions were used,
 * ERROR says nothing), bare
 * objects and Lists. CustomResourceDefinitions come first, whatever their
 * place. Objects keep uid, creationTimestamp, generation, status, deletion
 * state and managedFields; they are written in the order of their resource
 * versions, the rest gets new ones. Call it once, before requests are served,
 * with a gc and namespaces in place. Errors: ERR_PERMANENT, "FILE:LINE: ...",
 * with the object's name; ERR_TRANSIENT if the file cannot be read.
 */
int snapshot_load(struct api *api, const char *path, struct err *err);

/*
 * Writes every object as an ADDED line that snapshot_load reads, sorted by
 * collection and key, CustomResourceDefinitions first, and a BOOKMARK with the
 * last version at the end: into PATH.tmp, which
 * then takes the place of path. "-" is stdout.
 */
int snapshot_save(struct api *api, const char *path, struct err *err);

#endif
