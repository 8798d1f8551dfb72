/*
 * utf8: characters in bytes, and which of them may be shown.
 */
#ifndef UTF8_H
#define UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

enum { UTF8_REPLACEMENT = 0xfffd };

/* The length of the sequence at p (shortest form, no surrogates, at most
 * U+10FFFF), or 0 if there is none. p < end. */
size_t utf8_length(const char *p, const char *end);

/* utf8_length that also sets *c to the character, if there is one. */
size_t utf8_decode(const char *p, const char *end, uint32_t *c);

/* Writes at most 4 bytes; returns the place behind them. */
char *utf8_put(char *to, uint32_t c);
void utf8_add(struct buf *b, uint32_t c);

/* Not the first byte of a character. */
static inline bool
utf8_continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* The longest prefix of s, of at most max bytes, that ends with a whole
 * character. */
size_t utf8_cut(struct span s, size_t max);
/* s without a byte order mark at its start, which some editors write. */
struct span utf8_skip_mark(struct span s);
/* How many characters s has. */
size_t utf8_count(struct span s);

/*
 * False for characters that are invisible or change how the rest is shown:
 * controls (C0, DEL, C1), line and paragraph separators, format characters
 * (directions, zero width, tags), fillers, variation selectors, noncharacters.
 * By the general categories Cc, Cf, Zl, Zp and the property
 * Default_Ignorable_Code_Point of Unicode 15.
 */
bool utf8_is_visible(uint32_t c);

#endif
