/*
 * path: the paths, queries and media types of a watch's requests.
 */
#ifndef PATH_H
#define PATH_H

#include "base/buf.h"
#include "base/span.h"
#include "kind.h"
#include "pages.h"

/* version SPAN_NONE: a watch-list, which sends the initial state first. */
void path_watch(struct buf *path, const struct kind *k, const char *ns,
    struct span version, long seconds);
/* The next page of l. */
void path_list(struct buf *path, const struct kind *k, const char *ns,
    const struct pages *l);
/* One object at most, in a state that is not older than version. */
void path_not_older(struct buf *path, const struct kind *k, const char *ns,
    struct span version);

/* The Accept header; NULL: the usual one. */
const char *path_accept_watch(const struct kind *k);
const char *path_accept_list(const struct kind *k);

/* The duration of the next watch: 300 to 600 s at random, as in client-go, so
 * that not all end together. */
long path_watch_seconds(void);

#endif
