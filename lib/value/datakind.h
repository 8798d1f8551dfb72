/*
 * datakind: Secret and ConfigMap of the core group: their data, stringData and
 * binaryData are maps of texts that users wrote. The values may be confidential
 * and are never told: not in a log, an Event, a status or an error.
 *
 * Values of other kinds are told, but those that a program may have copied from
 * a Secret (ireconcile's reason.h).
 */
#ifndef DATAKIND_H
#define DATAKIND_H

#include <stdbool.h>

#include "base/span.h"

/* "" is the core group. */
bool datakind(struct span group, struct span kind);

#endif
