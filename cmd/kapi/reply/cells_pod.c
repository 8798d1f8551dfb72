/* Part of reply/cells.h: Pods. */
#include "reply/cells.h"

#include <inttypes.h>

/* Totals over the containers of a Pod. */
struct tally {
	struct arena *arena;
	const struct node *spec, *status;
	struct span reason;
	int64_t restarts, sidecar_restarts;
	struct span restarted, sidecar_restarted; /* the last ones; or none */
	size_t total, ready;
	bool initializing;
};

static struct span
later(struct span a, struct span b)
{
	/* RFC 3339 in UTC: the order of bytes is that of time. */
	return span_cmp(a, b) < 0 ? b : a;
}

static struct span
finished(const struct node *status)
{
	return tree_path_text(status, "lastState.terminated.finishedAt");
}

static const struct node *
find_named(const struct node *list, struct span name)
{
	for (size_t i = 0; i < tree_count(list); i++)
		if (span_eq(tree_text(tree_get(list->items[i], "name")), name))
			return list->items[i];
	return NULL;
}

static bool
is_sidecar(const struct node *container)
{
	return tree_text_is(tree_get(container, "restartPolicy"), "Always");
}

static bool
has_condition(const struct node *status, const char *type)
{
	const struct node *list = tree_get(status, "conditions");

	for (size_t i = 0; i < tree_count(list); i++)
		if (tree_text_is(tree_get(list->items[i], "type"), type) &&
		    tree_text_is(tree_get(list->items[i], "status"), "True"))
			return true;
	return false;
}

/* Why a container terminated: its reason, or a signal, or an exit code. */
static struct span
terminated(struct arena *a, const struct node *t, const char *prefix)
{
	struct span reason = tree_text(tree_get(t, "reason"));

	if (reason.n > 0)
		return arena_printf(a, "%s%.*s", prefix, SPAN_ARG(reason));
	if (tree_path_int(t, "signal") != 0)
		return arena_printf(
		    a, "%sSignal:%" PRId64, prefix, tree_path_int(t, "signal"));
	return arena_printf(
	    a, "%sExitCode:%" PRId64, prefix, tree_path_int(t, "exitCode"));
}

/* False: the Pod waits for this init container. */
static bool
init_container(struct tally *t, const struct node *s, size_t i)
{
	const struct node *containers = tree_get(t->spec, "initContainers");
	const struct node *ended = tree_path(s, "state.terminated");
	struct span waiting = tree_path_text(s, "state.waiting.reason");
	bool sidecar =
	    is_sidecar(find_named(containers, tree_text(tree_get(s, "name"))));

	t->restarts += tree_path_int(s, "restartCount");
	t->restarted = later(t->restarted, finished(s));
	if (sidecar) {
		t->sidecar_restarts += tree_path_int(s, "restartCount");
		t->sidecar_restarted = later(t->sidecar_restarted, finished(s));
	}
	if (ended != NULL && tree_path_int(ended, "exitCode") == 0)
		return true;
	if (sidecar && tree_true(tree_get(s, "started"))) {
		t->ready += tree_true(tree_get(s, "ready"));
		return true;
	}
	if (ended != NULL)
		t->reason = terminated(t->arena, ended, "Init:");
	else if (waiting.n > 0 && !span_is(waiting, "PodInitializing"))
		t->reason =
		    arena_printf(t->arena, "Init:%.*s", SPAN_ARG(waiting));
	else
		t->reason = arena_printf(
		    t->arena, "Init:%zu/%zu", i, tree_count(containers));
	t->initializing = true;
	return false;
}

static void
containers(struct tally *t)
{
	const struct node *list = tree_get(t->status, "containerStatuses");
	struct span failed = SPAN_NONE;
	bool running = false;

	t->restarts = t->sidecar_restarts;
	t->restarted = t->sidecar_restarted;
	for (size_t i = tree_count(list); i-- > 0;) {
		const struct node *s = list->items[i];
		const struct node *ended = tree_path(s, "state.terminated");
		struct span waiting = tree_path_text(s, "state.waiting.reason");

		t->restarts += tree_path_int(s, "restartCount");
		t->restarted = later(t->restarted, finished(s));
		if (waiting.n > 0)
			t->reason = waiting;
		else if (ended != NULL) {
			t->reason = terminated(t->arena, ended, "");
			if (tree_path_int(ended, "exitCode") != 0)
				failed = t->reason;
		} else if (tree_true(tree_get(s, "ready")) &&
		    tree_path(s, "state.running") != NULL) {
			running = true;
			t->ready++;
		}
	}
	if (!span_is(t->reason, "Completed"))
		return;
	if (running && has_condition(t->status, "Ready"))
		t->reason = span_str("Running");
	else if (failed.n > 0)
		t->reason = failed;
	else if (running)
		t->reason = span_str("NotReady");
}

