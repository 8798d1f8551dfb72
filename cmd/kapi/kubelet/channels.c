/*
 * Part of kubelet/kubelet.h: the streams of exec and attach, and the
 * connections of a port-forward, as channels of a WebSocket: the first byte of
 * a message is the channel. Source: streaming/pkg/httpstream/wsstream/conn.go;
 * cri-streaming pkg/streaming/{remotecommand,portforward}/websocket.go.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "kubelet/forward.h"
#include "kubelet/kubelet.h"
#include "kubelet/podstream.h"
#include "reply/reply.h"

enum { NO_CHANNEL = -1, CLOSE_SIGNAL = 255 };

struct channels;

/* A port: a channel for data, the next one for its error. */
struct pair {
	struct channels *channels;
	struct forward forward;
	unsigned char number;
};

struct channels {
	struct podstream stream;
	bool signals; /* v5: streams can be closed */
	int channel;  /* the message that comes in */
	bool closing; /* ... which closes the stream that is named next */
	struct podprocess process;
	struct pair *pairs; /* ports of a port-forward; NULL: a process */
	size_t pair_count;
};

static void
channels_stop(void *c)
{
	podprocess_stop(&((struct channels *)c)->process);
}

static void
channels_free(void *arg)
{
	struct channels *c = arg;

	for (size_t i = 0; i < c->pair_count; i++)
		forward_release(&c->pairs[i].forward);
	free(c->pairs);
	free(c);
}

static void
send(struct channels *c, unsigned char channel, struct span bytes)
{
	char head = (char)channel;

	podstream_send(&c->stream, span_make(&head, 1), bytes);
}

/* ---- what the client sends ---- */

/* Closes the stream that the byte behind the signal names. Nothing may
 * follow. */
static void
to_signal(struct channels *c, struct span bytes)
{
	unsigned char stream = (unsigned char)*bytes.p;

	if (bytes.n != 1 || !c->closing || stream >= STREAM_COUNT) {
		podstream_end(&c->stream);
		return;
	}
	c->closing = false;
	if (stream == STREAM_IN)
		podprocess_input_end(&c->process);
}

static void
on_input(void *arg, struct span piece, bool first)
{
	struct channels *c = arg;

	if (c->stream.done)
		return;
	if (first) {
		c->channel = (unsigned char)*piece.p;
		c->closing = c->signals && c->channel == CLOSE_SIGNAL;
		piece = span_skip(piece, 1);
	}
	if (piece.n == 0)
		return;
	if (c->signals && c->channel == CLOSE_SIGNAL)
		to_signal(c, piece);
	else {
		if (c->pairs == NULL) {
			if (c->channel == STREAM_IN)
				podprocess_input(&c->process, piece);
		} else if (c->channel % 2 == 0 &&
		    (size_t)c->channel / 2 < c->pair_count)
			forward_input(&c->pairs[c->channel / 2].forward, piece);
	}
}

/* ---- the beginning ---- */

/* NULL: it was refused. */
static struct channels *
begin(struct request *r, struct span protocol)
{
	struct channels *c;

	if (!podstream_begin(r, 101))
		return NULL;
	c = mem_zalloc(sizeof(*c));
	c->stream = (struct podstream){.request = r,
	    .stop = channels_stop,
	    .release = channels_free,
	    .owner = c};
	c->channel = NO_CHANNEL;
	if (!httpd_start_messages(
		r->exchange, protocol, &(struct httpd_input){on_input, c})) {
		podstream_cancel(r);
		free(c);
		return NULL;
	}
	podstream_start(&c->stream);
	return c;
}

/* Chooses served[0] (v5) if the client offers it, else the first protocol of
 * the client that is served. False: the client offers only others, and r was
 * refused. */
static bool
choose(
    struct request *r, const char *const *served, size_t n, struct span *chosen)
{
	struct span rest = httpd_header(r->http, "sec-websocket-protocol");

	*chosen = SPAN_NONE;
	if (rest.n == 0)
		return true;
	while (rest.p != NULL) {
		struct span one = span_trim(span_cut(&rest, ','), " \t");

		for (size_t i = 0; i < n; i++)
			if (span_is(one, served[i]) &&
			    (chosen->p == NULL || i == 0))
				*chosen = one;
	}
	if (chosen->p == NULL)
		reply_with(r, 403, NULL, NULL, 0, NULL);
	return chosen->p != NULL;
}

/* ---- exec, attach ---- */

static void
process_writes(void *arg, enum stream s, struct span bytes)
{
	send(arg, (unsigned char)s, bytes);
}

static void
process_ends(void *c)
{
	podstream_end(&((struct channels *)c)->stream);
}

void
channels_run(struct request *r, const struct podprocess *p)
{
	static const char *const served[] = {
	    "v5.channel.k8s.io", "v4.channel.k8s.io", "channel.k8s.io"};
	enum status_form form = STATUS_TEXT;
	struct span protocol;
	struct channels *c;

	if (!choose(r, served, 3, &protocol))
		return;
	if (span_is(protocol, served[0]))
		form = STATUS_V5;
	else if (span_is(protocol, served[1]))
		form = STATUS_V4;
	c = begin(r, protocol);
	if (c == NULL)
		return;
	c->signals = form == STATUS_V5;
	c->process = *p;
	/* Tells the client that the port is open. */
	send(c,
	    p->out	 ? STREAM_OUT
		: p->err ? STREAM_ERR
			 : STREAM_STATUS,
	    SPAN_NONE);
	podprocess_start(&c->process, form,
	    &(struct podprocess_output){process_writes, process_ends, c});
}

/* ---- portforward ---- */

static void
pair_writes(void *arg, struct span bytes)
{
	struct pair *p = arg;

	send(p->channels, p->number, bytes);
}

static void
pair_fails(void *arg, struct span message)
{
	struct pair *p = arg;

	send(p->channels, (unsigned char)(p->number + 1), message);
}

/* The WebSocket ends when the connections to all ports have ended. */
static void
pair_ends(void *arg)
{
	struct channels *c = ((struct pair *)arg)->channels;

	for (size_t i = 0; i < c->pair_count; i++)
		if (!c->pairs[i].forward.ended)
			return;
	podstream_end(&c->stream);
}

void
channels_forward(
    struct request *r, const struct node *pod, const uint16_t *ports, size_t n)
{
	static const char *const served[] = {"v4.channel.k8s.io"};
	struct span protocol;
	struct channels *c;

	if (!choose(r, served, 1, &protocol))
		return;
	c = begin(r, protocol);
	if (c == NULL)
		return;
	c->pairs = mem_zalloc(n * sizeof(*c->pairs));
	c->pair_count = n;
	for (size_t i = 0; i < n; i++) {
		char port[2] = {(char)(ports[i] & 0xff), (char)(ports[i] >> 8)};

		c->pairs[i].channels = c;
		c->pairs[i].number = (unsigned char)(2 * i);
		send(c, (unsigned char)(2 * i), span_make(port, 2));
		send(c, (unsigned char)(2 * i + 1), span_make(port, 2));
	}
	for (size_t i = 0; i < n && !c->stream.done; i++)
		forward_start(&c->pairs[i].forward, pod, ports[i],
		    &(struct forward_output){
			pair_writes, pair_fails, pair_ends, &c->pairs[i]});
}
