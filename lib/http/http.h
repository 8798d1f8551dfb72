/*
 * http: requests over libcurl's multi interface, driven by the loop.
 *
 * One struct http is one connection pool towards one server: HTTP/2 with all
 * requests multiplexed where TLS offers it, HTTP/1.1 otherwise. Watches get a
 * pool of their own, so that a large LIST never delays a write. Redirects are
 * not followed, answers are not compressed. The caller ignores SIGPIPE.
 *
 * When a connection that was used before ends without an answer, libcurl sends
 * the request again over a new one. Here only a GET is: of any other the server
 * may have done the work, and whether it is wanted again is the caller's to say.
 */
#ifndef HTTP_H
#define HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "process/loop.h"

struct http;
struct http_call;

/* PEM texts, not file names: they may come from data fields or plugins. */
struct http_tls {
	struct span ca_pem; /* absent: the system's */
	struct span cert_pem, key_pem;
	const char *server_name; /* NULL: from the URL */
	bool insecure;		 /* any certificate will do */
};

/* All copied: a change of certificates means a new pool. */
struct http_opts {
	const char *user_agent;
	const char *proxy; /* NULL: the usual environment variables */
	struct http_tls tls;
	size_t max_body; /* bytes kept for on_done; 0: 64 MiB */
	/*
	 * Finds out whether a silent server is alive. If no byte came over an
	 * HTTP/2 connection for silent_ms (0: off) while there are calls,
	 * on_silence is called and shall send a request with probe set over
	 * this pool. (libcurl sends HTTP/2 PING but looks for no answer.)
	 */
	void (*on_silence)(void *arg);
	void *arg;
	uint64_t silent_ms;
};

struct http_request {
	const char *method;	    /* "GET" ... (a string constant) */
	const char *url;	    /* copied */
	const char *const *headers; /* "Name: value", NULL-terminated, copied */
	struct span body;	    /* copied */
	uint64_t timeout_ms;	    /* whole request; 0: none */
	uint64_t silence_ms;	    /* longest time without a byte; 0: none */
	bool probe; /* if it times out, all calls of the connection fail */
	/* The headers of a 2xx answer are here. Does not cancel the call. */
	void (*on_begin)(void *arg);
	/*
	 * If set, body bytes of a 2xx answer go here as they come (and not into
	 * the response); false ends the call as http_cancel does.
	 */
	bool (*on_data)(void *arg, struct span bytes);
	/*
	 * If set, it is called just before the request goes out, which may be
	 * long after http_start. If it returns -1 with err, the request is not
	 * sent. (libcurl is running: it must not call http functions.)
	 */
	int (*on_send)(void *arg, struct err *err);
	/* Each header of the answer; the name as the server spells it. */
	void (*on_header)(void *arg, struct span name, struct span value);
};

/* Borrowed, during on_done only. */
struct http_response {
	int status; /* 0: no answer, see err */
	struct span body;
	struct span content_type;
	int64_t retry_after_s; /* -1: none */
	struct err err; /* transport error, kind set; ERR_NONE otherwise */
	bool timed_out;
	bool untrusted; /* the server's certificate was refused */
	bool too_large; /* the answer was cut off */
	bool held;	/* on_send refused it; err is from there */
};

typedef void http_done_fn(void *arg, const struct http_response *r);

struct http *http_new(struct loop *l, const struct http_opts *o);
/* Calls in flight end without on_done. Not to be called from callbacks of this
 * pool. */
void http_free(struct http *h);
/* Frees it when the calls in flight have ended; no new calls after this. */
void http_retire(struct http *h);

/*
 * done is called exactly once, from the loop and never from here, unless
 * cancelled before. The handle is valid until then. Both may be called from
 * any callback. After a timeout, new calls use a new connection: the old one
 * may be dead.
 */
struct http_call *http_start(struct http *h, const struct http_request *r,
    http_done_fn *done, void *arg);
void http_cancel(struct http_call *c);

#endif
