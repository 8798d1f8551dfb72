/*
 * rules: the parts of the rules of all built-in kinds: the place of a value,
 * its errors, and the checks that many kinds share. Sources:
 * apimachinery/pkg/util/validation, pkg/apis/meta/v1/validation,
 * pkg/apis/core/validation.
 */
#ifndef RULES_H
#define RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/span.h"
#include "tree/tree.h"
#include "type/problem.h"
#include "value/quantity.h"

/*
 * The place of a value: a chain on the stack, which is written as text only for
 * an error. A field (dots allowed), a [key] or an [index].
 */
struct at {
	const struct at *up; /* NULL: at the top */
	const char *field;
	struct span key;
	size_t index;
};
#define AT(up, field) (&(const struct at){(up), (field), {NULL, 0}, 0})
#define AT_KEY(up, key) (&(const struct at){(up), NULL, (key), 0})
#define AT_INDEX(up, i) (&(const struct at){(up), NULL, {NULL, 0}, (i)})
struct span rule_at_words(struct arena *a, const struct at *at);

/* Adds an error. detail may be "". A value of NULL is shown as null. */
void rule_fail_required(
    struct causes *c, const struct at *at, const char *detail);
void rule_fail_invalid(struct causes *c, const struct at *at,
    const struct node *value, const char *detail);
void rule_fail_text(struct causes *c, const struct at *at, struct span value,
    const char *detail);
void rule_fail_int(
    struct causes *c, const struct at *at, int64_t value, const char *detail);
/* An Invalid error that does not show the value. */
void rule_fail_unsaid(
    struct causes *c, const struct at *at, const char *detail);
void rule_fail_forbidden(
    struct causes *c, const struct at *at, const char *detail);
void rule_fail_duplicate(
    struct causes *c, const struct at *at, const struct node *value);
void rule_fail_not_found(
    struct causes *c, const struct at *at, const struct node *value);
void rule_fail_too_long(struct causes *c, const struct at *at, size_t max);
/* The values that are supported follow, up to NULL. */
void rule_fail_unsupported(struct causes *c, const struct at *at,
    const struct node *value, ...) __attribute__((sentinel));
/* detail made by printf, in the arena of the causes. */
const char *rule_say(struct causes *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* A member; NULL where it is null, which Go writes for what is not there. */
static inline struct node *
rule_given(const struct node *object, const char *key)
{
	struct node *n = tree_get(object, key);

	return tree_is(n, NODE_NULL) ? NULL : n;
}
/* Like rule_given, for an error that shows the value: null if it is absent. */
static inline struct node *
rule_given_or_null(struct arena *a, const struct node *object, const char *key)
{
	struct node *n = rule_given(object, key);

	return n != NULL ? n : tree_null(a);
}
/* A member that is an integer; or the other value if it is absent. */
int64_t rule_int(const struct node *object, const char *key, int64_t otherwise);
/* Texts of one list: whether this one was given before. Borrows it. */
bool rule_seen_before(struct map *seen, struct span text);
/* Whether one of the first `count` items of list has this text at the key. What
 * is known of long lists is kept in *indexes, which begins as NULL. */
struct rule_index;
bool rule_is_among(struct arena *a, struct rule_index **indexes,
    const struct node *list, size_t count, const char *key, struct span text);
void rule_index_release(struct rule_index *indexes);
bool rule_text_is_any(const struct node *n, ...) __attribute__((sentinel));

/* Each adds all errors of a text of that form. */
void rule_dns_label(struct causes *c, const struct at *at, struct span text);
void rule_dns_subdomain(
    struct causes *c, const struct at *at, struct span text);
void rule_dns_search(struct causes *c, const struct at *at, struct span text);
void rule_qualified_name(
    struct causes *c, const struct at *at, struct span text);
void rule_label_value(struct causes *c, const struct at *at, struct span text);
void rule_config_key(struct causes *c, const struct at *at, struct span text);
void rule_port_name(struct causes *c, const struct at *at, struct span text);
void rule_port_number(struct causes *c, const struct at *at, int64_t port);
/* A number or a name. */
void rule_port(struct causes *c, const struct at *at, const struct node *port);

/* The tag of an image is "latest": given so, or neither tag nor digest is given.
 * A name that is not well formed has no tag at all. */
bool rule_image_is_latest(struct span image);

/* Checks of labels, annotations and selectors. */
void rule_labels(
    struct causes *c, const struct at *at, const struct node *labels);
void rule_annotations(
    struct causes *c, const struct at *at, const struct node *annotations);
void rule_selector(
    struct causes *c, const struct at *at, const struct node *selector);
bool rule_selector_is_empty(const struct node *selector);
/* True if the selector is empty or selects the labels. */
bool rule_selector_matches(
    const struct node *selector, const struct node *labels);

/* IntOrString: "25%" or 3. */
void rule_int_or_percent(
    struct causes *c, const struct at *at, const struct node *value);
int64_t rule_amount(const struct node *value); /* 25 or 3; 0 if absent */
bool rule_is_percent(const struct node *value);

/* Quantities. False: it is not a quantity. */
bool rule_quantity_get(const struct node *n, struct quantity *q);
bool rule_is_negative(const struct node *n);
/* Text that is not a quantity counts as 0. */
int rule_quantity_cmp(const struct node *x, const struct node *y);

/* IsValidIPForLegacyField: an address need not be in canonical form. */
void rule_ip(struct causes *c, const struct at *at, struct span text);

#endif
