#include "kube/resources.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "json/json.h"

static void
resource_free(struct api_resource *r)
{
	free(r->group);
	free(r->version);
	free(r->kind);
	free(r->plural);
	free(r->singular);
	textlist_release(&r->short_names);
	textlist_release(&r->categories);
	textlist_release(&r->subresources);
	free(r);
}

void
resources_release(struct resources *t)
{
	free(t->items);
	textlist_release(&t->stale);
	*t = (struct resources){0};
}

void
resource_store_release(struct resource_store *s)
{
	for (size_t i = 0; i < s->count; i++)
		resource_free(s->items[i]);
	free(s->items);
}

/* ---- building ---- */

static char *
take_string(struct span value)
{
	struct buf scratch = BUF_INIT;
	struct span s = json_string(value, &scratch);
	char *text = mem_dup(s.p, s.n);

	buf_release(&scratch);
	return text;
}

static void
take_list(struct span array, const char *member, struct textlist *list)
{
	struct json_elements e = json_elements(array);
	struct buf scratch = BUF_INIT;

	while (json_element(&e)) {
		struct span s = json_string(
		    member != NULL ? json_get(e.value, member) : e.value,
		    &scratch);

		textlist_add(list, s.p, s.n);
		buf_reset(&scratch);
	}
	buf_release(&scratch);
}

static void
take_verbs(struct span array, struct api_resource *r)
{
	struct json_elements e = json_elements(array);

	while (json_element(&e)) {
		if (json_is(e.value, "list"))
			r->can_list = true;
		if (json_is(e.value, "watch"))
			r->can_watch = true;
	}
}

static bool
same_list(const struct textlist *a, const struct textlist *b)
{
	bool same = a->count == b->count;

	for (size_t i = 0; same && i < a->count; i++)
		same = strcmp(a->items[i], b->items[i]) == 0;
	return same;
}

static bool
same(const struct api_resource *a, const struct api_resource *b)
{
	return strcmp(a->plural, b->plural) == 0 &&
	    strcmp(a->version, b->version) == 0 &&
	    strcmp(a->group, b->group) == 0 && strcmp(a->kind, b->kind) == 0 &&
	    strcmp(a->singular, b->singular) == 0 &&
	    a->namespaced == b->namespaced && a->can_list == b->can_list &&
	    a->can_watch == b->can_watch &&
	    same_list(&a->short_names, &b->short_names) &&
	    same_list(&a->categories, &b->categories) &&
	    same_list(&a->subresources, &b->subresources);
}

static void
table_add(struct resources *t, struct api_resource *r)
{
	t->items = mem_grow(t->items, t->count, sizeof(*t->items));
	t->items[t->count++] = r;
}

/* Takes r; the store's own one if it has the same. */
static void
add(struct resources *t, struct resource_store *s, struct api_resource *r)
{
	for (size_t i = 0; i < s->count; i++)
		if (same(s->items[i], r)) {
			resource_free(r);
			table_add(t, s->items[i]);
			return;
		}
	s->items = mem_grow(s->items, s->count, sizeof(*s->items));
	s->items[s->count++] = r;
	table_add(t, r);
}

static void
add_aggregated_resource(struct resources *t, struct resource_store *s,
    struct span group, struct span version, struct span value)
{
	struct span kind = json_path(value, "responseKind.kind");
	struct api_resource *r;

	/* Absent where the server does not know it: then nothing to apply. */
	if (json_type(kind) != JSON_STRING)
		return;
	r = mem_zalloc(sizeof(*r));
	r->group = take_string(group);
	r->version = take_string(version);
	r->kind = take_string(kind);
	r->plural = take_string(json_get(value, "resource"));
	r->singular = take_string(json_get(value, "singularResource"));
	r->namespaced = json_is(json_get(value, "scope"), "Namespaced");
	take_list(json_get(value, "shortNames"), NULL, &r->short_names);
	take_list(json_get(value, "categories"), NULL, &r->categories);
	take_list(
	    json_get(value, "subresources"), "subresource", &r->subresources);
	take_verbs(json_get(value, "verbs"), r);
	add(t, s, r);
}

static void
note_stale(struct resources *t, struct span group, struct span version)
{
	struct buf b = BUF_INIT;

	if (group.n > 0)
		buf_addf(&b, "%.*s/", SPAN_ARG(group));
	buf_addspan(&b, version);
	textlist_add(&t->stale, b.data, b.len);
	buf_release(&b);
}

static void
add_aggregated_version(struct resources *t, struct resource_store *s,
    struct span group, struct span value)
{
	struct span version = json_get(value, "version");
	struct json_elements e = json_elements(json_get(value, "resources"));
	char *g, *v;

	if (json_is(json_get(value, "freshness"), "Stale")) {
		g = take_string(group);
		v = take_string(version);
		note_stale(t, span_str(g), span_str(v));
		free(g);
		free(v);
	}
	if (json_type(json_get(value, "resources")) != JSON_ARRAY)
		return;
	while (json_element(&e))
		add_aggregated_resource(t, s, group, version, e.value);
}

int
resources_add_aggregated(
    struct resources *t, struct resource_store *s, struct span body)
{
	struct span items = json_get(body, "items");
	struct json_elements group = json_elements(items);

	if (json_type(items) != JSON_ARRAY)
		return -1;
	while (json_element(&group)) {
		struct span versions = json_get(group.value, "versions");
		struct json_elements v = json_elements(versions);

		if (json_type(versions) != JSON_ARRAY)
			continue;
		while (json_element(&v))
			add_aggregated_version(t, s,
			    json_path(group.value, "metadata.name"), v.value);
	}
	return 0;
}

/* ---- the older lists ---- */

