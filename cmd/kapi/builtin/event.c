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

void
event_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	struct change_of core = *x;

	core.live = as_core(c->arena, x->live);
	ruletable_check(c, &core, "", as_core(c->arena, object));
}
