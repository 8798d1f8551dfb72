/* Part of merge/patch.h: from the body of a request to a patch. */
#include "merge/patch.h"

#include "text/gotext.h"

static const struct tree_limits limits = {1000, true};

static struct problem *
bad(struct arena *a, const char *prefix, struct span detail)
{
	return problem_bad_request(a, "%s%.*s", prefix, SPAN_ARG(detail));
}

/* Checks one operation as a jsonPatchOp; strict gets its unknown fields. */
static struct problem *
check_operation(
    struct arena *a, const struct node *op, size_t i, struct warnings *strict)
{
	static const char *const strings[] = {"op", "path", "from"};

	for (size_t k = 0; k < 3; k++) {
		const struct node *value = tree_get(op, strings[k]);

		if (value == NULL || value->kind == NODE_STRING ||
		    value->kind == NODE_NULL)
			continue;
		return problem_bad_request(a,
		    "error decoding patch: json: cannot unmarshal %s into Go "
		    "struct field jsonPatchOp.%s of type string",
		    gotext_kind(value), strings[k]);
	}
	for (uint32_t m = 0; m < op->n; m++) {
		struct span key = op->members[m].key;

		if (!span_is(key, "op") && !span_is(key, "path") &&
		    !span_is(key, "from") && !span_is(key, "value"))
			decode_warning_add(strict,
			    arena_printf(a,
				"json patch unknown field \"[%zu].%.*s\"", i,
				SPAN_ARG(key)));
	}
	return NULL;
}

static struct problem *
check_json(struct arena *a, const struct node *patch,
    enum field_validation validation, struct warnings *strict)
{
	bool ignore = validation == VALIDATE_IGNORE;
	const char *prefix = ignore ? "" : "error decoding patch: ";

	if (patch->kind == NODE_NULL)
		return NULL;
	if (patch->kind != NODE_ARRAY)
		return bad(a, prefix,
		    gotext_type_error(a, patch,
			ignore ? "jsonpatch.Patch" : "[]handlers.jsonPatchOp"));
	for (uint32_t i = 0; i < patch->n; i++) {
		const struct node *op = patch->items[i];
		struct problem *p;

		if (op->kind == NODE_NULL)
			continue;
		if (op->kind != NODE_OBJECT)
			return bad(a, prefix,
			    gotext_type_error(a, op,
				ignore ? "jsonpatch.Operation"
				       : "handlers.jsonPatchOp"));
		p = ignore ? NULL : check_operation(a, op, i, strict);
		if (p != NULL)
			return p;
	}
	return NULL;
}

static struct problem *
check_map(struct arena *a, enum patch_type type, const struct node *patch,
    enum field_validation validation)
{
	bool merge = type == PATCH_MERGE;

	if (patch->kind == NODE_OBJECT)
		return NULL;
	if (patch->kind == NODE_NULL)
		return merge ? bad(a, "Invalid JSON Patch", SPAN_NONE) : NULL;
	if (merge && validation == VALIDATE_IGNORE)
		return patch->kind == NODE_ARRAY
		    ? NULL
		    : bad(a, "Invalid JSON Patch", SPAN_NONE);
	return bad(a, merge ? "error decoding patch: " : "",
	    gotext_type_error(a, patch, "map[string]interface {}"));
}

struct problem *
patch_parse(struct arena *a, enum patch_type type, struct span body,
    enum field_validation validation, struct warnings *strict,
    struct node **patch)
{
	struct err err = ERR_INIT;
	struct span duplicate = SPAN_NONE;
	struct node *n = tree_parse(a, body, limits, &duplicate, &err);

	*patch = n;
	if (n == NULL) {
		struct span words = gotext_json_error(a, body);

		/* Deeper than we go, though Go would. */
		if (words.p == NULL)
			words = arena_span(a, span_str(err.message));
		if (validation == VALIDATE_IGNORE && type == PATCH_MERGE)
			return bad(a, "Invalid JSON Patch", SPAN_NONE);
		if (validation == VALIDATE_IGNORE || type == PATCH_STRATEGIC)
			return bad(a, "", words);
		return bad(a, "error decoding patch: ", words);
	}
	if (duplicate.p != NULL && validation != VALIDATE_IGNORE)
		decode_warning_add(strict,
		    arena_printf(a, "%sduplicate field \"%.*s\"",
			type == PATCH_JSON ? "json patch " : "",
			SPAN_ARG(duplicate)));
	return type == PATCH_JSON ? check_json(a, n, validation, strict)
				  : check_map(a, type, n, validation);
}

struct problem *
patch_cannot_apply(struct arena *a)
{
	struct problem *p = problem_make(a, 422, "Invalid",
	    "the server rejected our request due to an error in our request");

	p->has_details = true;
	return p;
}
