#include "crd/conditions.h"

#include <string.h>

#include "text/format.h"
#include "text/gotext.h"
#include "text/texts.h"
#include "type/problem.h"

struct node *
conditions_find(const struct node *definition, const char *type)
{
	const struct node *all = tree_path(definition, "status.conditions");

	return tree_find(all, "type", type);
}

bool
conditions_true(const struct node *definition, const char *type)
{
	return tree_text_is(
	    tree_get(conditions_find(definition, type), "status"), "True");
}

/* Whether the condition of that type has this status, reason and message. */
static bool
conditions_are(const struct node *definition, const struct condition *c)
{
	const struct node *have = conditions_find(definition, c->type);

	return have != NULL &&
	    tree_text_is(tree_get(have, "status"), c->status) &&
	    tree_text_is(tree_get(have, "reason"), c->reason) &&
	    span_eq(tree_path_text(have, "message"), c->message);
}

void
conditions_set(struct arena *a, struct node *definition,
    const struct condition *c, struct span now)
{
	struct node *status = tree_make(a, definition, "status");
	struct node *all = tree_make_array(a, status, "conditions");
	struct node *own = conditions_find(definition, c->type);

	if (own == NULL) {
		own = tree_object(a);
		tree_append(a, all, own);
	}
	if (!tree_text_is(tree_get(own, "status"), c->status))
		tree_put(a, own, "lastTransitionTime", tree_string(a, now));
	tree_put(a, own, "message", tree_string(a, c->message));
	tree_put(a, own, "reason", tree_str(a, c->reason));
	tree_put(a, own, "status", tree_str(a, c->status));
	tree_put(a, own, "type", tree_str(a, c->type));
}

static void
use(struct arena *a, struct span **all, size_t *n, const struct node *name)
{
	struct span text = tree_text(name);

	if (text.n == 0)
		return;
	*all = arena_more(a, *all, *n, sizeof **all);
	(*all)[(*n)++] = text;
}

void
conditions_used_names(
    struct arena *a, struct used_names *used, const struct node *definition)
{
	const struct node *names =
	    tree_path(definition, "status.acceptedNames");
	const struct node *shorts = tree_get(names, "shortNames");

	use(a, &used->resources, &used->resource_count,
	    tree_get(names, "plural"));
	use(a, &used->resources, &used->resource_count,
	    tree_get(names, "singular"));
	for (size_t i = 0; i < tree_items(shorts); i++)
		use(a, &used->resources, &used->resource_count,
		    shorts->items[i]);
	use(a, &used->kinds, &used->kind_count, tree_get(names, "kind"));
	use(a, &used->kinds, &used->kind_count, tree_get(names, "listKind"));
}

struct naming {
	struct arena *arena;
	const struct node *wanted; /* spec.names */
	struct node *accepted;
	const struct used_names *used;
	struct condition condition;
};

static struct span
conflict(struct arena *a, struct span name)
{
	return arena_printf(
	    a, "%.*s is already in use", SPAN_ARG(gotext_quote(a, name)));
}

/* Checks a name; reason is that of the condition if another has it. */
static void
accept_one(struct naming *n, const char *key, const struct span *all,
    size_t count, const char *reason)
{
	struct span wanted = tree_path_text(n->wanted, key);

	if (!span_eq(wanted, tree_path_text(n->accepted, key)) &&
	    texts_have(all, count, wanted)) {
		n->condition = (struct condition){"NamesAccepted", "False",
		    reason, conflict(n->arena, wanted)};
		return;
	}
	tree_put(n->arena, n->accepted, key, tree_string(n->arena, wanted));
}

static void
accept_all(struct naming *n)
{
	const struct used_names *u = n->used;
	const struct node *categories = tree_get(n->wanted, "categories");
	const struct node *wanted, *own;
	struct span message;
	size_t conflicts = 0;

	accept_one(
	    n, "plural", u->resources, u->resource_count, "PluralConflict");
	accept_one(
	    n, "singular", u->resources, u->resource_count, "SingularConflict");
	wanted = tree_get(n->wanted, "shortNames");
	own = tree_get(n->accepted, "shortNames");
	message = SPAN_NONE;
	for (size_t i = 0; i < tree_items(wanted); i++) {
		struct span name = tree_text(wanted->items[i]);

		if (tree_has_text(own, name) ||
		    !texts_have(
			n->used->resources, n->used->resource_count, name))
			continue;
		message = conflicts++ == 0
		    ? conflict(n->arena, name)
		    : arena_printf(n->arena, "%.*s, %.*s", SPAN_ARG(message),
			  SPAN_ARG(conflict(n->arena, name)));
	}
	if (conflicts > 1)
		message = arena_printf(n->arena, "[%.*s]", SPAN_ARG(message));
	if (conflicts > 0)
		n->condition = (struct condition){
		    "NamesAccepted", "False", "ShortNamesConflict", message};
	else if (wanted != NULL)
		tree_put(n->arena, n->accepted, "shortNames",
		    tree_copy(n->arena, wanted));
	else
		tree_remove(n->accepted, "shortNames");
	accept_one(n, "kind", u->kinds, u->kind_count, "KindConflict");
	accept_one(n, "listKind", u->kinds, u->kind_count, "ListKindConflict");
	if (categories != NULL)
		tree_put(n->arena, n->accepted, "categories",
		    tree_copy(n->arena, categories));
	else
		tree_remove(n->accepted, "categories");
}

