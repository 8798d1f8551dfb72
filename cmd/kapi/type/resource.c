#include "type/resource.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/mem.h"
#include "store/store.h"
#include "type/tables.h"

struct registry {
	struct resource **all; /* in the order of resource_next */
	size_t n;
	size_t builtin; /* the first of them are built in */
	unsigned long generation;
	struct arena arena;
};

static const char *const verbs[] = {"get", "list", "watch", "create", "update",
    "patch", "delete", "deletecollection"};

static unsigned
parse_verbs(struct span list)
{
	unsigned set = 0;
	struct span verb;

	while ((verb = tables_item(&list)).p != NULL)
		for (size_t i = 0; i < COUNT(verbs); i++)
			if (span_is(verb, verbs[i]))
				set |= 1u << i;
	return set;
}

/* "-" stands for nothing. */
static struct span
cell(struct span *line)
{
	struct span s = tables_cell(line);

	return span_is(s, "-") ? span_make("", 0) : s;
}

/* KIND, or GROUP/VERSION/KIND. */
static void
parse_kind(const struct resource *r, struct span text, struct subresource *s)
{
	const char *first = span_find(text, '/'), *second;

	s->group = r->group;
	s->version = r->version;
	s->kind = text;
	if (first == NULL)
		return;
	s->group = span_make(text.p, (size_t)(first - text.p));
	text = span_make(first + 1, text.n - s->group.n - 1);
	second = span_find(text, '/');
	s->version = span_make(text.p, (size_t)(second - text.p));
	s->kind = span_make(second + 1, text.n - s->version.n - 1);
}

static void
parse_subresource(struct arena *a, struct resource *r, struct span line)
{
	struct subresource *all = arena_grow(a, (void *)r->subresources,
	    r->subresource_count, r->subresource_count + 1, sizeof *all);
	struct subresource *s = &all[r->subresource_count++];

	tables_cell(&line);
	s->name = tables_cell(&line);
	parse_kind(r, tables_cell(&line), s);
	s->verbs = parse_verbs(tables_cell(&line));
	r->subresources = all;
	if (span_is(s->name, "status"))
		r->has_status = true;
}

static void
parse_resource(struct arena *a, struct resource *r, struct span line)
{
	r->group = cell(&line);
	r->version = tables_cell(&line);
	r->api_version = r->version;
	if (r->group.n != 0)
		r->api_version = arena_printf(
		    a, "%.*s/%.*s", SPAN_ARG(r->group), SPAN_ARG(r->version));
	r->plural = tables_cell(&line);
	r->singular = tables_cell(&line);
	r->kind = tables_cell(&line);
	r->list_kind = arena_printf(a, "%.*sList", SPAN_ARG(r->kind));
	r->namespaced = span_is(tables_cell(&line), "Namespaced");
	r->verbs = parse_verbs(tables_cell(&line));
	r->short_name_count = tables_list(a, cell(&line), &r->short_names);
	r->category_count = tables_list(a, cell(&line), &r->categories);
	r->kept_as = cell(&line);
}

static void
insert(struct registry *g, struct resource *r, size_t at)
{
	g->all = mem_grow(g->all, g->n, sizeof *g->all);
	memmove(g->all + at + 1, g->all + at, (g->n - at) * sizeof *g->all);
	g->all[at] = r;
	g->n++;
	g->generation++;
}

static bool
is_kept_as(const struct resource *r)
{
	struct span kept = r->kept_as;

	/* The core group's are written /v1. */
	if (r->group.n == 0 && kept.n > 0)
		kept = span_skip(kept, 1);
	return span_eq(kept, r->api_version);
}

/* Sets r->storage: r keeps its own objects, unless another resource that is
 * served here does. */
static void
set_storage(struct registry *g, struct resource *r)
{
	r->storage = true;
	if (is_kept_as(r))
		return;
	for (size_t i = 0; i < g->n; i++)
		if (g->all[i] != r && is_kept_as(g->all[i]) &&
		    span_eq(g->all[i]->kept_as, r->kept_as) &&
		    span_eq(g->all[i]->kind, r->kind))
			r->storage = false;
}

