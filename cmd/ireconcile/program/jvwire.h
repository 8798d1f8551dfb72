/*
 * jvwire: libjq's values as bytes between two processes of ours.
 *
 * Not JSON: numbers keep all their bits (also those that JSON does not have),
 * keys their order, and reading it back takes a third of the time of parsing
 * text. The reader checks everything.
 *
 * A value is one byte, its type, and what follows it: `n` null, `t` true, `f`
 * false, `d` a double, `s` a length and bytes, `a` a count and values, `o` a
 * count and members (each a length, bytes, and a value). Lengths and counts
 * are 32 bits; all in the order of this machine.
 */
#ifndef JVWIRE_H
#define JVWIRE_H

#include <jv.h>

#include "base/buf.h"
#include "base/span.h"
#include "json/jvtext.h"

enum {
	JVWIRE_BYTES_MAX = JVTEXT_BYTES_MAX,
	/* Limit of the memory of a value's containers after reading. */
	JVWIRE_MEMORY_MAX = 128 << 20
};

/*
 * Appends value; b is unchanged unless the result is JVTEXT_FITS. Looks at no
 * more than may be sent, so it is quick even if many parts are shared.
 */
enum jvtext_size jvwire_add(struct buf *b, jv value_peek);

/* The value in bytes, owned; jv_invalid() if jvwire_add cannot have made
 * them. */
jv jvwire_read(struct span bytes);

#endif
