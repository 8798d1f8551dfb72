/*
 * reason: why a line is printed: reconcile.because.
 *
 *	{"events": [...], "moreEvents": 2,
 *	 "items": {KEY: {"differs": [{"path": ".spec.replicas",
 *	     "observed": "5", "wanted": "3"}], "moreDiffers": 1,
 *	     "version": "17"}}}
 *
 * events: what was observed since the last evaluation (trigger.h); left out
 * at the start. items: the fields in which the member that was observed differs,
 * and their values as JSON, cut; not those of Secrets, ConfigMaps, kinds with
 * hidden fields (`redact:`) and items with a Secret in them, as in a template,
 * and no texts if the entry watches Secrets or such
 * kinds: its program may have copied one into any object, and an old value is
 * found nowhere any more. `version` is the
 * resourceVersion that was observed. If the member had agreed before, it is a
 * repair: "repair": true instead. {"gone": true} of a member that is not there
 * any more. A new item has none.
 */
#ifndef REASON_H
#define REASON_H

#include <stdbool.h>

#include "base/buf.h"
#include "decide/decide.h"
#include "state/primary.h"

/* Appends the member, if there is any reason. */
void reason_add(
    struct buf *b, const struct primary *p, const struct decision *d);

/* The list of the fields of one item that differ: [{"path": ..., ...}, ... */
struct reason_list {
	const struct primary *primary;
	bool hide; /* values */
	struct buf text;
	size_t count; /* the text has the first eight */
};

void reason_list_init(struct reason_list *l, const struct primary *p,
    const struct desired_item *i);
/* Values that nobody may see are left out. */
void reason_list_add(struct reason_list *l, struct span path,
    struct span observed, struct span wanted);

/* Whether values of this item are never told. */
bool reason_is_confidential(const struct desired_item *i);

/* Whether the entry watches Secrets, or kinds with fields that `redact:` names:
 * its program may have copied a text of one into any object. */
bool reason_sees_secrets(const struct entry *e);
/* Empties values (JSON) with a text in them, if p's entry watches Secrets. */
void reason_hide_texts(const struct primary *p, struct buf *values);

#endif
