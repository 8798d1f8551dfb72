/*
 * query: the parameters of a URL, one after the other.
 *
 *	struct query q = query_open(request->query);
 *	while (query_next(&q)) ... q.key, q.value ...
 *	query_close(&q);
 */
#ifndef QUERY_H
#define QUERY_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

struct query {
	struct span rest;
	struct buf key, value; /* decoded; bad escapes are kept */
};

struct query query_open(struct span query);
bool query_next(struct query *q);
void query_close(struct query *q);

/* "text", with other bytes than plain ASCII as \xNN: it goes back to the
 * sender. */
void query_quote(struct buf *b, struct span text);

#endif
