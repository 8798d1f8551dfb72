/*
 * Part of kubelet/kubelet.h: the streams of exec, attach and port-forward over
 * SPDY/3.1: as another protocol on the connection, or, for a port-forward, in
 * the messages of a WebSocket. Source: cri-streaming
 * pkg/streaming/{remotecommand,portforward}/httpstream.go; apiserver
 * pkg/util/proxy/streamtunnel.go.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/mem.h"
#include "kubelet/forward.h"
#include "kubelet/kubelet.h"
#include "kubelet/podstream.h"
#include "kubelet/spdy.h"
#include "reply/reply.h"

enum { TUNNELS_MAX = 100, PROTOCOLS_MAX = 16, NAME_MAX_BYTES = 64 };

struct streams;

/* A connection to a port: a stream for errors and one for data. */
struct tunnel {
	struct streams *streams;
	struct tunnel *next;
	struct buf name;      /* the header requestID */
	uint32_t error, data; /* 0: not open */
	unsigned port;
	bool started;
	struct forward forward;
};

struct streams {
	struct podstream stream;
	const struct node *pod;
	bool replied, forwards;
	struct spdy_reader reader;
	struct podprocess process;
	uint32_t ids[STREAM_COUNT];
	enum status_form form;
	struct tunnel *tunnels;
	size_t tunnel_count;
};

static void
tunnel_free(struct tunnel *t)
{
	forward_release(&t->forward);
	buf_release(&t->name);
	free(t);
}

static void
streams_stop(void *s)
{
	podprocess_stop(&((struct streams *)s)->process);
}

static void
streams_free(void *arg)
{
	struct streams *s = arg;

	while (s->tunnels != NULL) {
		struct tunnel *next = s->tunnels->next;

		tunnel_free(s->tunnels);
		s->tunnels = next;
	}
	spdy_release(&s->reader);
	free(s);
}

/* ---- frames of ours ---- */

static void
send(struct streams *s, struct buf *head, struct span data)
{
	podstream_send(&s->stream, buf_span(head), data);
	buf_release(head);
}

static void
send_data(struct streams *s, uint32_t id, struct span data, bool fin)
{
	struct buf head = BUF_INIT;

	if (id == 0)
		return;
	spdy_add_data(&head, id, data.n, fin);
	send(s, &head, data);
}

static void
reply(struct streams *s, uint32_t id)
{
	struct buf b = BUF_INIT;

	spdy_add_reply(&b, id, !s->replied);
	s->replied = true;
	send(s, &b, SPAN_NONE);
}

static void
reset(struct streams *s, uint32_t id)
{
	struct buf b = BUF_INIT;

	spdy_add_reset(&b, id);
	send(s, &b, SPAN_NONE);
}

/* ---- exec, attach ---- */

static void
process_writes(void *arg, enum stream stream, struct span bytes)
{
	struct streams *s = arg;

	send_data(s, s->ids[stream], bytes, false);
}

static void
process_ends(void *arg)
{
	struct streams *s = arg;

	send_data(s, s->ids[STREAM_OUT], SPAN_NONE, true);
	send_data(s, s->ids[STREAM_ERR], SPAN_NONE, true);
	send_data(s, s->ids[STREAM_STATUS], SPAN_NONE, true);
	podstream_end(&s->stream);
}

static bool
has_all(const struct streams *s)
{
	const struct podprocess *p = &s->process;

	return s->ids[STREAM_STATUS] != 0 &&
	    (!p->in || s->ids[STREAM_IN] != 0) &&
	    (!p->out || s->ids[STREAM_OUT] != 0) &&
	    (!p->err || s->ids[STREAM_ERR] != 0);
}

static void
open_stream(struct streams *s, uint32_t id)
{
	static const char *const names[] = {
	    "stdin", "stdout", "stderr", "error", "resize"};
	struct span type = spdy_header(&s->reader, "streamtype");
	size_t i = 0;

	while (i < COUNT(names) && !span_is(type, names[i]))
		i++;
	if (i == COUNT(names) || s->ids[i] != 0) {
		reset(s, id);
		return;
	}
	s->ids[i] = id;
	reply(s, id);
	/* The frame that opens the stream may end it as well. */
	if (i == STREAM_IN && s->reader.fin)
		podprocess_input_end(&s->process);
	if (!s->stream.done && !s->process.started && has_all(s))
		podprocess_start(&s->process, s->form,
		    &(struct podprocess_output){
			process_writes, process_ends, s});
}

/* ---- portforward ---- */

static void
tunnel_writes(void *arg, struct span bytes)
{
	struct tunnel *t = arg;

	send_data(t->streams, t->data, bytes, false);
}

static void
tunnel_fails(void *arg, struct span message)
{
	struct tunnel *t = arg;

	send_data(t->streams, t->error, message, false);
}

static void
tunnel_ends(void *arg)
{
	struct tunnel *t = arg;

	send_data(t->streams, t->data, SPAN_NONE, true);
	send_data(t->streams, t->error, SPAN_NONE, true);
}

