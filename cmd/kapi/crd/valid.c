/* Implements valid.h, and is part of crd/crd.h: checks a whole definition.
 * valid_structure and valid_schema check a schema. */
#include "crd/valid.h"

#include <string.h>

#include "base/array.h"
#include "crd/conditions.h"
#include "crd/crd.h"
#include "crd/show.h"
#include "type/hookclient.h"
#include "type/names.h"
#include "type/objectmeta.h"

/* ---- subresources, columns, selectable fields, conversion ---- */

/* False: it is not a JSON path; the cause was added. */
static bool
check_json_path(struct causes *c, struct span at, struct span path)
{
	if (path.n == 0) {
		cause_required(c, at, "");
		return false;
	}
	if (path.p[0] != '.') {
		cause_invalid_text(
		    c, at, path, "must be a simple json path starting with .");
		return false;
	}
	return true;
}

static void
valid_subresources(
    struct causes *c, struct span path, const struct node *subresources)
{
	const struct node *scale = tree_get(subresources, "scale");
	struct span at, p;

	if (!tree_is(scale, NODE_OBJECT))
		return;
	at = valid_path_child(c, path, "scale.specReplicasPath");
	p = tree_path_text(scale, "specReplicasPath");
	if (check_json_path(c, at, p) && !span_starts(p, ".spec."))
		cause_invalid_text(
		    c, at, p, "should be a json path under .spec");
	at = valid_path_child(c, path, "scale.statusReplicasPath");
	p = tree_path_text(scale, "statusReplicasPath");
	if (check_json_path(c, at, p) && !span_starts(p, ".status."))
		cause_invalid_text(
		    c, at, p, "should be a json path under .status");
	at = valid_path_child(c, path, "scale.labelSelectorPath");
	p = tree_path_text(scale, "labelSelectorPath");
	if (p.n > 0 && check_json_path(c, at, p) && !span_starts(p, ".spec.") &&
	    !span_starts(p, ".status."))
		cause_invalid_text(c, at, p,
		    "should be a json path under either .spec or .status");
}

/* text is one of those in list, which commas separate. */
static bool
is_one_of(struct span text, const char *list)
{
	for (const char *p = list; *p != '\0';) {
		size_t n = strcspn(p, ",");

		if (span_eq(text, span_make(p, n)))
			return true;
		p += n + (p[n] == ',');
	}
	return false;
}

static void
check_column(struct causes *c, struct span path, const struct node *column)
{
	static const char types[] = "boolean,date,integer,number,string";
	static const char formats[] =
	    "byte,date,date-time,double,float,int32,int64,password";
	struct span type = tree_path_text(column, "type");
	struct span format = tree_path_text(column, "format");
	struct span at = valid_path_child(c, path, "type");
	const char *detail = arena_str(
	    c->arena, arena_printf(c->arena, "must be one of %s", types));

	if (tree_path_text(column, "name").n == 0)
		cause_required(c, valid_path_child(c, path, "name"), "");
	if (type.n == 0)
		cause_required(c, at, detail);
	else if (!is_one_of(type, types))
		cause_invalid_text(c, at, type, detail);
	if (format.n > 0 && !is_one_of(format, formats))
		cause_invalid_text(c, valid_path_child(c, path, "format"),
		    format,
		    arena_str(c->arena,
			arena_printf(c->arena, "must be one of %s", formats)));
	check_json_path(c, valid_path_child(c, path, "JSONPath"),
	    tree_path_text(column, "jsonPath"));
}

static void
valid_columns(struct causes *c, struct span path, const struct node *columns)
{
	for (size_t i = 0; tree_is(columns, NODE_ARRAY) && i < columns->n; i++)
		check_column(
		    c, cause_path_index(c->arena, path, i), columns->items[i]);
}

