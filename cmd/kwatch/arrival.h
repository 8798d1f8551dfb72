/*
 * arrival: an object of a watch, on its way to the delta FIFO. Objects of the
 * kind that selects namespaces go by the rooms.
 */
#ifndef ARRIVAL_H
#define ARRIVAL_H

#include <stdint.h>

#include "json/json.h"
#include "watch.h"

/* The object came, in a list or as an event. length: of what came, if the frame
 * is its sketch (record/sketch.h); else 0. */
void arrival_put(struct watch *w, const struct json_frame *f, uint64_t length);
/* Puts an object whose line had waited: behind all others. */
void arrival_put_late(struct watch *w, const struct json_frame *frame);
/* The object was deleted; its last state is told, if that is not too long. */
void arrival_delete(
    struct watch *w, const struct json_frame *frame, uint64_t length);

#endif
