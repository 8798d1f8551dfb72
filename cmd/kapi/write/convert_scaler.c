/*
 * HorizontalPodAutoscalers of autoscaling/v1, kept as those of v2: one target
 * is a field, and the rest is in annotations.
 * Source: pkg/apis/autoscaling/v1/conversion.go. There the metrics in the
 * annotation have the form of v1; here that of v2.
 */
#include "write/convert.h"

#include "base/buf.h"
#include "builtin/kinds.h"
#include "write/write.h"

#define PREFIX "autoscaling.alpha.kubernetes.io/"

static const char target_path[] = "resource.target.averageUtilization";
static const char current_path[] = "resource.current.averageUtilization";

/* What v1 has no field for, by the annotation that has it instead. */
static const struct {
	const char *part, *member, *annotation;
} hidden[] = {
    {"spec", "metrics", PREFIX "metrics"},
    {"spec", "behavior", PREFIX "behavior"},
    {"status", "currentMetrics", PREFIX "current-metrics"},
    {"status", "conditions", PREFIX "conditions"},
};

/* The use of the processor among metrics, which is taken out of them. */
static struct node *
take_cpu(struct node *metrics, const char *path)
{
	for (uint32_t i = 0; node_is(metrics, NODE_ARRAY) && i < metrics->n;
	     i++) {
		struct node *m = metrics->items[i], *value;

		value = node_path(m, path);
		if (!node_text_is(node_path(m, "resource.name"), "cpu") ||
		    !node_is(value, NODE_NUMBER))
			continue;
		node_remove_at(metrics, i);
		return value;
	}
	return NULL;
}

static void
hide(struct arena *a, struct node *o, size_t i)
{
	struct node *part = node_get(o, hidden[i].part);
	struct node *value = node_get(part, hidden[i].member), *annotations;
	struct buf json = BUF_INIT;

	if (!node_empty(value)) {
		tree_write(&json, value);
		annotations =
		    node_make(a, node_make(a, o, "metadata"), "annotations");
		node_put(a, annotations, hidden[i].annotation,
		    node_string(a, arena_span(a, buf_span(&json))));
		buf_release(&json);
	}
	if (node_is(part, NODE_OBJECT))
		node_remove(part, hidden[i].member);
}

static void
show(struct arena *a, struct node *o, size_t i)
{
	struct node *annotations = node_path(o, "metadata.annotations");
	struct node *text = node_get(annotations, hidden[i].annotation);
	struct node *value;

	if (text == NULL)
		return;
	value = tree_parse(a, node_text(text), TREE_LIMITS, NULL, NULL);
	if (node_is(value, NODE_ARRAY) || node_is(value, NODE_OBJECT))
		node_put(a, node_make(a, o, hidden[i].part), hidden[i].member,
		    value);
	node_remove(annotations, hidden[i].annotation);
}

void
convert_scaler_to_v1(struct arena *a, struct node *o)
{
	struct node *cpu;

	cpu = take_cpu(node_path(o, "spec.metrics"), target_path);
	if (cpu != NULL)
		node_put(a, node_get(o, "spec"),
		    "targetCPUUtilizationPercentage", cpu);
	cpu = take_cpu(node_path(o, "status.currentMetrics"), current_path);
	if (cpu != NULL)
		node_put(a, node_get(o, "status"),
		    "currentCPUUtilizationPercentage", cpu);
	for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
		hide(a, o, i);
}

/* A field of v1 as the first of the metrics. */
static void
add_cpu(struct arena *a, struct node *part, const char *field, const char *list,
    const char *member, bool with_type)
{
	struct node *value = node_get(part, field), *metrics, *metric, *use;

	if (value == NULL)
		return;
	node_remove(part, field);
	metrics = node_get(part, list);
	if (!node_is(metrics, NODE_ARRAY)) {
		metrics = node_array(a);
		node_put(a, part, list, metrics);
	}
	metric = node_object(a);
	node_put(a, metric, "type", node_str(a, "Resource"));
	node_put(
	    a, node_make(a, metric, "resource"), "name", node_str(a, "cpu"));
	use = node_make(a, node_get(metric, "resource"), member);
	if (with_type)
		node_put(a, use, "type", node_str(a, "Utilization"));
	node_put(a, use, "averageUtilization", value);
	node_insert(a, metrics, 0, metric);
}

void
convert_scaler_from_v1(struct arena *a, struct node *o)
{
	for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
		show(a, o, i);
	add_cpu(a, node_get(o, "spec"), "targetCPUUtilizationPercentage",
	    "metrics", "target", true);
	add_cpu(a, node_get(o, "status"), "currentCPUUtilizationPercentage",
	    "currentMetrics", "current", false);
	/* Without any metric v2 has one by default. */
	node_put(a, o, "apiVersion", node_str(a, "autoscaling/v2"));
	autoscaler_default(a, o);
}
