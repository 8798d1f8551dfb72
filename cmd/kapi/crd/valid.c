/* Implements valid.h, and is part of crd/crd.h: checks a whole definition.
 * valid_structure and valid_schema check a schema. */
#include "crd/valid.h"

#include "base/array.h"
#include "crd/conditions.h"
#include "crd/crd.h"
#include "type/hookclient.h"
#include "type/names.h"

/* ---- subresources, columns, selectable fields, conversion ---- */

/* False: it is not a JSON path; the cause was added. */
static bool
check_json_path(const struct checked *path)
{
	struct span text = tree_text(path->value);

	if (text.n == 0)
		checked_refuse(path, NULL, REFUSE_REQUIRED, NULL);
	else if (text.p[0] != '.')
		checked_refuse(path, NULL, REFUSE_INVALID_TEXT,
		    "must be a simple json path starting with .");
	return text.n > 0 && text.p[0] == '.';
}

static const struct {
	const char *key, *below, *or_below, *places;
	bool optional;
} scale_paths[] = {
    {"specReplicasPath", ".spec.", ".spec.", ".spec", false},
    {"statusReplicasPath", ".status.", ".status.", ".status", false},
    {"labelSelectorPath", ".spec.", ".status.", "either .spec or .status",
	true},
};

static void
check_subresources(const struct checked *subresources)
{
	struct checked scale = checked_at(subresources, "scale");

	if (!tree_is(scale.value, NODE_OBJECT))
		return;
	for (size_t i = 0; i < COUNT(scale_paths); i++) {
		struct checked path = checked_at(&scale, scale_paths[i].key);
		struct span text = tree_text(path.value);

		if ((scale_paths[i].optional && text.n == 0) ||
		    !check_json_path(&path) ||
		    span_starts(text, scale_paths[i].below) ||
		    span_starts(text, scale_paths[i].or_below))
			continue;
		checked_refuse(&path, NULL, REFUSE_INVALID_TEXT,
		    "should be a json path under %s", scale_paths[i].places);
	}
}

static void
check_columns(const struct checked *columns)
{
	static const char types[] = "boolean,date,integer,number,string";
	static const char formats[] =
	    "byte,date,date-time,double,float,int32,int64,password";

	for (size_t i = 0; i < tree_items(columns->value); i++) {
		struct checked column = checked_item(columns, i);
		struct checked path = checked_at(&column, "jsonPath");
		struct span format = checked_text(&column, "format");

		if (checked_text(&column, "name").n == 0)
			checked_refuse(&column, "name", REFUSE_REQUIRED, NULL);
		if (!checked_is_among(checked_text(&column, "type"), types))
			checked_refuse(&column, "type", REFUSE_MISSING,
			    "must be one of %s", types);
		if (format.n > 0 && !checked_is_among(format, formats))
			checked_refuse(&column, "format", REFUSE_INVALID_TEXT,
			    "must be one of %s", formats);
		path.path = checked_at(&column, "JSONPath").path;
		check_json_path(&path);
	}
}

/* The text of item i is also that of an earlier one: of its member key, or of
 * the item itself. */
static bool
is_repeated(const struct node *list, size_t i, const char *key)
{
	for (size_t k = 0; k < i; k++)
		if (key == NULL ? tree_equal(list->items[i], list->items[k])
				: span_eq(tree_path_text(list->items[i], key),
				      tree_path_text(list->items[k], key)))
			return true;
	return false;
}

