/*
 * hide: takes secrets out of the lines of a recording (record/redact.h), by the
 * kind of each object: Secrets, also in other objects, and the paths that
 * `redact:` names in watches.yaml. For these it looks at the items and the status
 * of a set, in a result also at the texts that say why, and at both values of a
 * difference.
 *
 * The key of the digests is DIR/digests.key: 32 random bytes, for its owner
 * alone. It stays with the directory, so that equal values have equal digests in
 * all of its segments, whichever process wrote them, and after a restart; no
 * segment has it, and no output of krecord. With the key, values that are easy
 * to guess can be found from their digests: a copy of a recording for others is
 * made of the segments, or by krecord cat.
 */
#ifndef HIDE_H
#define HIDE_H

#include "base/buf.h"
#include "base/err.h"
#include "conf/watches.h"
#include "json/json.h"
#include "record/reading.h"

struct hide;

/*
 * dir: its key is read or made, and the directory if need be; NULL, or if that
 * fails, which is logged: a key of this process. w is borrowed; NULL: no file, so
 * only Secrets. NULL with err: dir is not a directory, or no random numbers.
 */
struct hide *hide_new(
    const char *dir, const struct watches *w, struct err *err);
void hide_free(struct hide *h);
/* Appends digits that name the key. */
void hide_add_key_name(const struct hide *h, struct buf *b);

/* Whether nothing is hidden in text, whatever it is: most lines are like this,
 * and need not be taken apart. False: perhaps something is. Escapes that JSON
 * does not need were replaced before (json_plain). */
bool hide_is_needless(const struct hide *h, struct span text);

/* Appends body, which is the object of an event, or the "line" of a record line
 * of that kind. */
void hide_body(
    struct hide *h, enum reading_kind kind, struct span body, struct buf *out);

/* Appends an object whose frame is known. */
void hide_framed(struct hide *h, const struct json_frame *f, struct buf *out);

#endif
