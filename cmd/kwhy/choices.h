/*
 * choices: what a shell offers for the operands of kwhy (opt.h): kinds, and then
 * names of objects, of the recording that is named behind them, or of the only
 * one in the folder.
 */
#ifndef CHOICES_H
#define CHOICES_H

#include "base/buf.h"

/* As opt_complete_fn. Names that a shell would expand are left out. */
void choices_add(
    struct buf *b, int count, char **words, int later_count, char **later);

#endif
