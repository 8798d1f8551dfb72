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
		return arena_printf(a,
		    "expected single quoted string but got %.*s",
		    SPAN_ARG(token))
		    .p;
	token = span_make(token.p + 1, token.n - 2);
	for (size_t i = 0; i < token.n; i++) {
		if (token.p[i] != '\\' || i + 1 == token.n ||
		    token.p[i + 1] == '\n')
			buf_addc(&b, token.p[i]);
		else if (!add_escaped(&b, token.p[++i]))
			wrong = arena_printf(a,
			    "invalid string literal: invalid escape char \\%c",
			    token.p[i])
				    .p;
	}
	*name = tree_keep(a, &b);
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
	    : arena_printf(a, "expected ] but got %.*s", SPAN_ARG(token)).p;
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
			wrong = arena_printf(
			    a, "expected [ or . but got: %.*s", SPAN_ARG(token))
				    .p;
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

static const char map_keys[] = "x-kubernetes-list-map-keys";
static const char list_type_key[] = "x-kubernetes-list-type";
static const char map_type_key[] = "x-kubernetes-map-type";

static bool
is_type(const struct node *schema, const char *type)
{
	return tree_text_is(tree_get(schema, "type"), type);
}

/* A field that needs the schema to be of a type. */
static void
need_type(const struct checked *schema, const char *type, const char *key)
{
	if (!is_type(schema->value, type))
		checked_refuse(schema, "type", REFUSE_MISSING,
		    "must be %s if %s is specified", type, key);
}

/* Items of a set are compared as a whole. */
static void
check_set_items(const struct checked *items)
{
	static const char detail[] =
	    "must be atomic as item of a list with x-kubernetes-list-type=set";
	const struct node *list = tree_get(items->value, list_type_key);

	if (is_type(items->value, "array") && list != NULL &&
	    !tree_text_is(list, "atomic"))
		checked_refuse(items, list_type_key, REFUSE_INVALID, detail);
	/* Here the API server shows the list type, too. */
	if (is_type(items->value, "object") &&
	    !span_is(checked_text(items, map_type_key), "atomic"))
		cause_invalid(items->c, checked_at(items, map_type_key).path,
		    list, detail);
}

/* Items of a map list are objects, whose keys are scalar properties. */
static void
check_map_items(const struct checked *schema, const struct checked *items)
{
	const struct node *keys = tree_get(schema->value, map_keys);
	const struct node *fields = tree_get(items->value, "properties");

	if (tree_count(keys) == 0)
		checked_refuse(schema, map_keys, REFUSE_REQUIRED,
		    "must not be empty if x-kubernetes-list-type is map");
	if (items->value == NULL) {
		checked_refuse(items, NULL, REFUSE_REQUIRED,
		    "must have a schema if x-kubernetes-list-type is map");
		return;
	}
	if (!is_type(items->value, "object")) {
		checked_refuse(items, "type", REFUSE_INVALID_TEXT,
		    "must be object if parent array's x-kubernetes-list-type "
		    "is map");
		return;
	}
	for (size_t i = 0; i < tree_items(keys); i++) {
		struct span key = tree_text(keys->items[i]);
		const struct node *f = tree_get_span(fields, key);
		bool twice = false;

		if (f == NULL)
			checked_refuse(schema, map_keys, REFUSE_INVALID,
			    "entries must all be names of item properties");
		else if (is_type(f, "array") || is_type(f, "object"))
			cause_invalid(schema->c,
			    arena_printf(schema->c->arena,
				"%.*s.properties[%.*s].type",
				SPAN_ARG(items->path), SPAN_ARG(key)),
			    tree_get(items->value, "type"),
			    "must be a scalar type if parent array's "
			    "x-kubernetes-list-type is map");
		for (size_t k = 0; k < i && !twice; k++)
			twice = tree_equal(keys->items[i], keys->items[k]);
		if (twice)
			checked_refuse(schema, map_keys, REFUSE_INVALID,
			    "must not contain duplicate entries");
	}
}

/* Items of sets and of map lists, and the keys of the latter, are never null
 * nor absent. */
