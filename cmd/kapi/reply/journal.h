/*
 * journal: every request and its answer as one line of JSON, written when it
 * is answered (a watch: when it starts), before the answer goes out. Members
 * in this order, those that have no value left out:
 *
 *	number time user userAgent verb method path query group version
 *	resource subresource namespace name code reason decision fieldManager
 *	contentType body (or bodyBytes) resourceVersion changed fault
 *
 * decision is "forbid" if the user had not the right, as in an audit log; other
 * refusals with code 403 have none. body is the object or patch that was sent;
 * the values in data, stringData and annotations of Secrets are "(redacted)",
 * and so are all values of a JSON patch on a Secret.
 */
#ifndef JOURNAL_H
#define JOURNAL_H

#include "base/err.h"
#include "base/span.h"

struct journal;
struct request;

/* Appends to file. NULL with err. */
struct journal *journal_open(const char *file, struct err *err);
void journal_free(struct journal *j);

/* Writes a line; does nothing if j is NULL. reason: that of the Status, or
 * none. resourceVersion and changed come from r. If the journal cannot be
 * written, that is logged once. */
void journal_write(
    struct journal *j, struct request *r, int code, struct span reason);

#endif
