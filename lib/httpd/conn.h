/*
 * conn: connections and exchanges, shared by the files of httpd only.
 *
 * A connection that ends while its callbacks are on the stack is marked dead;
 * it is closed and freed at the end of the round, when nothing of it is in
 * use.
 */
#ifndef CONN_H
#define CONN_H

#include <sys/queue.h>

#include "httpd/httpd.h"
#include "httpd/sendq.h"
#include "httpd/websocket.h"

struct h1;
struct h2;
struct tls_server;
struct tls_conn;

enum { READ_BYTES = 65536 };

/* HTTP/1: the last event, and what is sent of it. */
struct framed {
	struct text *of, *text;
};

struct httpd {
	struct loop *loop;
	struct httpd_limits limits;
	struct httpd_handler handler;
	int fd, port;
	struct timer accept_again, flush, flush_events;
	LIST_HEAD(, conn) conns;
	SLIST_HEAD(, conn) dirty;
	LIST_HEAD(, conn) eventful; /* have nothing but events to send */
	uint64_t events_due_ms;	    /* when those may go out */
	size_t conn_count;
	uint64_t conn_number;
	struct tls_server *tls;
	uint64_t date_at; /* second that date is of */
	char date[32];
	struct buf scratch;
	struct framed chunk, message;
	char in[READ_BYTES]; /* whatever is read is used at once */
};

enum protocol { PROTOCOL_UNKNOWN, PROTOCOL_1, PROTOCOL_2 };

struct conn {
	struct httpd *h;
	LIST_ENTRY(conn) among_all, among_eventful;
	SLIST_ENTRY(conn) among_dirty;
	int fd;
	int events; /* watched */
	enum protocol protocol;
	unsigned matched; /* bytes of the HTTP/2 preface seen */
	bool is_dirty, is_eventful, dead, frozen;
	bool eof;	  /* the peer sends no more */
	bool closing;	  /* closed when out is sent */
	bool lingers;	  /* out is sent; what still comes is dropped */
	bool blocked;	  /* the socket takes no more for now */
	bool holds_input; /* enough was read for now */
	bool cut;	  /* dies when cut_at bytes more are sent */
	size_t cut_at;
	uint64_t number;
	struct sendq out;
	size_t unsent; /* HTTP/2: bytes in out of all exchanges */
	LIST_HEAD(, exchange) exchanges;
	struct tls_conn *tls;
	struct h1 *h1;
	struct h2 *h2;
	struct timer read_timer, write_timer;
};

enum exchange_state {
	X_READING, /* the request comes in */
	X_READY,   /* whole; the handler has not seen it */
	X_HANDED,  /* the handler has it */
	X_STARTED, /* a stream */
	X_ENDED	   /* the handler knows it no longer */
};

struct head_field {
	size_t name, name_n, value, value_n; /* offsets into head */
};

/* An exchange that goes on in another protocol: upgrade.c. */
struct upgraded {
	enum { UPGRADED_EVENTS, UPGRADED_MESSAGES, UPGRADED_BYTES } to;
	struct websocket_reader reader;
	struct httpd_input in;
};

struct exchange {
	struct conn *conn;
	LIST_ENTRY(exchange) among_all; /* list of the connection */
	TAILQ_ENTRY(exchange) ready;	/* HTTP/2: queues */
	SLIST_ENTRY(exchange) gone;
	enum exchange_state state;
	int32_t stream; /* HTTP/2 */
	bool head_only; /* HEAD */
	bool body_too_large, head_too_large;
	bool close; /* HTTP/1: the last on its connection */
	bool chunked;
	bool eof;      /* HTTP/2: nothing follows what is in out */
	bool deferred; /* HTTP/2: nghttp2 waits to be told of data */
	bool closed;   /* HTTP/2: the stream is gone */
	uint64_t began_ms;
	struct httpd_request r;
	struct buf head; /* target, headers */
	size_t target, target_n;
	struct head_field *fields;
	size_t field_count;
	struct httpd_header *headers;
	struct buf body;
	struct sendq out;	   /* HTTP/2 */
	struct upgraded *upgraded; /* owned; NULL: this is HTTP */
	loop_fn *on_close;
	void *close_arg;
};

void httpd_accept(void *h);
/* "Sat, 01 Jan 2000 00:00:00 GMT" of now. */
const char *httpd_date(struct httpd *h);

/* Connections. */
void conn_new(struct httpd *h, int fd); /* takes fd */
void conn_free_all(struct httpd *h);
/* Ends the oldest connection that owes no answer, so that a silent client
 * cannot keep others out. False: there is none. */
