/*
 * httpd: an HTTP server on our loop: HTTP/1.1 (http-parser) and HTTP/2
 * (nghttp2), in clear text (HTTP/2 with prior knowledge) or over TLS (OpenSSL,
 * ALPN). A handler gets a request when it is complete; its answer may come at
 * once, later, or as a stream that goes on for hours.
 *
 * An exchange belongs to the server from the request to its end; the handler
 * borrows it until it has called httpd_reply, httpd_end or httpd_cut, or until
 * on_close was called: afterwards it must not touch the exchange.
 *
 * Output is written at the end of the loop's round, in as few calls as
 * possible. With TLS the caller must ignore SIGPIPE. An idle connection costs
 * some hundred bytes.
 */
#ifndef HTTPD_H
#define HTTPD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "base/text.h"
#include "process/loop.h"

struct httpd;
struct exchange;

struct httpd_limits {
	size_t header_bytes; /* per request: more is 431 */
	size_t body_bytes;   /* more is 413, answered by on_too_large */
	size_t queued_bytes; /* unsent bytes of a stream: more cuts it */
	uint64_t header_ms;  /* from the first byte to the end of the headers */
	uint64_t body_ms;    /* from there to the end of the body */
	uint64_t write_ms;   /* nothing could be sent for this time: cut */
	size_t connections;  /* beyond it, the oldest that waits for nothing
			      * ends; if all wait, the new one is closed */
	size_t streams;	     /* per HTTP/2 connection */
};
extern const struct httpd_limits httpd_default_limits;

struct httpd_header {
	struct span name; /* lower case */
	struct span value;
};

struct httpd_request {
	struct span method;
	struct span path;  /* before '?', still percent-encoded */
	struct span query; /* behind it; SPAN_NONE if there is no '?' */
	const struct httpd_header *headers;
	size_t header_count;
	struct span body;
	int version;	     /* 1 or 2 */
	uint64_t connection; /* number of the connection, from 1 */
};

struct httpd_handler {
	/* The request lives as long as the exchange: httpd_reply frees it. */
	void (*on_request)(
	    void *arg, struct exchange *x, const struct httpd_request *r);
	/* The headers are there, the body was too large. May be NULL. */
	void (*on_too_large)(
	    void *arg, struct exchange *x, const struct httpd_request *r);
	void *arg;
};

/* PEM text; OpenSSL keeps what it needs. */
struct httpd_tls {
	struct span certificate, key;
	/* Certificates whose owners sign those of clients. Absent: clients are
	 * not asked for one. */
	struct span client_authorities;
};

/* A client with a certificate: its subject. */
struct httpd_peer {
	bool refused;	  /* the certificate does not count: trust
			   * nothing below */
	struct span name; /* common name, or empty */
	const struct span *organizations;
	size_t organization_count;
	struct span uid;    /* absent, mostly */
	struct span sha256; /* digest of the certificate, in hex */
};

/*
 * Listens on "HOST:PORT" (":PORT" is all addresses, "[::1]:0" is fine, port 0
 * takes a free one). tls NULL: clear text. NULL with err.
 */
struct httpd *httpd_new(struct loop *l, const char *address,
    const struct httpd_tls *tls, const struct httpd_limits *limits,
    const struct httpd_handler *handler, struct err *err);
/* Checks whether the certificate can be used. -1 with err. */
int httpd_check_tls(const struct httpd_tls *tls, struct err *err);
/* A new certificate, for connections from now on. -1 with err: the former one
 * stays. Only with TLS. */
int httpd_use_tls(
    struct httpd *h, const struct httpd_tls *tls, struct err *err);
void httpd_free(struct httpd *h); /* closes every connection */
int httpd_port(const struct httpd *h);
size_t httpd_connections(const struct httpd *h);
/* Ends all other exchanges, now, and cuts their connections but that of x; a
 * frozen one, too. on_close is called for each that its handler still has. */