static void
valid_selectable(struct causes *c, struct span path, const struct node *fields,
    const struct node *schema)
{
	enum { SELECTABLE_MAX = 8 };
	size_t n = tree_is(fields, NODE_ARRAY) ? fields->n : 0, unique = 0;

	for (size_t i = 0; i < n; i++) {
		struct span text = tree_path_text(fields->items[i], "jsonPath");
		struct span at = valid_path_child(
		    c, cause_path_index(c->arena, path, i), "jsonPath");
		const struct node *found = NULL;
		const char *wrong;
		bool twice = false;

		if (text.n == 0) {
			cause_required(c, at, "");
			continue;
		}
		wrong = valid_rulepath(
		    c->arena, text, schema, RULEPATH_DOTS_ONLY, &found);
		if (wrong != NULL) {
			cause_invalid_text(c, at, text,
			    arena_str(c->arena,
				arena_printf(c->arena, "is an invalid path: %s",
				    wrong)));
			continue;
		}
		if (span_starts(text, ".metadata"))
			cause_invalid_text(c, at, text,
			    "must not point to fields in metadata");
		if (!is_one_of(tree_path_text(found, "type"),
			"string,boolean,integer"))
			cause_invalid_text(c, at, text,
			    "must point to a field of type string, boolean or "
			    "integer. Enum string fields and strings with "
			    "formats are allowed.");
		for (size_t k = 0; k < i && !twice; k++)
			twice = span_eq(
			    text, tree_path_text(fields->items[k], "jsonPath"));
		if (twice)
			cause_duplicate(
			    c, at, tree_get(fields->items[i], "jsonPath"));
		unique += !twice;
	}
	if (unique > SELECTABLE_MAX)
		cause_too_many(c, path, unique, SELECTABLE_MAX);
}

static void
check_review_versions(
    struct causes *c, struct span at, const struct node *versions)
{
	size_t n = tree_is(versions, NODE_ARRAY) ? versions->n : 0;
	bool known = false;

	if (n == 0) {
		cause_required(c, at, "");
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct span v = tree_text(versions->items[i]);
		struct span own = cause_path_index(c->arena, at, i);
		const char *wrong = name_check_dns1035(v);
		bool twice = false;

		for (size_t k = 0; k < i; k++)
			twice = twice ||
			    tree_equal(versions->items[i], versions->items[k]);
		if (twice)
			cause_invalid_text(c, own, v, "duplicate version");
		else if (wrong != NULL)
			cause_invalid_text(c, own, v, wrong);
		known = known || is_one_of(v, "v1,v1beta1");
	}
	if (!known)
		cause_invalid(c, at, versions,
		    "must include at least one of v1, v1beta1");
}

static void
check_webhook(struct causes *c, struct span path, const struct node *hook)
{
	const struct node *client = tree_get(hook, "clientConfig");
	struct span at = valid_path_child(c, path, "webhookClientConfig");

	if (!tree_is(client, NODE_OBJECT))
		cause_required(
		    c, at, "required when strategy is set to Webhook");
	else
		hookclient_check(c, at, client);
	check_review_versions(c,
	    valid_path_child(c, path, "conversionReviewVersions"),
	    tree_get(hook, "conversionReviewVersions"));
}

static void
valid_conversion(
    struct causes *c, struct span path, const struct node *conversion)
{
	static const char detail[] =
	    "should not be set when strategy is not set to Webhook";
	const struct span known[] = {span_str("None"), span_str("Webhook")};
	const struct node *strategy = tree_get(conversion, "strategy");
	const struct node *hook = tree_get(conversion, "webhook");
	struct span at = valid_path_child(c, path, "strategy");

	if (!tree_is(conversion, NODE_OBJECT))
		return;
	if (tree_text(strategy).n == 0)
		cause_required(c, at, "");
	else if (!is_one_of(tree_text(strategy), "None,Webhook"))
		cause_unsupported(c, at, strategy, known, 2);
	if (tree_text_is(strategy, "Webhook")) {
		check_webhook(c, path, hook);
		return;
	}
	if (tree_get(hook, "clientConfig") != NULL)
		cause_forbidden(c,
		    valid_path_child(c, path, "webhookClientConfig"), detail);
	if (tree_count(tree_get(hook, "conversionReviewVersions")) > 0)
		cause_forbidden(c,
		    valid_path_child(c, path, "conversionReviewVersions"),
		    detail);
}

bool
valid_is_set(const struct node *n, const char *key)
{
	const struct node *v = tree_get(n, key);

	return !tree_empty(v) && v->kind != NODE_FALSE;
}

struct span
valid_path_child(struct causes *c, struct span base, const char *name)
{
	return cause_path_field(c->arena, base, span_str(name));
}

struct span
valid_path_entry(
    struct causes *c, struct span base, const char *key, struct span name)
{
	return cause_path_key(c->arena, valid_path_child(c, base, key), name);
}

static void
dns1035(struct causes *c, struct span at, struct span name, const char *prefix)
{
	const char *wrong = name_check_dns1035(
	    prefix[0] != '\0' ? arena_lower(c->arena, name) : name);

	if (wrong != NULL)
		cause_invalid_text(c, at, name,
		    arena_str(c->arena,
			arena_printf(c->arena, "%s%s", prefix, wrong)));
}

/* ---- names ---- */

