/*
 * upset: brings about the faults for which kapi waits at a request, while time
 * stands.
 */
#ifndef UPSET_H
#define UPSET_H

#include <jv.h>

#include "mishap.h"
#include "play.h"

/* The line of a request that waits: does what its faults are, and lets it go
 * on. */
void upset_pause(struct play *p, jv line_peek);
/* A process is killed once more: [NUMBER of the instance, index of the fault]. */
void upset_kill(struct play *p, jv killed_peek);
/* A request that its client has given up is done now. */
void upset_late(struct play *p, jv request_peek);
/* Lets a request go on. */
void upset_go_on(struct play *p, jv line_peek);
/* Notes the faults of lines that have happened. */
void upset_look(struct play *p);
/* Notes that a fault took effect. */
void upset_note(struct play *p, const struct mishap *f);
/* All objects as lines. -1 with p->err. */
int upset_save(struct play *p, struct buf *into);

#endif
