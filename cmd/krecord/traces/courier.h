/*
 * courier: posts bodies to a server (OTLP/HTTP in JSON), one after the other.
 *
 * A body that meets no answer, or 429, 502, 503 or 504, is sent again, after a
 * second doubling to 30 s, or the server's Retry-After, of COURIER_AFTER_MS at
 * most; any other answer than 2xx is an error, and the body is left out (the
 * OTLP specification, "OTLP/HTTP Response"). Bodies wait in at most
 * COURIER_MOST bytes: then the oldest is left out. A failure is logged once;
 * when the server works again, the number of traces left out is logged.
 */
#ifndef COURIER_H
#define COURIER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "http/http.h"
#include "kube/retry.h"
#include "process/loop.h"

enum {
	COURIER_MOST = 8 * 1024 * 1024,
	COURIER_MUCH = COURIER_MOST / 2,
	COURIER_ANSWER_MS = 30000,
	COURIER_AFTER_MS = 300000
};

struct parcel;
struct courier {
	struct loop *loop; /* borrowed */
	struct http *http;
	char *url;
	struct parcel *first, **end; /* the first is under way, or waits */
	size_t bytes;		     /* waiting, or under way */
	struct http_call *call;	     /* or NULL */
	struct kube_backoff backoff;
	struct timer timer;
	bool fails, overflows;	     /* logged once */
	bool partly;		     /* logged once: only a part was taken */
	uint64_t sent, dropped;	     /* units (traces) */
	uint64_t told;		     /* dropped ones that the log mentions */
	void (*on_empty)(void *arg); /* or NULL */
	void *arg;
};

/* endpoint: http://HOST:PORT, to which /v1/traces is added. -1 with err: it is
 * another text. */
int courier_init(
    struct courier *c, struct loop *l, const char *endpoint, struct err *err);
/* Takes the body, and leaves it empty. units: how many traces are in it. */
void courier_send(struct courier *c, struct buf *body, size_t units);
bool courier_is_empty(const struct courier *c);
/* COURIER_MUCH waits for a server that works: the caller should wait for
 * on_empty, too. */
bool courier_is_busy(const struct courier *c);
/* Bodies that were not sent are lost, and counted. */
void courier_release(struct courier *c);

#endif
