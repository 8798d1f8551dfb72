/* Part of reply/cells.h: the other groups. */
#include "reply/cells.h"

#include <inttypes.h>
#include <string.h>

#include "process/clock.h"
#include "value/objref.h"

/* ---- nodes ---- */

/* The first address of a type. */
void
cell_node_address(struct cells *c)
{
	const struct node *found = tree_find(
	    tree_path(c->object, "status.addresses"), "type", c->path);

	cell_text(c,
	    found == NULL ? span_str("<none>")
			  : tree_text(tree_get(found, "address")));
}

void
cell_node_roles(struct cells *c)
{
	static const char prefix[] = "node-role.kubernetes.io/";
	const struct node *labels = tree_path(c->object, "metadata.labels");
	size_t n = tree_count(labels), k = 0, skip = strlen(prefix);
	struct span *items = arena_alloc(c->arena, (n + 1) * sizeof(*items));

	for (size_t i = 0; i < n; i++) {
		struct span key = labels->members[i].key;
		struct span value = tree_text(labels->members[i].value);

		if (key.n > skip && memcmp(key.p, prefix, skip) == 0)
			items[k++] = span_make(key.p + skip, key.n - skip);
		else if (span_is(key, "kubernetes.io/role") && value.n > 0)
			items[k++] = value;
	}
	cell_text(c,
	    k == 0 ? span_str("<none>") : cells_join(c->arena, items, k, ","));
}

void
cell_node_status(struct cells *c)
{
	const struct node *list = tree_path(c->object, "status.conditions");
	const char *status = "Unknown";

	for (size_t i = 0; i < tree_count(list); i++)
		if (tree_text_is(tree_get(list->items[i], "type"), "Ready"))
			status = tree_text_is(
				     tree_get(list->items[i], "status"), "True")
			    ? "Ready"
			    : "NotReady";
	cell_fmt(c, "%s%s", status,
	    tree_true(tree_path(c->object, "spec.unschedulable"))
		? ",SchedulingDisabled"
		: "");
}

void
cell_node_kernel(struct cells *c)
{
	struct span arch =
	    tree_path_text(c->object, "status.nodeInfo.architecture");
	struct span kernel =
	    tree_path_text(c->object, "status.nodeInfo.kernelVersion");

	cell_text(c,
	    arena_printf(c->arena, "%.*s%s%.*s%s",
		SPAN_ARG(kernel.n > 0 ? kernel : span_str("<unknown>")),
		arch.n > 0 ? " (" : "", SPAN_ARG(arch), arch.n > 0 ? ")" : ""));
}

/* ---- events ---- */

/* A text of an Event: at path in the core group, at other in events.k8s.io. */
static struct span
event_text(const struct node *o, const char *path, const char *other)
{
	struct span s = tree_path_text(o, path);

	return s.n > 0 ? s : tree_path_text(o, other);
}

static struct span
event_source(struct cells *c)
{
	const struct node *o = c->object;
	struct span who =
	    event_text(o, "source.component", "deprecatedSource.component");
	struct span where =
	    event_text(o, "source.host", "deprecatedSource.host");

	if (who.n == 0)
		who =
		    event_text(o, "reportingComponent", "reportingController");
	if (where.n == 0)
		where = tree_path_text(o, "reportingInstance");
	if (where.n == 0)
		return who;
	return arena_printf(
	    c->arena, "%.*s, %.*s", SPAN_ARG(who), SPAN_ARG(where));
}

static struct span
event_target(struct cells *c)
{
	struct span name =
	    event_text(c->object, "involvedObject.name", "regarding.name");
	const char *kind = arena_lower(c->arena,
	    event_text(c->object, "involvedObject.kind", "regarding.kind"))
			       .p;

	if (name.n == 0)
		return span_str(kind);
	return arena_printf(c->arena, "%s/%.*s", kind, SPAN_ARG(name));
}

void
cells_event(struct cells *c)
{
	const struct node *o = c->object;
	struct span first =
	    event_text(o, "firstTimestamp", "deprecatedFirstTimestamp");
	struct span last =
	    event_text(o, "lastTimestamp", "deprecatedLastTimestamp");
	int64_t count =
	    tree_path_int(o, "count") + tree_path_int(o, "deprecatedCount");

	if (first.n == 0)
		first = tree_path_text(o, "eventTime");
	if (last.n == 0)
		last = first;
	if (tree_is(tree_get(o, "series"), NODE_OBJECT)) {
		last = tree_path_text(o, "series.lastObservedTime");
		count = tree_path_int(o, "series.count");
	} else if (count == 0)
		count = 1;
	cell_text(c, cells_since(c, last));
	cell_path(c, "type", "");
	cell_path(c, "reason", "");
	cell_text(c, event_target(c));
	cell_text(c,
	    event_text(o, "involvedObject.fieldPath", "regarding.fieldPath"));
	cell_text(c, event_source(c));
	cell_text(c, span_trim(event_text(o, "message", "note"), SPAN_BLANKS));
	cell_text(c, cells_since(c, first));
	cell_int(c, count);
	cell_name(c);
}

