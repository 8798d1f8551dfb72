/* Part of crd/valid.h: checks that a schema uses only what CRDs allow of
 * OpenAPI v3. */
#include "base/array.h"
#include "base/buf.h"
#include "crd/valid.h"

/* ---- paths in rules ---- */

static const char no_end[] = "unexpected end of JSON path";
static const char no_field[] = "does not refer to a valid field";

/* The next token: one of . [ ], a text in single quotes (with the quotes), or
 * all text before the next such token. None at the end. */
static struct span
next_token(struct span *rest)
{
	struct span t = *rest;
	size_t n = 1;

	if (rest->n == 0)
		return SPAN_NONE;
	if (*t.p == '\'') {
		while (n < t.n && (t.p[n] != '\'' || t.p[n - 1] == '\\'))
			n++;
		n += n < t.n;
	} else if (!span_is_among(*t.p, ".[]")) {
		while (n < t.n && !span_is_among(t.p[n], ".[]"))
			n++;
	}
	*rest = span_skip(*rest, n);
	t.n = n;
	return t;
}

static bool
add_escaped(struct buf *b, char c)
{
	static const char names[] = "abfnrtv'\\", chars[] = "\a\b\f\n\r\t\v'\\";
	const char *at = span_find(span_str(names), c);

	if (at == NULL)
		return false;
	buf_addc(b, chars[at - names]);
	return true;
}

/* The text inside the quotes. Returns NULL, or what is wrong. A backslash does
 * not escape the end of a line. */
static const char *
unquote(struct arena *a, struct span token, struct span *name)
{
	struct buf b = BUF_INIT;
	const char *wrong = NULL;

	if (token.n < 2 || *token.p != '\'' || token.p[token.n - 1] != '\'')
		return arena_str(a,
		    arena_printf(a,
			"expected single quoted string but got %.*s",
			SPAN_ARG(token)));
	token = span_make(token.p + 1, token.n - 2);
	for (size_t i = 0; i < token.n; i++) {
		if (token.p[i] != '\\' || i + 1 == token.n ||
		    token.p[i + 1] == '\n')
			buf_addc(&b, token.p[i]);
		else if (!add_escaped(&b, token.p[++i]))
			wrong = arena_str(a,
			    arena_printf(a,
				"invalid string literal: invalid escape char "
				"\\%c",
				token.p[i]));
	}
	*name = arena_span(a, buf_span(&b));
	buf_release(&b);
	return wrong;
}

/* Moves *schema to that of its member name. */
static const char *
step(const struct node **schema, struct span name)
{
	const struct node *properties = tree_get(*schema, "properties");
	const struct node *map = tree_get(*schema, "additionalProperties");

	if (tree_count(properties) > 0) {
		*schema = tree_get_span(properties, name);
		return *schema == NULL ? no_field : NULL;
	}
	if (map == NULL)
		return no_field;
	*schema = tree_is(map, NODE_OBJECT) ? map : NULL;
	return NULL;
}

static const char *
bracket(struct arena *a, struct span *rest, const struct node **schema)
{
	struct span token = next_token(rest), name;
	const char *wrong;

	if (token.n == 0)
		return no_end;
	if ((wrong = unquote(a, token, &name)) != NULL ||
	    (wrong = step(schema, name)) != NULL)
		return wrong;
	token = next_token(rest);
	if (token.n == 0)
		return no_end;
	return span_is(token, "]")
	    ? NULL
	    : arena_str(a,
		  arena_printf(a, "expected ] but got %.*s", SPAN_ARG(token)));
}

const char *
valid_rulepath(struct arena *a, struct span path, const struct node *schema,
    enum rulepath_brackets brackets, const struct node **found)
{
	const char *wrong = NULL;
	struct span token;