/* Frees tunnels whose streams have ended, to make room. */
static void
sweep(struct streams *s)
{
	struct tunnel **link = &s->tunnels;

	while (*link != NULL) {
		struct tunnel *t = *link;

		if (t->forward.ended) {
			*link = t->next;
			s->tunnel_count--;
			tunnel_free(t);
		} else
			link = &t->next;
	}
}

/* The tunnel of this request, made if there is none; NULL: there are too
 * many. */
static struct tunnel *
tunnel_of(struct streams *s, struct span name, unsigned port)
{
	struct tunnel *t = s->tunnels;

	while (t != NULL && !span_eq(buf_span(&t->name), name))
		t = t->next;
	if (t != NULL || s->tunnel_count == TUNNELS_MAX)
		return t;
	t = mem_zalloc(sizeof(*t));
	t->streams = s;
	t->port = port;
	t->next = s->tunnels;
	buf_addspan(&t->name, name);
	s->tunnels = t;
	s->tunnel_count++;
	return t;
}

/* Where the id of the new stream goes, in its tunnel *t; NULL: its headers are
 * bad. */
static uint32_t *
slot_of(struct streams *s, struct tunnel **t)
{
	const struct spdy_reader *r = &s->reader;
	struct span type = spdy_header(r, "streamtype");
	struct span name = spdy_header(r, "requestid");
	bool data = span_is(type, "data");
	uint64_t port;

	if ((!data && !span_is(type, "error")) || name.n == 0 ||
	    name.n > NAME_MAX_BYTES ||
	    !span_number(spdy_header(r, "port"), UINT16_MAX, &port) ||
	    port == 0)
		return NULL;
	*t = tunnel_of(s, name, (unsigned)port);
	return *t == NULL ? NULL : data ? &(*t)->data : &(*t)->error;
}

static void
open_tunnel(struct streams *s, uint32_t id)
{
	struct tunnel *t;
	uint32_t *slot = slot_of(s, &t);

	if (slot == NULL || *slot != 0) {
		reset(s, id);
		return;
	}
	*slot = id;
	reply(s, id);
	if (s->stream.done || t->started || t->data == 0 || t->error == 0)
		return;
	t->started = true;
	forward_start(&t->forward, s->pod, t->port,
	    &(struct forward_output){
		tunnel_writes, tunnel_fails, tunnel_ends, t});
	sweep(s);
}

static void
tunnel_data(struct streams *s)
{
	const struct spdy_reader *r = &s->reader;
	struct tunnel *t = s->tunnels;

	while (t != NULL && t->data != r->stream)
		t = t->next;
	if (t == NULL || !t->started)
		return;
	forward_input(&t->forward, r->data);
	if (r->fin)
		forward_input_end(&t->forward);
	sweep(s);
}

/* ---- frames of the client ---- */

static void
take(struct streams *s, enum spdy_event e)
{
	uint32_t id = s->reader.stream;
	struct buf b = BUF_INIT;

	switch (e) {
	case SPDY_MORE:
		break;
	case SPDY_OPEN:
		/* A client's streams are odd. */
		if (id % 2 == 0)
			podstream_end(&s->stream);
		else if (s->forwards)
			open_tunnel(s, id);
		else
			open_stream(s, id);
		break;
	case SPDY_DATA:
		if (s->forwards)
			tunnel_data(s);
		else {
			const struct spdy_reader *r = &s->reader;

			if (r->stream == s->ids[STREAM_IN] && r->stream != 0) {
				podprocess_input(&s->process, r->data);
				if (r->fin && !s->stream.done)
					podprocess_input_end(&s->process);
			}
		}
		break;
	case SPDY_RESET:
		if (s->forwards) {
			/* The client gives one of its streams up. */
			for (struct tunnel *t = s->tunnels; t != NULL;
			     t = t->next)
				if (t->data == id || t->error == id) {
					t->data = t->error =
					    0; /* nothing is sent there */
					t->forward.ended = true;
				}
			sweep(s);
		} else {
			/* The client gives up a stream. If it is the status
			 * stream, nothing more can be told, so the connection
			 * ends. */
			if (id != 0) {
				if (id == s->ids[STREAM_STATUS])
					podstream_end(&s->stream);
				else if (id == s->ids[STREAM_IN])
					podprocess_input_end(&s->process);
			}
		}
		break;
	case SPDY_PING:
		spdy_add_ping(&b, id);
		send(s, &b, SPAN_NONE);
		break;
	case SPDY_GOAWAY:
	case SPDY_BAD:
		podstream_end(&s->stream);
	}
}

static void
on_input(void *arg, struct span piece, bool first)
{
	struct streams *s = arg;

	(void)first; /* messages are not frames */
	while (piece.n > 0 && !s->stream.done) {
		size_t taken;
		enum spdy_event e =
		    spdy_read(&s->reader, piece.p, piece.n, &taken);

		piece = span_skip(piece, taken);
		take(s, e);
	}
}

/* ---- the beginning ---- */

/* NULL: it was refused. */
static struct streams *
begin(struct request *r, const struct node *pod, struct span protocol,
    struct span socket_protocol)
{
	struct streams *s;
	bool begun;

