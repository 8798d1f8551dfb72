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

#endif