void httpd_close_others(struct exchange *x);

struct span httpd_header(const struct httpd_request *r, const char *name);
/* Instead of all values of that header, which is among those of the request;
 * borrowed until the exchange is answered, or its stream has started. */
void httpd_set_header(struct exchange *x, const char *name, struct span value);

/*
 * The client at the other end; borrowed, as long as its connection. NULL: it
 * has shown no certificate.
 */
const struct httpd_peer *httpd_peer(const struct exchange *x);

/* Called when an exchange ended before its answer did; a handler that answers
 * later than in on_request needs it. */
void httpd_on_close(struct exchange *x, loop_fn *fn, void *arg);

/*
 * A whole answer. Header names in lower case; content-length is added here.
 * Everything is copied, or referenced where it is a text.
 */
void httpd_reply(struct exchange *x, int status,
    const struct httpd_header *headers, size_t count, struct span body);
void httpd_reply_text(struct exchange *x, int status,
    const struct httpd_header *headers, size_t count, struct text *body);

/* A stream: start, any number of sends, end. */
void httpd_start(struct exchange *x, int status,
    const struct httpd_header *headers, size_t count);
/* References t. -1: more than queued_bytes wait unsent; the exchange was cut
 * and on_close not called. */
int httpd_send(struct exchange *x, struct text *t);
void httpd_end(struct exchange *x);
size_t httpd_queued(const struct exchange *x);

/* Whether the request asks to go on as a WebSocket (RFC 6455, section 4.2.1):
 * a GET over HTTP/1.1. Anybody may ask for it; most handlers ignore that. */
bool httpd_wants_websocket(const struct httpd_request *r);
/*
 * Instead of httpd_start, for such a request: each text that is sent, UTF-8,
 * is one text message then, and httpd_end closes with code 1000. Pings are
 * answered, messages of the client dropped; when it closes or breaks the
 * protocol, on_close is called. False: the handshake was refused (400, or 403
 * without an Origin), and the exchange has ended as after httpd_reply.
 */
bool httpd_start_websocket(struct exchange *x);

/*
 * A connection of HTTP/1.1 that is the handler's from now on, both ways. What
 * the client sends goes to on_input as it comes, at most 64 KiB at once and
 * never nothing; the handler may end the exchange in there. Nothing is read
 * while much of what was sent waits. When the client goes, or breaks the
 * protocol, on_close is called.
 */
struct httpd_input {
	/* first: a message of a WebSocket begins. */
	void (*on_input)(void *arg, struct span piece, bool first);
	void *arg;
};
/* A WebSocket with messages of both sides (text or binary, it is not told
 * which) for a request that asks for one. protocol is the one that is chosen of
 * those asked for; none: no header says any. False: the handshake was refused
 * (400), as httpd_start_websocket. */
bool httpd_start_messages(
    struct exchange *x, struct span protocol, const struct httpd_input *in);
/* Another protocol, without frames of ours: 101 with these headers, Connection
 * and Upgrade among them. */
void httpd_start_bytes(struct exchange *x, const struct httpd_header *headers,
    size_t count, const struct httpd_input *in);
/* Sends both parts, copied, as one binary message or as bytes. -1: see
 * httpd_send. */
int httpd_send_parts(struct exchange *x, struct span head, struct span data);

/* Faults, for tests. */
void httpd_cut(struct exchange *x); /* closes the connection now */
/* Closes the connection when n bytes of the answer were sent, its head among
 * them, or all if it is shorter. The exchange is to be answered. */
void httpd_cut_after(struct exchange *x, size_t n);
/* The connection is never read or written again, nor closed. The exchange ends,
 * too: on_close is not called for any exchange of the connection. */
void httpd_freeze(struct exchange *x);
/* HTTP/2: GOAWAY, open streams go on; HTTP/1.1: connection: close. The
 * exchange is to be answered all the same. */
void httpd_goaway(struct exchange *x);

#endif
