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
 *
 * A request that waits for POST /kapi/continue has another line before that,
 * which begins with its number as "paused".
 *
 * With JOURNAL_CHANGES each change of an object is a line, too, in the order
 * of resource versions, and before the line of the request that made it:
 *
 *	change number userAgent time object
 *
 * change is ADDED, MODIFIED or DELETED, object the whole (DELETED: its last
 * state), with the values of Secrets redacted. number and userAgent are those
 * of the request; kapi itself has none.
 */
#ifndef JOURNAL_H
#define JOURNAL_H

#include "base/err.h"
#include "base/span.h"

struct journal;
struct request;
struct store;

enum journal_lines { JOURNAL_REQUESTS, JOURNAL_CHANGES };

/* Appends to file. That may be a pipe, which must be read all the time: a full
 * one stops the server. NULL with err. */
struct journal *journal_open(
    const char *file, enum journal_lines lines, struct err *err);
void journal_free(struct journal *j);

/* Writes a line; does nothing if j is NULL. reason: that of the Status, or
 * none. resourceVersion and changed come from r. If the journal cannot be
 * written, that is logged once. */
void journal_write(
    struct journal *j, struct request *r, int code, struct span reason);
/* The line of a request that waits from now on; code 0: nothing was done. */
void journal_pause(struct journal *j, struct request *r, int code);
/* With JOURNAL_CHANGES, changes in this store, instead of the former one, are
 * written from now on; NULL: none are. The store goes after this was called. */
void journal_follow(struct journal *j, struct store *s);

#endif
