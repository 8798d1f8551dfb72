/* Part of reply/cells.h: Jobs, and what else has an owner. */
#include "reply/cells.h"

#include <inttypes.h>
#include <string.h>

#include "process/clock.h"
#include "value/objref.h"

static bool
job_condition(const struct cells *c, const char *type)
{
	const struct node *list = tree_path(c->object, "status.conditions");

	return tree_text_is(
	    tree_get(tree_find(list, "type", type), "status"), "True");
}

static const char *
job_status(const struct cells *c)
{
	if (job_condition(c, "Complete"))
		return "Complete";
	if (job_condition(c, "Failed"))
		return "Failed";
	if (tree_path(c->object, "metadata.deletionTimestamp") != NULL)
		return "Terminating";
	if (job_condition(c, "Suspended"))
		return "Suspended";
	if (job_condition(c, "FailureTarget"))
		return "FailureTarget";
	if (job_condition(c, "SuccessCriteriaMet"))
		return "SuccessCriteriaMet";
	return "Running";
}

static void
job_completions(struct cells *c)
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

static void
job_duration(struct cells *c)
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

void
cells_job(struct cells *c)
{
	const struct node *containers =
	    tree_path(c->object, "spec.template.spec.containers");

	cell_name(c);
	cell_str(c, job_status(c));
	job_completions(c);
	job_duration(c);
	cell_age(c);
	cell_texts(c, containers, "name");
	cell_texts(c, containers, "image");
	cell_text(c,
	    cells_selector(
		c->arena, tree_path(c->object, "spec.selector"), "<none>"));
}

/* kind.group/name, in lower case. */
static struct span
owner(struct cells *c, const struct node *o)
{
	struct span group = objref_group(tree_text(tree_get(o, "apiVersion")));
	const char *kind =
	    arena_lower(c->arena, tree_text(tree_get(o, "kind"))).p;

	return arena_printf(c->arena, "%s%s%.*s/%.*s", kind,
	    group.n == 0 ? "" : ".", SPAN_ARG(group),
	    SPAN_ARG(tree_text(tree_get(o, "name"))));
}

void
cells_controllerrevision(struct cells *c)
{
	const struct node *list =
	    tree_path(c->object, "metadata.ownerReferences");
	struct span by = span_str("<none>");

	for (size_t i = 0; i < tree_count(list); i++)
		if (tree_true(tree_get(list->items[i], "controller")))
			by = owner(c, list->items[i]);
	cell_name(c);
	cell_text(c, by);
	cell_int_path(c, "revision");
	cell_age(c);
}
