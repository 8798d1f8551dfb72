/*
 * spans: decisions as traces for OpenTelemetry: OTLP/JSON, each line a whole
 * ExportTraceServiceRequest.
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
#ifndef SPANS_H
#define SPANS_H

#include "emit.h"

enum { SPANS_BATCH = 256 };

/* So many decisions on a line. -1 with err. */
int spans_print(struct emit_source *s, long batch, struct err *err);

#endif
