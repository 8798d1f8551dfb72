/*
 * answers: how often the API server was asked, by method and status code: the
 * metric rest_client_requests_total. Zeroed memory is an empty one.
 */
#ifndef ANSWERS_H
#define ANSWERS_H

#include "report/metric.h"

enum { ANSWERS_MAX = 64 }; /* further pairs are not counted */

struct answers {
	struct answers_of {
		int code;	    /* HTTP; 0: no answer came */
		const char *method; /* a string constant */
		uint64_t count;
	} list[ANSWERS_MAX];
	size_t count;
};

void answers_count(struct answers *a, const char *method, int code);
/* server: its URL, for the label host. */
void answers_metrics(
    const struct answers *a, const char *server, struct metric_lines *m);

#endif
