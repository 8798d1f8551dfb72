/*
 * natives: what programs may call of C, by _call("NAME"; ARGUMENT).
 *
 *	sha256   of a string: 64 hex digits
 *	tojson   of anything: JSON text, keys in their order, all digits
 *
 * Pure, and strict: anything wrong is an error of the program.
 */
#ifndef NATIVES_H
#define NATIVES_H

#include <jv.h>

#include "span.h"

/* Consumes x; the result, or jv_invalid() with a message. */
jv natives_call(struct span name, jv x);
/* What error(x) is raised with: x, but never null. */
jv natives_error_text(jv x);

#endif
