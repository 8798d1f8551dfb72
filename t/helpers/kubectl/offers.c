#include "kubectl/offers.h"

#include "base/array.h"

static const char *const roots[] = {"/api", "/apis"};
static const char aggregated[] =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/* A word, its part behind the first dot apart, or a kind. */
struct sought {
	struct span name, rest;
	struct span group, version, kind;
};

static bool
is_name(const struct offer *o, struct span name)
{
	const struct node *shorts = tree_get(o->resource, "shortNames");
	struct span one = tree_text(tree_get(o->resource, "singularResource"));

	if (span_eq(o->plural, name) || span_eq(one, name))
		return true;
	if (o->kind.n == name.n && strncasecmp(o->kind.p, name.p, name.n) == 0)
		return true;
	for (uint32_t i = 0; i < tree_count(shorts); i++)
		if (span_eq(tree_text(shorts->items[i]), name))
			return true;
	return false;
}

static bool
is_rest(const struct offer *o, struct span rest)
{
	if (rest.n == 0 || span_eq(rest, o->group) || span_eq(rest, o->version))
		return true;
	return rest.n == o->version.n + 1 + o->group.n &&
	    memcmp(rest.p, o->version.p, o->version.n) == 0 &&
	    rest.p[o->version.n] == '.' &&
	    span_eq(span_skip(rest, o->version.n + 1), o->group);
}

static bool
matches(const struct offer *o, const struct sought *what)
{
	if (what->kind.p == NULL)
		return is_name(o, what->name) && is_rest(o, what->rest);
	return span_eq(o->group, what->group) &&
	    span_eq(o->version, what->version) && span_eq(o->kind, what->kind);
}

static const struct offer *
find_in_version(struct session *s, struct span group, const struct node *v,
    const struct sought *what)
{
	const struct node *all = tree_get(v, "resources");

	for (uint32_t i = 0; i < tree_count(all); i++) {
		const struct node *r = all->items[i];
		struct offer o = {.group = group,
		    .version = tree_text(tree_get(v, "version")),
		    .plural = tree_text(tree_get(r, "resource")),
		    .kind = tree_path_text(r, "responseKind.kind"),
		    .namespaced =
			tree_text_is(tree_get(r, "scope"), "Namespaced"),
		    .resource = r};

		if (!matches(&o, what))
			continue;
		struct offer *found = arena_alloc(&s->arena, sizeof(o));

		*found = o;
		return found;
	}
	return NULL;
}

static const struct offer *
find_in(struct session *s, const struct node *root, const struct sought *what)
{
	const struct node *groups = tree_get(root, "items");
	const struct offer *found = NULL;

	for (uint32_t i = 0; found == NULL && i < tree_count(groups); i++) {
		const struct node *g = groups->items[i];
		const struct node *v = tree_get(g, "versions");

		for (uint32_t j = 0; found == NULL && j < tree_count(v); j++)
			found = find_in_version(s,
			    tree_path_text(g, "metadata.name"), v->items[j],
			    what);
	}
	return found;
}

static struct node *
served(struct session *s, size_t root)
{
	struct span answer;
	struct err err = ERR_INIT;
	int status;

	if (s->served[root] != NULL)
		return s->served[root];
	status = session_send(
	    s, "GET", roots[root], NULL, SPAN_NONE, aggregated, &answer);
	if (status >= 400)
		session_refused(s, answer);
	if (status < 0 || status >= 400)
		return NULL;
	s->served[root] =
	    tree_parse(&s->arena, answer, TREE_LIMITS, NULL, &err);
	if (s->served[root] == NULL)
		session_refuse(s, "error: %s: %s", roots[root], err.message);
	return s->served[root];
}

const struct offer *
offers_find(struct session *s, struct span word)
{
	struct sought what = {.rest = arena_lower(&s->arena, word)};
	const struct offer *found = NULL;

	what.name = span_cut(&what.rest, '.');
	/* The core group has no name: only a version is behind its dot. */
	for (size_t i = what.rest.n > 0 && what.rest.p[0] != 'v';
	     found == NULL && i < COUNT(roots); i++) {
		if (served(s, i) == NULL)
			return NULL;
		found = find_in(s, s->served[i], &what);
	}
	if (found == NULL)
		session_refuse(s,
		    "error: the server doesn't have a resource type \"%.*s\"",
		    SPAN_ARG(word));
	return found;
}

const struct offer *
offers_of_object(struct session *s, const struct node *object)
{
	struct span whole = tree_text(tree_get(object, "apiVersion"));
	struct sought what = {
	    .version = whole, .kind = tree_text(tree_get(object, "kind"))};
	const struct offer *found;

	if (what.kind.n == 0 || whole.n == 0) {
		session_refuse(s, "error: an object has no apiVersion or kind");
		return NULL;
	}
	if (span_find(whole, '/') != NULL)
		what.group = span_cut(&what.version, '/');
	if (served(s, what.group.n > 0) == NULL)
		return NULL;
	found = find_in(s, s->served[what.group.n > 0], &what);
	if (found == NULL)
		session_refuse(s,
		    "error: resource mapping not found: no matches for kind "
		    "\"%.*s\" in version \"%.*s\"",
		    SPAN_ARG(what.kind), SPAN_ARG(whole));
	return found;
}

bool
offer_builtin(const struct offer *o)
{
	return span_find(o->group, '.') == NULL ||
	    span_ends(o->group, ".k8s.io");
}

static void
add_group(struct buf *b, const struct offer *o)
{
	if (o->group.n > 0)
		buf_addc(b, '.');
	buf_addspan(b, o->group);
}

void
offer_add_plural(struct buf *b, const struct offer *o)
{
	buf_addspan(b, o->plural);
	add_group(b, o);
}

void
offer_add_kind(struct buf *b, const struct offer *o)
{
	size_t at = b->len;

	buf_addspan(b, o->kind);
	for (size_t i = at; i < b->len; i++)
		if (b->data[i] >= 'A' && b->data[i] <= 'Z')
			b->data[i] += 'a' - 'A';
	add_group(b, o);
}
