#include "crd/findings.h"

#include <stdarg.h>

#include "base/buf.h"
#include "base/map.h"
#include "text/number.h"

static void
place_write(struct buf *b, const struct findings_place *p)
{
	if (p == NULL)
		return;
	place_write(b, p->up);
	switch (p->kind) {
	case PLACE_PROPERTY:
		if (b->len > 0)
			buf_addc(b, '.');
		buf_addspan(b, p->name);
		break;
	case PLACE_KEY:
		buf_addc(b, '.');
		buf_addspan(b, p->name);
		break;
	case PLACE_INDEX:
		buf_addf(b, "[%zu]", p->index);
		break;
	}
}

struct span
findings_place_text(struct arena *a, const struct findings_place *p)
{
	struct buf b = BUF_INIT;
	struct span s;

	place_write(&b, p);
	s = tree_keep(a, &b);
	return s.p == NULL ? span_str("") : s;
}

void
findings_add(struct findings *r, const struct failure *f)
{
	r->items = arena_more(r->arena, r->items, r->n, sizeof *r->items);
	r->items[r->n++] = *f;
}

void
findings_merge(struct findings *r, const struct findings *other)
{
	r->matched += other->matched;
	for (size_t i = 0; i < other->n; i++)
		findings_add(r, &other->items[i]);
}

static struct span
failure_path(struct arena *a, const struct failure *f, struct span base)
{
	struct span name = f->name;

	if (name.n > 0 && name.p[0] == '.')
		name = span_skip(name, 1);
	if (f->code == FAIL_UNNAMED || name.n == 0)
		/* Go prints a nil path as <nil>. */
		return base.p == NULL ? span_str("<nil>") : base;
	return base.p == NULL ? name : cause_path_field(a, base, name);
}

/* A float64 as %v prints it; the rest as it is. */
static const struct node *
shown(struct arena *a, const struct node *value)
{
	int64_t n;

	if (!tree_is(value, NODE_NUMBER) || number_is_int(value, &n))
		return value;
	return tree_number(a, number_show(a, tree_double(value)));
}

static void
failure_cause(const struct failure *f, struct span base, struct causes *c)
{
	struct span path = failure_path(c->arena, f, base);
	const struct node *value = f->value;
	const struct schema_rules *r;
	struct span *all;

	if (value != NULL && value->kind == NODE_NULL)
		value = NULL;
	if (value == NULL && f->code != FAIL_ENUM)
		value = tree_str(c->arena, "");
	value = shown(c->arena, value);
	switch (f->code) {
	case FAIL_REQUIRED:
		cause_required(c, path, "");
		break;
	case FAIL_ENUM:
		/* Values of an enum as the message has them: strings bare,
		 * others as JSON. */
		r = f->rules;
		all = arena_alloc(c->arena, r->enum_count * sizeof *all);
		for (size_t i = 0; i < r->enum_count; i++) {
			struct buf b = BUF_INIT;

			if (r->enums[i]->kind == NODE_STRING) {
				all[i] = r->enums[i]->text;
				continue;
			}
			tree_write(&b, r->enums[i]);
			all[i] = tree_keep(c->arena, &b);
		}
		cause_unsupported(c, path, value, all, r->enum_count);
		break;
	case FAIL_TOO_LONG:
		cause_too_long(c, path, value, (size_t)f->limit);
		break;
	case FAIL_TOO_MANY:
		cause_too_many(c, path, (size_t)f->actual, (size_t)f->limit);
		break;
	case FAIL_TYPE:
		cause_type_invalid(
		    c, path, value, arena_str(c->arena, f->message));
		break;
	case FAIL_INVALID:
	case FAIL_UNNAMED:
		cause_invalid(c, path, value, arena_str(c->arena, f->message));
		break;
	}
}

void
findings_causes(const struct findings *r, struct span base, struct causes *c)
{
	struct map seen = MAP_INIT;

	for (size_t i = 0; i < r->n; i++) {
		struct failure *f = &r->items[i];

		if (map_get(&seen, f->message) != NULL)
			continue;
		map_put(&seen, f->message, f);
		failure_cause(f, base, c);
	}
	map_release(&seen);
}

struct failure *
findings_failure(struct findings *out, const struct findings_at *at,
    enum failure_code code, const struct node *value, const char *what, ...)
{
	struct failure f = {.code = code, .value = value, .rules = at->rules};
	struct buf message = BUF_INIT;
	va_list args;

	f.name = findings_place_text(out->arena, at->place);
	buf_addspan(&message, f.name);
	buf_adds(&message, " in body ");
	va_start(args, what);
	buf_addv(&message, what, args);
	va_end(args);
	f.message = tree_keep(out->arena, &message);
	findings_add(out, &f);
	return &out->items[out->n - 1];
}