	while (wrong == NULL && (token = next_token(&path)).n > 0) {
		if (span_is(token, ".")) {
			token = next_token(&path);
			wrong = token.n == 0 ? no_end : step(&schema, token);
		} else if (!span_is(token, "[")) {
			wrong = arena_str(a,
			    arena_printf(a, "expected [ or . but got: %.*s",
				SPAN_ARG(token)));
		} else if (brackets == RULEPATH_DOTS_ONLY) {
			wrong = "array notation is not allowed";
		} else {
			wrong = bracket(a, &path, &schema);
		}
	}
	if (found != NULL)
		*found = schema;
	return wrong;
}

/* ---- the walk over a schema ---- */

/* The place of a schema, as the walk sees it. */
struct inside {
	bool resource_meta; /* apiVersion, kind or metadata of a resource */
	const char *no_defaults; /* why there may be none; NULL: may be */
};

static bool
is_type(const struct node *schema, const char *type)
{
	return tree_text_is(tree_get(schema, "type"), type);
}

static void
forbid(struct causes *c, struct span path, const char *key, const char *detail)
{
	cause_forbidden(c, valid_path_child(c, path, key), detail);
}

/* A field that needs the schema to be of a type. */
static void
need_type(struct causes *c, struct span path, const struct node *schema,
    const char *type, const char *key)
{
	struct span at = valid_path_child(c, path, "type");
	const char *detail = arena_str(c->arena,
	    arena_printf(c->arena, "must be %s if %s is specified", type, key));

	if (is_type(schema, type))
		return;
	if (tree_path_text(schema, "type").n == 0)
		cause_required(c, at, detail);
	else
		cause_invalid(c, at, tree_get(schema, "type"), detail);
}

static void
check_map_type(struct causes *c, struct span path, const struct node *schema)
{
	static const char key[] = "x-kubernetes-map-type";
	const struct span known[] = {span_str("atomic"), span_str("granular")};
	const struct node *type = tree_get(schema, key);

	if (type == NULL)
		return;
	need_type(c, path, schema, "object", key);
	if (!tree_text_is(type, "atomic") && !tree_text_is(type, "granular"))
		cause_unsupported(
		    c, valid_path_child(c, path, key), type, known, 2);
}

static void
check_set_items(struct causes *c, struct span path, const struct node *items)
{
	static const char detail[] =
	    "must be atomic as item of a list with x-kubernetes-list-type=set";
	const struct node *list = tree_get(items, "x-kubernetes-list-type");
	const struct node *map = tree_get(items, "x-kubernetes-map-type");
	struct span at = valid_path_child(c, path, "items");

	if (is_type(items, "array") && list != NULL &&
	    !tree_text_is(list, "atomic"))
		cause_invalid(c,
		    valid_path_child(c, at, "x-kubernetes-list-type"), list,
		    detail);
	/* Here the API server shows the list type, too. */
	if (is_type(items, "object") && !tree_text_is(map, "atomic"))
		cause_invalid(c,
		    valid_path_child(c, at, "x-kubernetes-map-type"), list,
		    detail);
}

static void
check_keys(struct causes *c, struct span path, const struct node *schema)
{
	static const char name[] = "x-kubernetes-list-map-keys";
	const struct node *keys = tree_get(schema, name);
	const struct node *items = tree_get(schema, "items");
	const struct node *fields = tree_get(items, "properties");
	struct span at = valid_path_child(c, path, name);

	for (size_t i = 0; tree_is(keys, NODE_ARRAY) && i < keys->n; i++) {
		struct span key = tree_text(keys->items[i]);
		const struct node *f = tree_get_span(fields, key);

		if (f == NULL)
			cause_invalid(c, at, keys,
			    "entries must all be names of item properties");
		else if (is_type(f, "array") || is_type(f, "object"))
			cause_invalid(c,
			    valid_path_child(c,
				valid_path_entry(c,
				    valid_path_child(c, path, "items"),
				    "properties", key),
				"type"),
			    tree_get(items, "type"),
			    "must be a scalar type if parent array's "
			    "x-kubernetes-list-type is map");
		for (size_t k = 0; k < i; k++)
			if (tree_equal(keys->items[i], keys->items[k])) {
				cause_invalid(c, at, keys,
				    "must not contain duplicate entries");
				break;
			}
	}
}

