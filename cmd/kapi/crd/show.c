/* Part of crd/valid.h: definitions as messages quote them. */
#include "crd/valid.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/mem.h"
#include "json/json.h"

struct shown {
	const char *name, *key;
	enum {
		SHOW_TEXT,    /* "" if absent */
		SHOW_FLAG,    /* false if absent */
		SHOW_NUMBER,  /* 0 if absent */
		SHOW_VALUE,   /* null if absent, as all below */
		SHOW_OBJECT,  /* an object of fields */
		SHOW_OBJECTS, /* a list of such objects */
		SHOW_MAP,     /* a map of such objects */
		SHOW_OR_BOOL, /* {Allows, Schema} */
		SHOW_OR_LIST  /* {Schema, JSONSchemas} */
	} kind;
	const struct shown *fields; /* ends with a NULL name */
};

static const struct shown rule_fields[] = {{"Rule", "rule", SHOW_TEXT, NULL},
    {"Message", "message", SHOW_TEXT, NULL},
    {"MessageExpression", "messageExpression", SHOW_TEXT, NULL},
    {"Reason", "reason", SHOW_VALUE, NULL},
    {"FieldPath", "fieldPath", SHOW_TEXT, NULL},
    {"OptionalOldSelf", "optionalOldSelf", SHOW_VALUE, NULL}, {0}};

static const struct shown docs_fields[] = {
    {"Description", "description", SHOW_TEXT, NULL},
    {"URL", "url", SHOW_TEXT, NULL}, {0}};

static const struct shown schema_fields[] = {{"ID", "id", SHOW_TEXT, NULL},
    {"Schema", "$schema", SHOW_TEXT, NULL}, {"Ref", "$ref", SHOW_VALUE, NULL},
    {"Description", "description", SHOW_TEXT, NULL},
    {"Type", "type", SHOW_TEXT, NULL},
    {"Nullable", "nullable", SHOW_FLAG, NULL},
    {"Format", "format", SHOW_TEXT, NULL}, {"Title", "title", SHOW_TEXT, NULL},
    {"Default", "default", SHOW_VALUE, NULL},
    {"Maximum", "maximum", SHOW_VALUE, NULL},
    {"ExclusiveMaximum", "exclusiveMaximum", SHOW_FLAG, NULL},
    {"Minimum", "minimum", SHOW_VALUE, NULL},
    {"ExclusiveMinimum", "exclusiveMinimum", SHOW_FLAG, NULL},
    {"MaxLength", "maxLength", SHOW_VALUE, NULL},
    {"MinLength", "minLength", SHOW_VALUE, NULL},
    {"Pattern", "pattern", SHOW_TEXT, NULL},
    {"MaxItems", "maxItems", SHOW_VALUE, NULL},
    {"MinItems", "minItems", SHOW_VALUE, NULL},
    {"UniqueItems", "uniqueItems", SHOW_FLAG, NULL},
    {"MultipleOf", "multipleOf", SHOW_VALUE, NULL},
    {"Enum", "enum", SHOW_VALUE, NULL},
    {"MaxProperties", "maxProperties", SHOW_VALUE, NULL},
    {"MinProperties", "minProperties", SHOW_VALUE, NULL},
    {"Required", "required", SHOW_VALUE, NULL},
    {"Items", "items", SHOW_OR_LIST, schema_fields},
    {"AllOf", "allOf", SHOW_OBJECTS, schema_fields},
    {"OneOf", "oneOf", SHOW_OBJECTS, schema_fields},
    {"AnyOf", "anyOf", SHOW_OBJECTS, schema_fields},
    {"Not", "not", SHOW_OBJECT, schema_fields},
    {"Properties", "properties", SHOW_MAP, schema_fields},
    {"AdditionalProperties", "additionalProperties", SHOW_OR_BOOL,
	schema_fields},
    {"PatternProperties", "patternProperties", SHOW_MAP, schema_fields},
    {"Dependencies", "dependencies", SHOW_VALUE, NULL},
    {"AdditionalItems", "additionalItems", SHOW_OR_BOOL, schema_fields},
    {"Definitions", "definitions", SHOW_MAP, schema_fields},
    {"ExternalDocs", "externalDocs", SHOW_OBJECT, docs_fields},
    {"Example", "example", SHOW_VALUE, NULL},
    {"XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields",
	SHOW_VALUE, NULL},
    {"XEmbeddedResource", "x-kubernetes-embedded-resource", SHOW_FLAG, NULL},
    {"XIntOrString", "x-kubernetes-int-or-string", SHOW_FLAG, NULL},
    {"XListMapKeys", "x-kubernetes-list-map-keys", SHOW_VALUE, NULL},
    {"XListType", "x-kubernetes-list-type", SHOW_VALUE, NULL},
    {"XMapType", "x-kubernetes-map-type", SHOW_VALUE, NULL},
    {"XValidations", "x-kubernetes-validations", SHOW_OBJECTS, rule_fields},
    {0}};

