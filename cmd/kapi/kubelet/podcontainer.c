#include "kubelet/podcontainer.h"

#include "base/array.h"
#include "process/clock.h"

static const char *const specs[] = {
    "initContainers", "containers", "ephemeralContainers"};
static const char *const statuses[] = {
    "containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"};

static const struct node *
named(const struct node *list, struct span name)
{
	for (size_t i = 0; i < tree_count(list); i++)
		if (span_eq(name, tree_path_text(list->items[i], "name")))
			return list->items[i];
	return NULL;
}

static struct problem *
must_be_named(struct request *r, const struct node *spec)
{
	struct buf names = BUF_INIT;
	struct problem *p;

	for (size_t i = 0; i < COUNT(specs); i++) {
		const struct node *list = tree_get(spec, specs[i]);

		for (size_t j = 0; j < tree_count(list); j++) {
			if (names.len > 0)
				buf_addc(&names, ' ');
			buf_addspan(
			    &names, tree_path_text(list->items[j], "name"));
		}
	}
	p = problem_bad_request(&r->arena,
	    "a container name must be specified for pod %.*s, choose one of: "
	    "[%s]",
	    SPAN_ARG(r->name), buf_str(&names));
	buf_release(&names);
	return p;
}

struct problem *
podcontainer_choose(
    struct request *r, const struct node *pod, struct span *name)
{
	const struct node *spec = tree_get(pod, "spec");
	const struct node *list = tree_get(spec, "containers");

	*name = request_param(r, "container");
	if (name->n == 0) {
		if (tree_count(list) != 1)
			return must_be_named(r, spec);
		*name = tree_path_text(list->items[0], "name");
		return NULL;
	}
	for (size_t i = 0; i < COUNT(specs); i++)
		if (named(tree_get(spec, specs[i]), *name) != NULL)
			return NULL;
	return problem_bad_request(&r->arena,
	    "container %.*s is not valid for pod %.*s", SPAN_ARG(*name),
	    SPAN_ARG(r->name));
}

bool
podcontainer_has_host(const struct node *pod)
{
	return tree_path_text(pod, "spec.nodeName").n > 0 ||
	    tree_path_text(pod, "status.hostIP").n > 0;
}

static const struct node *
status_of(const struct node *pod, struct span name)
{
	const struct node *status = tree_get(pod, "status"), *found = NULL;

	for (size_t i = 0; found == NULL && i < COUNT(statuses); i++)
		found = named(tree_get(status, statuses[i]), name);
	return found;
}

bool
podcontainer_runs(const struct node *pod, struct span name)
{
	return tree_path(status_of(pod, name), "state.running") != NULL;
}

/* Source: pkg/kubelet/kubelet_pods.go (validateContainerLogStatus); there an id
 * of the container is needed besides. */
static struct span
no_log(struct arena *a, const struct node *status, bool previous)
{
	struct span reason = tree_path_text(status, "state.waiting.reason");

	if (status == NULL)
		return span_str("is not available");
	if (tree_path(status, "lastState.terminated") != NULL)
		return SPAN_NONE;
	if (previous)
		return span_str("not found");
	if (tree_path(status, "state.running") != NULL ||
	    tree_path(status, "state.terminated") != NULL)
		return SPAN_NONE;
	if (tree_path(status, "state.waiting") == NULL)
		return span_str("is waiting to start - no logs yet");
	if (span_is(reason, "ErrImagePull"))
		reason = span_str("image can't be pulled");
	else if (span_is(reason, "ImagePullBackOff"))
		reason = span_str("trying and failing to pull image");
	return arena_printf(a, "is waiting to start: %.*s", SPAN_ARG(reason));
}

struct problem *
podcontainer_check_log(
    struct request *r, const struct node *pod, struct span name, bool previous)
{
	const struct node *status = status_of(pod, name);
	struct span why = no_log(&r->arena, status, previous);

	if (why.p == NULL)
		return NULL;
	return problem_bad_request(&r->arena,
	    "%scontainer \"%.*s\" in pod \"%.*s\" %.*s",
	    previous && status != NULL ? "previous terminated " : "",
	    SPAN_ARG(name), SPAN_ARG(r->name), SPAN_ARG(why));
}

int64_t
podcontainer_began_us(const struct node *pod, struct span name, bool previous)
{
	const struct node *status = status_of(pod, name);
	struct span times[] = {
	    tree_path_text(status, "lastState.terminated.startedAt"),
	    tree_path_text(status, "state.running.startedAt"),
	    tree_path_text(status, "state.terminated.startedAt"),
	    tree_path_text(pod, "metadata.creationTimestamp")};
	int64_t us;

	for (size_t i = previous ? 0 : 1; i < COUNT(times); i++)
		if (clock_parse_us(times[i], &us) == 0)
			return us;
	return 0;
}
