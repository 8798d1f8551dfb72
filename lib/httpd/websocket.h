/*
 * websocket: frames of a WebSocket, as a server reads and writes them, and its
 * side of the handshake. It knows no connection and allocates nothing but in
 * the buffers that it appends to.
 *
 * A reader is strict: what RFC 6455 forbids a client ends the connection. It
 * drops the payloads of data frames unless it is told otherwise, and keeps none
 * of them: a message is handed on as its bytes come. Source: RFC 6455; limits
 * as in golang.org/x/net/websocket, which kube-apiserver uses.
 */
#ifndef WEBSOCKET_H
#define WEBSOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

enum websocket_opcode { /* RFC 6455, section 11.8 */
	WEBSOCKET_CONTINUATION = 0,
	WEBSOCKET_TEXT = 1,
	WEBSOCKET_BINARY = 2,
	WEBSOCKET_CLOSE = 8,
	WEBSOCKET_PING = 9,
	WEBSOCKET_PONG = 10
};

enum websocket_code { /* RFC 6455, section 7.4.1 */
	WEBSOCKET_NORMAL = 1000,
	WEBSOCKET_PROTOCOL_ERROR = 1002
};

enum {
	WEBSOCKET_HEAD_MAX = 14,       /* bytes before the payload */
	WEBSOCKET_CONTROL_MAX = 125,   /* bytes of a control frame's payload */
	WEBSOCKET_FRAME_MAX = 32 << 20 /* bytes of a data frame's payload */
};

/* Zeroed memory is the beginning of a connection. */
struct websocket_reader {
	unsigned char head[WEBSOCKET_HEAD_MAX];
	size_t head_n;	 /* bytes of head that are there */
	uint64_t n, at;	 /* length of the payload, bytes taken of it */
	bool in_message; /* the last frame of a message has not come */
	char control[WEBSOCKET_CONTROL_MAX]; /* payload of a control frame */
	bool wants_data; /* WEBSOCKET_DATA is told; set by the caller */
	/* The piece that was told last: */
	struct span piece; /* still masked, in the caller's bytes */
	unsigned char piece_mask[4];
	bool first; /* the piece begins its message */
	bool begun; /* a part of the message has come */
};

enum websocket_event {
	WEBSOCKET_MORE,	    /* all is taken, more may come */
	WEBSOCKET_DATA,	    /* a piece of a message, never an empty one */
	WEBSOCKET_PINGED,   /* control has n bytes to send back in a pong */
	WEBSOCKET_CLOSED,   /* the client closes; nothing is read after it */
	WEBSOCKET_TOO_LONG, /* a frame above WEBSOCKET_FRAME_MAX; likewise */
	WEBSOCKET_BAD	    /* not a frame that a client may send; likewise */
};

/* Reads up to the next event; *taken of n bytes are used up. */
enum websocket_event websocket_read(
    struct websocket_reader *r, const char *p, size_t n, size_t *taken);

/* Writes the last piece without its mask; to has room for it. */
void websocket_unmask(const struct websocket_reader *r, char *to);

/* Appends the head of a whole message, or a control frame, of n bytes. */
void websocket_add_head(struct buf *b, enum websocket_opcode opcode, size_t n);
/* Appends a close frame. */
void websocket_add_close(struct buf *b, enum websocket_code code);

/* Appends the value of Sec-WebSocket-Accept for this Sec-WebSocket-Key. */
void websocket_add_accept(struct buf *b, struct span key);

#endif