static const struct shown wrapper_fields[] = {
    {"OpenAPIV3Schema", "openAPIV3Schema", SHOW_OBJECT, schema_fields}, {0}};

static const struct shown nothing[] = {{0}};

static const struct shown scale_fields[] = {
    {"SpecReplicasPath", "specReplicasPath", SHOW_TEXT, NULL},
    {"StatusReplicasPath", "statusReplicasPath", SHOW_TEXT, NULL},
    {"LabelSelectorPath", "labelSelectorPath", SHOW_VALUE, NULL}, {0}};

static const struct shown subresource_fields[] = {
    {"Status", "status", SHOW_OBJECT, nothing},
    {"Scale", "scale", SHOW_OBJECT, scale_fields}, {0}};

static const struct shown column_fields[] = {{"Name", "name", SHOW_TEXT, NULL},
    {"Type", "type", SHOW_TEXT, NULL}, {"Format", "format", SHOW_TEXT, NULL},
    {"Description", "description", SHOW_TEXT, NULL},
    {"Priority", "priority", SHOW_NUMBER, NULL},
    {"JSONPath", "jsonPath", SHOW_TEXT, NULL}, {0}};

static const struct shown selectable_fields[] = {
    {"JSONPath", "jsonPath", SHOW_TEXT, NULL}, {0}};

/* The first VERSION_OWN members are always of one version; the others may be
 * common to all versions. */
enum { VERSION_OWN = 5 };
static const struct shown version_fields[] = {{"Name", "name", SHOW_TEXT, NULL},
    {"Served", "served", SHOW_FLAG, NULL},
    {"Storage", "storage", SHOW_FLAG, NULL},
    {"Deprecated", "deprecated", SHOW_FLAG, NULL},
    {"DeprecationWarning", "deprecationWarning", SHOW_VALUE, NULL},
    {"Schema", "schema", SHOW_OBJECT, wrapper_fields},
    {"Subresources", "subresources", SHOW_OBJECT, subresource_fields},
    {"AdditionalPrinterColumns", "additionalPrinterColumns", SHOW_OBJECTS,
	column_fields},
    {"SelectableFields", "selectableFields", SHOW_OBJECTS, selectable_fields},
    {0}};

static void show_one(
    struct buf *b, const struct shown *f, const struct node *v);

static void
show_fields(struct buf *b, const struct shown *f, const struct node *object)
{
	buf_addc(b, '{');
	for (; f->name != NULL; f++) {
		json_add_key(b, f->name);
		show_one(b, f, tree_get(object, f->key));
	}
	buf_addc(b, '}');
}

static int
member_cmp(const void *x, const void *y)
{
	return span_cmp((*(const struct member *const *)x)->key,
	    (*(const struct member *const *)y)->key);
}

static void
show_list(struct buf *b, const struct shown *fields, const struct node *list)
{
	buf_addc(b, '[');
	for (size_t i = 0; i < list->n; i++) {
		json_add_comma(b);
		show_fields(b, fields, list->items[i]);
	}
	buf_addc(b, ']');
}