static void
first_reason(struct tally *t)
{
	const struct node *list = tree_get(t->status, "conditions");

	t->reason = tree_text(tree_get(t->status, "reason"));
	if (t->reason.n == 0)
		t->reason = tree_text(tree_get(t->status, "phase"));
	for (size_t i = 0; i < tree_count(list); i++)
		if (tree_text_is(
			tree_get(list->items[i], "type"), "PodScheduled") &&
		    tree_text_is(
			tree_get(list->items[i], "reason"), "SchedulingGated"))
			t->reason = span_str("SchedulingGated");
}

static void
last_reason(struct tally *t, const struct node *pod)
{
	struct span phase = tree_text(tree_get(t->status, "phase"));

	if (tree_path_text(pod, "metadata.deletionTimestamp").n == 0)
		return;
	if (tree_text_is(tree_get(t->status, "reason"), "NodeLost"))
		t->reason = span_str("Unknown");
	else if (!span_is(phase, "Succeeded") && !span_is(phase, "Failed"))
		t->reason = span_str("Terminating");
}

static void
take_tally(struct tally *t, const struct node *pod)
{
	const struct node *init = tree_get(t->spec, "initContainers");
	const struct node *list = tree_get(t->status, "initContainerStatuses");

	first_reason(t);
	t->total = tree_count(tree_get(t->spec, "containers"));
	for (size_t i = 0; i < tree_count(init); i++)
		t->total += is_sidecar(init->items[i]);
	for (size_t i = 0; i < tree_count(list); i++)
		if (!init_container(t, list->items[i], i))
			break;
	if (!t->initializing || has_condition(t->status, "Initialized"))
		containers(t);
	last_reason(t, pod);
}

static void
readiness_gates(struct cells *c, const struct tally *t)
{
	const struct node *gates = tree_get(t->spec, "readinessGates");
	size_t met = 0;

	if (tree_count(gates) == 0) {
		cell_str(c, "<none>");
		return;
	}
	for (size_t i = 0; i < tree_count(gates); i++)
		met += has_condition(t->status,
		    arena_str(c->arena,
			tree_text(tree_get(gates->items[i], "conditionType"))));
	cell_fmt(c, "%zu/%zu", met, tree_count(gates));
}

void
cells_pod(struct cells *c)
{
	struct tally t = {.arena = c->arena,
	    .spec = tree_get(c->object, "spec"),
	    .status = tree_get(c->object, "status")};
	const struct node *ips = tree_get(t.status, "podIPs");
	struct span ip = SPAN_NONE;

	take_tally(&t, c->object);
	cell_name(c);
	cell_fmt(c, "%zu/%zu", t.ready, t.total);
	cell_text(c, t.reason);
	if (t.restarts != 0 && t.restarted.n > 0)
		cell_fmt(c, "%" PRId64 " (%.*s ago)", t.restarts,
		    SPAN_ARG(cells_since(c, t.restarted)));
	else
		cell_fmt(c, "%" PRId64, t.restarts);
	cell_age(c);
	if (tree_count(ips) > 0)
		ip = tree_text(tree_get(ips->items[0], "ip"));
	cell_text(c, ip.n > 0 ? ip : span_str("<none>"));
	cell_path(c, "spec.nodeName", "<none>");
	cell_path(c, "status.nominatedNodeName", "<none>");
	readiness_gates(c, &t);
}

void
cells_pod_conditions(struct buf *b, const struct node *object)
{
	struct span phase = tree_path_text(object, "status.phase");
	bool done = span_is(phase, "Succeeded");

	if (!done && !span_is(phase, "Failed"))
		return;
	buf_addf(b,
	    ",\"conditions\":[{\"type\":\"Completed\",\"status\":\"True\","
	    "\"reason\":\"%s\",\"message\":\"%s\"}]",
	    done ? "Succeeded" : "Failed",
	    done ? "The pod has completed successfully." : "The pod failed.");
}
