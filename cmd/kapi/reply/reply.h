/*
 * reply: how a request is answered, once, in the form that its Accept header
 * asked for (request_negotiate): JSON, YAML, a Table.
 */
#ifndef REPLY_H
#define REPLY_H

#include "base/span.h"
#include "base/text.h"
#include "httpd/httpd.h"
#include "tree/tree.h"
#include "request/request.h"
#include "type/problem.h"

/* Headers of every answer: audit-id, cache-control, warnings, and those for
 * the web page that asks; a stream puts
 * them before its own. Returns the count; headers has room for
 * REPLY_HEADERS_MAX. */
enum { REPLY_HEADERS_MAX = 33 };
size_t reply_headers(
    struct request *r, struct httpd_header *headers, const char *content_type);

/* Answers; each ends the request and writes the journal. */
void reply_object(struct request *r, int code, struct node *object);
void reply_json(struct request *r, int code, struct span json);
/* Like reply_json, with the whole answer in t (referenced, not copied). */
void reply_text(struct request *r, int code, struct text *t);
/* Other media types: openapi, metrics. */
void reply_typed(
    struct request *r, int code, const char *content_type, struct span body);
/* With headers of its own, which replace the usual ones of their names;
 * content_type NULL: none; text NULL: no body. */
void reply_with(struct request *r, int code, const char *content_type,
    const struct httpd_header *extra, size_t count, struct text *text);
void reply_problem(struct request *r, const struct problem *p);
/* The event of a watch that ends with the problem. */
struct text *reply_error_event(struct request *r, const struct problem *p);
/* A stored object, in the form that was asked for; its text is shared where
 * that is possible. */
struct stored;
void reply_stored(struct request *r, int code, const struct stored *o);
/* 404 page not found, in plain text: unknown paths. */
void reply_plain(struct request *r, int code, const char *text);

/* Answers to /kapi/...: lines with 200, or an error. No fault changes them, and
 * they are not in the journal. */
void reply_aside(struct request *r, struct span lines);
void reply_aside_error(
    struct request *r, int code, const char *reason, const char *message);

/*
 * Calls then(arg) in ms milliseconds, from the loop: a fault delays a request,
 * or its namespace may be created at the same time. The caller touches r no
 * more until then. If the client has gone meanwhile, then is never called: the
 * request is written down without a code, and freed.
 */
void reply_later(struct request *r, uint64_t ms, loop_fn *then, void *arg);

#endif
