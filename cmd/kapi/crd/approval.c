#include "crd/approval.h"

#include <string.h>

#include "crd/conditions.h"
#include "text/format.h"
#include "text/gotext.h"

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

/* As url.ParseRequestURI, which knows of no fragment; with scheme and host. */
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
approval_check(
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
approval_set_condition(
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