static void
check_selectable(const struct checked *fields, const struct node *schema)
{
	enum { SELECTABLE_MAX = 8 };
	size_t unique = 0;

	for (size_t i = 0; i < tree_items(fields->value); i++) {
		struct checked item = checked_item(fields, i);
		struct checked path = checked_at(&item, "jsonPath");
		struct span text = tree_text(path.value);
		const struct node *found = NULL;
		const char *wrong;

		if (text.n == 0) {
			checked_refuse(&path, NULL, REFUSE_REQUIRED, NULL);
			continue;
		}
		wrong = valid_rulepath(
		    fields->c->arena, text, schema, RULEPATH_DOTS_ONLY, &found);
		if (wrong != NULL) {
			checked_refuse(&path, NULL, REFUSE_INVALID_TEXT,
			    "is an invalid path: %s", wrong);
			continue;
		}
		if (span_starts(text, ".metadata"))
			checked_refuse(&path, NULL, REFUSE_INVALID_TEXT,
			    "must not point to fields in metadata");
		if (!checked_is_among(tree_path_text(found, "type"),
			"string,boolean,integer"))
			checked_refuse(&path, NULL, REFUSE_INVALID_TEXT,
			    "must point to a field of type string, boolean or "
			    "integer. Enum string fields and strings with "
			    "formats are allowed.");
		if (is_repeated(fields->value, i, "jsonPath"))
			cause_duplicate(path.c, path.path, path.value);
		else
			unique++;
	}
	if (unique > SELECTABLE_MAX)
		cause_too_many(fields->c, fields->path, unique, SELECTABLE_MAX);
}

static void
check_review_versions(const struct checked *versions)
{
	bool known = false;

	if (tree_items(versions->value) == 0) {
		checked_refuse(versions, NULL, REFUSE_REQUIRED, NULL);
		return;
	}
	for (size_t i = 0; i < tree_items(versions->value); i++) {
		struct checked own = checked_item(versions, i);
		const char *wrong = name_check_dns1035(tree_text(own.value));

		if (is_repeated(versions->value, i, NULL))
			wrong = "duplicate version";
		if (wrong != NULL)
			checked_refuse(
			    &own, NULL, REFUSE_INVALID_TEXT, "%s", wrong);
		known = known ||
		    checked_is_among(tree_text(own.value), "v1,v1beta1");
	}
	if (!known)
		checked_refuse(versions, NULL, REFUSE_INVALID,
		    "must include at least one of v1, v1beta1");
}

/* spec.conversion.webhook is flat in the internal type. */
static void
check_conversion(const struct checked *conversion)
{
	static const char detail[] =
	    "should not be set when strategy is not set to Webhook";
	struct checked hook = checked_at(conversion, "webhook");
	struct checked client = checked_at(&hook, "clientConfig");
	struct checked versions = checked_at(&hook, "conversionReviewVersions");

	if (!tree_is(conversion->value, NODE_OBJECT))
		return;
	client.path = checked_at(conversion, "webhookClientConfig").path;
	versions.path = checked_at(conversion, "conversionReviewVersions").path;
	if (checked_text(conversion, "strategy").n == 0)
		checked_refuse(conversion, "strategy", REFUSE_REQUIRED, NULL);
	else
		checked_need_among(conversion, "strategy", "None,Webhook");
	if (span_is(checked_text(conversion, "strategy"), "Webhook")) {
		if (tree_is(client.value, NODE_OBJECT))
			hookclient_check(client.c, client.path, client.value);
		else
			checked_refuse(&client, NULL, REFUSE_REQUIRED,
			    "required when strategy is set to Webhook");
		check_review_versions(&versions);
		return;
	}
	if (client.value != NULL)
		checked_refuse(&client, NULL, REFUSE_FORBIDDEN, detail);
	if (tree_count(versions.value) > 0)
		checked_refuse(&versions, NULL, REFUSE_FORBIDDEN, detail);
}

/* ---- names ---- */

static const char *const name_keys[] = {
    "plural", "singular", "kind", "listKind"};

static void
check_list_of_names(const struct checked *names, const char *key)
{
	struct checked all = checked_at(names, key);

	for (size_t i = 0; i < tree_items(all.value); i++) {
		struct checked own = checked_item(&all, i);
		const char *wrong = name_check_dns1035(tree_text(own.value));

		if (wrong != NULL)
			checked_refuse(
			    &own, NULL, REFUSE_INVALID_TEXT, "%s", wrong);
	}
}

