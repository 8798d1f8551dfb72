/*
 * Part of merge/shape.h: whether a value fits its schema. Source:
 * structured-merge-diff/typed/validate.go.
 */
#include "merge/shape.h"

#include <inttypes.h>

#include "text/gotext.h"

struct check {
	struct arena *arena;
	enum shape_duplicates duplicates;
	struct buf path;
	struct buf text; /* a line for each problem */
	size_t count;
};

static void check(struct check *c, struct shape s, const struct node *value);

static void
problem(struct check *c, const struct fieldset_element *below, const char *what,
    struct span detail)
{
	if (c->count++ > 0)
		buf_addc(&c->text, '\n');
	buf_addspan(&c->text, buf_span(&c->path));
	if (below != NULL)
		fieldset_element_print(&c->text, below);
	if (c->path.len > 0 || below != NULL)
		buf_adds(&c->text, ": ");
	buf_adds(&c->text, what);
	buf_addspan(&c->text, detail);
}

static void
descend(struct check *c, const struct fieldset_element *e, struct shape s,
    const struct node *value)
{
	size_t before = c->path.len;

	fieldset_element_print(&c->path, e);
	check(c, s, value);
	buf_truncate(&c->path, before);
}

static void
check_map(struct check *c, struct shape s, const struct node *value)
{
	for (uint32_t i = 0; i < value->n; i++) {
		const struct member *m = &value->members[i];
		struct fieldset_element e = fieldset_element_field(m->key);
		bool declared;
		struct shape of = shape_member(s, m->key, &declared);

		if (of.kind == SHAPE_NONE) {
			problem(
			    c, &e, "field not declared in schema", SPAN_NONE);
			return;
		}
		descend(c, &e, of, m->value);
	}
}

static const char *
type_of(const struct node *value)
{
	switch (value->kind) {
	case NODE_STRING:
		return "string";
	case NODE_NUMBER:
		return "float64";
	case NODE_ARRAY:
		return "[]interface {}";
	case NODE_OBJECT:
		return "map[string]interface {}";
	default:
		return "bool";
	}
}

/* x}: fmt's %v prints a pointer to what holds the value as &{x}. */
static struct span
printed(struct check *c, const struct node *value)
{
	struct fieldset_element e = {.kind = PATH_VALUE, .value = value};
	struct buf b = BUF_INIT;
	struct span text;

	if (value->kind != NODE_NUMBER)
		return arena_printf(
		    c->arena, "%.*s}", SPAN_ARG(gotext_value(c->arena, value)));
	fieldset_element_print(&b, &e); /* between [= and ] */
	text = arena_printf(c->arena, "%.*s}", (int)(b.len - 3), b.data + 2);
	buf_release(&b);
	return text;
}

/* Like fmt's %#v. */
static void
add_go_syntax(struct buf *b, const struct node *value)
{
	struct fieldset_element e = {.kind = PATH_VALUE, .value = value};
	struct buf text = BUF_INIT;

	switch (value->kind) {
	case NODE_NULL:
		buf_adds(b, "interface {}(nil)");
		return;
	case NODE_ARRAY:
		buf_adds(b, "[]interface {}{");
		for (uint32_t i = 0; i < value->n; i++) {
			buf_adds(b, i == 0 ? "" : ", ");
			add_go_syntax(b, value->items[i]);
		}
		buf_addc(b, '}');
		return;
	case NODE_OBJECT:
		buf_adds(b, "map[string]interface {}{");
		for (uint32_t i = 0; i < value->n; i++) {
			struct node key = {.kind = NODE_STRING};

			key.text = value->members[i].key;
			buf_adds(b, i == 0 ? "" : ", ");
			add_go_syntax(b, &key);
			buf_addc(b, ':');
			add_go_syntax(b, value->members[i].value);
		}
		buf_addc(b, '}');
		return;
	default: /* between [= and ] */
		fieldset_element_print(&text, &e);
		buf_add(b, text.data + 2, text.len - 3);
		buf_release(&text);
	}
}

static void
wrong_scalar(struct check *c, struct shape s, const struct node *value)
{
	struct buf b = BUF_INIT;

	switch (s.schema->kind) {
	case SCHEMA_INTEGER:
	case SCHEMA_NUMBER:
		problem(c, NULL, "expected numeric (int or float), got ",
		    span_str(type_of(value)));
		return;
	case SCHEMA_BOOLEAN:
		problem(c, NULL, "expected boolean, got &{", printed(c, value));
		return;
	case SCHEMA_STRING:
		if (s.schema->format.n > 0 &&
		    !span_is(s.schema->format, "byte"))
			break;
		buf_adds(&b, "&value.valueUnstructured{Value:");
		add_go_syntax(&b, value);
		buf_addc(&b, '}');
		problem(c, NULL, "expected string, got ", buf_span(&b));
		buf_release(&b);
		return;
	default:
		break;
	}
	problem(c, NULL, "expected any scalar, got &{", printed(c, value));
}

static void
check(struct check *c, struct shape s, const struct node *value)
{
	enum atom atom = shape_pick(shape_atoms(s, value));

	if (atom == ATOM_NONE)
		problem(
		    c, NULL, "schema error: invalid atom: inlined", SPAN_NONE);
	else if (!shape_fits(s, atom, value) && atom == ATOM_SCALAR)
		wrong_scalar(c, s, value);
	else if (!shape_fits(s, atom, value))
		problem(c, NULL,
		    atom == ATOM_MAP ? "expected map, got &{"
				     : "expected list, got &{",
		    printed(c, value));
	else if (value == NULL || value->kind == NODE_NULL)
		return;
	else if (atom == ATOM_MAP)
		check_map(c, s, value);
	else if (atom == ATOM_LIST) {
		struct shape of = shape_item(s);
		bool atomic = shape_atomic(s, ATOM_LIST);
		struct shape_items items = {NULL, NULL, 0, false};

		if (!atomic)
			shape_items(c->arena, s, value, &items);
		for (uint32_t i = 0, found = 0; i < value->n; i++) {
			struct fieldset_element e = fieldset_element_index(i);
			const char *why;

			if (!atomic) {
				if (shape_item_path(c->arena, s,
					value->items[i], &e, &why) != 0) {
					problem(c, NULL, "",
					    arena_printf(c->arena,
						"element %" PRIu32 ": %s", i,
						why));
					return;
				}
				found++;
				if (c->duplicates == DUPLICATES_REFUSED &&
				    items.entries[found - 1].same > 1 &&
				    shape_items_find(&items, &e)->at < i) {
					struct buf b = BUF_INIT;

					fieldset_element_print(&b, &e);
					problem(c, NULL,
					    "duplicate entries for key ",
					    buf_span(&b));
					buf_release(&b);
				}
			}
			descend(c, &e, of, value->items[i]);
		}
	}
}

struct span
shape_check(struct arena *a, struct shape s, const struct node *value,
    enum shape_duplicates duplicates)
{
	struct check c = {
	    .arena = a, .duplicates = duplicates, .path = BUF_INIT};
	struct buf whole = BUF_INIT;
	struct span result;

	check(&c, s, value);
	if (c.count > 1) {
		/* each line is indented, below a head */
		buf_adds(&whole, "errors:\n  ");
		for (size_t i = 0; i < c.text.len; i++) {
			buf_addc(&whole, c.text.data[i]);
			if (c.text.data[i] == '\n')
				buf_adds(&whole, "  ");
		}
		buf_release(&c.text);
		c.text = whole;
	}
	result = arena_span(a, buf_span(&c.text));
	buf_release(&c.text);
	buf_release(&c.path);
	return result;
}
