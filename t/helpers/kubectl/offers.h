/*
 * offers: the kinds that the server has, asked in each call, because another
 * test's server may be at the same address. Of the two lists, /api and /apis,
 * only what is needed is read.
 */
#ifndef OFFERS_H
#define OFFERS_H

#include "kubectl/session.h"

struct offer {
	struct span group, version, plural, kind;
	bool namespaced;
	const struct node *resource;
};

/* As people type it: plural, singular, kind or short name, with .group,
 * .version.group or .version. In the session's arena; NULL: refused. */
const struct offer *offers_find(struct session *s, struct span word);
const struct offer *offers_of_object(
    struct session *s, const struct node *object);

/* Has a schema that a strategic merge patch can follow. */
bool offer_builtin(const struct offer *o);
/* Append: configmaps, deployments.apps; deployment.apps. */
void offer_add_plural(struct buf *b, const struct offer *o);
void offer_add_kind(struct buf *b, const struct offer *o);

#endif