struct registry *
resource_registry_new(strategy_finder *find)
{
	struct registry *g = mem_zalloc(sizeof *g);
	struct span text = tables_resources(), line;
	struct resource *r = NULL, *last;

	while ((line = tables_line(&text)).p != NULL) {
		if (line.n == 0 || line.p[0] == '#')
			continue;
		if (line.p[0] == '\t') {
			parse_subresource(&g->arena, r, line);
			continue;
		}
		last = r;
		r = arena_zalloc(&g->arena, sizeof *r);
		parse_resource(&g->arena, r, line);
		if (find != NULL)
			r->strategy = find(r->group, r->plural);
		/* The first version of a group is the preferred one. */
		r->preferred = last == NULL ||
		    !span_eq(r->group, last->group) ||
		    (last->preferred && span_eq(r->version, last->version));
		insert(g, r, g->n);
	}
	g->builtin = g->n;
	for (size_t i = 0; i < g->n; i++)
		set_storage(g, g->all[i]);
	return g;
}

void
resource_registry_free(struct registry *g)
{
	if (g == NULL)
		return;
	free(g->all);
	arena_release(&g->arena);
	free(g);
}

static struct resource *
ready(struct resource *r)
{
	if (r != NULL && r->schema == NULL && r->crd == NULL)
		r->schema = schema_builtin_kind(r->group, r->version, r->kind);
	return r;
}

struct resource *
resource_find(const struct registry *g, struct span group, struct span version,
    struct span plural)
{
	for (size_t i = 0; i < g->n; i++) {
		struct resource *r = g->all[i];

		if (span_eq(r->plural, plural) && span_eq(r->group, group) &&
		    span_eq(r->version, version))
			return ready(r);
	}
	return NULL;
}

struct resource *
resource_find_kind(const struct registry *g, struct span group,
    struct span version, struct span kind)
{
	for (size_t i = 0; i < g->n; i++) {
		struct resource *r = g->all[i];

		if (span_eq(r->kind, kind) && span_eq(r->group, group) &&
		    (version.n == 0 || span_eq(r->version, version)))
			return ready(r);
	}
	return NULL;
}

static struct resource *
storage_of(const struct registry *g, struct span group, struct span plural)
{
	const struct resource *shown = NULL;

	for (size_t i = 0; i < g->n; i++) {
		struct resource *r = g->all[i];

		if (!span_eq(r->plural, plural) || !span_eq(r->group, group))
			continue;
		if (r->storage)
			return r;
		shown = r;
	}
	/* Events: with those of another group. */
	for (size_t i = 0; shown != NULL && i < g->builtin; i++)
		if (is_kept_as(g->all[i]) &&
		    span_eq(g->all[i]->kept_as, shown->kept_as) &&
		    span_eq(g->all[i]->kind, shown->kind))
			return g->all[i];
	return NULL;
}

struct resource *
resource_storage(
    const struct registry *g, struct span group, struct span plural)
{
	return ready(storage_of(g, group, plural));
}

struct resource *
resource_core(const struct registry *g, const char *plural)
{
	return resource_storage(g, span_str(""), span_str(plural));
}

struct resource *
resource_kept_in(const struct registry *g, const struct collection *c)
{
	return resource_storage(
	    g, store_collection_group(c), store_collection_plural(c));
}

/* Among the first n. */
static bool
has_group(const struct registry *g, size_t n, struct span group)
{
	for (size_t i = 0; i < n; i++)
		if (span_eq(g->all[i]->group, group))
			return true;
	return false;
}

bool
resource_has_group(const struct registry *g, struct span group)
{
	return has_group(g, g->n, group);
}

bool
resource_group_is_builtin(const struct registry *g, struct span group)
{
	return has_group(g, g->builtin, group);
}

bool
resource_has_version(
    const struct registry *g, struct span group, struct span version)
{
	for (size_t i = 0; i < g->n; i++)
		if (span_eq(g->all[i]->group, group) &&
		    span_eq(g->all[i]->version, version))
			return true;
	return false;
}

