/* Part of rest/internal.h: PATCH of four types. */
#include "rest/internal.h"

#include <string.h>

#include "text/gotext.h"

static const char builtin_types[] =
    "application/json-patch+json, application/merge-patch+json, "
    "application/strategic-merge-patch+json, application/apply-patch+yaml";
static const char custom_types[] =
    "application/json-patch+json, application/merge-patch+json, "
    "application/apply-patch+yaml";

struct problem *
rest_patch_type(
    struct request *r, const struct resource *s, enum patch_type *type)
{
	static const char *const names[] = {
	    [PATCH_JSON] = "application/json-patch+json",
	    [PATCH_MERGE] = "application/merge-patch+json",
	    [PATCH_STRATEGIC] = "application/strategic-merge-patch+json",
	    [PATCH_APPLY] = "application/apply-patch+yaml"};
	struct span name = request_body_type(r);
	bool strategic = s->strategy->steps->strategic;
	struct problem *p;

	for (*type = PATCH_APPLY; *type != PATCH_NONE; (*type)--)
		if (span_is(name, names[*type]) &&
		    (strategic || *type != PATCH_STRATEGIC))
			return NULL;
	if (!strategic)
		return problem_unsupported_media_type(&r->arena, custom_types);
	/* Built-in kinds: the router of the API server refuses a wrong type,
	 * its handler a request without a type. */
	if (name.n == 0)
		return problem_unsupported_media_type(&r->arena, builtin_types);
	p = problem_make(&r->arena, 415, "UnsupportedMediaType",
	    "415: Unsupported Media Type");
	p->has_details = true;
	return p;
}

struct problem *
rest_patched(struct request *r, enum patch_type type,
    const struct schema *schema, const struct node *live,
    struct warnings *strict, struct node **patched, struct span *text)
{
	struct arena *a = &r->arena;
	struct node *patch;
	struct problem *p = patch_parse(
	    a, type, r->http->body, r->field_validation, strict, &patch);

	if (p != NULL)
		return p;
	if (type == PATCH_JSON)
		p = patch_json(a, live, patch, patched);
	else if (type == PATCH_MERGE)
		p = patch_merge(a, live, patch, patched);
	else
		p = patch_strategic(a, schema, live, patch, patched);
	if (p != NULL)
		return p;
	/* The outcome may share nodes with live, and is changed from here. */
	*patched = tree_copy(a, *patched);
	*text = type == PATCH_STRATEGIC ? gotext_value(a, patch) : SPAN_NONE;
	return NULL;
}

/* Decodes the outcome of a patch. Its text is written only if a refusal quotes
 * it. */
static struct problem *
decode_patched(struct write *w, struct node *patched, struct span text,
    struct warnings *strict)
{
	struct decoding how = {text, strict, text.p != NULL};
	struct problem *p;
	struct node *before;
	struct buf b = BUF_INIT;

	if (text.p != NULL)
		return write_decode(w, patched, &how);
	how.patched = span_str("");
	before = tree_copy(w->arena, patched);
	p = write_decode(w, patched, &how);
	if (p == NULL || p->code != 422)
		return p;
	/* A 422 quotes the text: decodes again, to word the refusal with it. */
	/* json-patch writes the members that it looked at sorted. */
	for (size_t i = 1;
	     i < tree_count(before) && before->kind == NODE_OBJECT; i++)
		for (size_t k = i; k > 0 &&
		     span_cmp(before->members[k - 1].key,
			 before->members[k].key) > 0;
		     k--) {
			struct member m = before->members[k];

			before->members[k] = before->members[k - 1];
			before->members[k - 1] = m;
		}
	tree_write(&b, before);
	how.patched = tree_keep(w->arena, &b);
	how.strict = NULL;
	return write_decode(w, before, &how);
}

static struct problem *
apply_object(struct request *r, struct write *w, const struct node *live,
    struct node **object)
{
	struct err err = ERR_INIT;
	struct span twice;
	struct node *copy,
	    *applied = tree_parse_yaml(&r->arena, r->http->body, &twice, &err);
	struct problem *p;

	if (applied == NULL)
		return problem_bad_request(&r->arena,
		    "error decoding YAML: error converting YAML to JSON: %s",
		    err.message);
	if (applied->kind != NODE_OBJECT)
		return problem_bad_request(&r->arena,
		    "error decoding YAML: error unmarshaling JSON: while "
		    "decoding JSON: %.*s",
		    SPAN_ARG(gotext_type_error(
			&r->arena, applied, "map[string]interface {}")));
	copy = tree_copy(&r->arena, applied);
	p = write_apply(w, live, copy, object);
	if (p != NULL || twice.n == 0 || r->field_validation == VALIDATE_IGNORE)
		return p;
	if (r->field_validation == VALIDATE_STRICT)
		return problem_bad_request(&r->arena,
		    "error strict decoding YAML: error converting YAML to "
		    "JSON: yaml: unmarshal errors:\n%.*s",
		    SPAN_ARG(twice));
	rest_add_twice(r, twice, &r->warnings);
	return NULL;
}

static struct problem *
check_object(struct write *w, const struct node *live, struct node *object)
{
	struct span uid = tree_path_text(object, "metadata.uid");
	struct problem *p;

	if (live == NULL && uid.n > 0)
		return problem_conflict(w->arena, w->resource, w->name,
		    arena_printf(w->arena,
			"uid mismatch: the provided object specified uid %.*s, "
			"and no existing object was found",
			SPAN_ARG(uid))
			.p);
	p = write_check_namespace(w, object);
	return p != NULL ? p : write_check_name(w, object);
}

struct problem *
rest_patch_object(struct request *r, struct write *w)
{
	struct warnings strict = {&r->arena, NULL, 0};
	struct node *live, *object;
	struct stored *stored;
	enum patch_type type;
	struct span text;
	struct problem *absent = rest_live(w, &stored, &live), *p;

	rest_patch_type(r, w->resource, &type);
	if (absent != NULL && (type != PATCH_APPLY || w->subresource.n > 0))
		return absent;
	if (type == PATCH_APPLY) {
		p = apply_object(r, w, live, &object);
	} else {
		p = rest_patched(r, type, w->resource->schema, live, &strict,
		    &object, &text);
		if (p == NULL)
			p = decode_patched(w, object, text, &strict);
	}
	if (p == NULL)
		p = check_object(w, live, object);
	if (p != NULL)
		return p;
	return live != NULL ? write_update(w, stored, live, object)
			    : write_create(w, object);
}
