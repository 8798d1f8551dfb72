/*
 * message: cuts jq's own error messages to the part that may be shown.
 *
 * jq echoes the input ("string (\"s3cr...) cannot be parsed as a number",
 * "... (while parsing 's3cret')"), and the input may be a Secret. So of a
 * message only the words of jq's own messages are kept, and quoted text that
 * occurs in the program; all else becomes "...". That is safe for any message,
 * also of later versions of jq.
 */
#ifndef MESSAGE_H
#define MESSAGE_H

#include "base/buf.h"
#include "base/span.h"
#include "language/source.h"

void message_cut(struct buf *out, struct span message, const struct source *s);

#endif