bool
conditions_accept_names(struct arena *a, struct node *definition,
    const struct used_names *used, struct span now)
{
	static const char fine[] = "the initial names have been accepted";
	struct node *status = tree_make(a, definition, "status");
	const struct node *before = tree_get(status, "acceptedNames");
	struct naming n = {a, tree_path(definition, "spec.names"),
	    before == NULL ? tree_object(a) : tree_copy(a, before), used,
	    {"NamesAccepted", "True", "NoConflicts",
		span_str("no conflicts found")}};
	bool accepted;

	if (tree_equal(n.wanted, before))
		return false;
	accept_all(&n);
	if (tree_equal(n.accepted, before) &&
	    conditions_are(definition, &n.condition))
		return false;
	tree_put(a, status, "acceptedNames", n.accepted);
	conditions_set(a, definition, &n.condition, now);
	accepted = conditions_true(definition, "NamesAccepted");
	if (conditions_find(definition, "Established") == NULL && !accepted)
		conditions_set(a, definition,
		    &(struct condition){"Established", "False", "NotAccepted",
			span_str("not all names are accepted")},
		    now);
	else if (!conditions_true(definition, "Established") && accepted)
		conditions_set(a, definition,
		    &(struct condition){
			"Established", "False", "Installing", span_str(fine)},
		    now);
	return true;
}

/* ---- approval ---- */

static const char key[] = "api-approved.kubernetes.io";

enum approval {
	APPROVAL_MISSING,
	APPROVAL_INVALID,
	APPROVAL_BYPASSED,
	APPROVAL_GIVEN
};

static bool
is_protected(struct span group)
{
	return span_is(group, "k8s.io") || span_ends(group, ".k8s.io") ||
	    span_is(group, "kubernetes.io") ||
	    span_ends(group, ".kubernetes.io");
}

/* Like url.ParseRequestURI, which does not split off a fragment. The URL must
 * have a scheme and a host. */
static bool
is_url(struct span text)
{
	const char *at = memmem(text.p, text.n, "://", 3);
	struct span host;

	if (at == NULL || at == text.p)
		return false;
	host = span_skip(text, (size_t)(at + 3 - text.p));
	host = span_cut(&host, '/');
	host = span_cut(&host, '?');
	at = span_find_last(host, '@');
	if (at != NULL)
		host = span_skip(host, (size_t)(at + 1 - host.p));
	return host.n > 0 && span_find(host, '#') == NULL &&
	    format_matches(span_str("uri"), text);
}

static enum approval
approval_of(const struct node *object, struct span *text)
{
	*text =
	    tree_text(tree_get(tree_path(object, "metadata.annotations"), key));
	if (text->n == 0)
		return APPROVAL_MISSING;
	if (span_starts(*text, "unapproved"))
		return APPROVAL_BYPASSED;
	return is_url(*text) ? APPROVAL_GIVEN : APPROVAL_INVALID;
}

static struct span
what_is_needed(struct arena *a, enum approval state)
{
	return arena_printf(a,
	    "protected groups must have approval annotation "
	    "\"api-approved.kubernetes.io\"%s, see "
	    "https://github.com/kubernetes/enhancements/pull/1111",
	    state == APPROVAL_MISSING ? ""
				      : " with either a URL or a reason "
					"starting with \"unapproved\"");
}

void
conditions_check_approval(
    struct causes *c, const struct node *live, const struct node *object)
{
	struct span at = cause_path_key(
	    c->arena, span_str("metadata.annotations"), span_str(key));
	struct span text, before;
	enum approval now = approval_of(object, &text);
	const char *need = arena_str(c->arena, what_is_needed(c->arena, now));

	if (!is_protected(tree_path_text(object, "spec.group")) ||
	    (live != NULL && approval_of(live, &before) == now))
		return;
	if (now == APPROVAL_MISSING)
		cause_required(c, at, need);
	else if (now == APPROVAL_INVALID)
		cause_invalid_text(c, at, text, need);
}

bool
conditions_set_approval(
    struct arena *a, struct node *definition, struct span now)
{
	static const char *const reasons[] = {"MissingAnnotation",
	    "InvalidAnnotation", "UnapprovedAnnotation", "ApprovedAnnotation"};
	struct condition c = {.type = "KubernetesAPIApprovalPolicyConformant"};
	struct span text;
	enum approval state = approval_of(definition, &text);

	if (!is_protected(tree_path_text(definition, "spec.group")))
		return false;
	c.status = state == APPROVAL_GIVEN ? "True" : "False";
	c.reason = reasons[state];
	if (state == APPROVAL_GIVEN)
		c.message = arena_printf(a, "approved in %.*s", SPAN_ARG(text));
	else if (state == APPROVAL_BYPASSED)
		c.message = arena_printf(
		    a, "not approved: %.*s", SPAN_ARG(gotext_quote(a, text)));
	else
		c.message = what_is_needed(a, state);
	if (conditions_are(definition, &c))
		return false;
	conditions_set(a, definition, &c, now);
	return true;
}
