/*
 * pack: texts that resemble each other, each as its difference from a sample.
 *
 * Objects of a kind mostly have the same keys, defaults and template. The
 * sample is text of the first of them that nothing like it came before; a text
 * is packed as what it has in common with the sample, or with its own earlier
 * part (a match), and the bytes between (literals). The format is LZ4's in
 * spirit, but a match may go on in the sample where the one before would, as
 * if the literals had replaced as many bytes: that takes no place.
 *
 * A sample only grows: what was packed before stays readable. It is at most
 * PACK_SAMPLE_MAX bytes, and an eighth of all texts, so few texts have none.
 */
#ifndef PACK_H
#define PACK_H

#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

enum { PACK_SAMPLE_MAX = 32 * 1024 };

/* Zero it; pack_release it. */
struct pack {
	struct buf sample;
	uint16_t *places; /* in sample, by the hash of the bytes there; owned */
	unsigned bits;	  /* places has 1 << bits */
	uint64_t bytes;	  /* length of all texts that were packed */
};

void pack_release(struct pack *p);

/* Appends text, packed, to out. It may be longer than the text. */
void pack_text(struct pack *p, struct span text, struct buf *out);
/* The text of n bytes that was packed, to `to`. */
void pack_open(const struct pack *p, struct span packed, char *to, size_t n);

#endif
