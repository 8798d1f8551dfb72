/*
 * Conversion between versions of built-in kinds that are kept together: events
 * of events.k8s.io/v1, kept as those of the core group; autoscalers.
 */
#include "write/convert.h"

#include "base/array.h"
#include "base/buf.h"
#include "builtin/topics.h"
#include "crd/crd.h"
#include "text/template.h"
#include "type/decode.h"
#include "type/encode.h"
#include "write/write.h"

/* ---- HorizontalPodAutoscalers ---- */

#define PREFIX "autoscaling.alpha.kubernetes.io/"

static const char target_path[] = "resource.target.averageUtilization";
static const char current_path[] = "resource.current.averageUtilization";

/* Members that v1 lacks, and the annotations that hold them instead. */
static const struct {
	const char *part, *member, *annotation;
} hidden[] = {
    {"spec", "metrics", PREFIX "metrics"},
    {"spec", "behavior", PREFIX "behavior"},
    {"status", "currentMetrics", PREFIX "current-metrics"},
    {"status", "conditions", PREFIX "conditions"},
};

/* Removes the utilization of the CPU from metrics and returns it. */
static struct node *
take_cpu(struct node *metrics, const char *path)
{
	for (uint32_t i = 0; i < tree_items(metrics); i++) {
		struct node *m = metrics->items[i], *value;

		value = tree_path(m, path);
		if (!tree_text_is(tree_path(m, "resource.name"), "cpu") ||
		    !tree_is(value, NODE_NUMBER))
			continue;
		tree_remove_at(metrics, i);
		return value;
	}
	return NULL;
}

void
convert_scaler_to_v1(struct arena *a, struct node *o)
{
	struct node *cpu;

	cpu = take_cpu(tree_path(o, "spec.metrics"), target_path);
	if (cpu != NULL)
		tree_put(a, tree_get(o, "spec"),
		    "targetCPUUtilizationPercentage", cpu);
	cpu = take_cpu(tree_path(o, "status.currentMetrics"), current_path);
	if (cpu != NULL)
		tree_put(a, tree_get(o, "status"),
		    "currentCPUUtilizationPercentage", cpu);
	for (size_t i = 0; i < COUNT(hidden); i++) {
		struct node *part = tree_get(o, hidden[i].part);
		struct node *value = tree_get(part, hidden[i].member),
			    *annotations;
		struct buf json = BUF_INIT;

		if (!tree_empty(value)) {
			tree_write(&json, value);
			annotations = tree_make(
			    a, tree_make(a, o, "metadata"), "annotations");
			tree_put(a, annotations, hidden[i].annotation,
			    tree_string(a, tree_keep(a, &json)));
		}
		if (tree_is(part, NODE_OBJECT))
			tree_remove(part, hidden[i].member);
	}
}

/* A field of v1 as the first of the metrics. */
static void
add_cpu(struct arena *a, struct node *part, const char *field, const char *list,
    const char *member, bool with_type)
{
	struct node *value = tree_get(part, field), *metrics, *metric, *use;

	if (value == NULL)
		return;
	tree_remove(part, field);
	metrics = tree_make_array(a, part, list);
	metric = template_tree(
	    a, "{'type':'Resource','resource':{'name':'cpu'}}", NULL);
	use = tree_make(a, tree_get(metric, "resource"), member);
	if (with_type)
		tree_put(a, use, "type", tree_str(a, "Utilization"));
	tree_put(a, use, "averageUtilization", value);
	tree_insert(a, metrics, 0, metric);
}

void
convert_scaler_from_v1(struct arena *a, struct node *o)
{
	for (size_t i = 0; i < COUNT(hidden); i++) {
		struct node *annotations = tree_path(o, "metadata.annotations");
		struct node *text = tree_get(annotations, hidden[i].annotation);
		struct node *value;

		if (text == NULL)
			continue;
		value = tree_parse(a, tree_text(text), TREE_LIMITS, NULL, NULL);
		if (tree_is(value, NODE_ARRAY) || tree_is(value, NODE_OBJECT))
			tree_put(a, tree_make(a, o, hidden[i].part),
			    hidden[i].member, value);
		tree_remove(annotations, hidden[i].annotation);
	}
	add_cpu(a, tree_get(o, "spec"), "targetCPUUtilizationPercentage",
	    "metrics", "target", true);
	add_cpu(a, tree_get(o, "status"), "currentCPUUtilizationPercentage",
	    "currentMetrics", "current", false);
	/* Without any metric v2 has one by default. */
	tree_put(a, o, "apiVersion", tree_str(a, "autoscaling/v2"));
	ruletable_default(a, span_str("autoscaling"),
	    span_str("horizontalpodautoscalers"), " defaults", o);
}

/* ---- other kinds ---- */

void
convert_event_to(struct arena *a, struct node *o)
{
	(void)a;
	misc_event_rename(o, false);
}

void
convert_event_from(struct arena *a, struct node *o)
{
	(void)a;
	misc_event_rename(o, true);
}

void
convert_builtin_read(struct arena *a, const struct resource *r, struct node *o)
{
	tree_put(a, o, "apiVersion", tree_string(a, r->api_version));
	if (r->strategy->convert_to == NULL)
		return;
	r->strategy->convert_to(a, o);
	encode_builtin(a, r->schema, o);
}

void
convert_builtin_keep(struct arena *a, const struct registry *g,
    struct resource *r, struct node *o)
{
	const struct resource *s;

	if (r->storage)
		return;
	s = resource_storage(g, r->group, r->plural);
	if (s == NULL)
		return;
	if (r->strategy->convert_from != NULL) {
		r->strategy->convert_from(a, o);
		encode_builtin(a, s->schema, o);
	}
	tree_put(a, o, "apiVersion", tree_string(a, s->api_version));
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

	if (!r->storage)
		r->strategy->steps->read(a, r, n);
	return n;
}
