#include "builtin/rules.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "type/encode.h"
#include "type/names.h"
#include "type/objectmeta.h"

static void
words(struct arena *a, struct span *out, const struct at *at)
{
	if (at == NULL) {
		*out = span_make("", 0);
		return;
	}
	words(a, out, at->up);
	if (at->field != NULL)
		*out = cause_path_field(a, *out, span_str(at->field));
	else if (at->key.p != NULL)
		*out = cause_path_key(a, *out, at->key);
	else
		*out = cause_path_index(a, *out, at->index);
}

struct span
rule_at_words(struct arena *a, const struct at *at)
{
	struct span s;

	words(a, &s, at);
	return s;
}

#define WORDS(c, at) rule_at_words((c)->arena, at)

void
rule_fail_required(struct causes *c, const struct at *at, const char *detail)
{
	cause_required(c, WORDS(c, at), detail);
}

/* Go writes maps in order of their keys: labels, and those of selectors. */
static const struct node *
as_go(struct arena *a, const struct node *value)
{
	struct node *copy, *inner;
	bool texts = true;

	if (!tree_is(value, NODE_OBJECT))
		return value;
	for (size_t i = 0; i < value->n; i++)
		texts = texts && tree_is(value->members[i].value, NODE_STRING);
	inner = tree_get(value, "matchLabels");
	if (!texts && inner == NULL)
		return value;
	copy = tree_copy(a, value);
	inner = tree_get(copy, "matchLabels");
	if (tree_is(inner, NODE_OBJECT) && inner->n > 0)
		encode_sort_keys(inner);
	else if (texts)
		encode_sort_keys(copy);
	return copy;
}

void
rule_fail_invalid(struct causes *c, const struct at *at,
    const struct node *value, const char *detail)
{
	cause_invalid(c, WORDS(c, at),
	    value != NULL ? as_go(c->arena, value) : tree_null(c->arena),
	    detail);
}

void
rule_fail_text(struct causes *c, const struct at *at, struct span value,
    const char *detail)
{
	cause_invalid_text(c, WORDS(c, at), value, detail);
}

void
rule_fail_int(
    struct causes *c, const struct at *at, int64_t value, const char *detail)
{
	cause_invalid(c, WORDS(c, at), tree_int(c->arena, value), detail);
}

void
rule_fail_unsaid(struct causes *c, const struct at *at, const char *detail)
{
	cause_add(c, "FieldValueInvalid", WORDS(c, at),
	    span_str(rule_say(c, "Invalid value: %s", detail)));
}

void
rule_fail_forbidden(struct causes *c, const struct at *at, const char *detail)
{
	cause_forbidden(c, WORDS(c, at), detail);
}

void
rule_fail_duplicate(
    struct causes *c, const struct at *at, const struct node *value)
{
	cause_duplicate(c, WORDS(c, at), value);
}

void
rule_fail_not_found(
    struct causes *c, const struct at *at, const struct node *value)
{
	struct buf b = BUF_INIT;

	buf_adds(&b, "Not found: ");
	tree_write(&b, value != NULL ? value : tree_str(c->arena, ""));
	cause_add(c, "FieldValueNotFound", WORDS(c, at),
	    arena_span(c->arena, buf_span(&b)));
	buf_release(&b);
}

void
rule_fail_too_long(struct causes *c, const struct at *at, size_t max)
{
	cause_too_long(c, WORDS(c, at), NULL, max);
}

void
rule_fail_unsupported(
    struct causes *c, const struct at *at, const struct node *value, ...)
{
	struct span all[40];
	size_t n = 0;
	const char *s;
	va_list ap;

	va_start(ap, value);
	while ((s = va_arg(ap, const char *)) != NULL && n < 40)
		all[n++] = span_str(s);
	va_end(ap);
	cause_unsupported(c, WORDS(c, at),
	    value != NULL ? value : tree_str(c->arena, ""), all, n);
}

const char *
rule_say(struct causes *c, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n < 0)
		n = 0;
	if ((size_t)n >= sizeof(text))
		n = sizeof(text) - 1;
	return arena_str(c->arena, span_make(text, (size_t)n));
}

int64_t
rule_int(const struct node *object, const char *key, int64_t otherwise)
{
	int64_t value;

	return tree_get_int(rule_given(object, key), &value) ? value
							     : otherwise;
}

bool
rule_seen_before(struct map *seen, struct span text)
{
	return map_put(seen, text.p == NULL ? span_str("") : text, seen) !=
	    NULL;
}