static void
check_names(const struct checked *names)
{
	static const char mixed[] =
	    "may have mixed case, but should otherwise match: ";

	for (size_t i = 0; i < COUNT(name_keys); i++) {
		struct span name = checked_text(names, name_keys[i]);
		const char *wrong;

		if (name.n == 0)
			continue;
		wrong = name_check_dns1035(
		    i < 2 ? name : arena_lower(names->c->arena, name));
		if (wrong != NULL)
			checked_refuse(names, name_keys[i], REFUSE_INVALID_TEXT,
			    "%s%s", i < 2 ? "" : mixed, wrong);
	}
	check_list_of_names(names, "shortNames");
	if (checked_text(names, "kind").n > 0 &&
	    span_eq(
		checked_text(names, "kind"), checked_text(names, "listKind")))
		checked_refuse(names, "listKind", REFUSE_INVALID_TEXT,
		    "kind and listKind may not be the same");
	check_list_of_names(names, "categories");
}

/* ---- versions ---- */

/* With /status, the rules of status must be all at properties.status: what may
 * stand beside them, as the JSON and the Go type call it. */
static const char with_status[] =
    "description,type,format,title,maximum,exclusiveMaximum,minimum,"
    "exclusiveMinimum,maxLength,minLength,pattern,maxItems,minItems,"
    "uniqueItems,multipleOf,required,items,properties,externalDocs,example,"
    "x-kubernetes-preserve-unknown-fields,x-kubernetes-validations";
static const char with_status_shown[] =
    "Description Type Format Title Maximum ExclusiveMaximum Minimum "
    "ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems "
    "UniqueItems MultipleOf Required Items Properties ExternalDocs Example "
    "XPreserveUnknownFields XValidations";

static void
check_with_status(const struct checked *schema)
{
	struct arena *a = schema->c->arena;
	const struct node *type = tree_get(schema->value, "type");

	if (type != NULL && !tree_text_is(type, "object"))
		checked_refuse(schema, "type", REFUSE_INVALID,
		    "only \"object\" is allowed as the type at the root of the "
		    "schema if the status subresource is enabled");
	for (size_t i = 0; i < schema->value->n; i++) {
		struct span key = schema->value->members[i].key;

		if (checked_is_among(key, with_status) ||
		    !checked_is_set(schema, arena_str(a, key)))
			continue;
		cause_add(schema->c, "FieldValueInvalid", schema->path,
		    arena_printf(a,
			"Invalid value: %.*s: only [%s] fields are allowed at "
			"the root of the schema if the status subresource is "
			"enabled",
			SPAN_ARG(show_schema(a, schema->value)),
			with_status_shown));
		return;
	}
}

static void
check_schema(const struct checked *schema, bool has_status)
{
	size_t before;

	if (!tree_is(schema->value, NODE_OBJECT))
		return;
	if (has_status)
		check_with_status(schema);
	before = schema->c->n;
	if (checked_true(schema, "nullable"))
		checked_refuse(schema, "nullable", REFUSE_FORBIDDEN,
		    "nullable cannot be true at the root");
	valid_structure(schema);
	if (schema->c->n == before)
		valid_defaults(schema);
	valid_schema(schema);
}

static void
check_deprecation(const struct checked *version)
{
	struct checked warning = checked_at(version, "deprecationWarning");
	struct span text = tree_text(warning.value);

	if (warning.value == NULL)
		return;
	if (!checked_true(version, "deprecated")) {
		checked_refuse(&warning, NULL, REFUSE_INVALID_TEXT,
		    "can only be set for deprecated versions");
		return;
	}
	if (text.n > 256)
		checked_refuse(&warning, NULL, REFUSE_INVALID_TEXT,
		    "must be <= 256 characters long");
	if (text.n == 0)
		checked_refuse(&warning, NULL, REFUSE_INVALID_TEXT,
		    "must not be an empty string");
	for (size_t i = 0; i < text.n; i++)
		if ((unsigned char)text.p[i] < 0x20 || text.p[i] == 0x7f) {
			checked_refuse(&warning, NULL, REFUSE_INVALID_TEXT,
			    "must only contain printable UTF-8 characters; "
			    "non-printable character found at index %zu",
			    i);
			return;
		}
}

