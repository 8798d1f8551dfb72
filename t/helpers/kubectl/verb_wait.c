/* Part of kubectl/verbs.h: delete, wait, rollout. */
#include <stdio.h>
#include <time.h>

#include "kubectl/pathexpr.h"
#include "kubectl/verbs.h"
#include "process/clock.h"
#include "value/duration.h"

enum { POLL_MS = 50, DELETED_MS = 300000 };

/* Looks at the object, NULL if it is gone: 1 it holds, 0 not yet, -1 refused. */
typedef int holds_fn(
    struct session *s, const struct target *t, struct node *value);

static int
look(struct session *s, const struct target *t, holds_fn *holds)
{
	struct arena kept = s->arena;
	struct node *value;
	int code;

	/* Each look has memory of its own, freed after it. */
	s->arena = (struct arena)ARENA_INIT;
	value = target_get(s, t);
	code = value == NULL && !s->not_found ? -1 : holds(s, t, value);
	arena_release(&s->arena);
	s->arena = kept;
	return code;
}

static int
until(struct session *s, const struct target *t, holds_fn *holds, uint64_t ms,
    const char *title)
{
	const struct timespec pause = {0, POLL_MS * 1000000};
	uint64_t end = clock_ms() + ms;
	int code;

	fflush(stdout);
	while ((code = look(s, t, holds)) == 0) {
		if (clock_ms() > end)
			return session_refuse(s,
			    "error: timed out waiting for the condition on %s",
			    title);
		nanosleep(&pause, NULL);
	}
	return code < 0 ? -1 : 0;
}

static int
timeout(struct session *s, const char *otherwise, uint64_t *ms)
{
	const char *text = flags_or(&s->flags, "--timeout", otherwise);

	if (duration_parse_ms(span_str(text), ms) == 0)
		return 0;
	return session_refuse(s, "error: --timeout=%s: not a duration", text);
}

static int
not_found(struct session *s, const struct target *t)
{
	struct buf kind = BUF_INIT;

	offer_add_plural(&kind, t->kind);
	session_refuse(s, "Error from server (NotFound): %s \"%.*s\" not found",
	    buf_str(&kind), SPAN_ARG(t->name));
	buf_release(&kind);
	return -1;
}

/* Those of files, with their kinds. */
static int
placed(struct session *s, struct targets *found)
{
	if (targets_in_files(s, found) != 0)
		return -1;
	for (size_t i = 0; i < found->count; i++)
		if (target_place(s, &found->items[i]) != 0)
			return -1;
	return 0;
}

/* ---- delete ---- */

static struct node *
delete_options(struct session *s)
{
	struct arena *a = &s->arena;
	struct node *body = tree_object(a);
	const char *cascade = flags_or(&s->flags, "--cascade", "background");
	const char *grace = flags_or(&s->flags, "--grace-period",
	    session_option(s, "--force") != NULL ? "0" : NULL);
	char *policy = arena_str(a, span_str(cascade));

	policy[0] = (char)(policy[0] - 'a' + 'A');
	tree_put(a, body, "kind", tree_str(a, "DeleteOptions"));
	tree_put(a, body, "apiVersion", tree_str(a, "v1"));
	tree_put(a, body, "propagationPolicy", tree_str(a, policy));
	if (grace != NULL)
		tree_put(a, body, "gracePeriodSeconds",
		    tree_number(a, span_str(grace)));
	return body;
}

/* The object of the target becomes what the server answers; NULL: it was not
 * there. */
static int
delete_one(struct session *s, struct target *t, void *arg)
{
	struct buf body = BUF_INIT, kind = BUF_INIT;
	struct span namespace = target_namespace(s, t);

	tree_write(&body, arg);
	t->object = session_ask(
	    s, "DELETE", target_path(s, t, NULL), "json", buf_span(&body));
	buf_release(&body);
	if (t->object == NULL)
		return s->not_found && session_option(s, "--ignore-not-found")
		    ? 0
		    : -1;
	offer_add_kind(&kind, t->kind);
	printf("%s \"%.*s\" deleted", buf_str(&kind), SPAN_ARG(t->name));
	buf_release(&kind);
	if (namespace.n > 0)
		printf(" from %.*s namespace", SPAN_ARG(namespace));
	printf("\n");
	return 0;
}

/* Another one of the same name may be there by now. */
static int
is_gone(struct session *s, const struct target *t, struct node *value)
{
	struct node *old = tree_get(t->object, "details");

	(void)s;
	if (old == NULL)
		old = tree_get(t->object, "metadata");
	return !span_eq(tree_path_text(value, "metadata.uid"),
	    tree_text(tree_get(old, "uid")));
}

static int
find_doomed(struct session *s, struct words args, struct targets *found)
{
	if (args.count == 0)
		return placed(s, found);
	if (session_option(s, "-A") != NULL)
		return targets_everywhere(s, args, found);
	return targets_selected(s, args, found);
}

int
verb_delete(struct session *s, struct words args)
{
	const char *waits = session_option(s, "--wait");
	struct targets found;

	if (session_option(s, "--dry-run") != NULL)
		flags_not_here("delete --dry-run");
	if (find_doomed(s, args, &found) != 0)
		return -1;
	if (targets_each(s, &found, delete_one, delete_options(s)) != 0)
		return 1;
	for (size_t i = 0; i < found.count; i++) {
		const struct target *t = &found.items[i];

		if (waits != NULL && strcmp(waits, "false") == 0)
			break;
		if (t->object != NULL &&
		    until(s, t, is_gone, DELETED_MS,
			arena_str(&s->arena, t->name)) != 0)
			return -1;
	}
	return 0;
}

