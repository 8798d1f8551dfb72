/*
 * stream_scan: where a value ends, found byte by byte as it arrives. Part of
 * stream: it counts brackets and strings, and leaves the grammar to json_check.
 */
#ifndef STREAM_SCAN_H
#define STREAM_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

/* Zeroed: before a value. */
struct stream_scan {
	size_t at; /* looked at so far, from the start of the value */
	unsigned depth;
	bool begun, string, escaped, scalar;
};

enum scan_result {
	SCAN_MORE,
	SCAN_WHOLE,  /* it ends at `at` */
	SCAN_NEWLINE /* SCAN_LINE only: the line ends before the value */
};

enum scan_mode { SCAN_TEXT, SCAN_LINE };

/* text begins with the value, without white space, and only grows from call to
 * call. A scalar ends at the next byte that is not part of it. */
enum scan_result stream_scan(
    struct stream_scan *c, struct span text, enum scan_mode mode);

#endif
