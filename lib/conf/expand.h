/*
 * expand: a YAML file with ${VAR}, ${VAR:-text}, ${VAR:?text} in its scalars.
 *
 * References are set aside before the YAML is parsed (so that
 * `namespaces: [${NS}]` is YAML) and filled in afterwards, one scalar at a
 * time: a value never changes the structure, and a scalar that holds a
 * reference is always a string. An unset or empty variable gives the empty
 * text; with `:-text` it gives text; with `:?text` an error with that
 * text, also if the variable is of blanks alone.
 * Comments and keys are left alone.
 */
#ifndef EXPAND_H
#define EXPAND_H

#include "base/err.h"
#include "base/span.h"
#include "conf/yaml.h"

enum { EXPAND_FILE_MAX_MIB = 1 };

/* Owned, free with yaml_tree_free(); NULL with err "FILE:LINE: what". */
struct yaml *expand_load(const char *path, struct err *err);

/* A reference: its name; how it goes on, '-', '?' or 0; and the text there. */
struct expand_reference {
	struct span name;
	char kind;
	struct span text;
};

/*
 * Loads the file as it is written: references stay, in scalars that count as
 * quoted. Calls seen for each reference in a value, in the order of the file.
 */
struct yaml *expand_load_raw(const char *path,
    void (*seen)(void *arg, const struct expand_reference *ref), void *arg,
    struct err *err);

#endif
