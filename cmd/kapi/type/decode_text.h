/*
 * decode_text: texts with a form of their own, read and written as Go does it:
 * times and base64.
 */
#ifndef DECODE_TEXT_H
#define DECODE_TEXT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/span.h"

/*
 * metav1.Time (whole seconds) or metav1.MicroTime (exactly six digits), in
 * UTC: text itself if it is that already, or in the arena. Else -1 and what
 * Go's time.Parse says.
 */
int decode_time_canonical(struct arena *a, struct span text, bool micro,
    struct span *result, struct span *error);

/* Bytes as base64, in the arena. */
struct span decode_base64_text(struct arena *a, struct span bytes);
/* Standard base64, as []byte is written. -1: illegal at byte *at. */
int decode_base64_canonical(
    struct arena *a, struct span text, struct span *result, size_t *at);

#endif
