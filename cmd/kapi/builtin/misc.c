/*
 * Part of builtin/topics.h. Certificates, webhooks, conditions, Events.
 * Sources: pkg/apis/GROUP/validation and pkg/registry.
 */
#include "builtin/topics.h"

#include "base/array.h"
#include "type/hookclient.h"
#include "type/objectmeta.h"

static struct node *
old_condition(const struct change_of *x, const struct node *condition)
{
	const struct node *old = tree_path(x->live, "status.conditions");

	for (size_t i = 0; i < tree_count(old); i++)
		if (tree_equal(tree_get(old->items[i], "type"),
			tree_get(condition, "type")) &&
		    tree_equal(tree_get(old->items[i], "status"),
			tree_get(condition, "status")))
			return old->items[i];
	return NULL;
}

static void
set_if_missing(const struct change_of *x, struct node *condition,
    const char *key, const struct node *value)
{
	if (tree_text(tree_get(condition, key)).n > 0)
		return;
	tree_put(x->arena, condition, key,
	    tree_text(value).n > 0
		? tree_string(x->arena, tree_text(value))
		: tree_string(x->arena, objectmeta_time_now(x->arena)));
}

/* /approval writes the conditions alone. */
void
misc_signing_status_prepare(const struct change_of *x, struct node *object)
{
	struct node *conditions = tree_path(object, "status.conditions");
	struct node *old, *status;

	if (span_is(x->subresource, "approval")) {
		status = tree_get(x->live, "status");
		status = status == NULL ? tree_object(x->arena)
					: tree_copy(x->arena, status);
		if (conditions != NULL)
			tree_put(x->arena, status, "conditions", conditions);
		tree_put(x->arena, object, "status", status);
	}
	for (size_t i = 0; i < tree_count(conditions); i++) {
		old = old_condition(x, conditions->items[i]);
		set_if_missing(x, conditions->items[i], "lastUpdateTime", NULL);
		set_if_missing(x, conditions->items[i], "lastTransitionTime",
		    tree_get(old, "lastTransitionTime"));
	}
}

/* A domain of three segments, as names of webhooks are. */
void
misc_webhook_name(const struct rule_run *run, const struct rule_place *p)
{
	struct causes *c = run->causes;
	const struct at *at = p->at;
	struct span s = tree_text(p->n);
	size_t dots = 0, before = c->n;

	if (s.n == 0) {
		rule_fail_required(c, at, "");
		return;
	}
	rule_dns_subdomain(c, at, s);
	for (size_t i = 0; i < s.n; i++)
		dots += s.p[i] == '.';
	if (c->n == before && dots < 2)
		rule_fail_text(c, at, s,
		    "should be a domain with at least three segments "
		    "separated by dots");
}

void
misc_hook_client(const struct rule_run *run, const struct rule_place *p)
{
	hookclient_check(
	    run->causes, rule_at_words(run->causes->arena, p->at), p->n);
}

/* [A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])? */
static bool
is_reason(struct span s)
{
	bool last = true;

	for (size_t i = 0; i < s.n; i++) {
		char ch = s.p[i];
		last = span_is_alnum(ch) || ch == '_';
		if ((!last && ch != ',' && ch != ':') ||
		    (i == 0 && (ch == '_' || span_is_digit(ch))))
			return false;
	}
	return last;
}

void
misc_condition_reason(const struct rule_run *run, const struct rule_place *p)
{
	struct span reason = tree_text(p->n);
	if (!is_reason(reason))
		rule_fail_text(run->causes, p->at, reason,
		    "a condition reason must start with alphabetic character, "
		    "optionally followed by a string of alphanumeric "
		    "characters or '_,:', and must end with an alphanumeric "
		    "character or '_' (e.g. 'my_name',  or 'MY_NAME',  or "
		    "'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', "
		    "regex used for validation is "
		    "'[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')");
	if (reason.n > 1024)
		rule_fail_too_long(run->causes, p->at, 1024);
}

/*
 * ---- Events: the rules are about the names that the core group has for their
 * fields. Those that only older clients break are left to them: events.k8s.io is
 * stricter. Sources: pkg/apis/core/validation/events.go,
 * pkg/apis/events/v1/conversion.go. ----
 */

static const struct {
	const char *core, *events;
} renamed[] = {
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
    {"reportingComponent", "reportingController"},
};

void
misc_event_rename(struct node *o, bool to_core)
{
	for (uint32_t i = 0; i < o->n; i++)
		for (size_t k = 0; k < COUNT(renamed); k++) {
			const char *from =
			    to_core ? renamed[k].events : renamed[k].core;

			if (!span_is(o->members[i].key, from))
				continue;
			o->members[i].key = span_str(
			    to_core ? renamed[k].core : renamed[k].events);
			break;
		}
}

static const struct node *
as_core(struct arena *a, const struct node *event)
{
	struct node *copy;

	if (event == NULL)
		return NULL;
	copy = tree_copy(a, event);
	misc_event_rename(copy, true);
	return copy;
}

void
misc_event_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	struct change_of core = *x;

	core.live = as_core(c->arena, x->live);
	ruletable_check(c, &core, "", as_core(c->arena, object));
}