static void
check_map_list(struct causes *c, struct span path, const struct node *schema)
{
	static const char name[] = "x-kubernetes-list-map-keys";
	const struct node *items = tree_get(schema, "items");

	if (tree_count(tree_get(schema, name)) == 0)
		cause_required(c, valid_path_child(c, path, name),
		    "must not be empty if x-kubernetes-list-type is map");
	if (items == NULL) {
		cause_required(c, valid_path_child(c, path, "items"),
		    "must have a schema if x-kubernetes-list-type is map");
	} else if (!is_type(items, "object")) {
		const struct node *type = tree_get(items, "type");

		cause_invalid_text(c,
		    valid_path_child(
			c, valid_path_child(c, path, "items"), "type"),
		    type == NULL ? span_str("") : tree_text(type),
		    "must be object if parent array's x-kubernetes-list-type "
		    "is map");
	} else {
		check_keys(c, path, schema);
	}
}

static bool
has_text(const struct node *array, struct span text)
{
	for (size_t i = 0; tree_is(array, NODE_ARRAY) && i < array->n; i++)
		if (span_eq(tree_text(array->items[i]), text))
			return true;
	return false;
}

static void
check_list_items(struct causes *c, struct span path, const struct node *schema,
    struct span list_type)
{
	const struct node *items = tree_get(schema, "items");
	const struct node *keys =
	    tree_get(schema, "x-kubernetes-list-map-keys");
	struct span at = valid_path_child(c, path, "items");

	if (!tree_is(items, NODE_OBJECT))
		return;
	if (tree_true(tree_get(items, "nullable")))
		forbid(c, at, "nullable",
		    arena_str(c->arena,
			arena_printf(c->arena,
			    "cannot be nullable when x-kubernetes-list-type is "
			    "%.*s",
			    SPAN_ARG(list_type))));
	for (size_t i = 0; span_is(list_type, "map") &&
	     tree_is(keys, NODE_ARRAY) && i < keys->n;
	     i++) {
		struct span key = tree_text(keys->items[i]);
		const struct node *f =
		    tree_get_span(tree_get(items, "properties"), key);
		struct span own = valid_path_entry(c, at, "properties", key);

		if (f == NULL)
			continue;
		if (!has_text(tree_get(items, "required"), key) &&
		    tree_get(f, "default") == NULL)
			cause_required(c, valid_path_child(c, own, "default"),
			    "this property is in x-kubernetes-list-map-keys, "
			    "so it must have a default or be a required "
			    "property");
		if (tree_true(tree_get(f, "nullable")))
			forbid(c, own, "nullable",
			    "this property is in x-kubernetes-list-map-keys, "
			    "so it cannot be nullable");
	}
}

static void
check_list_type(struct causes *c, struct span path, const struct node *schema)
{
	static const char key[] = "x-kubernetes-list-type";
	static const char needs_map[] =
	    "must be map if x-kubernetes-list-map-keys is non-empty";
	const struct span known[] = {
	    span_str("atomic"), span_str("set"), span_str("map")};
	const struct node *type = tree_get(schema, key);
	struct span text = tree_text(type), at = valid_path_child(c, path, key);
	bool is_map = span_is(text, "map"), is_set_ = span_is(text, "set");
	bool keys =
	    tree_count(tree_get(schema, "x-kubernetes-list-map-keys")) > 0;

	if (type != NULL && !is_type(schema, "array"))
		need_type(c, path, schema, "array", key);
	else if (is_set_)
		check_set_items(c, path, tree_get(schema, "items"));
	if (type != NULL && !is_map && !is_set_ && !span_is(text, "atomic"))
		cause_unsupported(c, at, type, known, 3);
	if (keys && type == NULL)
		cause_required(c, at, needs_map);
	else if (keys && !is_map)
		cause_invalid(c, at, type, needs_map);
	if (is_map)
		check_map_list(c, path, schema);
	if (is_map || is_set_)
		check_list_items(c, path, schema, text);
}

static bool
has_newline(struct span s)
{
	return s.n > 0 &&
	    (span_find(s, '\n') != NULL || span_find(s, '\r') != NULL);
}

