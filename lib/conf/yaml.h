/*
 * yaml: one YAML document as a small tree with line numbers, on libyaml.
 *
 * For configuration files of people (watches.yaml, kubeconfig), where an
 * error must name its line. JSON is YAML. An alias is a copy of what its anchor
 * names, and a merge key (<<) adds members, as kubectl reads it:
 * they replace what stands before, and are replaced by what comes after it. The
 * tags of YAML's core schema and !!binary are known. Refused are a second
 * document, a key given twice, keys that are not scalars, other tags, UTF-16,
 * files above 8 MiB and nesting beyond 100. A byte order mark before UTF-8 is
 * skipped. An empty document is a null scalar.
 */
#ifndef KPIPE_YAML_H /* libyaml has taken YAML_H */
#define KPIPE_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

enum yaml_type { YAML_SCALAR, YAML_SEQUENCE, YAML_MAPPING };

struct yaml {
	enum yaml_type type;
	int line; /* 1 = first */
	/* scalar */
	char *text;  /* owned, NUL-terminated */
	bool quoted; /* a quoted or block scalar is always a string */
	bool merged; /* a key that came with << */
	char *unset; /* owned: a variable in it without a value (conf/expand.h);
		      * NULL: none */
	/* the root: the value of a variable is in it or below */
	bool has_variables;
	/* sequence and mapping: count children; keys[i] only in a mapping */
	size_t count;
	struct yaml **keys;
	struct yaml **values;
};

/* Owned; NULL with err "FILE:LINE: what". name is for messages. */
struct yaml *yaml_parse(
    const char *name, const char *text, size_t n, struct err *err);
struct yaml *yaml_load(const char *path, struct err *err);
/* Frees a tree. libyaml calls a function of its own yaml_free. */
void yaml_tree_free(struct yaml *y);

/* Takes both; key is NULL in a sequence. */
void yaml_append(struct yaml *y, struct yaml *key, struct yaml *value);

/* The member's value or NULL. */
struct yaml *yaml_get(const struct yaml *mapping, const char *key);
/* Null in YAML 1.2's core schema: unquoted empty, ~, null. */
bool yaml_is_null(const struct yaml *scalar);
/* Unquoted true or false (also True, TRUE); false if it is neither. */
bool yaml_bool(const struct yaml *scalar, bool *value);
/* Appends as JSON; unquoted scalars are typed by YAML 1.2's core schema, and
 * numbers keep their digits. Numbers that JSON does not have (.inf, .nan)
 * become strings. */
void yaml_to_json(const struct yaml *y, struct buf *out);

#endif
