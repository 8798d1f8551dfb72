/*
 * spans: the decisions of a recording as traces (spanline.h), on standard
 * output.
 */
#ifndef SPANS_H
#define SPANS_H

#include "emit.h"

enum { SPANS_BATCH = 256 };

/* So many decisions on a line. -1 with err. */
int spans_print(struct emit_source *s, long batch, struct err *err);

#endif