static void
check_message(struct causes *c, struct span path, const struct node *rule)
{
	struct span text = span_trim(tree_path_text(rule, "rule"), SPAN_SPACE);
	struct span message = tree_path_text(rule, "message");
	struct span at = valid_path_child(c, path, "message");

	if (text.n == 0)
		cause_required(c, valid_path_child(c, path, "rule"),
		    "rule is not specified");
	else if (message.n > 0 && span_trim(message, SPAN_SPACE).n == 0)
		cause_invalid_text(
		    c, at, message, "must be non-empty if specified");
	else if (has_newline(span_trim(message, SPAN_SPACE)))
		cause_invalid_text(
		    c, at, message, "must not contain line breaks");
	else if (has_newline(text) && message.n == 0)
		cause_required(c, at,
		    "message must be specified if rule contains line breaks");
}

static void
check_rule(struct causes *c, struct span path, const struct node *rule,
    const struct node *schema)
{
	const struct span reasons[] = {span_str("FieldValueDuplicate"),
	    span_str("FieldValueForbidden"), span_str("FieldValueInvalid"),
	    span_str("FieldValueRequired")};
	const struct node *reason = tree_get(rule, "reason");
	struct span expression = tree_path_text(rule, "messageExpression");
	struct span field = tree_path_text(rule, "fieldPath");
	struct span at = valid_path_child(c, path, "fieldPath");
	bool known = reason == NULL;

	check_message(c, path, rule);
	if (expression.n > 0 && span_trim(expression, SPAN_SPACE).n == 0)
		cause_required(c,
		    valid_path_child(c, path, "messageExpression"),
		    "messageExpression must be non-empty if specified");
	for (size_t i = 0; i < 4; i++)
		known = known || span_eq(tree_text(reason), reasons[i]);
	if (!known)
		cause_unsupported(
		    c, valid_path_child(c, path, "reason"), reason, reasons, 4);
	if (field.n == 0)
		return;
	if (span_trim(field, SPAN_SPACE).n == 0)
		cause_invalid_text(
		    c, at, field, "must be non-empty if specified");
	if (has_newline(field))
		cause_invalid_text(
		    c, at, field, "must not contain line breaks");
	if (valid_rulepath(c->arena, field, schema, RULEPATH_BRACKETS, NULL) !=
	    NULL)
		cause_invalid_text(c, at, field, "must be a valid path");
}

static void
check_rules(struct causes *c, struct span path, const struct node *schema)
{
	const struct node *rules = tree_get(schema, "x-kubernetes-validations");
	struct span at = valid_path_child(c, path, "x-kubernetes-validations");

	for (size_t i = 0; tree_is(rules, NODE_ARRAY) && i < rules->n; i++)
		check_rule(c, cause_path_index(c->arena, at, i),
		    rules->items[i], schema);
}

static void walk(struct causes *c, struct span path, const struct node *schema,
    const struct inside *in, bool root);

static void
walk_properties(struct causes *c, struct span path, const struct node *schema,
    const struct inside *in, bool root)
{
	const struct node *p = tree_get(schema, "properties");
	bool resource = root ||
	    tree_true(tree_get(schema, "x-kubernetes-embedded-resource"));

	for (size_t i = 0; tree_is(p, NODE_OBJECT) && i < p->n; i++) {
		struct span key = p->members[i].key;
		struct inside sub = *in;
		bool meta = span_is(key, "metadata") || span_is(key, "kind") ||
		    span_is(key, "apiVersion");

		if (resource && meta) {
			sub.resource_meta = true;
			if (root)
				sub.no_defaults = arena_str(c->arena,
				    arena_printf(c->arena, "in top-level %.*s",
					SPAN_ARG(key)));
		}
		walk(c, valid_path_entry(c, path, "properties", key),
		    p->members[i].value, &sub, false);
	}
}

