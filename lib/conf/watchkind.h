/*
 * watchkind: one kind of watches.yaml: the keys that entries, dependents and
 * related kinds share. Part of watches.h, and used only there.
 */
#ifndef WATCHKIND_H
#define WATCHKIND_H

#include "conf/conf.h"
#include "conf/watches.h"
#include "conf/yaml.h"

enum watchkind_role { WATCHKIND_DEPENDENT, WATCHKIND_RELATED };

void watchkind_init(struct watch_kind *k); /* k is zeroed */
void watchkind_release(struct watch_kind *k);

/* scope, selector, optional, redact; k has its group and kind. */
int watchkind_common(
    struct conf *c, const struct yaml *y, struct watch_kind *k);
/* A list; each item may be a list with commas. Added to out. */
int watchkind_namespaces(
    struct conf *c, const struct yaml *y, struct textlist *out);
/* A whole dependent or related kind of a primary. */
int watchkind_below(struct conf *c, const struct yaml *y,
    enum watchkind_role role, const struct watch_kind *primary,
    struct watch_kind *k);
/* Whether a and b have the same group and kind. */
bool watchkind_is(const struct watch_kind *a, const struct watch_kind *b);
/* The error for a kind that is listed twice. Always -1. */
int watchkind_fail_duplicate(struct conf *c, const struct watch_kind *k);

#endif