	/* streaming/pkg/httpstream/spdy/upgrade.go prints all of them. */
	if (socket_protocol.n == 0 &&
	    !span_has_caseless(httpd_header(r->http, "upgrade"), "spdy/3.1")) {
		podstream_refuse(r, 400,
		    "unable to upgrade: missing upgrade headers in request\n");
		return NULL;
	}
	if (!podstream_begin(r, 101))
		return NULL;
	s = mem_zalloc(sizeof(*s));
	s->stream = (struct podstream){.request = r,
	    .stop = streams_stop,
	    .release = streams_free,
	    .owner = s};
	s->pod = pod;
	if (socket_protocol.n > 0)
		begun = httpd_start_messages(r->exchange, socket_protocol,
		    &(struct httpd_input){on_input, s});
	else {
		const struct httpd_header headers[] = {
		    {span_str("Connection"), span_str("Upgrade")},
		    {span_str("Upgrade"), span_str("SPDY/3.1")},
		    {span_str("X-Stream-Protocol-Version"), protocol},
		};

		httpd_start_bytes(r->exchange, headers, COUNT(headers),
		    &(struct httpd_input){on_input, s});
		begun = true;
	}
	if (!begun) {
		podstream_cancel(r);
		free(s);
		return NULL;
	}
	podstream_start(&s->stream);
	return s;
}

/* The protocols that the client offers in this header, without the prefix. */
static size_t
offered(const struct request *r, const char *header, const char *prefix,
    struct span *list)
{
	size_t n = 0;

	for (size_t i = 0; i < r->http->header_count; i++) {
		struct span rest = r->http->headers[i].value;

		if (!span_is(r->http->headers[i].name, header))
			continue;
		while (rest.p != NULL && n < PROTOCOLS_MAX) {
			struct span one =
			    span_trim(span_cut(&rest, ','), " \t");

			if (one.n > 0 && span_take(&one, prefix))
				list[n++] = one;
		}
	}
	return n;
}

static void
add_list(struct buf *b, const struct span *list, size_t n)
{
	buf_addc(b, '[');
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			buf_addc(b, ' ');
		buf_addspan(b, list[i]);
	}
	buf_addc(b, ']');
}

/* The first protocol of the client that is served; none: r was answered. */
static struct span
negotiate(struct request *r, const char *header, const char *prefix,
    const struct span *served, size_t n)
{
	struct span wanted[PROTOCOLS_MAX];
	size_t wanted_n = offered(r, header, prefix, wanted);

	for (size_t i = 0; i < wanted_n; i++)
		for (size_t k = 0; k < n; k++)
			if (span_eq(wanted[i], served[k]))
				return served[k];
	if (wanted_n == 0)
		podstream_refuse(r, 400,
		    "unable to upgrade: X-Stream-Protocol-Version is "
		    "required\n");
	else {
		struct buf b = BUF_INIT;

		buf_adds(&b,
		    "unable to upgrade: unable to negotiate protocol: client "
		    "supports ");
		add_list(&b, wanted, wanted_n);
		buf_adds(&b, ", server accepts ");
		add_list(&b, served, n);
		buf_addc(&b, '\n');
		podstream_refuse(r, 403, buf_str(&b));
		buf_release(&b);
	}
	return SPAN_NONE;
}

#define VERSION_HEADER "x-stream-protocol-version"

void
streams_run(struct request *r, const struct podprocess *p)
{
	const struct span served[] = {span_str("v4.channel.k8s.io"),
	    span_str("v3.channel.k8s.io"), span_str("v2.channel.k8s.io"),
	    span_str("channel.k8s.io")};
	struct span protocol =
	    negotiate(r, VERSION_HEADER, "", served, COUNT(served));
	struct streams *s = NULL;

	if (protocol.p != NULL)
		s = begin(r, p->pod, protocol, SPAN_NONE);
	if (s == NULL)
		return;
	s->process = *p;
	s->form = span_eq(protocol, served[0]) ? STATUS_V4 : STATUS_TEXT;
}

/* "SPDY/3.1+portforward.k8s.io" */
static const char tunnel_prefix[] = "SPDY/3.1+";

bool
streams_is_tunnel(const struct request *r)
{
	struct span list[PROTOCOLS_MAX];
	size_t n = offered(r, "sec-websocket-protocol", tunnel_prefix, list);

	for (size_t i = 0; i < n; i++)
		if (span_ends(list[i], ".k8s.io"))
			return true;
	return false;
}

void
streams_forward(struct request *r, const struct node *pod, bool tunnel)
{
	const struct span served[] = {span_str("portforward.k8s.io")};
	struct span protocol;
	struct streams *s = NULL;

	protocol = tunnel
	    ? negotiate(r, "sec-websocket-protocol", tunnel_prefix, served,
		  COUNT(served))
	    : negotiate(r, VERSION_HEADER, "", served, COUNT(served));
	if (protocol.p != NULL)
		s = begin(r, pod, protocol,
		    tunnel ? span_str("SPDY/3.1+portforward.k8s.io")
			   : SPAN_NONE);
	if (s != NULL)
		s->forwards = true;
}
