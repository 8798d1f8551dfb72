/*
 * selection: which objects labelSelector= and fieldSelector= ask for.
 * Source of grammar and words: apimachinery/pkg/labels/selector.go,
 * fields/selector.go; of the fields that a kind knows: the conversion.go of
 * its API group and SelectableFields of its registry.
 */
#ifndef SELECTION_H
#define SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "conf/selector.h"
#include "store/store.h"
#include "type/problem.h"
#include "type/resource.h"
#include "type/strategy.h"

struct label_term {
	struct span key;
	enum selector_op op;
	struct span *values; /* sorted, each once */
	size_t count;
	int64_t number; /* for ABOVE and BELOW */
};

struct field_term {
	struct span label, value;
	bool negated;
	enum field_source source;
	struct span path; /* dotted */
};

struct selection {
	struct label_term *labels;
	size_t label_count;
	struct field_term *fields;
	size_t field_count;
	/* Demanded by metadata.name= and metadata.namespace=; else none. */
	struct span name, namespace_;
};

/* Parses both (absent ones select everything); everything is in the arena. A
 * problem is a 400. */
struct problem *selection_parse(struct arena *a, struct span labels,
    struct span fields, struct selection *s);
/* Then: the fields of this resource. A problem is a 400. */
struct problem *selection_resolve(
    struct arena *a, const struct resource *r, struct selection *s);

/* labels: the raw JSON object, or none. */
bool selection_matches(const struct selection *s, const struct stored *o);
static inline bool
selection_is_empty(const struct selection *s)
{
	return s->label_count == 0 && s->field_count == 0;
}

/* The two halves, for tests. */
struct problem *selection_labels_parse(
    struct arena *a, struct span text, struct selection *s);
bool selection_labels_match(const struct selection *s, struct span labels);

#endif
