/*
 * http: requests over libcurl's multi interface, driven by the loop.
 *
 * One struct http is one connection pool towards one server: HTTP/2 with all
 * requests multiplexed where TLS offers it, HTTP/1.1 otherwise. Watches get a
 * pool of their own, so that a large LIST never delays a write.
 */
#ifndef HTTP_H
#define HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "loop.h"
#include "span.h"

struct http;
struct http_call;

/* Everything borrowed for the life of the pool; changing it means a new one.
 * PEM texts, not file names: they may come from data fields or plugins. */
struct http_tls {
	struct span ca_pem; /* none: the system's */
	struct span cert_pem, key_pem;
	const char *server_name; /* NULL: from the URL */
	bool insecure;
};

struct http_opts {
	const char *user_agent;
	const char *proxy; /* NULL: the usual environment variables */
	struct http_tls tls;
	size_t max_body; /* bytes kept for on_done; 0: 64 MiB */
};

struct http_request {
	const char *method;	    /* "GET" ... (a string constant) */
	const char *url;	    /* copied */
	const char *const *headers; /* "Name: value", NULL-terminated, copied */
	struct span body;	    /* copied */
	uint64_t timeout_ms;	    /* whole request; 0: none */
	uint64_t silence_ms;	    /* longest time without a byte; 0: none */
	bool fresh; /* not over a connection that exists (after a timeout) */
	/*
	 * If set, body bytes of a 2xx answer go here as they come (and not into
	 * the response); false ends the call as cancelled.
	 */
	bool (*on_data)(void *arg, struct span bytes);
	void (*on_header)(void *arg, struct span name, struct span value);
};

struct http_response {
	int status;	  /* 0: no answer, see err */
	struct span body; /* borrowed, only during on_done */
	struct span content_type;
	int64_t retry_after_s; /* -1: none */
	struct err err; /* transport error, kind set; ERR_NONE otherwise */
	bool timed_out;
};

typedef void http_done_fn(void *arg, const struct http_response *r);

struct http *http_new(struct loop *l, const struct http_opts *o);
void http_free(struct http *h); /* calls in flight end without on_done */

/* done is called exactly once, from the loop, unless cancelled before. The
 * handle is valid until then. */
struct http_call *http_start(struct http *h, const struct http_request *r,
    http_done_fn *done, void *arg);
void http_cancel(struct http_call *c);

#endif
