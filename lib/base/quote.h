/*
 * quote: makes text from others harmless: as JSON for programs, and as a line
 * of text for people.
 */
#ifndef QUOTE_H
#define QUOTE_H

#include "base/buf.h"
#include "base/span.h"

enum quote {
	QUOTE_LEAST, /* only what JSON demands: for programs */
	QUOTE_YAML,  /* and what YAML does not print, or takes for a line break:
		      * the string is the same in both languages */
	QUOTE_HIDDEN /* and what utf8_is_visible denies: for people */
};

/* A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void quote_json(struct buf *b, struct span text, enum quote what);

/*
 * JSON text as YAML that means the same: in it, such characters are only in
 * strings. (A server-side apply is read as YAML: it refuses DEL, makes a space
 * of U+0085, and knows neither the escape of a slash nor the two halves of a
 * character beyond U+FFFF.) json: checked by json_check.
 */
void quote_yaml(struct buf *b, struct span json);

/*
 * The text without quotes, as one line of visible characters in valid UTF-8.
 * Everything else is written as \n, \t, \x1b or \u202e; a byte that is not
 * UTF-8 \xff.
 */
void quote_text(struct buf *b, struct span text);

/* quote_text for a name, which must not look like two: a space is escaped,
 * too. */
void quote_name(struct buf *b, struct span text);

#endif
