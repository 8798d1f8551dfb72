/*
 * Part of rest/internal.h. log, exec, attach, portforward and proxy of a Pod:
 * what is known without a kubelet. Source: pkg/registry/core/pod/strategy.go.
 */
#include "rest/internal.h"

#include "base/array.h"
#include "reply/reply.h"
#include "rest/rest.h"

static const char *const container_lists[] = {
    "initContainers", "containers", "ephemeralContainers"};

#define LISTS COUNT(container_lists)

static struct problem *
must_be_named(struct request *r, const struct node *spec)
{
	struct buf names = BUF_INIT;
	struct problem *p;

	for (size_t i = 0; i < LISTS; i++) {
		const struct node *list = tree_get(spec, container_lists[i]);

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

/* container=, or the only one. */
static struct problem *
check_container(struct request *r, const struct node *pod)
{
	const struct node *spec = tree_get(pod, "spec");
	struct span name = request_param(r, "container");

	if (name.n == 0)
		return tree_count(tree_get(spec, "containers")) == 1
		    ? NULL
		    : must_be_named(r, spec);
	for (size_t i = 0; i < LISTS; i++) {
		const struct node *list = tree_get(spec, container_lists[i]);

		for (size_t j = 0; j < tree_count(list); j++)
			if (span_eq(
				name, tree_path_text(list->items[j], "name")))
				return NULL;
	}
	return problem_bad_request(&r->arena,
	    "container %.*s is not valid for pod %.*s", SPAN_ARG(name),
	    SPAN_ARG(r->name));
}

/* A stream needs a host; what runs nowhere has said nothing: 204. */
static void
serve_unscheduled(struct request *r)
{
	if (span_is(r->subresource, "log"))
		reply_with(r, 204, NULL, NULL, 0, NULL);
	else
		reply_problem(r,
		    problem_bad_request(&r->arena,
			"pod %.*s does not have a host assigned",
			SPAN_ARG(r->name)));
}

void
kubelet_serve(struct request *r)
{
	struct write w = rest_write_of(r);
	struct stored *stored;
	struct node *object;
	struct problem *p = rest_live(&w, &stored, &object);
	bool stream = !span_is(r->subresource, "proxy"); /* of Pods alone */

	if (p == NULL && stream && !span_is(r->subresource, "portforward"))
		p = check_container(r, object);
	if (p == NULL && stream &&
	    tree_path_text(object, "spec.nodeName").n == 0) {
		serve_unscheduled(r);
		return;
	}
	if (p == NULL)
		p = problem_make(&r->arena, 501, "NotImplemented",
		    "kapi runs no containers: %.*s is not served",
		    SPAN_ARG(r->subresource));
	reply_problem(r, p);
}
