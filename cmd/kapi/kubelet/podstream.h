/*
 * podstream: an answer that becomes a stream of bytes: its beginning, with the
 * limit, the journal and the metrics, and its end.
 */
#ifndef PODSTREAM_H
#define PODSTREAM_H

#include <stdbool.h>

#include "request/request.h"

enum {
	PODSTREAM_MAX = 1000,	       /* at once; one more is a 429 */
	PODSTREAM_MS = 4 * 3600 * 1000 /* then it is cut, as a real one is that
					* has been idle so long */
};

/* Begins a stream with this status. False: r was answered with an error. A
 * stream ends by podstream_end, in place of request_free. */
bool podstream_begin(struct request *r, int code);
void podstream_end(struct request *r);

/* A refusal in the words of a kubelet. */
void podstream_refuse(struct request *r, int code, const char *text);

#endif
