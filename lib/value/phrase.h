/*
 * phrase: reads texts of the API server, whose words are known and whose values
 * are not. Each returns the text behind what it has read.
 */
#ifndef PHRASE_H
#define PHRASE_H

/* NULL: s does not begin with text. */
const char *phrase_text(const char *s, const char *text);
/* A text as Go's %q writes it; s if there is none. */
const char *phrase_quoted(const char *s);
/* NULL: not what the pattern means; * is a run of name's characters: no quote,
 * bracket, colon or space, so no value can be in it. */
const char *phrase_pattern(const char *s, const char *pattern);

#endif