static void
check_list_of_names(struct causes *c, struct span path,
    const struct node *names, const char *key)
{
	const struct node *all = tree_get(names, key);
	struct span at = valid_path_child(c, path, key);

	for (size_t i = 0; tree_is(all, NODE_ARRAY) && i < all->n; i++)
		dns1035(c, cause_path_index(c->arena, at, i),
		    tree_text(all->items[i]), "");
}

static void
check_names(struct causes *c, struct span path, const struct node *names)
{
	static const char mixed[] =
	    "may have mixed case, but should otherwise match: ";
	static const char *const keys[] = {
	    "plural", "singular", "kind", "listKind"};
	struct span kind = tree_path_text(names, "kind");
	struct span list = tree_path_text(names, "listKind");

	for (size_t i = 0; i < 4; i++) {
		struct span name = tree_path_text(names, keys[i]);

		if (name.n > 0)
			dns1035(c, valid_path_child(c, path, keys[i]), name,
			    i < 2 ? "" : mixed);
	}
	check_list_of_names(c, path, names, "shortNames");
	if (kind.n > 0 && span_eq(kind, list))
		cause_invalid_text(c, valid_path_child(c, path, "listKind"),
		    list, "kind and listKind may not be the same");
	check_list_of_names(c, path, names, "categories");
}

static void
need_names(struct causes *c, struct span path, const struct node *names)
{
	static const char *const keys[] = {
	    "plural", "singular", "kind", "listKind"};

	for (size_t i = 0; i < 4; i++)
		if (tree_path_text(names, keys[i]).n == 0)
			cause_required(
			    c, valid_path_child(c, path, keys[i]), "");
}

/* ---- versions ---- */

static const struct node *
version_at(const struct node *versions, size_t i)
{
	return tree_is(versions, NODE_ARRAY) && i < versions->n
	    ? versions->items[i]
	    : NULL;
}

static void
check_openapi(struct causes *c, struct span path, const struct node *version)
{
	const struct node *schema =
	    tree_path(version, "schema.openAPIV3Schema");
	struct span at = valid_path_child(c, path, "openAPIV3Schema");
	size_t before = c->n;

	if (!tree_is(schema, NODE_OBJECT))
		return;
	if (tree_true(tree_get(schema, "nullable")))
		cause_forbidden(c, valid_path_child(c, at, "nullable"),
		    "nullable cannot be true at the root");
	valid_structure(c, at, schema);
	if (c->n == before)
		valid_defaults(c, at, schema);
	valid_schema(c, at, schema);
}

static bool
allowed_with_status(struct span key)
{
	static const char *const keys[] = {"description", "type", "format",
	    "title", "maximum", "exclusiveMaximum", "minimum",
	    "exclusiveMinimum", "maxLength", "minLength", "pattern", "maxItems",
	    "minItems", "uniqueItems", "multipleOf", "required", "items",
	    "properties", "externalDocs", "example",
	    "x-kubernetes-preserve-unknown-fields", "x-kubernetes-validations"};

	for (size_t i = 0; i < COUNT(keys); i++)
		if (span_is(key, keys[i]))
			return true;
	return false;
}

/* With /status, the rules of status must be all at properties.status. */
static void
check_with_status(
    struct causes *c, struct span path, const struct node *version)
{
	const struct node *schema =
	    tree_path(version, "schema.openAPIV3Schema");
	const struct node *type = tree_get(schema, "type");

	if (tree_path(version, "subresources.status") == NULL ||
	    !tree_is(schema, NODE_OBJECT))
		return;
	if (type != NULL && !tree_text_is(type, "object"))
		cause_invalid(c,
		    valid_path_child(c, path, "openAPIV3Schema.type"), type,
		    "only \"object\" is allowed as the type at the root of the "
		    "schema if the status subresource is enabled");
	for (size_t i = 0; i < schema->n; i++) {
		if (allowed_with_status(schema->members[i].key) ||
		    !valid_is_set(
			schema, arena_str(c->arena, schema->members[i].key)))
			continue;
		cause_add(c, "FieldValueInvalid",
		    valid_path_child(c, path, "openAPIV3Schema"),
		    arena_printf(c->arena,
			"Invalid value: %.*s: only [Description Type Format "
			"Title Maximum ExclusiveMaximum Minimum "
			"ExclusiveMinimum MaxLength MinLength Pattern MaxItems "
			"MinItems UniqueItems MultipleOf Required Items "
			"Properties ExternalDocs Example "
			"XPreserveUnknownFields XValidations] fields are "
			"allowed at the root of the schema if the status "
			"subresource is enabled",
			SPAN_ARG(show_schema(c->arena, schema))));
		return;
	}
}

