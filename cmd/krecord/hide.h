/*
 * hide: takes secrets out of the lines of a recording (record/redact.h), by the
 * kind of each object: Secrets, also in other objects, and the paths that
 * `redact:` names in watches.yaml. For these it looks at the items and the status
 * of a set, in a result also at the texts that say why, and at both values of a
 * difference.
 */
#ifndef HIDE_H
#define HIDE_H

#include "base/buf.h"
#include "base/err.h"
#include "conf/watches.h"
#include "json/json.h"
#include "record/reading.h"
#include "record/redact.h"

struct hide;

/* redact is taken. w is borrowed; NULL: no file, so only Secrets. */
struct hide *hide_new(struct redact *redact, const struct watches *w);
void hide_free(struct hide *h);

/* Whether nothing is hidden in text, whatever it is: most lines are like this,
 * and need not be taken apart. False: perhaps something is. Escapes that JSON
 * does not need were replaced before (json_plain). */
bool hide_is_needless(const struct hide *h, struct span text);

/* Appends body, which is the object of an event, or the "line" of a record line
 * of that kind. */
void hide_body(
    struct hide *h, enum reading_kind kind, struct span body, struct buf *out);

/* The same of an object whose frame is known. Most have nothing to hide, and are
 * copied as they are. */
void hide_framed(struct hide *h, const struct json_frame *f, struct buf *out);

#endif
