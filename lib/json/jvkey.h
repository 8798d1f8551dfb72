/*
 * jvkey: libjq's strings for short texts that come again and again, as the keys
 * of objects do. A new string is allocated, checked for UTF-8 and hashed; one
 * that is kept here saves that. The number of kept strings is bounded, and a
 * text that replaces another one costs no more than a new string.
 */
#ifndef JVKEY_H
#define JVKEY_H

#include <jv.h>

#include "base/span.h"

/* jv_string_sized() of text, owned. */
jv jvkey(struct span text);

#endif
