/*
 * pretty: indents JSON for people, as Go's MarshalIndent does with two blanks.
 * There is no line end behind the last line.
 */
#ifndef PRETTY_H
#define PRETTY_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"
#include "request/request.h"

/* Appends to b; json is compact or not, and valid. */
void pretty_json(struct buf *b, struct span json);
/* ?pretty=, else whether the User-Agent is curl, Wget or a browser. */
bool pretty_is_wanted(const struct request *r);

#endif