static void
check_null_items(const struct checked *schema, const struct checked *items)
{
	struct span list_type = checked_text(schema, list_type_key);
	const struct node *keys = tree_get(schema->value, map_keys);
	size_t n = span_is(list_type, "map") ? tree_items(keys) : 0;

	if (!tree_is(items->value, NODE_OBJECT))
		return;
	if (checked_true(items, "nullable"))
		checked_refuse(items, "nullable", REFUSE_FORBIDDEN,
		    "cannot be nullable when x-kubernetes-list-type is %.*s",
		    SPAN_ARG(list_type));
	for (size_t i = 0; i < n; i++) {
		struct span key = tree_text(keys->items[i]);
		struct checked own = checked_at(items, "properties");

		own.value = tree_get_span(own.value, key);
		own.path = cause_path_key(own.c->arena, own.path, key);
		if (own.value == NULL)
			continue;
		if (!tree_has_text(tree_get(items->value, "required"), key) &&
		    tree_get(own.value, "default") == NULL)
			checked_refuse(&own, "default", REFUSE_REQUIRED,
			    "this property is in x-kubernetes-list-map-keys, "
			    "so it must have a default or be a required "
			    "property");
		if (checked_true(&own, "nullable"))
			checked_refuse(&own, "nullable", REFUSE_FORBIDDEN,
			    "this property is in x-kubernetes-list-map-keys, "
			    "so it cannot be nullable");
	}
}

static void
check_list_type(const struct checked *schema)
{
	const struct node *type = tree_get(schema->value, list_type_key);
	struct checked items = checked_at(schema, "items");
	bool is_map = tree_text_is(type, "map");
	bool is_set = tree_text_is(type, "set");

	if (type != NULL && !is_type(schema->value, "array"))
		need_type(schema, "array", list_type_key);
	else if (is_set)
		check_set_items(&items);
	if (type != NULL)
		checked_need_among(schema, list_type_key, "atomic,set,map");
	if (tree_count(tree_get(schema->value, map_keys)) > 0 && !is_map)
		checked_refuse(schema, list_type_key,
		    type == NULL ? REFUSE_REQUIRED : REFUSE_INVALID,
		    "must be map if x-kubernetes-list-map-keys is non-empty");
	if (is_map)
		check_map_items(schema, &items);
	if (is_map || is_set)
		check_null_items(schema, &items);
}

static bool
has_newline(struct span s)
{
	return s.n > 0 &&
	    (span_find(s, '\n') != NULL || span_find(s, '\r') != NULL);
}

/* There is a text, of white space only. */
static bool
is_blank(struct span s)
{
	return s.n > 0 && span_trim(s, SPAN_SPACE).n == 0;
}

static void
check_rule(const struct checked *rule, const struct node *schema)
{
	struct span text = span_trim(checked_text(rule, "rule"), SPAN_SPACE);
	struct span message = checked_text(rule, "message");
	struct span field = checked_text(rule, "fieldPath");

	if (text.n == 0)
		checked_refuse(
		    rule, "rule", REFUSE_REQUIRED, "rule is not specified");
	else if (is_blank(message))
		checked_refuse(rule, "message", REFUSE_INVALID_TEXT,
		    "must be non-empty if specified");
	else if (has_newline(span_trim(message, SPAN_SPACE)))
		checked_refuse(rule, "message", REFUSE_INVALID_TEXT,
		    "must not contain line breaks");
	else if (has_newline(text) && message.n == 0)
		checked_refuse(rule, "message", REFUSE_REQUIRED,
		    "message must be specified if rule contains line breaks");
	if (is_blank(checked_text(rule, "messageExpression")))
		checked_refuse(rule, "messageExpression", REFUSE_REQUIRED,
		    "messageExpression must be non-empty if specified");
	if (tree_get(rule->value, "reason") != NULL)
		checked_need_among(rule, "reason",
		    "FieldValueDuplicate,FieldValueForbidden,"
		    "FieldValueInvalid,FieldValueRequired");
	if (field.n == 0)
		return;
	if (is_blank(field))
		checked_refuse(rule, "fieldPath", REFUSE_INVALID_TEXT,
		    "must be non-empty if specified");
	if (has_newline(field))
		checked_refuse(rule, "fieldPath", REFUSE_INVALID_TEXT,
		    "must not contain line breaks");
	if (valid_rulepath(
		rule->c->arena, field, schema, RULEPATH_BRACKETS, NULL) != NULL)
		checked_refuse(rule, "fieldPath", REFUSE_INVALID_TEXT,
		    "must be a valid path");
}

/* The place of a schema, as the walk sees it. */
struct inside {
	bool resource_meta; /* apiVersion, kind or metadata of a resource */
	struct span no_defaults; /* why there may be none; empty: may be */
};