static void
show_one(struct buf *b, const struct shown *f, const struct node *v)
{
	static const char *const absent[] = {"\"\"", "false", "0"};

	if (v == NULL || v->kind == NODE_NULL)
		buf_adds(b, f->kind < SHOW_VALUE ? absent[f->kind] : "null");
	else if (f->kind == SHOW_OR_BOOL) {
		buf_addf(b, "{\"Allows\":%s,\"Schema\":",
		    v->kind == NODE_FALSE ? "false" : "true");
		if (v->kind == NODE_OBJECT)
			show_fields(b, f->fields, v);
		else
			buf_adds(b, "null");
		buf_addc(b, '}');
	} else if (f->kind == SHOW_OR_LIST) {
		buf_adds(b, "{\"Schema\":");
		if (v->kind == NODE_OBJECT)
			show_fields(b, f->fields, v);
		else
			buf_adds(b, "null");
		buf_adds(b, ",\"JSONSchemas\":");
		if (v->kind == NODE_ARRAY)
			show_list(b, f->fields, v);
		else
			buf_adds(b, "null");
		buf_addc(b, '}');
	} else if (f->kind == SHOW_OBJECT)
		show_fields(b, f->fields, v);
	else if (f->kind == SHOW_OBJECTS && v->kind == NODE_ARRAY)
		show_list(b, f->fields, v);
	else if (f->kind == SHOW_MAP && v->kind == NODE_OBJECT) {
		const struct member **all = mem_array(NULL, v->n, sizeof *all);

		for (size_t i = 0; i < v->n; i++)
			all[i] = &v->members[i];
		if (v->n > 1)
			qsort(all, v->n, sizeof *all, member_cmp);
		buf_addc(b, '{');
		for (size_t i = 0; i < v->n; i++) {
			json_add_comma(b);
			json_add_string(b, all[i]->key);
			buf_addc(b, ':');
			show_fields(b, f->fields, all[i]->value);
		}
		buf_addc(b, '}');
		free(all);
	} else
		tree_write_sorted(b, v);
}

/* Go writes <, > and & in JSON as escapes. */
static struct span
finish(struct arena *a, struct buf *b)
{
	struct buf out = BUF_INIT;
	struct span s;

	for (size_t i = 0; i < b->len; i++)
		if (strchr("<>&", b->data[i]) != NULL && b->data[i] != '\0')
			buf_addf(&out, "\\u%04x", (unsigned)b->data[i]);
		else
			buf_addc(&out, b->data[i]);
	s = tree_keep(a, &out);
	buf_release(b);
	return s;
}

struct span
show_schema(struct arena *a, const struct node *schema)
{
	struct buf b = BUF_INIT;

	show_fields(&b, schema_fields, schema);
	return finish(a, &b);
}

bool
show_versions_agree(const struct node *versions, const char *key)
{
	const struct node *first;

	if (!tree_is(versions, NODE_ARRAY) || versions->n == 0)
		return true;
	first = tree_get(versions->items[0], key);
	for (size_t i = 1; i < versions->n; i++)
		if (!tree_equal(first, tree_get(versions->items[i], key)))
			return false;
	return true;
}

struct span
show_versions(struct arena *a, const struct node *versions)
{
	struct buf b = BUF_INIT;
	bool common[COUNT(version_fields)] = {0};

	for (size_t k = VERSION_OWN; version_fields[k].name != NULL; k++)
		common[k] =
		    show_versions_agree(versions, version_fields[k].key);
	buf_addc(&b, '[');
	for (size_t i = 0; i < tree_items(versions); i++) {
		json_add_comma(&b);
		buf_addc(&b, '{');
		for (size_t k = 0; version_fields[k].name != NULL; k++) {
			const struct shown *f = &version_fields[k];

			json_add_key(&b, f->name);
			show_one(&b, f,
			    common[k] ? NULL
				      : tree_get(versions->items[i], f->key));
		}
		buf_addc(&b, '}');
	}
	buf_addc(&b, ']');
	return finish(a, &b);
}
