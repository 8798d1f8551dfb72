/*
 * figures: krecord stat, about a recording as a whole.
 */
#ifndef FIGURES_H
#define FIGURES_H

#include "base/err.h"
#include "emit.h"

int figures_print(struct emit_source *s, struct err *err);

#endif
