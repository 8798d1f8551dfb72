/* Part of crd/valid.h: subresources, columns, selectable fields, conversion. */
#include <string.h>

#include "crd/rulepath.h"
#include "crd/valid.h"
#include "type/hookclient.h"
#include "type/names.h"
#include "type/objectmeta.h"

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

void
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

void
valid_columns(struct causes *c, struct span path, const struct node *columns)
{
	for (size_t i = 0; tree_is(columns, NODE_ARRAY) && i < columns->n; i++)
		check_column(
		    c, cause_path_index(c->arena, path, i), columns->items[i]);
}

void
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
		wrong = rulepath_check(
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

void
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
