/*
 * pages: one paged LIST: the query of its next page, and the content of a page.
 * All pages have the resourceVersion of the first; if its continue token
 * expires the list begins again, then without pages (as client-go does). It
 * also begins again if a server repeats a token, or gives empty pages without
 * end, which would never end.
 */
#ifndef PAGES_H
#define PAGES_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"
#include "json/json.h"

struct pages {
	struct buf token;   /* token of the next page; empty: the first */
	struct buf version; /* after LIST_WHOLE: the version of all pages */
	bool unpaged;
	unsigned limit;	 /* objects a page; 0: the usual */
	unsigned empty;	 /* pages in a row */
	const char *bad; /* after LIST_BAD: what is wrong */
};

enum pages_result { LIST_BAD, LIST_MORE, LIST_WHOLE };

void pages_query(const struct pages *l, struct buf *path);
bool pages_at_start(const struct pages *l);
/* Calls fn for each item of a page. */
enum pages_result pages_page(struct pages *l, struct span body,
    void (*fn)(void *arg, const struct json_frame *item), void *arg);
void pages_expired(struct pages *l);
/* A page was larger than an answer may be: asks for smaller ones. false: they
 * are as small as possible. */
bool pages_smaller(struct pages *l);
void pages_reset(struct pages *l); /* back to the first page */
void pages_release(struct pages *l);

#endif
