/*
 * squeeze: one segment, compressed as it is written. A reader gets everything
 * up to the last squeeze_flush, whatever happens to this process then.
 */
#ifndef SQUEEZE_H
#define SQUEEZE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

struct squeeze;

/* Creates the file; one that is there already, or a link, is an error. */
struct squeeze *squeeze_new(const char *path, struct err *err);

/* All return -1 with err if the file cannot be written: then nothing more can
 * be, and only squeeze_free is left to do. */
int squeeze_add(struct squeeze *s, struct span text, struct err *err);
int squeeze_flush(struct squeeze *s, struct err *err);
/* Writes the end. */
int squeeze_end(struct squeeze *s, struct err *err);
void squeeze_free(struct squeeze *s);
/* The same, but its file stays open: the descriptor, which the caller closes. */
int squeeze_leave(struct squeeze *s);
/* Another process has removed the file. */
bool squeeze_is_removed(const struct squeeze *s);

/* Bytes in the file so far. */
uint64_t squeeze_size(const struct squeeze *s);

#endif