/* ---- storage ---- */

void
cell_modes(struct cells *c)
{
	static const char *const modes[][2] = {
	    {"ReadWriteOnce", "RWO"},
	    {"ReadOnlyMany", "ROX"},
	    {"ReadWriteMany", "RWX"},
	    {"ReadWriteOncePod", "RWOP"},
	};
	const struct node *list = tree_path(c->object, c->path);
	struct buf b = BUF_INIT;

	for (size_t k = 0; k < sizeof(modes) / sizeof(*modes); k++)
		for (size_t i = 0; i < tree_count(list); i++)
			if (span_is(tree_text(list->items[i]), modes[k][0])) {
				buf_addf(&b, "%s%s", b.len > 0 ? "," : "",
				    modes[k][1]);
				break;
			}
	cell_text(c, buf_span(&b));
	buf_release(&b);
}

/* Whether the claim has its volume: the two cells below are empty before. */
static bool
is_bound(const struct cells *c)
{
	return tree_path_text(c->object, "spec.volumeName").n > 0;
}

void
cell_claim_modes(struct cells *c)
{
	if (is_bound(c))
		cell_modes(c);
	else
		cell_str(c, "");
}

void
cell_claim_capacity(struct cells *c)
{
	cell_path(c, c->path, is_bound(c) ? "0" : "");
}

/* The phase, unless it is being deleted. */
void
cell_phase(struct cells *c)
{
	if (tree_path(c->object, "metadata.deletionTimestamp") != NULL)
		cell_str(c, "Terminating");
	else
		cell_path(c, "status.phase", "");
}

/* The class was an annotation once. */
void
cell_class(struct cells *c)
{
	struct span old =
	    tree_text(tree_get(tree_path(c->object, "metadata.annotations"),
		"volume.beta.kubernetes.io/storage-class"));

	if (old.p != NULL)
		cell_text(c, old);
	else
		cell_path(c, "spec.storageClassName", "");
}

/* The claim of a volume: NAMESPACE/NAME. */
void
cell_claim(struct cells *c)
{
	const struct node *claim = tree_path(c->object, "spec.claimRef");

	if (claim == NULL)
		cell_str(c, "");
	else
		cell_text(c,
		    arena_printf(c->arena, "%.*s/%.*s",
			SPAN_ARG(tree_text(tree_get(claim, "namespace"))),
			SPAN_ARG(tree_text(tree_get(claim, "name")))));
}

/* ---- rules ---- */

/* The names of the subjects of a kind. */
void
cell_subjects(struct cells *c)
{
	const struct node *list = tree_get(c->object, "subjects");
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < tree_count(list); i++) {
		const struct node *s = list->items[i];

		if (!tree_text_is(tree_get(s, "kind"), c->path))
			continue;
		if (b.len > 0)
			buf_adds(&b, ", ");
		if (strcmp(c->path, "ServiceAccount") == 0) {
			buf_addspan(&b, tree_text(tree_get(s, "namespace")));
			buf_addc(&b, '/');
		}
		buf_addspan(&b, tree_text(tree_get(s, "name")));
	}
	cell_text(c, buf_span(&b));
	buf_release(&b);
}

/* ---- autoscalers ---- */

static struct span
quantity(const struct node *n, const char *key)
{
	return tree_text(tree_get(n, key));
}

static struct span
percent(struct cells *c, const struct node *n, const char *none)
{
	const struct node *p = tree_get(n, "averageUtilization");

	if (p == NULL)
		return span_str(none);
	return arena_printf(
	    c->arena, "%" PRId64 "%%", tree_path_int(n, "averageUtilization"));
}

static struct span
or_unknown(struct span s)
{
	return s.n > 0 ? s : span_str("<unknown>");
}

/* CURRENT/TARGET of one metric. */
static struct span
metric(struct cells *c, const struct node *spec, const struct node *status)
{
	static const char *const types[][2] = {{"External", "external"},
	    {"Pods", "pods"}, {"Object", "object"}, {"Resource", "resource"},
	    {"ContainerResource", "containerResource"}};
	struct span type = tree_text(tree_get(spec, "type")), average, name;
	const struct node *s = NULL, *target, *current;
	size_t i = 0;

	while (i < 5 && !span_is(type, types[i][0]))
		i++;
	if (i == 5)
		return span_str("<unknown type>");
	s = tree_get(spec, types[i][1]);
	target = tree_get(s, "target");
	current = tree_get(tree_get(status, types[i][1]), "current");
	average = quantity(target, "averageValue");
	if (i >= 3) {
		name = tree_text(tree_get(s, "name"));
		if (average.n > 0)
			return arena_printf(c->arena, "%.*s: %.*s/%.*s",
			    SPAN_ARG(name),
			    SPAN_ARG(
				or_unknown(quantity(current, "averageValue"))),
			    SPAN_ARG(average));
		return arena_printf(c->arena, "%.*s: %.*s/%.*s", SPAN_ARG(name),
		    SPAN_ARG(percent(c, current, "<unknown>")),
		    SPAN_ARG(percent(c, target, "<auto>")));
	}
	if (average.n > 0)
		return arena_printf(c->arena,
		    i == 1 ? "%.*s/%.*s" : "%.*s/%.*s (avg)",
		    SPAN_ARG(or_unknown(quantity(current, "averageValue"))),
		    SPAN_ARG(average));
	return arena_printf(c->arena, "%.*s/%.*s",
	    SPAN_ARG(or_unknown(quantity(current, "value"))),
	    SPAN_ARG(quantity(target, "value")));
}

