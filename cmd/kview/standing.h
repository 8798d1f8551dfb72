/*
 * standing: how an object is, in a few words, of its status: the phase, and
 * whether its condition Ready, or Available, is true.
 */
#ifndef STANDING_H
#define STANDING_H

#include "base/buf.h"
#include "base/span.h"

/* Appends {"phase":"","ready":"True","reason":""}, members only if they are
 * there and not long; nothing if there is none. */
void standing_add(struct buf *b, struct span object);

#endif
