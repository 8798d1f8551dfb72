/*
 * pages: one paged LIST: the query of its next page, and what a page holds.
 * All pages have the resourceVersion of the first; if its continue token
 * expires the list begins again, then without pages (as client-go does). So it
 * does if a server gives the token again that it was given, or empty pages
 * without end: it would be followed for ever.
 */
#ifndef PAGES_H
#define PAGES_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"
#include "json/json.h"

struct list {
	struct buf token; /* of the next page; empty: the first */
	struct buf version;
	bool unpaged;
	unsigned limit;	 /* objects a page; 0: the usual */
	unsigned empty;	 /* pages in a row */
	const char *bad; /* after LIST_BAD: what is wrong */
};

enum list_result { LIST_BAD, LIST_MORE, LIST_WHOLE };

void list_query(const struct list *l, struct buf *path);
bool list_at_start(const struct list *l);
/* Calls fn for each item of a page. */
enum list_result list_page(struct list *l, struct span body,
    void (*fn)(void *arg, const struct json_frame *item), void *arg);
struct span list_version(const struct list *l);
void list_expired(struct list *l);
/* A page was larger than an answer may be. false: no smaller one is left. */
bool list_smaller(struct list *l);
void list_reset(struct list *l); /* to the first page */
void list_release(struct list *l);

#endif