static void
check_deprecation(
    struct causes *c, struct span path, const struct node *version)
{
	const struct node *w = tree_get(version, "deprecationWarning");
	struct span text = tree_text(w);
	struct span at = valid_path_child(c, path, "deprecationWarning");

	if (w == NULL)
		return;
	if (!tree_true(tree_get(version, "deprecated"))) {
		cause_invalid_text(
		    c, at, text, "can only be set for deprecated versions");
		return;
	}
	if (text.n > 256)
		cause_invalid_text(
		    c, at, text, "must be <= 256 characters long");
	if (text.n == 0)
		cause_invalid_text(c, at, text, "must not be an empty string");
	for (size_t i = 0; i < text.n; i++)
		if ((unsigned char)text.p[i] < 0x20 || text.p[i] == 0x7f) {
			cause_invalid_text(c, at, text,
			    arena_str(c->arena,
				arena_printf(c->arena,
				    "must only contain printable UTF-8 "
				    "characters; non-printable character found "
				    "at index %zu",
				    i)));
			break;
		}
}

/* Checks parts that belong to spec if all versions agree, to each version if
 * not. */
static void
check_parts(struct causes *c, struct span path, const struct node *version,
    const struct node *versions, bool common)
{
	if (show_versions_agree(versions, "schema") == common) {
		struct span at =
		    valid_path_child(c, path, common ? "validation" : "schema");

		check_with_status(c, at, version);
		check_openapi(c, at, version);
	}
	if (show_versions_agree(versions, "subresources") == common)
		valid_subresources(c, valid_path_child(c, path, "subresources"),
		    tree_get(version, "subresources"));
	if (show_versions_agree(versions, "additionalPrinterColumns") == common)
		valid_columns(c,
		    valid_path_child(c, path, "additionalPrinterColumns"),
		    tree_get(version, "additionalPrinterColumns"));
	if (show_versions_agree(versions, "selectableFields") == common)
		valid_selectable(c,
		    valid_path_child(c, path, "selectableFields"),
		    tree_get(version, "selectableFields"),
		    tree_path(version, "schema.openAPIV3Schema"));
}

static void
check_versions(struct causes *c, struct span path, const struct node *versions)
{
	const struct node *v;

	for (size_t i = 0; (v = version_at(versions, i)) != NULL; i++)
		if (!tree_is(
			tree_path(v, "schema.openAPIV3Schema"), NODE_OBJECT))
			cause_required(c,
			    valid_path_child(c,
				cause_path_index(c->arena, path, i),
				"schema.openAPIV3Schema"),
			    "");
	for (size_t i = 0; (v = version_at(versions, i)) != NULL; i++) {
		struct span at = cause_path_index(c->arena, path, i);

		dns1035(c, valid_path_child(c, at, "name"),
		    tree_path_text(v, "name"), "");
		check_deprecation(c, at, v);
		check_parts(c, at, v, versions, false);
	}
}

static void
invalid_versions(struct causes *c, struct span path,
    const struct node *versions, const char *detail)
{
	struct span shown = tree_is(versions, NODE_ARRAY)
	    ? show_versions(c->arena, versions)
	    : span_str("null");

	cause_add(c, "FieldValueInvalid", path,
	    arena_printf(
		c->arena, "Invalid value: %.*s: %s", SPAN_ARG(shown), detail));
}

/* ---- the whole ---- */

static void
check_group(struct causes *c, struct span group)
{
	struct span at = span_str("spec.group");
	const char *wrong;

	if (group.n == 0)
		cause_required(c, at, "");
	else if ((wrong = name_check_subdomain(group)) != NULL)
		cause_invalid_text(c, at, group, wrong);
	else if (span_find(group, '.') == NULL)
		cause_invalid_text(
		    c, at, group, "should be a domain with at least one dot");
}

