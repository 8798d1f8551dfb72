/*
 * unwrap: the object in a watch event, as kwatch and `kubectl get -w
 * --output-watch-events` print it.
 */
#ifndef UNWRAP_H
#define UNWRAP_H

#include "base/err.h"
#include "base/span.h"

enum unwrap_result {
	UNWRAP_DOCUMENT, /* it was not an event */
	UNWRAP_OBJECT,	 /* of ADDED or MODIFIED: plain, whatever it has */
	UNWRAP_NOTHING,	 /* a bookmark */
	UNWRAP_BAD	 /* err: an event that cannot be applied */
};

/* document was checked by json_check; it becomes the object within it. */
enum unwrap_result unwrap(struct span *document, struct err *err);

#endif
