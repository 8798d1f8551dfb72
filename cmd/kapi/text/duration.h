/*
 * duration: the query parameter timeout, in the form of Go's durations
 * (1m30s). Answers of kapi do not take long enough for one to matter.
 * Source: apiserver/pkg/endpoints/filters/request_deadline.go.
 */
#ifndef DURATION_H
#define DURATION_H

#include "base/arena.h"
#include "base/span.h"

/* What Go's time.ParseDuration says of text that is not a duration, in the
 * arena; SPAN_NONE: it is one. */
struct span duration_error(struct arena *a, struct span text);

#endif
