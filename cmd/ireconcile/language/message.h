/*
 * message: what may be shown of jq's own error messages.
 *
 * jq echoes the input ("string (\"s3cr...) cannot be parsed as a number",
 * "... (while parsing 's3cret')"), and the input may be a Secret. So of a
 * message of jq's only words stay that jq itself uses in messages, and quoted
 * text that stands in the program; all else becomes "...". That holds for any
 * template, also of jq versions to come.
 */
#ifndef MESSAGE_H
#define MESSAGE_H

#include "base/buf.h"
#include "base/span.h"
#include "language/source.h"

void message_cut(struct buf *out, struct span message, const struct source *s);

#endif