/* A number at the start of *s. */
static unsigned long
number(struct span *s)
{
	unsigned long n = 0;

	while (s->n > 0 && span_is_digit(s->p[0]) && n < 1000000000) {
		n = n * 10 + (unsigned long)(s->p[0] - '0');
		*s = span_skip(*s, 1);
	}
	return n;
}

struct kube_version {
	int stability; /* 3 GA, 2 beta, 1 alpha, 0 no such version */
	unsigned long major, minor;
};

/* v1, v1beta2, v1alpha1: ^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$ */
static struct kube_version
kube_version(struct span s)
{
	struct kube_version v = {0, 0, 0};
	int stability = 3;

	if (s.n < 2 || s.p[0] != 'v' || s.p[1] == '0')
		return v;
	s = span_skip(s, 1);
	v.major = number(&s);
	if (s.n > 5 && span_starts(s, "alpha"))
		stability = 1, s = span_skip(s, 5);
	else if (s.n > 4 && span_starts(s, "beta"))
		stability = 2, s = span_skip(s, 4);
	if (stability != 3)
		v.minor = s.p[0] == '0' ? 0 : number(&s);
	if (s.n == 0 && v.major > 0 && (stability == 3 || v.minor > 0))
		v.stability = stability;
	return v;
}

/* Below 0: x comes first. Source: apimachinery/pkg/version/helpers.go. */
static int
compare_versions(struct span x, struct span y)
{
	struct kube_version a = kube_version(x), b = kube_version(y);

	if (a.stability != b.stability)
		return b.stability - a.stability;
	if (a.stability == 0)
		return span_cmp(x, y);
	if (a.major != b.major)
		return a.major > b.major ? -1 : 1;
	return a.minor == b.minor ? 0 : a.minor > b.minor ? -1 : 1;
}

static int
compare_resources(const struct resource *x, const struct resource *y)
{
	int c = span_cmp(x->group, y->group);

	if (c == 0)
		c = compare_versions(x->version, y->version);
	return c != 0 ? c : span_cmp(x->plural, y->plural);
}

/* Groups of CRDs come behind the built-in ones, by name. Of each, the best
 * version is preferred. */
static void
set_preferred(struct registry *g)
{
	const struct resource *first = NULL;

	for (size_t i = g->builtin; i < g->n; i++) {
		struct resource *r = g->all[i];

		if (first == NULL || !span_eq(first->group, r->group))
			first = r;
		r->preferred = span_eq(first->version, r->version);
	}
}

void
resource_add(struct registry *g, struct resource *r)
{
	size_t at = g->builtin;

	while (at < g->n && compare_resources(g->all[at], r) < 0)
		at++;
	insert(g, r, at);
	set_preferred(g);
}

void
resource_remove(struct registry *g, struct resource *r)
{
	for (size_t i = g->builtin; i < g->n; i++) {
		if (g->all[i] != r)
			continue;
		g->n--;
		memmove(
		    g->all + i, g->all + i + 1, (g->n - i) * sizeof *g->all);
		g->generation++;
		set_preferred(g);
		break;
	}
	r->removed = true;
}

unsigned long
resource_generation(const struct registry *g)
{
	return g->generation;
}

struct resource *
resource_next(const struct registry *g, size_t *i)
{
	return *i < g->n ? ready(g->all[(*i)++]) : NULL;
}

void
resource_bind(struct registry *g, struct store *s)
{
	for (size_t i = 0; i < g->builtin; i++) {
		struct resource *r = g->all[i];
		const struct resource *kept = r;

		if (!(r->verbs & VERB_LIST))
			continue;
		if (!r->storage)
			kept = storage_of(g, r->group, r->plural);
		r->collection = store_collection(s, kept->group, r->plural);
	}
}

struct span
resource_name(struct arena *a, const struct resource *r)
{
	return r->group.n == 0 ? r->plural
			       : arena_printf(a, "%.*s.%.*s",
				     SPAN_ARG(r->plural), SPAN_ARG(r->group));
}