static void
check_spec(struct causes *c, const struct node *spec)
{
	const struct node *versions = tree_get(spec, "versions");
	const struct node *names = tree_get(spec, "names");
	struct span path = span_str("spec");
	struct span at = valid_path_child(c, path, "versions");
	const struct node *v;
	size_t storage = 0;
	bool twice = false;
	const struct node *scope = tree_get(spec, "scope");
	const struct span known[] = {
	    span_str("Cluster"), span_str("Namespaced")};

	check_group(c, tree_path_text(spec, "group"));
	if (tree_text(scope).n == 0)
		cause_required(c, span_str("spec.scope"), "");
	else if (!tree_text_is(scope, "Cluster") &&
	    !tree_text_is(scope, "Namespaced"))
		cause_unsupported(c, span_str("spec.scope"), scope, known, 2);
	check_versions(c, at, versions);
	for (size_t i = 0; (v = version_at(versions, i)) != NULL; i++) {
		storage += tree_true(tree_get(v, "storage"));
		for (size_t k = 0; k < i; k++)
			twice = twice ||
			    span_eq(tree_path_text(v, "name"),
				tree_path_text(
				    version_at(versions, k), "name"));
	}
	if (twice)
		invalid_versions(
		    c, at, versions, "must contain unique version names");
	if (storage != 1)
		invalid_versions(c, at, versions,
		    "must have exactly one version marked as storage version");
	need_names(c, span_str("spec.names"), names);
	check_names(c, span_str("spec.names"), names);
	if (version_at(versions, 0) != NULL)
		check_parts(c, path, version_at(versions, 0), versions, true);
	valid_conversion(
	    c, span_str("spec.conversion"), tree_get(spec, "conversion"));
}

static void
check_stored_versions(struct causes *c, const struct node *object)
{
	const struct node *stored = tree_path(object, "status.storedVersions");
	const struct node *versions = tree_path(object, "spec.versions");
	struct span path = span_str("status.storedVersions");
	size_t n = tree_is(stored, NODE_ARRAY) ? stored->n : 0;
	const struct node *v;
	bool *known;

	if (n == 0) {
		cause_invalid(
		    c, path, NULL, "must have at least one stored version");
		return;
	}
	known = arena_zalloc(c->arena, n * sizeof *known);
	for (size_t i = 0; (v = version_at(versions, i)) != NULL; i++) {
		bool found = false;

		/* Two versions with one name need two entries of the stored
		 * versions. */
		for (size_t k = 0; k < n; k++)
			if (!known[k] && !found &&
			    tree_equal(stored->items[k], tree_get(v, "name")))
				known[k] = found = true;
		if (tree_true(tree_get(v, "storage")) && !found)
			cause_invalid(c, path, stored,
			    arena_str(c->arena,
				arena_printf(c->arena,
				    "must have the storage version %.*s",
				    SPAN_ARG(tree_path_text(v, "name")))));
	}
	for (size_t k = 0; k < n; k++) {
		struct span name = tree_text(stored->items[k]);

		if (!known[k])
			cause_invalid_text(c,
			    cause_path_index(c->arena, path, k), name,
			    arena_str(c->arena,
				arena_printf(c->arena,
				    "missing from spec.versions; %.*s was "
				    "previously a storage version, and must "
				    "remain in spec.versions until a storage "
				    "migration ensures no data remains "
				    "persisted in %.*s and removes %.*s from "
				    "status.storedVersions",
				    SPAN_ARG(name), SPAN_ARG(name),
				    SPAN_ARG(name))));
	}
}

static void
immutable(struct causes *c, const struct node *live, const struct node *object,
    const char *path)
{
	const struct node *now = tree_path(object, path);

	if (!tree_equal(now, tree_path(live, path)))
		cause_invalid(c, span_str(path), now, "field is immutable");
}

void
crd_definition_validate(struct causes *c, struct span subresource,
    const struct node *live, const struct node *object)
{
	struct span accepted = span_str("status.acceptedNames");
	const struct node *names = tree_path(object, "status.acceptedNames");
	static const char path[] = "spec.preserveUnknownFields";
	const struct node *now;

	if (span_is(subresource, "status")) {
		check_names(c, accepted, names);
		return;
	}
	if (live == NULL) {
		struct span name = tree_path_text(object, "metadata.name");
		struct span wanted = arena_printf(c->arena, "%.*s.%.*s",
		    SPAN_ARG(tree_path_text(object, "spec.names.plural")),
		    SPAN_ARG(tree_path_text(object, "spec.group")));

		if (!span_eq(name, wanted))
			cause_invalid_text(c, span_str("metadata.name"), name,
			    "must be spec.names.plural+\".\"+spec.group");
	}
	check_spec(c, tree_get(object, "spec"));
	if (live != NULL) {
		if (conditions_true(live, "Established")) {
			immutable(c, live, object, "spec.scope");
			immutable(c, live, object, "spec.names.kind");
		}
		immutable(c, live, object, "spec.group");
		immutable(c, live, object, "spec.names.plural");
	}
	check_names(c, accepted, names);
	check_stored_versions(c, object);
	conditions_check_approval(c, live, object);
	now = tree_path(object, path);
	if (tree_true(now) && !tree_true(tree_path(live, path)))
		cause_invalid(c, span_str(path), now,
		    "cannot set to true, set "
		    "x-kubernetes-preserve-unknown-fields to true in "
		    "spec.versions[*].schema instead");
}
