/*
 * spdy: frames of SPDY/3.1, as a server reads and writes them: what kubectl and
 * client-go use for exec, attach and port-forward. Streams are opened by the
 * client; its headers are few. There is no flow control: the clients have none.
 * Source: SPDY Protocol - Draft 3.1; what moby/spdystream sends.
 */
#ifndef SPDY_H
#define SPDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/span.h"
#include "kubelet/spdy.h"

enum {
	SPDY_HEAD = 8,
	SPDY_CONTROL_MAX = 16384, /* bytes of a control frame */
	SPDY_HEADERS_MAX = 65536  /* ... and of the headers in it */
};

/* Reads header blocks, which zlib has compressed with the dictionary of SPDY/3
 * and flushed at the end of each frame. Source: SPDY Protocol - Draft 3.1,
 * 2.6.10.1. */
struct inflater {
	z_stream stream;
	bool begun;
};

/* Zeroed memory is the beginning of a connection. */
struct spdy_reader {
	/* The last event. */
	uint32_t stream;  /* or the id of a ping */
	struct span data; /* in the caller's bytes */
	bool fin;	  /* the client sends no more on the stream */
	/* Private. */
	unsigned char head[SPDY_HEAD];
	size_t head_n;
	uint32_t left; /* bytes of the frame that have not come */
	struct buf control, headers;
	struct inflater inflater;
};
void spdy_release(struct spdy_reader *r);

enum spdy_event {
	SPDY_MORE,
	SPDY_OPEN, /* a stream with headers: spdy_header */
	SPDY_DATA, /* a piece, maybe empty */
	SPDY_RESET,
	SPDY_PING,
	SPDY_GOAWAY,
	SPDY_BAD /* nothing is read after it */
};
/* Reads up to the next event; *taken of n bytes are used up. */
enum spdy_event spdy_read(
    struct spdy_reader *r, const char *p, size_t n, size_t *taken);
/* The value of a header of SPDY_OPEN; none if there is no such header. */
struct span spdy_header(const struct spdy_reader *r, const char *name);

/* Each appends a frame, spdy_add_data only the head. first: the first reply on
 * this connection. */
void spdy_add_reply(struct buf *b, uint32_t stream, bool first);
void spdy_add_reset(struct buf *b, uint32_t stream);
void spdy_add_ping(struct buf *b, uint32_t id);
void spdy_add_data(struct buf *b, uint32_t stream, size_t n, bool fin);

#endif
