#include "crd/checked.h"

#include <stdarg.h>

#include "base/buf.h"
#include "type/tables.h"

struct checked
checked_at(const struct checked *p, const char *key)
{
	return (struct checked){p->c,
	    cause_path_field(p->c->arena, p->path, span_str(key)),
	    tree_path(p->value, key)};
}

struct checked
checked_item(const struct checked *p, size_t i)
{
	return (struct checked){p->c, cause_path_index(p->c->arena, p->path, i),
	    p->value->items[i]};
}

struct checked
checked_property(const struct checked *schema, size_t i)
{
	struct checked all = checked_at(schema, "properties");
	struct span name = all.value->members[i].key;

	return (struct checked){all.c,
	    cause_path_key(all.c->arena, all.path, name),
	    all.value->members[i].value};
}

bool
checked_true(const struct checked *p, const char *key)
{
	return tree_true(tree_get(p->value, key));
}

bool
checked_is_set(const struct checked *p, const char *key)
{
	const struct node *v = tree_get(p->value, key);

	return !tree_empty(v) && v->kind != NODE_FALSE;
}

struct span
checked_text(const struct checked *p, const char *key)
{
	return tree_path_text(p->value, key);
}

size_t
checked_properties(const struct checked *schema)
{
	return tree_members(tree_get(schema->value, "properties"));
}

void
checked_refuse(const struct checked *p, const char *key, enum refusal e,
    const char *fmt, ...)
{
	struct checked at = key == NULL ? *p : checked_at(p, key);
	struct buf detail = BUF_INIT;
	va_list args;

	va_start(args, fmt);
	if (fmt != NULL)
		buf_addv(&detail, fmt, args);
	va_end(args);
	if (e == REFUSE_MISSING)
		e = tree_text(at.value).n == 0 ? REFUSE_REQUIRED
					       : REFUSE_INVALID;
	if (e == REFUSE_REQUIRED)
		cause_required(p->c, at.path, buf_str(&detail));
	else if (e == REFUSE_FORBIDDEN)
		cause_forbidden(p->c, at.path, buf_str(&detail));
	else if (e == REFUSE_INVALID)
		cause_invalid(p->c, at.path, at.value, buf_str(&detail));
	else
		cause_invalid_text(
		    p->c, at.path, tree_text(at.value), buf_str(&detail));
	buf_release(&detail);
}

bool
checked_is_among(struct span text, const char *list)
{
	struct span rest = span_str(list), item;

	while ((item = tables_item(&rest)).p != NULL)
		if (span_eq(text, item))
			return true;
	return false;
}

void
checked_need_among(const struct checked *p, const char *key, const char *list)
{
	enum { MOST = 8 };
	struct checked at = checked_at(p, key);
	struct span known[MOST], rest = span_str(list);
	size_t n = 0;

	if (checked_is_among(tree_text(at.value), list))
		return;
	while (n < MOST && (known[n] = tables_item(&rest)).p != NULL)
		n++;
	cause_unsupported(p->c, at.path, at.value, known, n);
}