/* ---- wait ---- */

static int
is_created(struct session *s, const struct target *t, struct node *value)
{
	(void)s, (void)t;
	return value != NULL;
}

static int
is_deleted(struct session *s, const struct target *t, struct node *value)
{
	(void)s, (void)t;
	return value == NULL;
}

static bool
same_word(struct span a, struct span b)
{
	return a.n == b.n && (a.n == 0 || strncasecmp(a.p, b.p, a.n) == 0);
}

/* --for=condition=TYPE[=STATUS] */
static int
has_condition(struct session *s, const struct target *t, struct node *value)
{
	struct span want = span_str(session_option(s, "--for"));
	struct node *all = tree_path(value, "status.conditions");
	struct span type;

	if (value == NULL)
		return not_found(s, t);
	span_cut(&want, '=');
	type = span_cut(&want, '=');
	if (want.n == 0)
		want = span_str("true");
	for (uint32_t i = 0; i < tree_count(all); i++) {
		const struct node *c = all->items[i];

		if (same_word(tree_text(tree_get(c, "type")), type) &&
		    same_word(tree_text(tree_get(c, "status")), want))
			return 1;
	}
	return 0;
}

/* --for=jsonpath={PATH}[=VALUE] */
static int
has_value(struct session *s, const struct target *t, struct node *value)
{
	struct span want = span_str(session_option(s, "--for"));
	struct buf text = BUF_INIT;
	struct node *got;
	int holds;

	if (value == NULL)
		return not_found(s, t);
	span_cut(&want, '=');
	got = pathexpr_select(&s->arena, value, span_cut(&want, '='));
	if (got->n > 0)
		pathexpr_add_text(&text, got->items[0]);
	holds = got->n > 0 && (want.n == 0 || span_eq(buf_span(&text), want));
	buf_release(&text);
	return holds;
}

static holds_fn *
condition(struct session *s)
{
	struct span what = span_str(flags_or(&s->flags, "--for", ""));
	struct span how = span_cut(&what, '=');

	if (span_is(how, "delete"))
		return is_deleted;
	if (span_is(how, "create"))
		return is_created;
	if (span_is(how, "condition"))
		return has_condition;
	if (!span_is(how, "jsonpath"))
		flags_not_here("--for=%.*s", SPAN_ARG(how));
	return has_value;
}

int
verb_wait(struct session *s, struct words args)
{
	holds_fn *holds = condition(s);
	struct targets found;
	uint64_t ms;

	if (timeout(s, "30s", &ms) != 0 ||
	    (args.count > 0 ? targets_selected(s, args, &found)
			    : placed(s, &found)) != 0)
		return -1;
	for (size_t i = 0; i < found.count; i++) {
		const struct target *t = &found.items[i];

		if (until(s, t, holds, ms, target_title(s, t)) != 0)
			return -1;
		printf("%s condition met\n", target_title(s, t));
	}
	return 0;
}

/* ---- rollout ---- */

static int64_t
number(const struct node *object, const char *key, int64_t otherwise)
{
	int64_t n = otherwise;

	tree_get_int(tree_get(object, key), &n);
	return n;
}

static int
is_rolled_out(struct session *s, const struct target *t, struct node *value)
{
	const struct node *status = tree_get(value, "status");
	int64_t want = number(tree_get(value, "spec"), "replicas", 1);

	if (value == NULL)
		return not_found(s, t);
	return number(status, "observedGeneration", -1) ==
	    number(tree_get(value, "metadata"), "generation", 0) &&
	    want == number(status, "updatedReplicas", 0) &&
	    want == number(status, "replicas", 0) &&
	    want ==
	    number(status, "availableReplicas",
		number(status, "readyReplicas", 0));
}

static int
restart(struct session *s, const struct target *t)
{
	struct target_write how = {.method = "PATCH",
	    .type = "strategic-merge-patch+json",
	    .manager = "kubectl-rollout"};
	static const char *const way[] = {
	    "spec", "template", "metadata", "annotations"};
	struct node *body = tree_object(&s->arena), *at = body;
	char now[CLOCK_RFC3339_MAX];

	for (size_t i = 0; i < 4; i++)
		at = tree_make(&s->arena, at, way[i]);
	clock_format_s(clock_real_us() / 1000000, now);
	tree_put(&s->arena, at, "kubectl.kubernetes.io/restartedAt",
	    tree_str(&s->arena, now));
	if (target_write(s, t, how, body) == NULL)
		return -1;
	target_said(s, t, "restarted");
	return 0;
}

int
verb_rollout(struct session *s, struct words args)
{
	struct words rest = {args.items + 1, args.count - 1};
	struct targets found;
	uint64_t ms;
	bool restarts = args.count > 0 && strcmp(args.items[0], "restart") == 0;

	if (!restarts &&
	    (args.count == 0 || strcmp(args.items[0], "status") != 0))
		flags_not_here(
		    "rollout %s", args.count == 0 ? "" : args.items[0]);
	if (timeout(s, "60s", &ms) != 0 || targets_named(s, rest, &found) != 0)
		return -1;
	for (size_t i = 0; i < found.count; i++) {
		struct target *t = &found.items[i];

		if ((restarts ? restart(s, t)
			      : until(s, t, is_rolled_out, ms,
				    target_title(s, t))) != 0)
			return -1;
	}
	return 0;
}
