/*
 * serving: kview --serve: the page, live, of the lines on standard input.
 */
#ifndef SERVING_H
#define SERVING_H

#include <stdbool.h>

#include "base/err.h"

struct serving_opts {
	const char *address;
	bool secure;	       /* TLS, and only for users with the right */
	const char *cert_path; /* of that; NULL: a certificate is made */
	bool attached;	/* pass over lines before a segment, end with the input:
			* it is a pipe, in which another process left some */
	long report_fd; /* -1: none */
};

/* -1 with err: they cannot be used. */
int serving_check(const struct serving_opts *o, struct err *err);
/* Until a signal. Returns the exit code, or -1 with err. */
int serving_run(const struct serving_opts *o, struct err *err);

#endif
