/*
 * Part of builtin/topics.h. Events: the rules are about the names that the core
 * group has for their fields. Those that only older clients break are left to
 * them: events.k8s.io is stricter. Source:
 * pkg/apis/core/validation/events.go, pkg/apis/events/v1/conversion.go.
 */
#include "builtin/topics.h"

#include "base/array.h"

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
event_rename(struct node *o, bool to_core)
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
	event_rename(copy, true);
	return copy;
}

/* An Event is in the namespace of the object that it is about. */
static void
check_namespace(struct causes *c, const struct node *event)
{
	struct span here = tree_path_text(event, "metadata.namespace");
	struct span its = tree_path_text(event, "involvedObject.namespace");
	bool timed = rule_given(event, "eventTime") != NULL;
	bool cluster =
	    span_is(here, "default") || (timed && span_is(here, "kube-system"));

	if (its.n == 0 ? !cluster : !timed && !span_eq(its, here))
		rule_fail_text(c, AT(AT(NULL, "involvedObject"), "namespace"),
		    its, "does not match event.namespace");
}

/* An object as errors quote it: with all fields of its type, by their names in
 * Go. */
static const struct node *
in_go(struct arena *a, const struct node *n, bool is_source)
{
	static const char *const of_source[][2] = {
	    {"Component", "component"}, {"Host", "host"}, {NULL, NULL}};
	static const char *const of_reference[][2] = {{"Kind", "kind"},
	    {"Namespace", "namespace"}, {"Name", "name"}, {"UID", "uid"},
	    {"APIVersion", "apiVersion"},
	    {"ResourceVersion", "resourceVersion"}, {"FieldPath", "fieldPath"},
	    {NULL, NULL}};
	const char *const(*field)[2] = is_source ? of_source : of_reference;
	struct node *shown = tree_object(a);

	for (; (*field)[0] != NULL; field++)
		tree_put(a, shown, (*field)[0],
		    tree_string(a, tree_text(rule_given(n, (*field)[1]))));
	return shown;
}

static void
check_same_object(struct causes *c, const struct node *live,
    const struct node *event, const char *key)
{
	bool is_source = span_is(span_str("source"), key);
	const struct node *was =
	    in_go(c->arena, rule_given(live, key), is_source);
	const struct node *is =
	    in_go(c->arena, rule_given(event, key), is_source);

	/* The error shows the fields in the order of the type: no sorting
	 * here. */
	if (!tree_equal(was, is))
		cause_invalid(c, span_str(key), is, "field is immutable");
}

/* "related" is a pointer in Go, so it may be null. */
static void
check_same_related(
    struct causes *c, const struct node *live, const struct node *event)
{
	bool was = rule_given(live, "related") != NULL;
	bool is = rule_given(event, "related") != NULL;

	if (was && is)
		check_same_object(c, live, event, "related");
	else if (was || is)
		cause_invalid(c, span_str("related"),
		    is ? in_go(c->arena, rule_given(event, "related"), false)
		       : tree_null(c->arena),
		    "field is immutable");
}

static void
check_same_text(struct causes *c, const struct node *live,
    const struct node *event, const char *key, const char *shown)
{
	struct span was = tree_text(rule_given(live, key));
	struct span is = tree_text(rule_given(event, key));

	if (!span_eq(was, is))
		rule_fail_text(c, AT(NULL, shown), is, "field is immutable");
}

/* In an Event of events.k8s.io only the series may change. The server reports a
 * changed reason twice: "reason" is twice in texts. */
static void
check_change(
    struct causes *c, const struct node *live, const struct node *event)
{
	static const char *const texts[] = {"reason", "message", "reason",
	    "type", "action", "reportingInstance"};
	static const char *const times[] = {
	    "firstTimestamp", "lastTimestamp", "eventTime"};
	int64_t count = rule_int(event, "count", 0);

	if (!builtin_same_member(live, event, "series"))
		ruletable_part(c, NULL, AT(NULL, "series"),
		    rule_given(event, "series"), ".event-series", "");
	check_same_object(c, live, event, "involvedObject");
	check_same_object(c, live, event, "source");
	check_same_related(c, live, event);
	for (size_t i = 0; i < COUNT(texts); i++)
		check_same_text(c, live, event, texts[i], texts[i]);
	check_same_text(
	    c, live, event, "reportingComponent", "reportingController");
	for (size_t i = 0; i < COUNT(times); i++)
		rule_immutable(c, NULL, live, event, times[i]);
	if (count != rule_int(live, "count", 0))
		rule_fail_int(
		    c, AT(NULL, "count"), count, "field is immutable");
}

void
event_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	bool core = x->resource->group.n == 0;
	const struct node *event = as_core(c->arena, object);
	const struct node *live = as_core(c->arena, x->live);

	check_namespace(c, event);
	ruletable_part(c, x, NULL, event, ".event", core ? "core" : "events");
	if (core)
		return;
	if (live == NULL)
		ruletable_part(c, x, NULL, event, ".new-event", "");
	else
		check_change(c, live, event);
}
