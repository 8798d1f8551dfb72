#include "merge/shape.h"
#include "text/texts.h"

#include <stdlib.h>

static struct shape
make(const struct schema *s, const struct field *f, bool preserve)
{
	struct shape shape = {SHAPE_TYPED, preserve, s, f};

	if (s == NULL) {
		shape.kind = SHAPE_DEDUCED;
	} else if (s->kind == SCHEMA_ANY) {
		shape.kind = span_is(s->name,
				 "io.k8s.apimachinery.pkg.runtime.RawExtension")
		    ? SHAPE_UNTYPED
		    : SHAPE_DEDUCED;
	} else if (s->kind == SCHEMA_INT_OR_STRING) {
		shape.kind = SHAPE_DEDUCED;
	} else {
		shape.preserve |= s->preserve_unknown;
	}
	return shape;
}

struct shape
shape_of(const struct schema *s)
{
	return make(s, NULL, false);
}

static unsigned
allowed(struct shape s)
{
	switch (s.kind) {
	case SHAPE_NONE:
		return ATOM_NONE;
	case SHAPE_UNTYPED:
	case SHAPE_DEDUCED:
		return ATOM_SCALAR | ATOM_LIST | ATOM_MAP;
	case SHAPE_TYPED:
		break;
	}
	switch (s.schema->kind) {
	case SCHEMA_OBJECT:
	case SCHEMA_MAP:
		return ATOM_MAP;
	case SCHEMA_LIST:
		return ATOM_LIST;
	default:
		return ATOM_SCALAR;
	}
}

static enum atom
atom_of(const struct node *value)
{
	if (value == NULL || value->kind == NODE_NULL)
		return ATOM_NONE;
	if (value->kind == NODE_OBJECT)
		return ATOM_MAP;
	return value->kind == NODE_ARRAY ? ATOM_LIST : ATOM_SCALAR;
}

unsigned
shape_atoms(struct shape s, const struct node *value)
{
	unsigned atoms = allowed(s), atom = atom_of(value);

	return (atoms & atom) != 0 ? atom : atoms;
}

enum atom
shape_pick(unsigned atoms)
{
	if (atoms & ATOM_MAP)
		return ATOM_MAP;
	return atoms & ATOM_SCALAR ? ATOM_SCALAR : atoms & ATOM_LIST;
}

bool
shape_fits(struct shape s, enum atom atom, const struct node *value)
{
	enum atom is = atom_of(value);

	if (is == ATOM_NONE)
		return true;
	if (is != atom)
		return false;
	if (atom != ATOM_SCALAR || s.kind != SHAPE_TYPED)
		return true;
	switch (s.schema->kind) {
	case SCHEMA_INTEGER:
	case SCHEMA_NUMBER:
		return value->kind == NODE_NUMBER;
	case SCHEMA_BOOLEAN:
		return value->kind == NODE_TRUE || value->kind == NODE_FALSE;
	case SCHEMA_STRING:
		/* Other formats (date-time) are not looked at. */
		return value->kind == NODE_STRING ||
		    (s.schema->format.n > 0 &&
			!span_is(s.schema->format, "byte"));
	default:
		return true;
	}
}

enum list_type
shape_list_type(struct shape s)
{
	if (s.kind != SHAPE_TYPED || s.field == NULL)
		return LIST_ATOMIC;
	return s.field->list_type;
}

bool
shape_atomic(struct shape s, enum atom atom)
{
	if (atom == ATOM_LIST)
		return shape_list_type(s) == LIST_ATOMIC;
	if (atom != ATOM_MAP || s.kind != SHAPE_TYPED)
		return atom == ATOM_MAP && s.kind == SHAPE_UNTYPED;
	return s.field != NULL && s.field->atomic;
}

static struct shape
embedded_member(struct span name, bool *declared)
{
	static const struct schema text = {.kind = SCHEMA_STRING};

	*declared = true;
	if (span_is(name, "metadata"))
		return make(schema_object_meta(), NULL, false);
	if (span_is(name, "apiVersion") || span_is(name, "kind"))
		return make(&text, NULL, false);
	*declared = false;
	return (struct shape){.kind = SHAPE_NONE};
}

struct shape
shape_member(struct shape s, struct span name, bool *declared)
{
	struct shape none = {.kind = SHAPE_NONE};
	const struct field *f;

	*declared = false;
	if (s.kind == SHAPE_TYPED && s.schema->kind == SCHEMA_MAP) {
		f = s.schema->element;
		return f == NULL ? make(NULL, NULL, false)
				 : make(f->schema, f, s.preserve);
	}
	if (s.kind == SHAPE_TYPED && s.schema->kind == SCHEMA_OBJECT) {
		f = schema_field(s.schema, name);
		if (f != NULL) {
			*declared = true;
			return make(f->schema, f, s.preserve);
		}
		if (s.schema->embedded || s.field == NULL) {
			none = embedded_member(name, declared);
			if (*declared)
				return none;
		}
		return s.preserve || s.schema->field_count == 0
		    ? make(NULL, NULL, false)
		    : none;
	}
	return s.kind == SHAPE_TYPED ? none : s;
}

struct shape
shape_item(struct shape s)
{
	const struct field *f;

	if (s.kind == SHAPE_NONE)
		return s;
	if (s.kind != SHAPE_TYPED || s.schema->kind != SCHEMA_LIST ||
	    s.schema->element == NULL)
		return (struct shape){.kind = SHAPE_UNTYPED};
	f = s.schema->element;
	return make(f->schema, f, s.preserve);
}

