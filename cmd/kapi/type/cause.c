#include "type/cause.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "text/gotext.h"

void
cause_add(struct causes *c, const char *reason, struct span field,
    struct span message)
{
	c->items = arena_more(c->arena, c->items, c->n, sizeof *c->items);
	c->items[c->n++] = (struct cause){
	    .reason = span_str(reason), .message = message, .field = field};
}

/* field.Error's body: simple values as they are, the rest as JSON. */
static struct span
value_text(struct arena *a, const struct node *value)
{
	struct buf b = BUF_INIT;
	struct span s;

	if (value == NULL)
		return span_str("null");
	if (value->kind == NODE_STRING)
		return gotext_quote(a, value->text);
	tree_write(&b, value);
	s = arena_span(a, buf_span(&b));
	buf_release(&b);
	return s;
}

static void
add(struct causes *c, const char *reason, const char *title, struct span field,
    struct span value, const char *detail)
{
	const char *colon = detail[0] == '\0' ? "" : ": ";
	struct cause *added;

	if (value.p == NULL)
		cause_add(c, reason, field,
		    arena_printf(c->arena, "%s%s%s", title, colon, detail));
	else
		cause_add(c, reason, field,
		    arena_printf(c->arena, "%s: %.*s%s%s", title,
			SPAN_ARG(value), colon, detail));
	added = &c->items[c->n - 1];
	added->detail = arena_span(c->arena, span_str(detail));
}

void
cause_required(struct causes *c, struct span field, const char *detail)
{
	add(c, "FieldValueRequired", "Required value", field, SPAN_NONE,
	    detail);
}

void
cause_invalid(struct causes *c, struct span field, const struct node *value,
    const char *detail)
{
	add(c, "FieldValueInvalid", "Invalid value", field,
	    value_text(c->arena, value), detail);
}

void
cause_invalid_text(
    struct causes *c, struct span field, struct span value, const char *detail)
{
	add(c, "FieldValueInvalid", "Invalid value", field,
	    gotext_quote(c->arena, value), detail);
}

void
cause_unsupported(struct causes *c, struct span field, const struct node *value,
    const struct span *supported, size_t n)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < n; i++) {
		buf_adds(&b, i == 0 ? "supported values: " : ", ");
		buf_addspan(&b, gotext_quote(c->arena, supported[i]));
	}
	add(c, "FieldValueNotSupported", "Unsupported value", field,
	    value_text(c->arena, value), buf_str(&b));
	buf_release(&b);
}

void
cause_duplicate(struct causes *c, struct span field, const struct node *value)
{
	add(c, "FieldValueDuplicate", "Duplicate value", field,
	    value_text(c->arena, value), "");
}

void
cause_forbidden(struct causes *c, struct span field, const char *detail)
{
	add(c, "FieldValueForbidden", "Forbidden", field, SPAN_NONE, detail);
}

void
cause_too_long(
    struct causes *c, struct span field, const struct node *value, size_t max)
{
	(void)value; /* the server leaves it out */
	cause_add(c, "FieldValueTooLong", field,
	    arena_printf(c->arena, "Too long: may not be more than %zu %s", max,
		max == 1 ? "byte" : "bytes"));
}

void
cause_too_many(struct causes *c, struct span field, size_t actual, size_t max)
{
	cause_add(c, "FieldValueTooMany", field,
	    arena_printf(c->arena, "Too many: %zu: must have at most %zu %s",
		actual, max, max == 1 ? "item" : "items"));
}

void
cause_type_invalid(struct causes *c, struct span field,
    const struct node *value, const char *detail)
{
	add(c, "FieldValueTypeInvalid", "Invalid value", field,
	    value_text(c->arena, value), detail);
}

struct span
cause_path_field(struct arena *a, struct span base, struct span name)
{
	if (base.n == 0)
		return name;
	return arena_printf(a, "%.*s.%.*s", SPAN_ARG(base), SPAN_ARG(name));
}

struct span
cause_path_index(struct arena *a, struct span base, size_t i)
{
	return arena_printf(a, "%.*s[%zu]", SPAN_ARG(base), i);
}

struct span
cause_path_key(struct arena *a, struct span base, struct span key)
{
	return arena_printf(a, "%.*s[%.*s]", SPAN_ARG(base), SPAN_ARG(key));
}
