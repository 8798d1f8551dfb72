/*
 * metrics: what kapi counts, in Prometheus' text form, under the names that
 * kube-apiserver has for the same: apiserver_request_total (a watch counts when
 * it begins; there, when it ends), apiserver_resource_objects, process_*.
 * Source: apiserver/pkg/endpoints/metrics, recorded answers.
 */
#ifndef METRICS_H
#define METRICS_H

#include <stdbool.h>

#include "request/request.h"

struct metrics;
void metrics_free(struct metrics *m);

/* r is answered with this code. */
void metrics_count(const struct request *r, int code);

/* True: the path is /metrics, and r was answered. */
bool metrics_serve(struct request *r);

#endif