/* Refuses keywords of JSON schema that a CRD may not use. */
static void
check_keywords(const struct checked *schema, const struct inside *in)
{
	static const char *const unsupported[] = {"id", "additionalItems",
	    "patternProperties", "definitions", "dependencies", "$ref"};

	if (checked_text(schema, "type").n > 0)
		checked_need_among(schema, "type",
		    "array,boolean,integer,number,object,string");
	if (tree_get(schema->value, "default") != NULL && in->no_defaults.n > 0)
		checked_refuse(schema, "default", REFUSE_FORBIDDEN,
		    "must not be set %.*s", SPAN_ARG(in->no_defaults));
	for (size_t i = 0; i < COUNT(unsupported); i++)
		if (tree_get(schema->value, unsupported[i]) != NULL)
			checked_refuse(schema, unsupported[i], REFUSE_FORBIDDEN,
			    "%s is not supported", unsupported[i]);
	if (is_type(schema->value, "null"))
		checked_refuse(schema, "type", REFUSE_FORBIDDEN,
		    "type cannot be set to null, use nullable as an "
		    "alternative");
	if (tree_is(tree_get(schema->value, "items"), NODE_ARRAY))
		checked_refuse(schema, "items", REFUSE_FORBIDDEN,
		    "items must be a schema object and not an array");
	if (in->resource_meta &&
	    checked_true(schema, "x-kubernetes-embedded-resource"))
		checked_refuse(schema, "x-kubernetes-embedded-resource",
		    REFUSE_FORBIDDEN,
		    "must not be used inside of resource meta");
	if (checked_true(schema, "uniqueItems"))
		checked_refuse(schema, "uniqueItems", REFUSE_FORBIDDEN,
		    "uniqueItems cannot be set to true since the runtime "
		    "complexity becomes quadratic");
	if (checked_properties(schema) > 0 &&
	    tree_get(schema->value, "additionalProperties") != NULL &&
	    !checked_true(schema, "additionalProperties"))
		checked_refuse(schema, "additionalProperties", REFUSE_FORBIDDEN,
		    "additionalProperties and properties are mutual exclusive");
}

static void
walk(const struct checked *schema, const struct inside *in, bool root)
{
	static const char keep[] = "x-kubernetes-preserve-unknown-fields";
	static const char *const lists[] = {"allOf", "oneOf", "anyOf"};
	bool resource =
	    root || checked_true(schema, "x-kubernetes-embedded-resource");
	struct inside sub = *in;
	struct checked below;

	if (!tree_is(schema->value, NODE_OBJECT))
		return;
	check_keywords(schema, in);
	if (in->resource_meta)
		sub.no_defaults = span_str(
		    "inside additionalProperties applying to object metadata");
	below = checked_at(schema, "additionalProperties");
	walk(&below, &sub, false);
	for (size_t i = 0; i < checked_properties(schema); i++) {
		struct span key =
		    tree_get(schema->value, "properties")->members[i].key;

		sub = *in;
		if (resource &&
		    checked_is_among(key, "metadata,kind,apiVersion")) {
			sub.resource_meta = true;
			if (root)
				sub.no_defaults = arena_printf(schema->c->arena,
				    "in top-level %.*s", SPAN_ARG(key));
		}
		below = checked_property(schema, i);
		walk(&below, &sub, false);
	}
	below = checked_at(schema, "not");
	walk(&below, in, false);
	for (size_t k = 0; k < COUNT(lists); k++) {
		struct checked all = checked_at(schema, lists[k]);

		for (size_t i = 0; i < tree_items(all.value); i++) {
			below = checked_item(&all, i);
			walk(&below, in, false);
		}
	}
	below = checked_at(schema, "items");
	walk(&below, in, false);
	if (tree_is(tree_get(schema->value, keep), NODE_FALSE))
		checked_refuse(
		    schema, keep, REFUSE_INVALID, "must be true or undefined");
	if (tree_get(schema->value, map_type_key) != NULL) {
		need_type(schema, "object", map_type_key);
		checked_need_among(schema, map_type_key, "atomic,granular");
	}
	check_list_type(schema);
	below = checked_at(schema, "x-kubernetes-validations");
	for (size_t i = 0; i < tree_items(below.value); i++) {
		struct checked rule = checked_item(&below, i);

		check_rule(&rule, schema->value);
	}
}

void
valid_schema(const struct checked *schema)
{
	walk(schema, &(struct inside){false, SPAN_NONE}, true);
}