/* Checks parts that belong to spec if all versions agree, to each version if
 * not. base has the path of one or the other, and the value of a version. */
static void
check_parts(
    const struct checked *base, const struct node *versions, bool common)
{
	struct checked schema =
	    checked_at(base, common ? "validation" : "schema");
	struct checked own = checked_at(base, "subresources");

	schema = checked_at(&schema, "openAPIV3Schema");
	schema.value = tree_path(base->value, "schema.openAPIV3Schema");
	if (show_versions_agree(versions, "schema") == common)
		check_schema(&schema, tree_get(own.value, "status") != NULL);
	if (show_versions_agree(versions, "subresources") == common)
		check_subresources(&own);
	own = checked_at(base, "additionalPrinterColumns");
	if (show_versions_agree(versions, "additionalPrinterColumns") == common)
		check_columns(&own);
	own = checked_at(base, "selectableFields");
	if (show_versions_agree(versions, "selectableFields") == common)
		check_selectable(&own, schema.value);
}

static void
invalid_versions(const struct checked *versions, const char *detail)
{
	struct arena *a = versions->c->arena;
	struct span shown = tree_is(versions->value, NODE_ARRAY)
	    ? show_versions(a, versions->value)
	    : span_str("null");

	cause_add(versions->c, "FieldValueInvalid", versions->path,
	    arena_printf(
		a, "Invalid value: %.*s: %s", SPAN_ARG(shown), detail));
}

static void
check_versions(const struct checked *versions)
{
	static const char schema[] = "schema.openAPIV3Schema";
	size_t n = tree_items(versions->value), storage = 0;
	bool twice = false;

	for (size_t i = 0; i < n; i++) {
		struct checked v = checked_item(versions, i);

		if (!tree_is(tree_path(v.value, schema), NODE_OBJECT))
			checked_refuse(&v, schema, REFUSE_REQUIRED, NULL);
	}
	for (size_t i = 0; i < n; i++) {
		struct checked v = checked_item(versions, i);
		const char *wrong =
		    name_check_dns1035(checked_text(&v, "name"));

		if (wrong != NULL)
			checked_refuse(
			    &v, "name", REFUSE_INVALID_TEXT, "%s", wrong);
		check_deprecation(&v);
		check_parts(&v, versions->value, false);
		storage += checked_true(&v, "storage");
		twice = twice || is_repeated(versions->value, i, "name");
	}
	if (twice)
		invalid_versions(versions, "must contain unique version names");
	if (storage != 1)
		invalid_versions(versions,
		    "must have exactly one version marked as storage version");
}

/* ---- the whole ---- */

static void
check_spec(const struct checked *spec)
{
	struct checked versions = checked_at(spec, "versions");
	struct checked names = checked_at(spec, "names");
	struct checked conversion = checked_at(spec, "conversion");
	struct span group = checked_text(spec, "group");
	const char *wrong = name_check_subdomain(group);

	if (group.n > 0 && wrong == NULL && span_find(group, '.') == NULL)
		wrong = "should be a domain with at least one dot";
	if (group.n == 0)
		checked_refuse(spec, "group", REFUSE_REQUIRED, NULL);
	else if (wrong != NULL)
		checked_refuse(spec, "group", REFUSE_INVALID_TEXT, "%s", wrong);
	if (checked_text(spec, "scope").n == 0)
		checked_refuse(spec, "scope", REFUSE_REQUIRED, NULL);
	else
		checked_need_among(spec, "scope", "Cluster,Namespaced");
	check_versions(&versions);
	for (size_t i = 0; i < COUNT(name_keys); i++)
		if (checked_text(&names, name_keys[i]).n == 0)
			checked_refuse(
			    &names, name_keys[i], REFUSE_REQUIRED, NULL);
	check_names(&names);
	if (tree_items(versions.value) > 0) {
		struct checked common = *spec;

		common.value = versions.value->items[0];
		check_parts(&common, versions.value, true);
	}
	check_conversion(&conversion);
}

