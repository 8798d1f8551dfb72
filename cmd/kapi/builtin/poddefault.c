/*
 * Part of builtin/topics.h. Defaults of Pods that rules.txt calls. Source:
 * pkg/apis/core/v1/defaults.go.
 */
#include "builtin/topics.h"

static bool
path_ok(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!(span_is_lower(s.p[i]) || span_is_digit(s.p[i]) ||
			memchr("._-/", s.p[i], 4) != NULL))
			return false;
	return s.n > 0;
}

/*
 * The tag is "latest": given so, or neither tag nor digest is given. A name
 * that is not well formed has no tag at all.
 */
static bool
latest(struct span image)
{
	const char *at = span_find(image, '@');
	struct span name =
	    at == NULL ? image : span_make(image.p, (size_t)(at - image.p));
	const char *slash = span_find_last(name, '/');
	size_t after = slash == NULL ? 0 : (size_t)(slash - name.p) + 1;
	const char *colon = name.n > after
	    ? memrchr(name.p + after, ':', name.n - after)
	    : NULL;
	struct span tag = SPAN_NONE, path;
	const char *first;

	if (colon != NULL) {
		tag =
		    span_make(colon + 1, name.n - (size_t)(colon - name.p) - 1);
		name.n = (size_t)(colon - name.p);
	}
	path = name;
	first = span_find(name, '/');
	if (first != NULL) {
		size_t n = (size_t)(first - name.p);
		if (memchr(name.p, '.', n) || memchr(name.p, ':', n) ||
		    span_is(span_make(name.p, n), "localhost"))
			path = span_make(first + 1, name.n - n - 1);
	}
	if (!path_ok(path))
		return false;
	if (colon != NULL)
		return span_is(tag, "latest");
	return at == NULL;
}

static void
default_pull_policy(
    struct arena *a, struct node *object, const char *key, struct span image)
{
	if (tree_empty(rule_given(object, key)))
		tree_put(a, object, key,
		    tree_str(a, latest(image) ? "Always" : "IfNotPresent"));
}

void
poddefault_pull_policy(const struct rule_run *run, const struct rule_place *p)
{
	default_pull_policy(run->arena, p->n, "imagePullPolicy",
	    tree_text(rule_given(p->n, "image")));
}

void
poddefault_volume(const struct rule_run *run, const struct rule_place *p)
{
	struct node *image = rule_given(p->n, "image");

	if (p->n->n == 1 && rule_given(p->n, "name") != NULL)
		tree_put(run->arena, p->n, "emptyDir", tree_object(run->arena));
	if (tree_is(image, NODE_OBJECT))
		default_pull_policy(run->arena, image, "pullPolicy",
		    tree_text(rule_given(image, "reference")));
}

/* The limits of a container are its requests, unless it has its own. */
void
poddefault_requests(const struct rule_run *run, const struct rule_place *p)
{
	struct node *limits = tree_path(p->n, "resources.limits");

	if (tree_count(limits) > 0)
		builtin_fill_in(run->arena,
		    tree_make(
			run->arena, rule_given(p->n, "resources"), "requests"),
		    limits);
}

/* Decoding keeps podIP and the first of podIPs the same; podIP wins. */
void
poddefault_ips(const struct rule_run *run, const struct rule_place *p)
{
	struct arena *a = run->arena;
	struct node *status = p->n;
	struct node *all = rule_given(status, "podIPs"), *first;
	struct span ip = tree_text(rule_given(status, "podIP"));
	struct span was = tree_text(rule_given(builtin_item(all, 0), "ip"));

	if (ip.n == 0 && tree_count(all) > 0)
		builtin_default_text(a, status, "podIP", arena_str(a, was));
	if (ip.n == 0 || (tree_count(all) > 0 && span_eq(ip, was)))
		return;
	first = tree_object(a);
	tree_put(a, first, "ip", tree_string(a, ip));
	all = tree_array(a);
	tree_append(a, all, first);
	tree_put(a, status, "podIPs", all);
}
