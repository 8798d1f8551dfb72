/*
 * number: numbers as Go writes them.
 */
#ifndef NUMBER_H
#define NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "tree/tree.h"

/* Go's strconv.ParseInt and ParseUint with base 10. NULL, or what is wrong:
 * "invalid syntax" or "value out of range". */
const char *number_parse_int(struct span text, int64_t *n);
const char *number_parse_uint(struct span text, uint64_t *n);

/* True if a decoder into untyped values makes it an int64, not a float64. */
bool number_is_int(const struct node *n, int64_t *value);

/* The shortest digits that give the same float64: as %v, as encoding/json,
 * and without any exponent. */
struct span number_show(struct arena *a, double value);
struct span number_json(struct arena *a, double value);
struct span number_plain(struct arena *a, double value);

/* All numbers below n as they are stored: 1.0 is 1, 1e3 is 1000. */
void number_normalize(struct arena *a, struct node *n);

#endif