bool conn_make_room(struct httpd *h);
void conn_dirty(struct conn *c); /* something is to be sent or ended */
/*
 * conn_dirty for an event of a stream, which may wait for others: after a round
 * of events that took T, the next begins T later, but at most 20 ms. So a lone
 * event leaves at once, and a thousand watchers of quick writes get many events
 * with one system call.
 */
void conn_event(struct conn *c);
void conn_push(struct conn *c); /* sends what can be sent now */
void conn_kill(struct conn *c); /* dies at the end of the round */
void conn_freeze(struct conn *c);
/* Ends the connection when everything is sent. */
void conn_close_gently(struct conn *c);
/* Cuts the connection if this does not end before. */
void conn_deadline(struct conn *c, uint64_t ms);
void conn_no_deadline(struct conn *c);

/* Exchanges. */
struct exchange *exchange_new(struct conn *c);
void exchange_free(struct exchange *x);
/* A header: its name and value may come in parts. */
struct head_field *exchange_field(struct exchange *x);
void exchange_name(struct exchange *x, const char *p, size_t n);
void exchange_value(struct exchange *x, const char *p, size_t n);
/* Fills x->r from the input; method must live as long. */
void exchange_seal(struct exchange *x, struct span method, int version);
/* Hands it to the handler. */
void exchange_hand_over(struct exchange *x);
/* Tells the handler that it is gone, if the handler does not know. */
void exchange_closed(struct exchange *x);

/* The protocols. All input is taken; answers go to c->out. */
void h1_input(struct conn *c, const char *p, size_t n);
void h1_free(struct conn *c);
/* Takes input that waited for the end of an answer; false: there was none. */
bool h1_resume(struct conn *c);
void h1_expire(struct conn *c); /* the request takes too long */
/* The peer sends no more; an answer may still be on its way. */
void h1_eof(struct conn *c);
bool h1_is_idle(const struct conn *c); /* no answer is due */
void h1_start(struct exchange *x, int status,
    const struct httpd_header *headers, size_t count);
void h1_send(struct exchange *x, struct text *t);
void h1_forget_frames(struct httpd *h);
void h1_end(struct exchange *x);
/* The whole answer is in out: frees the exchange. */
void h1_done(struct exchange *x);
/* text or body, one of them */
void h1_reply(struct exchange *x, int status,
    const struct httpd_header *headers, size_t count, struct text *text,
    struct span body);

/* HTTP/1 that goes on as a WebSocket, or as something else: upgrade.c. */
/* Answers the handshake; false: it refused, and x is gone. in NULL: texts of
 * events. */
bool upgrade_start(
    struct exchange *x, struct span protocol, const struct httpd_input *in);
void upgrade_start_bytes(struct exchange *x, const struct httpd_header *headers,
    size_t count, const struct httpd_input *in);
void upgrade_send(struct exchange *x, struct span head, struct span data);
/* Takes bytes of the client, at least one of n; x may be gone. */
size_t upgrade_input(struct exchange *x, const char *p, size_t n);
/* A close frame if there are frames, and x is gone; broken: the handler is
 * told. */
void upgrade_end(struct exchange *x, enum websocket_code code);
void upgrade_broken(struct exchange *x, enum websocket_code code);

void h2_input(struct conn *c, const char *p, size_t n);
void h2_free(struct conn *c);
void h2_pump(struct conn *c); /* moves frames to c->out, up to a limit */
/* Tells handlers what nghttp2's callbacks have noted, and frees exchanges. */
void h2_settle(struct conn *c);
bool h2_wants_pump(const struct conn *c);
void h2_start(struct exchange *x, int status,
    const struct httpd_header *headers, size_t count);
void h2_send(struct exchange *x, struct text *t);
void h2_end(struct exchange *x);
void h2_reply(struct exchange *x, int status,
    const struct httpd_header *headers, size_t count, struct text *text,
    struct span body);
void h2_reset(struct exchange *x); /* resets the stream, not the connection */
void h2_goaway(struct conn *c);
void h2_expire(struct conn *c); /* resets requests that take too long */

/* TLS. */
struct tls_server *tls_server_new(const struct httpd_tls *t, struct err *err);
void tls_server_free(struct tls_server *s);
struct tls_conn *tls_conn_new(struct tls_server *s, int fd);
void tls_conn_free(struct tls_conn *t);
/* Bytes, or 0 at the end, -1: not now, -2: broken, -3: HTTP in clear text. */
long tls_read(struct tls_conn *t, char *p, size_t n);
long tls_write(struct tls_conn *t, const char *p, size_t n);
void tls_close(struct tls_conn *t);		/* says goodbye, once */
bool tls_wants_write(const struct tls_conn *t); /* before it can read */
bool tls_is_h2(const struct tls_conn *t);	/* known after the first read */
/* The client's certificate, checked when it is first asked for. */
const struct httpd_peer *tls_peer(struct tls_conn *t);

#endif
