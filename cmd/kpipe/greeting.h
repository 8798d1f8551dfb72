/*
 * greeting: the first lines of the log, for each primary kind:
 *
 *	VERSION (COMMIT) runs memcached for Memcached.cache.example.com in
 *	namespace default; dependents Deployment.apps, Pod; filters ./weather
 */
#ifndef GREETING_H
#define GREETING_H

#include "base/buf.h"
#include "conf/watches.h"

/* name: of the operator; instance: of entries that name none, or NULL. */
void greeting_add(struct buf *b, const struct watches *w, const char *name,
    const char *instance);
/* Logs the lines, and cuts text apart for that. NULL: none. */
void greeting_log(char *text);

#endif
