/*
 * yaml11: plain scalars as YAML 1.1 and kubectl read them, which is
 * sigs.k8s.io/yaml on its copy of go-yaml v2 (resolve.go).
 */
#ifndef YAML11_H
#define YAML11_H

#include <stdbool.h>

#include "base/buf.h"

enum yaml11_number {
	YAML11_TEXT,
	YAML11_INTEGER,
	YAML11_FLOAT,
	YAML11_ENDLESS /* infinity, or not a number: JSON has neither */
};

/*
 * Appends the number that the text spells: an integer in decimal (0644, 1_000,
 * 0b11, -0x10, 0o17), another number without its underscores, .inf, -.inf or
 * .nan. Nothing is appended if the text is not a number, or one beyond a
 * float64, or an integer of another base beyond 64 bits.
 */
enum yaml11_number yaml11_number(const char *text, struct buf *out);

/* yaml11_number for a key, which becomes a text: a number that is not an
 * integer has as few digits as a float32 needs. */
enum yaml11_number yaml11_key(const char *text, struct buf *out);

/* Whether the text is a boolean: yes, on, y, true, True, ... */
bool yaml11_bool(const char *text, bool *value);

#endif
