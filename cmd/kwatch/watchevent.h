/*
 * watchevent: from a frame of a watch, or an item of a list, to the entry of the
 * sink: the object as it goes out (projected, without managedFields, redacted),
 * and who made this version.
 *
 * Here names are decoded (json_frame_names): two servers of one cluster may
 * spell one name differently.
 */
#ifndef WATCHEVENT_H
#define WATCHEVENT_H

#include "json/json.h"
#include "watch.h"

/* The object exists in this version. One that is too long for a line is told of
 * by its sketch (record/sketch.h), with a mark, and logged. length: of what
 * came, if the frame is its sketch; else 0. */
void watchevent_put(
    struct watch *w, const struct json_frame *frame, uint64_t length);
/* The object was deleted; its last state is told, if that is not too long. */
void watchevent_drop(
    struct watch *w, const struct json_frame *frame, uint64_t length);

#endif
