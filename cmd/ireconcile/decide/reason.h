/*
 * reason: writes why a line is printed, as its member reconcile.because.
 *
 *	{"events": [...], "moreEvents": 2,
 *	 "items": {KEY: {"differs": [{"path": ".spec.replicas",
 *	     "observed": "5", "wanted": "3"}], "moreDiffers": 1,
 *	     "version": "17"}}}
 *
 * events: the events since the last evaluation (trigger.h); left out at the
 * start.
 *
 * items: the fields in which the observed member differs, and their values as
 * JSON, cut. Left out are the values of Secrets, ConfigMaps, kinds with hidden
 * fields (`redact:`) and items with a Secret in them, as in a template. If the
 * entry watches Secrets or such kinds, all texts are left out: its program may
 * have copied a secret into any object, and an old value cannot be recognised.
 * `version` is the resourceVersion that was observed. An item that agreed
 * before is a repair, and has "repair": true. A member that does not exist any
 * more has {"gone": true}. A new item is not listed.
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
/* Secret values are left out. */
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
