/*
 * podstream: an answer that becomes a stream of bytes: its beginning, with the
 * limit, the journal and the metrics; its end, which the client or the stream
 * itself brings, or the limit of its time; and its memory, which is freed from
 * the loop, because functions up the stack may still use it.
 */
#ifndef PODSTREAM_H
#define PODSTREAM_H

#include <stdbool.h>

#include "process/loop.h"
#include "request/request.h"

enum {
	PODSTREAM_MAX = 1000,	       /* at once; one more is a 429 */
	PODSTREAM_MS = 4 * 3600 * 1000 /* then it is cut, as a real one is that
					* has been idle so long */
};

/* A member of the struct that needs a stream: its owner, which is freed with
 * it. */
struct podstream {
	struct request *request; /* freed with the stream */
	/* Ends what writes to the stream. May be called several times. */
	void (*stop)(void *owner);
	void (*release)(void *owner); /* frees the owner */
	void *owner;
	/* Private but for reading. */
	struct timer timer;
	bool done; /* the exchange is gone, or being closed */
};

/* Counts a stream that is answered with this status. False: r was answered with
 * an error. */
bool podstream_begin(struct request *r, int code);
/* The answer could not be started: not a stream any more, and r is freed. */
void podstream_cancel(struct request *r);
/* The answer has started. The members up to owner are set. */
void podstream_start(struct podstream *s);

/* Sends both parts as one piece. */
void podstream_send(struct podstream *s, struct span head, struct span bytes);
/* Ends the answer; nothing is sent behind it. */
void podstream_end(struct podstream *s);

/* The exchange was cut. */
void podstream_lost(struct podstream *s);

/* A refusal in the words of a kubelet. */
void podstream_refuse(struct request *r, int code, const char *text);

#endif
