/*
 * operator: the names that an operator has where its options give none, and the
 * first lines of its log.
 */
#ifndef OPERATOR_H
#define OPERATOR_H

#include "base/buf.h"
#include "base/err.h"
#include "conf/watches.h"

/* Borrowed: OPERATOR_NAME, or the name of the first entry. */
const char *operator_name(const struct watches *w);
/* The name of the lease. Results from here on are owned. */
char *operator_lease(const struct watches *w);
/* The Secret with the key of marks; NULL: there is no such Secret. */
char *operator_secret(const struct watches *w);
/* The field manager of Events about our pod. */
char *operator_field_manager(const struct watches *w);

/* The name of this instance of the operator, if the file does not say it: by
 * its installation. Owned, or NULL: it has no name. -1 with err: a name that
 * cannot be one. */
int operator_instance(char **name, struct err *err);

/*
 * Appends the first lines of the log, for each primary kind:
 *
 *	VERSION (COMMIT) runs memcached for Memcached.cache.example.com in
 *	namespace default; dependents Deployment.apps, Pod; filters ./weather
 *
 * name: of the operator; instance: of entries that name none, or NULL.
 */
void operator_describe(struct buf *b, const struct watches *w, const char *name,
    const char *instance);

#endif
