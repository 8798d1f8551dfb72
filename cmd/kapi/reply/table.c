#include "reply/table.h"

#include <string.h>

#include "json/json.h"
#include "reply/columns.h"
#include "text/gotext.h"
#include "text/template.h"

struct problem *
table_form_of(struct request *r, struct table_form *form)
{
	struct span include = request_param(r, "includeObject");

	*form = (struct table_form){r->as, r->as_version, INCLUDE_METADATA};
	if (form->version.n == 0)
		form->version = span_str("v1");
	if (form->as == AS_YAML)
		form->as = AS_OBJECT;
	if (form->as != AS_TABLE || include.n == 0 ||
	    span_is(include, "Metadata"))
		return NULL;
	if (span_is(include, "None"))
		form->include = INCLUDE_NONE;
	else if (span_is(include, "Object"))
		form->include = INCLUDE_OBJECT;
	else
		return problem_bad_request(&r->arena,
		    "Unable to convert to Table as requested: includeObject: "
		    "Invalid value: %.*s: must be 'Metadata', 'Object', "
		    "'None', or empty",
		    SPAN_ARG(gotext_quote(&r->arena, include)));
	return NULL;
}

/* ---- forms ---- */

/* {"kind":KIND,"apiVersion":"meta.k8s.io/v1","metadata":METADATA */
static void
add_head(struct buf *b, const struct table_form *form, const char *kind,
    struct span metadata)
{
	template_add(b, "{'kind':%,'apiVersion':'meta.k8s.io/@','metadata':@",
	    (struct span[]){span_str(kind), form->version,
		metadata.p == NULL ? span_str("{}") : metadata});
}

static void
add_partial(struct buf *b, const struct table_form *form, struct span object)
{
	add_head(
	    b, form, "PartialObjectMetadata", json_get(object, "metadata"));
	buf_addc(b, '}');
}

/* A bookmark's object always has its metadata: they are all that it is. */
static bool
is_marker(struct span metadata)
{
	return json_get(json_get(metadata, "annotations"),
		   "k8s.io/initial-events-end")
		   .p != NULL;
}

static void
add_row(struct buf *b, const struct resource *r, const struct table_form *form,
    struct span object)
{
	struct span metadata = json_get(object, "metadata");
	struct arena a = ARENA_INIT;
	struct node *n = tree_parse(&a, object, TREE_LIMITS, NULL, NULL);

	buf_adds(b, "{\"cells\":");
	columns_add_cells(b, &a, r, n);
	columns_add_conditions(b, r, n);
	buf_adds(b, ",\"object\":");
	if (form->include == INCLUDE_OBJECT)
		buf_addspan(b, object);
	else if (form->include == INCLUDE_METADATA || is_marker(metadata))
		add_partial(b, form, object);
	else
		buf_adds(b, "null");
	buf_addc(b, '}');
	arena_release(&a);
}

static void
add_table_head(struct buf *b, const struct resource *r,
    const struct table_form *form, bool headers, struct span metadata)
{
	add_head(b, form, "Table", metadata);
	buf_adds(b, ",\"columnDefinitions\":");
	if (headers)
		columns_add(b, r);
	else
		buf_adds(b, "null");
	buf_adds(b, ",\"rows\":[");
}

void
table_object(struct buf *b, const struct resource *r,
    const struct table_form *form, bool headers, struct span object)
{
	struct buf metadata = BUF_INIT;

	switch (form->as) {
	case AS_TABLE:
		buf_adds(&metadata, "{\"resourceVersion\":");
		buf_addspan(
		    &metadata, json_path(object, "metadata.resourceVersion"));
		buf_addc(&metadata, '}');
		add_table_head(b, r, form, headers, buf_span(&metadata));
		add_row(b, r, form, object);
		buf_adds(b, "]}");
		break;
	case AS_PARTIAL:
		add_partial(b, form, object);
		break;
	default:
		buf_addspan(b, object);
	}
	buf_release(&metadata);
}

struct problem *
table_answer(struct request *r, struct span *json)
{
	struct buf b = BUF_INIT;
	const struct resource scale = {.strategy = &columns_scale};
	const struct resource *shown =
	    span_is(r->subresource, "scale") ? &scale : r->resource;
	struct table_form form;
	struct problem *p;

	if (r->as != AS_TABLE && r->as != AS_PARTIAL)
		return NULL;
	p = table_form_of(r, &form);
	if (p != NULL)
		return p;
	table_object(&b, shown, &form, true, *json);
	*json = tree_keep(&r->arena, &b);
	return NULL;
}

/* ---- lists ---- */

void
table_list_begin(struct buf *b, const struct resource *r,
    const struct table_form *form, struct span metadata)
{
	if (form->as == AS_TABLE) {
		add_table_head(b, r, form, true, metadata);
		return;
	}
	/* Lists of custom resources come from a Go map: sorted by key. */
	if (form->as == AS_OBJECT && r->crd != NULL) {
		template_add(b, "{'apiVersion':%,'items':[", &r->api_version);
		return;
	}
	if (form->as == AS_PARTIAL)
		add_head(b, form, "PartialObjectMetadataList", metadata);
	else
		template_add(b, "{'kind':%,'apiVersion':%,'metadata':@",
		    (struct span[]){r->list_kind, r->api_version, metadata});
	template_add(b, ",'items':[", NULL);
}

/* Items of built-in kinds do not repeat what the list says. */
static void
add_item(struct buf *b, struct span object)
{
	struct json_members m = json_members(object);
	const char *end = object.p + 1;

	while (json_member(&m) &&
	    (span_is(m.key, "apiVersion") || span_is(m.key, "kind")))
		end = m.value.p + m.value.n;
	if (end < object.p + object.n && *end == ',')
		end++;
	buf_addc(b, '{');
	buf_add(b, end, (size_t)(object.p + object.n - end));
}

void
table_list_item(struct buf *b, const struct resource *r,
    const struct table_form *form, struct span object)
{
	if (b->data[b->len - 1] != '[')
		buf_addc(b, ',');
	if (form->as == AS_TABLE)
		add_row(b, r, form, object);
	else if (form->as == AS_PARTIAL)
		add_partial(b, form, object);
	else if (r->crd != NULL)
		buf_addspan(b, object);
	else
		add_item(b, object);
}

void
table_list_end(struct buf *b, const struct resource *r,
    const struct table_form *form, struct span metadata)
{
	buf_addc(b, ']');
	if (form->as == AS_OBJECT && r->crd != NULL)
		template_add(b, ",'kind':%,'metadata':@",
		    (struct span[]){r->list_kind, metadata});
	buf_addc(b, '}');
}
