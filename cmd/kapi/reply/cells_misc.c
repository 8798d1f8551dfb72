/* Part of reply/cells.h: the other groups. */
#include "reply/cells.h"

#include <inttypes.h>
#include <string.h>

/* ---- nodes ---- */

static struct span
node_address(const struct cells *c, const char *type)
{
	const struct node *found =
	    tree_find(tree_path(c->object, "status.addresses"), "type", type);

	return found == NULL ? span_str("<none>")
			     : tree_text(tree_get(found, "address"));
}

static struct span
node_roles(struct cells *c)
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
	return k == 0 ? span_str("<none>")
		      : cells_join(c->arena, items, k, ",");
}

void
cells_node(struct cells *c)
{
	const struct node *list = tree_path(c->object, "status.conditions");
	struct span arch =
	    tree_path_text(c->object, "status.nodeInfo.architecture");
	struct span kernel =
	    tree_path_text(c->object, "status.nodeInfo.kernelVersion");
	const char *status = "Unknown";

	for (size_t i = 0; i < tree_count(list); i++)
		if (tree_text_is(tree_get(list->items[i], "type"), "Ready"))
			status = tree_text_is(
				     tree_get(list->items[i], "status"), "True")
			    ? "Ready"
			    : "NotReady";
	cell_name(c);
	cell_fmt(c, "%s%s", status,
	    tree_true(tree_path(c->object, "spec.unschedulable"))
		? ",SchedulingDisabled"
		: "");
	cell_text(c, node_roles(c));
	cell_age(c);
	cell_path(c, "status.nodeInfo.kubeletVersion", "");
	cell_text(c, node_address(c, "InternalIP"));
	cell_text(c, node_address(c, "ExternalIP"));
	cell_path(c, "status.nodeInfo.osImage", "<unknown>");
	cell_text(c,
	    arena_printf(c->arena, "%.*s%s%.*s%s",
		SPAN_ARG(kernel.n > 0 ? kernel : span_str("<unknown>")),
		arch.n > 0 ? " (" : "", SPAN_ARG(arch), arch.n > 0 ? ")" : ""));
	cell_path(c, "status.nodeInfo.containerRuntimeVersion", "<unknown>");
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

static void
cell_modes(struct cells *c, const char *path)
{
	static const char *const modes[][2] = {
	    {"ReadWriteOnce", "RWO"},
	    {"ReadOnlyMany", "ROX"},
	    {"ReadWriteMany", "RWX"},
	    {"ReadWriteOncePod", "RWOP"},
	};
	const struct node *list = tree_path(c->object, path);
	struct buf b = BUF_INIT;

	for (size_t k = 0; k < sizeof(modes) / sizeof(*modes); k++)
		for (size_t i = 0; i < tree_count(list); i++)
			if (span_is(tree_text(list->items[i]), modes[k][0])) {
				buf_addf(&b, "%s%s", b.len > 0 ? "," : "",
				    modes[k][1]);
				break;
			}
	cell_text(c, b.len > 0 ? buf_span(&b) : span_str(""));
	buf_release(&b);
}

/* The phase, unless it is being deleted. */
static void
cell_phase(struct cells *c)
{
	if (tree_path(c->object, "metadata.deletionTimestamp") != NULL)
		cell_str(c, "Terminating");
	else
		cell_path(c, "status.phase", "");
}

/* The class was an annotation once. */
static void
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

void
cells_pv(struct cells *c)
{
	const struct node *claim = tree_path(c->object, "spec.claimRef");

	cell_name(c);
	cell_path(c, "spec.capacity.storage", "0");
	cell_modes(c, "spec.accessModes");
	cell_path(c, "spec.persistentVolumeReclaimPolicy", "");
	cell_phase(c);
	if (claim == NULL)
		cell_str(c, "");
	else
		cell_text(c,
		    arena_printf(c->arena, "%.*s/%.*s",
			SPAN_ARG(tree_text(tree_get(claim, "namespace"))),
			SPAN_ARG(tree_text(tree_get(claim, "name")))));
	cell_class(c);
	cell_path(c, "spec.volumeAttributesClassName", "<unset>");
	cell_path(c, "status.reason", "");
	cell_age(c);
	cell_path(c, "spec.volumeMode", "<unset>");
}

void
cells_pvc(struct cells *c)
{
	bool bound = tree_path_text(c->object, "spec.volumeName").n > 0;

	cell_name(c);
	cell_phase(c);
	cell_path(c, "spec.volumeName", "");
	if (bound) {
		cell_path(c, "status.capacity.storage", "0");
		cell_modes(c, "status.accessModes");
	} else {
		cell_str(c, "");
		cell_str(c, "");
	}
	cell_class(c);
	cell_path(c, "spec.volumeAttributesClassName", "<unset>");
	cell_age(c);
	cell_path(c, "spec.volumeMode", "<unset>");
}

void
cells_storageclass(struct cells *c)
{
	cell_default_name(c, "storageclass.kubernetes.io/is-default-class",
	    "storageclass.beta.kubernetes.io/is-default-class");
	cell_path(c, "provisioner", "");
	cell_path(c, "reclaimPolicy", "Delete");
	cell_path(c, "volumeBindingMode", "Immediate");
	cell_bool(c, tree_true(tree_get(c->object, "allowVolumeExpansion")));
	cell_age(c);
}

/* ---- rules ---- */

static void
cell_subjects(struct cells *c, const char *kind)
{
	const struct node *list = tree_get(c->object, "subjects");
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < tree_count(list); i++) {
		const struct node *s = list->items[i];

		if (!tree_text_is(tree_get(s, "kind"), kind))
			continue;
		if (b.len > 0)
			buf_adds(&b, ", ");
		if (strcmp(kind, "ServiceAccount") == 0) {
			buf_addspan(&b, tree_text(tree_get(s, "namespace")));
			buf_addc(&b, '/');
		}
		buf_addspan(&b, tree_text(tree_get(s, "name")));
	}
	cell_text(c, b.len > 0 ? buf_span(&b) : span_str(""));
	buf_release(&b);
}