static void
check_stored_versions(const struct checked *object)
{
	struct checked stored = checked_at(object, "status.storedVersions");
	const struct node *versions = tree_path(object->value, "spec.versions");
	size_t n = tree_items(stored.value);
	bool *known;

	if (n == 0) {
		cause_invalid(stored.c, stored.path, NULL,
		    "must have at least one stored version");
		return;
	}
	known = arena_zalloc(stored.c->arena, n * sizeof *known);
	for (size_t i = 0; i < tree_items(versions); i++) {
		const struct node *v = versions->items[i];
		bool found = false;

		/* Two versions with one name need two entries of the stored
		 * versions. */
		for (size_t k = 0; k < n; k++)
			if (!known[k] && !found &&
			    tree_equal(
				stored.value->items[k], tree_get(v, "name")))
				known[k] = found = true;
		if (tree_true(tree_get(v, "storage")) && !found)
			checked_refuse(&stored, NULL, REFUSE_INVALID,
			    "must have the storage version %.*s",
			    SPAN_ARG(tree_path_text(v, "name")));
	}
	for (size_t k = 0; k < n; k++) {
		struct checked own = checked_item(&stored, k);
		struct span name = tree_text(own.value);

		if (!known[k])
			checked_refuse(&own, NULL, REFUSE_INVALID_TEXT,
			    "missing from spec.versions; %.*s was previously a "
			    "storage version, and must remain in spec.versions "
			    "until a storage migration ensures no data remains "
			    "persisted in %.*s and removes %.*s from "
			    "status.storedVersions",
			    SPAN_ARG(name), SPAN_ARG(name), SPAN_ARG(name));
	}
}

void
crd_definition_validate(struct causes *c, struct span subresource,
    const struct node *live, const struct node *object)
{
	static const char keep[] = "spec.preserveUnknownFields";
	/* The first two may change until the definition is established. */
	static const char *const immutable[] = {
	    "spec.scope", "spec.names.kind", "spec.group", "spec.names.plural"};
	struct checked whole = {c, SPAN_NONE, object};
	struct checked spec = checked_at(&whole, "spec");
	struct checked accepted = checked_at(&whole, "status.acceptedNames");

	if (span_is(subresource, "status")) {
		check_names(&accepted);
		return;
	}
	if (live == NULL &&
	    !span_eq(checked_text(&whole, "metadata.name"),
		arena_printf(c->arena, "%.*s.%.*s",
		    SPAN_ARG(checked_text(&spec, "names.plural")),
		    SPAN_ARG(checked_text(&spec, "group")))))
		checked_refuse(&whole, "metadata.name", REFUSE_INVALID_TEXT,
		    "must be spec.names.plural+\".\"+spec.group");
	check_spec(&spec);
	for (size_t i = 0; live != NULL && i < COUNT(immutable); i++)
		if ((i >= 2 || conditions_true(live, "Established")) &&
		    !tree_equal(tree_path(object, immutable[i]),
			tree_path(live, immutable[i])))
			checked_refuse(&whole, immutable[i], REFUSE_INVALID,
			    "field is immutable");
	check_names(&accepted);
	check_stored_versions(&whole);
	conditions_check_approval(c, live, object);
	if (tree_true(tree_path(object, keep)) &&
	    !tree_true(tree_path(live, keep)))
		checked_refuse(&whole, keep, REFUSE_INVALID,
		    "cannot set to true, set "
		    "x-kubernetes-preserve-unknown-fields to true in "
		    "spec.versions[*].schema instead");
}
