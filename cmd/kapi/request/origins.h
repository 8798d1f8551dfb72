/*
 * origins: requests that web pages send. Two matters:
 *
 * - A kapi that asks for no credential takes every client for the
 *   administrator, because only this machine reaches it. Each page that a
 *   browser shows is such a client as well, so requests of pages that are not of
 *   this machine are refused (local.h says which).
 * - Pages that --cors-allowed-origins names may send requests and read the
 *   answers, as kube-apiserver does it. Source: WithCORS of
 *   apiserver/pkg/server/filters/cors.go, and its check of the option in
 *   apiserver/pkg/server/options/server_run_options.go.
 */
#ifndef ORIGINS_H
#define ORIGINS_H

#include "base/err.h"
#include "process/opt.h"
#include "request/request.h"

struct origins;

/* --cors-allowed-origins. */
extern const struct opt origins_opt_table[];

/* NULL with err: a bad value of the option. */
struct origins *origins_new(struct err *err);
void origins_free(struct origins *o);

/* NULL, or why a request is refused. Call it before anything is done. */
struct problem *origins_check(struct request *r);
/* A browser asks what a page may send: the answer is the headers alone. */
bool origins_is_preflight(const struct request *r);
/* Headers that let a page read the answer, if the option names it: 0 or
 * ORIGINS_HEADERS of them. */
enum { ORIGINS_HEADERS = 5 };
size_t origins_headers(const struct request *r, struct httpd_header *headers);

#endif