int
resources_add_list(struct resources *t, struct resource_store *s,
    struct span group, struct span version, struct span body)
{
	struct span list = json_get(body, "resources");

	if (json_type(list) != JSON_ARRAY)
		return -1;
	for (struct json_elements e = json_elements(list); json_element(&e);) {
		char *plural = take_string(json_get(e.value, "name"));
		struct json_elements sub = json_elements(list);
		size_t n = strlen(plural);
		struct api_resource *r;

		/* deployments/status is not a resource of its own. */
		if (strchr(plural, '/') != NULL) {
			free(plural);
			continue;
		}
		r = mem_zalloc(sizeof(*r));
		r->group = mem_dup(group.p, group.n);
		r->version = mem_dup(version.p, version.n);
		r->kind = take_string(json_get(e.value, "kind"));
		r->plural = plural;
		r->singular = take_string(json_get(e.value, "singularName"));
		r->namespaced =
		    json_type(json_get(e.value, "namespaced")) == JSON_TRUE;
		take_list(
		    json_get(e.value, "shortNames"), NULL, &r->short_names);
		take_list(
		    json_get(e.value, "categories"), NULL, &r->categories);
		take_verbs(json_get(e.value, "verbs"), r);
		while (json_element(&sub)) {
			char *name = take_string(json_get(sub.value, "name"));

			if (strncmp(name, plural, n) == 0 && name[n] == '/')
				textlist_add(&r->subresources, name + n + 1,
				    strlen(name + n + 1));
			free(name);
		}
		add(t, s, r);
	}
	return 0;
}

void
resources_add_stale(struct resources *t, const struct resources *old,
    struct span group, struct span version)
{
	note_stale(t, group, version);
	for (size_t i = 0; i < old->count; i++)
		if (span_is(group, old->items[i]->group) &&
		    span_is(version, old->items[i]->version))
			table_add(t, old->items[i]);
}

void
resources_append(struct resources *t, const struct resources *more)
{
	for (size_t i = 0; i < more->count; i++)
		table_add(t, more->items[i]);
	for (size_t i = 0; i < more->stale.count; i++)
		textlist_add(&t->stale, more->stale.items[i],
		    strlen(more->stale.items[i]));
}

void
resources_prefer(struct resources *t)
{
	for (size_t i = 0; i < t->count; i++) {
		struct api_resource *r = t->items[i];
		size_t k = 0;

		while (k < i &&
		    (strcmp(t->items[k]->kind, r->kind) != 0 ||
			strcmp(t->items[k]->group, r->group) != 0 ||
			strcmp(t->items[k]->plural, r->plural) != 0))
			k++;
		r->preferred = k == i;
	}
}

/* ---- kubectl's spellings ---- */

static bool
has_name(const struct api_resource *r, struct span name)
{
	return span_is_caseless(name, r->plural) ||
	    span_is_caseless(name, r->singular) ||
	    span_is_caseless(name, r->kind);
}

static bool
has_short_name(const struct api_resource *r, struct span name)
{
	for (size_t i = 0; i < r->short_names.count; i++)
		if (span_is_caseless(name, r->short_names.items[i]))
			return true;
	return false;
}

enum group_match { GROUP_EXACT, GROUP_PREFIX };

/* version: SPAN_NONE means the preferred one. */
static const struct api_resource *
match(const struct resources *t, struct span name, struct span version,
    struct span group, enum group_match how)
{
	/* Full names first; in one group after the other. */
	for (int names = 0; names < 2; names++)
		for (size_t i = 0; i < t->count; i++) {
			const struct api_resource *r = t->items[i];

			if ((version.p != NULL ? span_is(version, r->version)
					       : r->preferred) &&
			    (how == GROUP_EXACT ? span_is(group, r->group)
						: strncmp(r->group, group.p,
						      group.n) == 0) &&
			    (names == 0 ? has_name(r, name)
					: has_short_name(r, name)))
				return r;
		}
	return NULL;
}

static const struct api_resource *
match_spelling(const struct resources *t, const char *spelling)
{
	const char *dot = strchr(spelling, '.');
	const char *second = dot != NULL ? strchr(dot + 1, '.') : NULL;
	struct span name, rest;
	const struct api_resource *r = NULL;

	if (dot == NULL)
		return match(t, span_str(spelling), SPAN_NONE, span_str(""),
		    GROUP_PREFIX); /* any group */
	name = span_make(spelling, (size_t)(dot - spelling));
	rest = span_str(dot + 1);
	if (second != NULL)
		r = match(t, name,
		    span_make(dot + 1, (size_t)(second - dot - 1)),
		    span_str(second + 1), GROUP_EXACT);
	if (r == NULL)
		r = match(t, name, SPAN_NONE, rest, GROUP_EXACT);
	if (r == NULL && rest.n > 0)
		r = match(t, name, SPAN_NONE, rest, GROUP_PREFIX);
	return r;
}

const struct api_resource *
resources_category(const struct resources *t, const char *category, size_t *at)
{
	while (*at < t->count) {
		const struct api_resource *r = t->items[(*at)++];

		if (r->preferred &&
		    textlist_has(&r->categories, category, strlen(category)))
			return r;
	}
	return NULL;
}

const struct api_resource *
resources_resolve(
    const struct resources *t, const char *spelling, struct err *err)
{
	const struct api_resource *r = match_spelling(t, spelling);

	if (r != NULL)
		return r;
	if (t->stale.count > 0)
		err_set(err, ERR_TRANSIENT,
		    "the server has no resource type \"%s\" (it could not say "
		    "what is in %s)",
		    spelling, t->stale.items[0]);
	else
		err_set(err, ERR_PERMANENT,
		    "the server has no resource type \"%s\"", spelling);
	return NULL;
}
