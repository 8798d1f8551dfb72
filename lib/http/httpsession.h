/*
 * httpsession: the connections of a pool, and what they and its calls ask of
 * one another. Only http.c, which has the calls, uses it.
 */
#ifndef HTTPSESSION_H
#define HTTPSESSION_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "http/http.h"
#include "http/httpeasy.h"

enum { HTTP_IDLE_MAX = 64 };

/*
 * A libcurl multi handle: connections and the transfers over them. After
 * a timeout its connections may be dead, and libcurl would still use them: so
 * new calls get a new session, and the old one ends with its last call.
 */
struct http_session {
	struct http_session *next;
	struct http *http;
	CURLM *multi;
	struct timer timer;   /* libcurl's */
	struct timer silence; /* ours */
	uint64_t last_byte_ms;
	size_t calls;
	bool h2;
	bool connected; /* a call has made a connection */
	bool retired;
};

struct http {
	struct loop *loop;
	struct http_settings settings;
	void (*on_silence)(void *arg);
	void *arg;
	uint64_t silent_ms;
	size_t max_body;
	struct http_session *sessions; /* the first is the current one */
	struct http_call *calls;
	CURL *idle[HTTP_IDLE_MAX]; /* saves making one per request */
	size_t idle_count;
	int in_curl; /* its callbacks may not call libcurl */
	int busy;    /* libcurl, or our own callbacks, are running */
	bool deferred;
	bool retired;
};

struct http_call {
	struct http_call *prev, *next;
	struct http *http;
	/* NULL: to be started when libcurl is left */
	struct http_session *session;
	CURL *easy;
	struct http_transfer transfer;
	char *origin;
	http_done_fn *done;
	void (*on_begin)(void *arg);
	bool (*on_data)(void *arg, struct span bytes);
	void (*on_header)(void *arg, struct span name, struct span value);
	void *arg;
	bool probe;
	bool cancelled;
	bool too_large;
	uint64_t timeout_ms, silence_ms, last_byte_ms;
	struct timer silence;
	int status;
	struct buf body;
	char *content_type;
	int64_t retry_after_s;
	char error[CURL_ERROR_SIZE];
};

/* The one that new calls use; borrowed. */
struct http_session *http_session_current(struct http *h);
/* The call, whose easy handle is ready, begins and ends. */
void http_session_add(struct http_session *s, struct http_call *c);
void http_session_remove(struct http_session *s, struct http_call *c);
/* A byte has come for the call: the server is not silent. */
void http_session_byte(struct http_call *c);
void http_sessions_free(struct http *h);
/* Frees unused sessions, and the pool if it is retired, unless libcurl or one
 * of our callbacks is running: after that this is called again. */
void http_sessions_reap(struct http *h);

/* Of http.c, for the sessions. */
/* Ends a call that has its result or was cancelled; frees it. */
void http_call_end(struct http_call *c, struct http_response *r);
/* Fills r with the reason why the transfer failed. */
void http_call_error(
    struct http_call *c, CURLcode code, struct http_response *r);
/* Does the work that had to wait until libcurl returned. */
void http_calls_resume(struct http *h);

#endif
