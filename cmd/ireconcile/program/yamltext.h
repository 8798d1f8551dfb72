/*
 * yamltext: writes a value as YAML that means the same in YAML 1.1 and 1.2.
 *
 * Keys are sorted, so that equal values give equal text. Strings are always
 * quoted: none is ever taken for a number, a date or "no". Text of several
 * lines, if possible (a certificate), is a literal block.
 */
#ifndef YAMLTEXT_H
#define YAMLTEXT_H

#include <jv.h>

#include "base/buf.h"
#include "base/err.h"

/* Appends lines, each with its line break. -1 with err if the value holds a
 * number that JSON does not have, or an integer that jvtext.h refuses. */
int yamltext_add(struct buf *b, jv value_peek, struct err *err);

#endif
