/*
 * spanline: a decision as a trace for OpenTelemetry: OTLP/JSON, each line a
 * whole ExportTraceServiceRequest.
 *
 *	reconcile KIND      from the first event to the last answer
 *	  decide            to the set
 *	  apply KIND        from the set to the answer, for each object
 *	  status KIND       from the status to its answer
 *
 * Source: opentelemetry-proto, "trace/v1/trace.proto" and the JSON Protobuf
 * encoding of the OTLP specification: identifiers in hex, 64-bit numbers as
 * strings. The identifiers are made of the decision: a recording that is sent
 * twice, or cut, gives the same ones.
 */
#ifndef SPANLINE_H
#define SPANLINE_H

#include "base/buf.h"
#include "traces/journey.h"

/* Length at which a line should end: collectors refuse those of 20 MiB. */
enum { SPANLINE_BYTES = 1024 * 1024 };

/* Adds a decision to the line; an empty line begins with it. */
void spanline_add(struct buf *b, const struct journey *j);
/* The last one was added. */
void spanline_end(struct buf *b);

/* 32 digits. */
void spanline_add_trace_id(struct buf *b, const struct journey *j);

#endif
