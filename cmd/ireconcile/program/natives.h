/*
 * natives: functions in C for programs, called by _call("NAME"; ARGUMENT).
 *
 *	sha256   of a string: 64 hex digits
 *	to_yaml  of anything: YAML text (yamltext.h)
 *	tojson   of anything: JSON text, keys in their order, all digits
 *
 * The others are called by definitions of the prelude, because libjq's own
 * functions differ from version to version or end the process: fromjson,
 * tonumber, implode, indices, contains, trim, uri, base64d, and times
 * (dates.c).
 *
 * Pure, and strict: anything wrong is an error of the program. Messages hold
 * no values.
 */
#ifndef NATIVES_H
#define NATIVES_H

#include <jv.h>

#include "base/span.h"

/* Consumes x; the result, or jv_invalid() with a message. */
jv natives_call(struct span name, jv x);
/* The value that error(x) raises: x, but never null, nor a value that looks
 * like an error of jqparse.h. */
jv natives_error_text(jv x);

/* dates.c; consumes x. jv_invalid() without a message: no such function. */
jv dates_call(struct span name, jv x);

/* jv_invalid() with a message. Consumes x. */
jv natives_refuse(jv x, const char *message);

#endif
