/*
 * lastwriter: who wrote an object last: --managers.
 *
 * It is the manager of the newest entry of metadata.managedFields. Their times
 * are seconds: several within one second are all named, "a or b".
 */
#ifndef LASTWRITER_H
#define LASTWRITER_H

#include "base/buf.h"
#include "base/span.h"

/* Appends `,"manager":NAME`, if there is one. managed_fields:
 * `"managedFields":[...]` as json_frame cuts it. */
void lastwriter_add(struct buf *b, struct span managed_fields);

#endif