void
cell_metrics(struct cells *c)
{
	const struct node *specs = tree_path(c->object, "spec.metrics");
	const struct node *now = tree_path(c->object, "status.currentMetrics");
	struct buf b = BUF_INIT;
	size_t n = tree_count(specs);

	for (size_t i = 0; i < n && i < 2; i++) {
		if (i > 0)
			buf_adds(&b, ", ");
		buf_addspan(&b,
		    metric(c, specs->items[i],
			i < tree_count(now) ? now->items[i] : NULL));
	}
	if (n > 2)
		buf_addf(&b, " + %zu more...", n - 2);
	cell_text(c, b.len > 0 ? buf_span(&b) : span_str("<none>"));
	buf_release(&b);
}

/* ---- certificates ---- */

void
cell_signing(struct cells *c)
{
	const struct node *all = tree_path(c->object, "status.conditions");
	const char *status = "Pending";

	if (tree_find(all, "type", "Denied") != NULL)
		status = "Denied";
	else if (tree_find(all, "type", "Approved") != NULL)
		status = "Approved";
	cell_fmt(c, "%s%s%s", status,
	    tree_find(all, "type", "Failed") != NULL ? ",Failed" : "",
	    tree_path_text(c->object, "status.certificate").n > 0 ? ",Issued"
								  : "");
}

/* ---- jobs, and what has a controller ---- */

static bool
job_condition(const struct cells *c, const char *type)
{
	const struct node *list = tree_path(c->object, "status.conditions");

	return tree_text_is(
	    tree_get(tree_find(list, "type", type), "status"), "True");
}

void
cell_job_status(struct cells *c)
{
	const char *status = "Running";

	if (job_condition(c, "Complete"))
		status = "Complete";
	else if (job_condition(c, "Failed"))
		status = "Failed";
	else if (tree_path(c->object, "metadata.deletionTimestamp") != NULL)
		status = "Terminating";
	else if (job_condition(c, "Suspended"))
		status = "Suspended";
	else if (job_condition(c, "FailureTarget"))
		status = "FailureTarget";
	else if (job_condition(c, "SuccessCriteriaMet"))
		status = "SuccessCriteriaMet";
	cell_str(c, status);
}

void
cell_job_completions(struct cells *c)
{
	int64_t done = tree_path_int(c->object, "status.succeeded");
	int64_t together = tree_path_int(c->object, "spec.parallelism");

	if (tree_path(c->object, "spec.completions") != NULL)
		cell_fmt(c, "%" PRId64 "/%" PRId64, done,
		    tree_path_int(c->object, "spec.completions"));
	else if (together > 1)
		cell_fmt(c, "%" PRId64 "/1 of %" PRId64, done, together);
	else
		cell_fmt(c, "%" PRId64 "/1", done);
}

void
cell_job_duration(struct cells *c)
{
	struct span from = tree_path_text(c->object, "status.startTime");
	struct span to = tree_path_text(c->object, "status.completionTime");
	int64_t start, end = c->now;

	if (from.n == 0 || clock_parse_us(from, &start) != 0) {
		cell_str(c, "");
		return;
	}
	if (to.n > 0 && clock_parse_us(to, &end) != 0)
		end = c->now;
	cell_text(c, cells_duration(c->arena, (end - start) / 1000000));
}

/* The owner that controls the object: KIND.GROUP/NAME, the kind in lower
 * case. */
void
cell_controller(struct cells *c)
{
	const struct node *list =
	    tree_path(c->object, "metadata.ownerReferences");
	struct span by = span_str("<none>");

	for (size_t i = 0; i < tree_count(list); i++) {
		const struct node *o = list->items[i];
		struct span group =
		    objref_group(tree_text(tree_get(o, "apiVersion")));

		if (tree_true(tree_get(o, "controller")))
			by = arena_printf(c->arena, "%s%s%.*s/%.*s",
			    arena_lower(
				c->arena, tree_text(tree_get(o, "kind")))
				.p,
			    group.n == 0 ? "" : ".", SPAN_ARG(group),
			    SPAN_ARG(tree_text(tree_get(o, "name"))));
	}
	cell_text(c, by);
}
