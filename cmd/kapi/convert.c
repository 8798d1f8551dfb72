/*
 * Conversion between versions of built-in kinds that are kept together: events
 * of events.k8s.io/v1, kept as those of the core group.
 * Source: pkg/apis/events/v1/conversion.go.
 */
#include "decode.h"
#include "write.h"

static const struct {
	const char *core, *events;
} event_fields[] = {
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
    {"reportingComponent", "reportingController"},
};

static bool
is_event(const struct resource *r)
{
	return span_is(r->group, "events.k8s.io") &&
	    span_is(r->plural, "events");
}

static void
rename_members(struct node *o, bool to_core)
{
	for (uint32_t i = 0; i < o->n; i++)
		for (size_t k = 0;
		     k < sizeof event_fields / sizeof *event_fields; k++) {
			const char *from = to_core ? event_fields[k].events
						   : event_fields[k].core;

			if (!span_is(o->members[i].key, from))
				continue;
			o->members[i].key =
			    span_str(to_core ? event_fields[k].core
					     : event_fields[k].events);
			break;
		}
}

void
convert_to(struct arena *a, const struct resource *to, struct node *o)
{
	if (!is_event(to))
		return;
	rename_members(o, false);
	encode_builtin(a, to->schema, o);
}

void
convert_from(struct arena *a, const struct resource *from, struct node *o)
{
	if (!is_event(from))
		return;
	rename_members(o, true);
	encode_builtin(
	    a, schema_builtin(span_str("io.k8s.api.core.v1.Event")), o);
}