static void
walk_more(struct causes *c, struct span path, const struct node *schema,
    const struct inside *in)
{
	static const char key[] = "additionalProperties";
	const struct node *more = tree_get(schema, key);
	struct inside sub = *in;

	if (more == NULL)
		return;
	if (tree_count(tree_get(schema, "properties")) > 0 &&
	    more->kind != NODE_TRUE)
		forbid(c, path, key,
		    "additionalProperties and properties are mutual exclusive");
	if (in->resource_meta)
		sub.no_defaults =
		    "inside additionalProperties applying to object metadata";
	walk(c, valid_path_child(c, path, key), more, &sub, false);
}

static void
walk_junctors(struct causes *c, struct span path, const struct node *schema,
    const struct inside *in)
{
	static const char *const keys[] = {"allOf", "oneOf", "anyOf"};

	walk(c, valid_path_child(c, path, "not"), tree_get(schema, "not"), in,
	    false);
	for (size_t k = 0; k < 3; k++) {
		const struct node *all = tree_get(schema, keys[k]);
		struct span base = valid_path_child(c, path, keys[k]);

		for (size_t i = 0; tree_is(all, NODE_ARRAY) && i < all->n; i++)
			walk(c, cause_path_index(c->arena, base, i),
			    all->items[i], in, false);
	}
}

static void
walk(struct causes *c, struct span path, const struct node *schema,
    const struct inside *in, bool root)
{
	static const char keep[] = "x-kubernetes-preserve-unknown-fields";
	static const char *const known[] = {
	    "array", "boolean", "integer", "number", "object", "string"};
	const struct node *type;
	struct span names[6];
	bool found = false;
	static const char *const keys[] = {"id", "additionalItems",
	    "patternProperties", "definitions", "dependencies", "$ref"};

	if (!tree_is(schema, NODE_OBJECT))
		return;
	type = tree_get(schema, "type");
	if (tree_text(type).n != 0) {
		for (size_t i = 0; i < 6; i++) {
			names[i] = span_str(known[i]);
			found = found || tree_text_is(type, known[i]);
		}
		if (!found)
			cause_unsupported(c, valid_path_child(c, path, "type"),
			    type, names, 6);
	}
	/* Refuses keywords of JSON schema that a CRD may not use. */
	if (tree_get(schema, "default") != NULL && in->no_defaults != NULL)
		forbid(c, path, "default",
		    arena_str(c->arena,
			arena_printf(
			    c->arena, "must not be set %s", in->no_defaults)));
	for (size_t i = 0; i < COUNT(keys); i++)
		if (tree_get(schema, keys[i]) != NULL)
			forbid(c, path, keys[i],
			    arena_str(c->arena,
				arena_printf(
				    c->arena, "%s is not supported", keys[i])));
	if (is_type(schema, "null"))
		forbid(c, path, "type",
		    "type cannot be set to null, use nullable as an "
		    "alternative");
	if (tree_is(tree_get(schema, "items"), NODE_ARRAY))
		forbid(c, path, "items",
		    "items must be a schema object and not an array");
	if (in->resource_meta &&
	    tree_true(tree_get(schema, "x-kubernetes-embedded-resource")))
		forbid(c, path, "x-kubernetes-embedded-resource",
		    "must not be used inside of resource meta");
	if (tree_true(tree_get(schema, "uniqueItems")))
		forbid(c, path, "uniqueItems",
		    "uniqueItems cannot be set to true since the runtime "
		    "complexity becomes quadratic");
	walk_more(c, path, schema, in);
	walk_properties(c, path, schema, in, root);
	walk_junctors(c, path, schema, in);
	walk(c, valid_path_child(c, path, "items"), tree_get(schema, "items"),
	    in, false);
	if (tree_is(tree_get(schema, keep), NODE_FALSE))
		cause_invalid(c, valid_path_child(c, path, keep),
		    tree_get(schema, keep), "must be true or undefined");
	check_map_type(c, path, schema);
	check_list_type(c, path, schema);
	check_rules(c, path, schema);
}

void
valid_schema(struct causes *c, struct span path, const struct node *schema)
{
	struct inside in = {false, NULL};

	walk(c, path, schema, &in, true);
}
