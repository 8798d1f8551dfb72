/*
 * Conversion between versions of built-in kinds that are kept together: events
 * of events.k8s.io/v1, kept as those of the core group; autoscalers.
 * Source: pkg/apis/events/v1/conversion.go.
 */
#include "write/convert.h"

#include "crd/crd.h"
#include "type/decode.h"

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

static bool
is_scaler_v1(const struct resource *r)
{
	return span_is(r->group, "autoscaling") && span_is(r->version, "v1") &&
	    span_is(r->plural, "horizontalpodautoscalers");
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
	if (is_event(to))
		rename_members(o, false);
	else if (is_scaler_v1(to))
		convert_scaler_to_v1(a, o);
	else
		return;
	encode_builtin(a, to->schema, o);
}

void
convert_from(struct arena *a, const struct resource *from, struct node *o)
{
	const char *kept;

	if (is_event(from)) {
		rename_members(o, true);
		kept = "io.k8s.api.core.v1.Event";
	} else if (is_scaler_v1(from)) {
		convert_scaler_from_v1(a, o);
		kept = "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler";
	} else {
		return;
	}
	encode_builtin(a, schema_builtin(span_str(kept)), o);
}

struct node *
convert_tree(struct arena *a, const struct stored *o)
{
	return tree_parse(a, text_span(o->json), TREE_LIMITS, NULL, NULL);
}

bool
convert_is_stored(const struct resource *r)
{
	return r->storage;
}

struct node *
convert_read(struct arena *a, const struct resource *r, const struct stored *o)
{
	struct node *n = convert_tree(a, o);

	if (r->storage)
		return n;
	if (r->crd != NULL) {
		crd_read(a, r, n);
		return n;
	}
	tree_put(a, n, "apiVersion", tree_string(a, r->api_version));
	convert_to(a, r, n);
	return n;
}