/* An index of a long list: the first item with each text at a key. */
struct rule_index {
	struct rule_index *next;
	const struct node *list;
	const char *key;
	struct map firsts; /* by text; its place in the list + 1 */
};

/* The text at the key (NULL: the item itself), never NULL. */
static struct span
text_at(const struct node *item, const char *key)
{
	struct span text =
	    tree_text(key == NULL ? item : rule_given(item, key));

	return text.p == NULL ? span_str("") : text;
}

static const struct map *
index_of(struct arena *a, struct rule_index **all, const struct node *list,
    const char *key)
{
	struct rule_index *x;

	for (x = *all; x != NULL; x = x->next)
		if (x->list == list &&
		    (x->key == key ||
			(x->key != NULL && key != NULL &&
			    strcmp(x->key, key) == 0)))
			return &x->firsts;
	x = arena_alloc(a, sizeof(*x));
	*x = (struct rule_index){*all, list, key, MAP_INIT};
	*all = x;
	for (size_t i = tree_count(list); i-- > 0;)
		map_put(&x->firsts, text_at(list->items[i], key),
		    (void *)(uintptr_t)(i + 1));
	return &x->firsts;
}

void
rule_index_release(struct rule_index *x)
{
	for (; x != NULL; x = x->next)
		map_release(&x->firsts);
}

bool
rule_is_among(struct arena *a, struct rule_index **all, const struct node *list,
    size_t count, const char *key, struct span text)
{
	enum { SHORT = 16 };
	uintptr_t first;

	if (text.p == NULL)
		text = span_str("");
	if (tree_count(list) > SHORT) {
		first = (uintptr_t)map_get(index_of(a, all, list, key), text);
		return first > 0 && first <= count;
	}
	for (size_t i = 0; i < count; i++)
		if (span_eq(text_at(list->items[i], key), text))
			return true;
	return false;
}

bool
rule_text_is_any(const struct node *n, ...)
{
	const char *s;
	bool any = false;
	va_list ap;

	va_start(ap, n);
	while (!any && (s = va_arg(ap, const char *)) != NULL)
		any = tree_text_is(n, s);
	va_end(ap);
	return any;
}

void
rule_int_or_percent(
    struct causes *c, const struct at *at, const struct node *value)
{
	int64_t i;

	if (tree_is(value, NODE_STRING)) {
		if (!rule_is_percent(value))
			rule_fail_invalid(c, at, value,
			    "a valid percent string must be a numeric string "
			    "followed by an ending '%' (e.g. '1%',  or '93%', "
			    "regex used for validation is '[0-9]+%')");
	} else if (tree_get_int(value, &i) && i < 0) {
		rule_fail_int(c, at, i, "must be greater than or equal to 0");
	}
}

bool
rule_is_percent(const struct node *value)
{
	struct span s = tree_text(value);

	if (!tree_is(value, NODE_STRING) || s.n < 2 || s.p[s.n - 1] != '%')
		return false;
	for (size_t i = 0; i + 1 < s.n; i++)
		if (!span_is_digit(s.p[i]))
			return false;
	return true;
}

int64_t
rule_amount(const struct node *value)
{
	struct span s = tree_text(value);
	int64_t i = 0;

	if (tree_get_int(value, &i))
		return i;
	for (size_t k = 0; k < s.n && span_is_digit(s.p[k]); k++)
		if (i < 1000000000)
			i = i * 10 + (s.p[k] - '0');
	return i;
}

bool
rule_quantity_get(const struct node *n, struct quantity *q)
{
	struct span s = tree_is(n, NODE_NUMBER) ? n->text : tree_text(n);

	return quantity_parse(s, q) == NULL;
}

int
rule_quantity_cmp(const struct node *x, const struct node *y)
{
	struct quantity a = {0}, b = {0};

	if (!rule_quantity_get(x, &a))
		a = (struct quantity){0};
	if (!rule_quantity_get(y, &b))
		b = (struct quantity){0};
	return quantity_cmp(&a, &b);
}

bool
rule_is_negative(const struct node *n)
{
	struct quantity q;

	return rule_quantity_get(n, &q) && quantity_sign(&q) < 0;
}

void
rule_ip(struct causes *c, const struct at *at, struct span text)
{
	const char *why = name_check_address(text);

	if (why != NULL)
		rule_fail_text(c, at, text, why);
}
