/*
 * gotext: words that the API server's answers take from Go itself: what
 * encoding/json says of text that is not JSON, and how fmt prints a value.
 */
#ifndef GOTEXT_H
#define GOTEXT_H

#include "base/arena.h"
#include "base/span.h"
#include "tree/tree.h"

/*
 * The error of json.Unmarshal: "invalid character 'x' looking for beginning
 * of value", "unexpected end of JSON input", ...; in the arena. SPAN_NONE: the
 * text is one JSON value.
 */
struct span gotext_json_error(struct arena *a, struct span text);

/* "json: cannot unmarshal KIND into Go value of type TYPE" */
struct span gotext_type_error(
    struct arena *a, const struct node *value, const char *type);
/* string, number, bool, array, object; null */
const char *gotext_kind(const struct node *value);

/* Like fmt's %v prints what encoding/json made of it: map[a:1 b:[x y]]. */
struct span gotext_value(struct arena *a, const struct node *value);
/* Text by %s, for which only strings are right. */
struct span gotext_string(struct arena *a, const struct node *value);
/* The type that encoding/json gives it: string, int64, float64, bool,
 * []interface {}, map[string]interface {}. */
const char *gotext_type(const struct node *value);

/* Like fmt's %q writes it. */
struct span gotext_quote(struct arena *a, struct span text);

#endif
