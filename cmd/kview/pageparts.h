/*
 * pageparts: the page as it lies beside this file, cut where styles, scripts
 * and data go. The files are in the binary by .incbin.
 */
#ifndef PAGEPARTS_H
#define PAGEPARTS_H

#include "base/buf.h"
#include "base/span.h"

/* All up to the data, and all behind them. title is any text. */
void pageparts_add_head(struct buf *b, struct span title);
void pageparts_add_tail(struct buf *b);

/* The page that is live, whole, and its Content-Security-Policy: nothing but
 * its own style and script, and requests to where it came from. */
void pageparts_add_live(struct buf *b, struct buf *policy);

#endif
