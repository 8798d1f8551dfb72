/*
 * logs: the lines of a log that a request asks for. A log is a text. A line may
 * begin with its time (RFC 3339, and a blank), as `kubectl logs --timestamps`
 * prints it; one without has the time of the line before, the first one that
 * of the container. Source: what a kubelet of 1.36 answered.
 */
#ifndef LOGS_H
#define LOGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "request/request.h"
#include "type/problem.h"

struct log_options {
	bool follow, previous, timestamps;
	int64_t tail;	  /* lines; -1: all */
	int64_t limit;	  /* bytes; -1: as many as there are */
	int64_t since_us; /* lines before are left out; INT64_MIN: none */
};

/* The parameters of the request. A problem is a 400, or a 422. */
struct problem *logs_options(struct request *r, struct log_options *o);

/*
 * Appends the lines that o selects, each with its end. done: bytes of text that
 * were sent before, which tail does not count. At most o->limit bytes, from
 * which the length is subtracted.
 */
void logs_select(struct span text, size_t done, int64_t began_us,
    struct log_options *o, struct buf *b);

#endif