void
cells_binding(struct cells *c)
{
	cell_name(c);
	cell_text(c,
	    arena_printf(c->arena, "%.*s/%.*s",
		SPAN_ARG(tree_path_text(c->object, "roleRef.kind")),
		SPAN_ARG(tree_path_text(c->object, "roleRef.name"))));
	cell_age(c);
	cell_subjects(c, "User");
	cell_subjects(c, "Group");
	cell_subjects(c, "ServiceAccount");
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

static void
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

void
cells_hpa(struct cells *c)
{
	cell_name(c);
	cell_text(c,
	    arena_printf(c->arena, "%.*s/%.*s",
		SPAN_ARG(tree_path_text(c->object, "spec.scaleTargetRef.kind")),
		SPAN_ARG(
		    tree_path_text(c->object, "spec.scaleTargetRef.name"))));
	cell_metrics(c);
	if (tree_path(c->object, "spec.minReplicas") == NULL)
		cell_str(c, "<unset>");
	else
		cell_fmt(c, "%" PRId64,
		    tree_path_int(c->object, "spec.minReplicas"));
	cell_int_path(c, "spec.maxReplicas");
	cell_int_path(c, "status.currentReplicas");
	cell_age(c);
}

/* ---- certificates ---- */

void
cells_signing(struct cells *c)
{
	int64_t seconds = tree_path_int(c->object, "spec.expirationSeconds");
	const struct node *all = tree_path(c->object, "status.conditions");
	const char *status = "Pending";

	if (tree_find(all, "type", "Denied") != NULL)
		status = "Denied";
	else if (tree_find(all, "type", "Approved") != NULL)
		status = "Approved";
	cell_name(c);
	cell_age(c);
	cell_path(c, "spec.signerName", "<none>");
	cell_path(c, "spec.username", "");
	if (tree_path(c->object, "spec.expirationSeconds") == NULL)
		cell_str(c, "<none>");
	else
		cell_text(c, cells_duration(c->arena, seconds));
	cell_fmt(c, "%s%s%s", status,
	    tree_find(all, "type", "Failed") != NULL ? ",Failed" : "",
	    tree_path_text(c->object, "status.certificate").n > 0 ? ",Issued"
								  : "");
}
