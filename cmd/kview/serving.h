/*
 * serving: kview --serve: the page, live, of the lines on standard input.
 *
 *	GET /        the page, without data
 *	GET /events  all that is known, then each line as it comes (viewrow.h),
 *	             as text/event-stream. With Last-Event-ID only what followed
 *	             that, if it is still here; else the event `reset` comes
 *	             first, and all that is known
 *
 * Lines about the whole: {"now":US}, when events begin; {"state":{...}}, of the
 * pipeline; {"ended":true}, nothing more will come.
 *
 * Without --secure, only a client that means this machine (httpd/local.h) gets an
 * answer; with it, only a user with the right to get /view (access/review.h), and
 * events end after 5 min, so that the right is asked for again. A client that
 * does not read is cut. Memory: the history (history.h), the objects that there
 * are, and what waits for slow clients.
 */
#ifndef SERVING_H
#define SERVING_H

#include <stdbool.h>

#include "base/err.h"

struct serving_opts {
	const char *address;
	bool secure;	       /* TLS, and only for users with the right */
	const char *cert_path; /* for secure; NULL: a certificate is made */
	bool attached;	/* pass over lines before a segment, end with the input:
			* it is a pipe, in which another process left some */
	long report_fd; /* -1: none */
};

/* -1 with err: they cannot be used. */
int serving_check(const struct serving_opts *o, struct err *err);
/* Until a signal. Returns the exit code, or -1 with err. */
int serving_run(const struct serving_opts *o, struct err *err);

#endif