/* The value of a key that an item lacks; NULL: the key has no default. */
static const struct node *
key_default(const struct field *key)
{
	static const struct node text = {
	    .kind = NODE_STRING, .plain = true, .text = {"", 0}};
	static const struct node zero = {.kind = NODE_NUMBER, .text = {"0", 1}};

	/* OpenAPI has Go's zero values as defaults. */
	if (key->default_value != NULL || key->go_type.p == NULL ||
	    key->pointer || key->omit_empty)
		return key->default_value;
	if (key->schema->kind == SCHEMA_STRING)
		return &text;
	return key->schema->kind == SCHEMA_INTEGER ? &zero : NULL;
}

static int
keyed_path(struct arena *a, struct shape list, const struct node *item,
    struct fieldset_element *path, const char **problem)
{
	const struct field *f = list.field;
	const struct schema *of =
	    list.schema->element == NULL ? NULL : list.schema->element->schema;
	struct fieldset_key *keys;
	uint32_t n = 0;

	if (item->kind != NODE_OBJECT) {
		*problem = item->kind == NODE_NULL
		    ? "associative list with keys may not have a null element"
		    : "associative list with keys may not have non-map "
		      "elements";
		return -1;
	}
	keys = arena_alloc(a, f->key_count * sizeof(*keys));
	for (size_t i = 0; i < f->key_count; i++) {
		const struct node *value = tree_get_span(item, f->keys[i]);
		const struct field *key =
		    value != NULL || of == NULL || of->kind != SCHEMA_OBJECT
		    ? NULL
		    : schema_field(of, f->keys[i]);

		if (value == NULL && key != NULL)
			value = key_default(key);
		if (value != NULL)
			keys[n++] = (struct fieldset_key){f->keys[i], value};
	}
	if (n == 0 && f->key_count > 0) {
		struct buf b = BUF_INIT;

		buf_adds(&b,
		    "associative list with keys has an element that omits all "
		    "key fields [");
		for (size_t i = 0; i < f->key_count; i++)
			buf_addf(&b, "%s\"%.*s\"", i == 0 ? "" : " ",
			    SPAN_ARG(f->keys[i]));
		buf_adds(&b,
		    "] (and doesn't have default values for any key fields)");
		*problem = arena_str(a, buf_span(&b));
		buf_release(&b);
		return -1;
	}
	if (n > 1)
		qsort(keys, n, sizeof(*keys), texts_cmp);
	*path = (struct fieldset_element){
	    .kind = PATH_KEY, .key_count = n, .keys = keys};
	return 0;
}

int
shape_item_path(struct arena *a, struct shape list, const struct node *item,
    struct fieldset_element *path, const char **problem)
{
	if (shape_list_type(list) == LIST_MAP && list.field->key_count > 0)
		return keyed_path(a, list, item, path, problem);
	switch (item->kind) {
	case NODE_OBJECT:
		*problem = "associative list without keys has an element "
			   "that's a map type";
		return -1;
	case NODE_ARRAY:
		*problem =
		    "not supported: associative list with lists as elements";
		return -1;
	case NODE_NULL:
		*problem = "associative list without keys has an element "
			   "that's an explicit null";
		return -1;
	default:
		*path = (struct fieldset_element){
		    .kind = PATH_VALUE, .value = item};
		return 0;
	}
}

static int
entry_cmp(const void *x, const void *y)
{
	const struct shape_entry *const *i = x, *const *j = y;
	int c = fieldset_element_cmp(&(*i)->path, &(*j)->path);

	return c != 0 ? c : ((*i)->at > (*j)->at) - ((*i)->at < (*j)->at);
}

void
shape_items(struct arena *a, struct shape list, const struct node *value,
    struct shape_items *items)
{
	uint32_t count = (uint32_t)tree_count(value);
	bool in_order = true;

	*items = (struct shape_items){NULL, NULL, 0, false};
	items->entries = arena_alloc(a, count * sizeof(*items->entries));
	items->sorted = arena_alloc(a, count * sizeof(struct shape_entry *));
	for (uint32_t i = 0; i < count; i++) {
		struct shape_entry *e = &items->entries[items->n];
		const char *problem;

		*e = (struct shape_entry){.value = value->items[i], .at = i};
		if (shape_item_path(
			a, list, value->items[i], &e->path, &problem) != 0) {
			items->bad = true;
			continue;
		}
		if (items->n > 0 &&
		    fieldset_element_cmp(&e[-1].path, &e->path) >= 0)
			in_order = false;
		items->sorted[items->n++] = e;
	}
	if (!in_order)
		qsort(
		    items->sorted, items->n, sizeof(*items->sorted), entry_cmp);
	for (uint32_t i = 0, j; i < items->n; i = j) {
		for (j = i + 1; j < items->n &&
		     fieldset_element_cmp(
			 &items->sorted[i]->path, &items->sorted[j]->path) == 0;
		     j++)
			;
		for (uint32_t k = i; k < j; k++)
			items->sorted[k]->same = (int32_t)(j - i);
	}
}

struct shape_entry *
shape_items_find(
    const struct shape_items *items, const struct fieldset_element *path)
{
	uint32_t low = 0, high = items->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (fieldset_element_cmp(&items->sorted[middle]->path, path) <
		    0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == items->n ||
	    fieldset_element_cmp(&items->sorted[low]->path, path) != 0)
		return NULL;
	return items->sorted[low];
}
