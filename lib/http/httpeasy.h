/*
 * httpeasy: one request as libcurl's options, and libcurl's errors as ours.
 * The part of http that knows CURLOPT_ and CURLE_; only http.c uses it.
 */
#ifndef HTTPEASY_H
#define HTTPEASY_H

#include <curl/curl.h>
#include <stdint.h>

#include "base/err.h"
#include "http/http.h"

/* Shared by all requests of a pool; owns its texts. */
struct http_settings {
	char *user_agent;
	char *proxy;
	char *ca, *cert, *key; /* PEM */
	char *server_name;
	bool insecure;
};

void http_settings_init(struct http_settings *s, const struct http_opts *o);
void http_settings_release(struct http_settings *s);

/* Borrowed by libcurl while a request is under way. */
struct http_transfer {
	const char *method;
	char *url;
	char *body;
	size_t body_len;
	bool direct; /* to a loopback address: no proxy of the environment */
	struct curl_slist *headers;
	struct curl_slist *connect_to;
	int (*on_send)(void *arg, struct err *err);
	void *arg;
	struct err held; /* the result of on_send */
	CURL *easy;	 /* borrowed */
	bool sent;
	bool lost;	 /* sent, and perhaps done: it is not sent again */
	bool *connected; /* set when it has made a connection; may be NULL */
};

/* arg is for on_send. */
void http_transfer_init(struct http_transfer *t, const struct http_settings *s,
    const struct http_request *r, void *arg);
void http_transfer_release(struct http_transfer *t);

CURLM *http_easy_multi(curl_socket_callback on_socket,
    curl_multi_timer_callback on_timer, void *arg);
void http_easy_setup(
    CURL *easy, const struct http_settings *s, struct http_transfer *t);
/* Lets a transfer without a connection look for one again. It waited to see
 * whether the connection of another one would be HTTP/2; if it was not, libcurl
 * from 8.13 on does not wake it. */
void http_easy_wake(CURLM *multi, const struct http_transfer *t);
/* Is there an answer? A server that refuses a long body with an error may close
 * before its own body ends: the status counts. */
bool http_easy_answered(CURLcode code, int status);

/* Why a transfer failed: fills r->err with a finished sentence (text is
 * libcurl's, may be empty), and timed_out, untrusted and held. sent: the
 * request had gone out before. Ends the process if there was no memory for
 * the request: nobody knows when there will be some. */
bool http_easy_error(CURL *easy, CURLcode code, const struct http_transfer *t,
    const char *origin, const char *text, uint64_t timeout_ms,
    struct http_response *r);

/* https://host:port of a URL, owned. */
char *http_origin(const char *url);
/* "Name: value\r\n"; -1 if it is not a header. */
int http_split_header(struct span line, struct span *name, struct span *value);
/* "HTTP/2 200 \r\n": 200; 0 if there is none. */
int http_parse_status(struct span line);
/* Whole seconds of Retry-After; -1 if it is something else (a date, which the
 * API server does not send). */
int64_t http_parse_seconds(struct span text);
/* For libcurl's own allocations: ends the process as mem.h does. */
_Noreturn void http_no_memory(void);
/* The same if that is what libcurl says: a call would wait for ever. */
void http_check_memory(CURLMcode code);

#endif
