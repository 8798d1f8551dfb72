#include "kube/discovery.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "json/json.h"
#include "kube/kubepath.h"
#include "kube/resources.h"
#include "process/clock.h"
#include "process/log.h"
#include "value/objref.h"

enum {
	PERIOD_MS = 1000,
	/* For one request. The answer is small, and everything waits for it:
	 * shorter than the timeout of other lists. */
	TIMEOUT_MS = 40000,
	SAY_MS = 10000
};

static const char accept_aggregated[] =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;"
    "as=APIGroupDiscoveryList,application/json";

struct waiter {
	discovery_done_fn *done;
	void *arg;
};

/* /api and /apis: the last answer of each, and the current one. */
struct group_source {
	struct discovery *discovery;
	const char *path;
	char *etag; /* ETag of table; NULL: none */
	struct resources table, next;
	bool fresh; /* next is an answer, not "not modified" */
};

/* A list of a server without aggregated discovery. */
struct part {
	struct group_source *source;
	STAILQ_ENTRY(part) next;
	char *group, *version;
	struct kube_call *call;
	struct resources table;
};

/* By group, version, kind. */
struct group_entry {
	char *key;
	struct api_resource *resource;
};

struct discovery {
	struct loop *loop;
	struct kube *kube;
	struct group_source sources[2];
	struct kube_call *calls[2];
	STAILQ_HEAD(, part) parts; /* in the server's order */
	size_t pending;		   /* answers to come */
	struct kube_error error;
	bool running;
	uint64_t sent_ms; /* 0: never */
	struct timer timer;
	struct timer say; /* while an answer is missing */
	bool said;
	struct waiter *waiters;
	size_t waiter_count;
	struct resource_store store;
	struct resources table;
	struct map by_kind;
};

struct discovery *
discovery_new(struct loop *l, struct kube *k)
{
	struct discovery *d = mem_zalloc(sizeof(*d));

	d->loop = l;
	d->kube = k;
	STAILQ_INIT(&d->parts);
	d->sources[0] = (struct group_source){.discovery = d, .path = "/api"};
	d->sources[1] = (struct group_source){.discovery = d, .path = "/apis"};
	return d;
}

static void
parts_free(struct discovery *d)
{
	struct part *p;

	while ((p = STAILQ_FIRST(&d->parts)) != NULL) {
		STAILQ_REMOVE_HEAD(&d->parts, next);
		if (p->call != NULL)
			kube_cancel(p->call);
		resources_release(&p->table);
		free(p->group);
		free(p->version);
		free(p);
	}
}

static void
by_kind_free(struct map *m)
{
	struct group_entry *e;

	for (size_t i = 0; (e = map_next(m, &i)) != NULL;) {
		free(e->key);
		free(e);
	}
	map_release(m);
	*m = (struct map)MAP_INIT;
}

void
discovery_free(struct discovery *d)
{
	if (d == NULL)
		return;
	loop_cancel(d->loop, &d->timer);
	loop_cancel(d->loop, &d->say);
	parts_free(d);
	for (size_t i = 0; i < 2; i++) {
		if (d->calls[i] != NULL)
			kube_cancel(d->calls[i]);
		resources_release(&d->sources[i].table);
		resources_release(&d->sources[i].next);
		free(d->sources[i].etag);
	}
	by_kind_free(&d->by_kind);
	resources_release(&d->table);
	resource_store_release(&d->store);
	kube_error_release(&d->error);
	free(d->waiters);
	free(d);
}

/* ---- the new table ---- */

static void
add_key(struct buf *b, struct span group, struct span version, struct span kind)
{
	buf_addf(b, "%.*s/%.*s/%.*s", SPAN_ARG(group), SPAN_ARG(version),
	    SPAN_ARG(kind));
}

static void
build_table(struct discovery *d)
{
	resources_release(&d->table);
	for (size_t i = 0; i < 2; i++)
		resources_append(&d->table, &d->sources[i].table);
	resources_prefer(&d->table);
	by_kind_free(&d->by_kind);
	for (size_t i = 0; i < d->table.count; i++) {
		struct api_resource *r = d->table.items[i];
		struct buf key = BUF_INIT;
		struct group_entry *e;

		add_key(&key, span_str(r->group), span_str(r->version),
		    span_str(r->kind));
		e = map_get(&d->by_kind, buf_span(&key));
		if (e == NULL) {
			e = mem_zalloc(sizeof(*e));
			e->key = buf_take(&key);
			e->resource = r;
			map_put(&d->by_kind, span_str(e->key), e);
		} else if (!e->resource->can_list && r->can_list) {
			/* If two share a kind, the one that can be listed. */
			e->resource = r;
		}
		buf_release(&key);
	}
}

/* A version that the server cannot list just now, but could before. */
static void
keep_stale(struct resources *next, const struct resources *old)
{
	struct resources kept = {0};

	for (size_t i = 0; i < next->stale.count; i++) {
		struct span group, version;
		bool listed = false;

		objref_split(span_str(next->stale.items[i]), &group, &version);
		for (size_t k = 0; k < next->count && !listed; k++)
			listed = span_is(group, next->items[k]->group) &&
			    span_is(version, next->items[k]->version);
		if (!listed)
			resources_add_stale(&kept, old, group, version);
	}
	textlist_release(&kept.stale);
	textlist_init(&kept.stale);
	resources_append(next, &kept);
	resources_release(&kept);
}

static void
take_etag(struct group_source *s, struct span etag)
{
	free(s->etag);
	s->etag = etag.n > 0 ? mem_dup(etag.p, etag.n) : NULL;
}

static void
finish(struct discovery *d)
{
	bool failed = d->error.kind != ERR_NONE;
	struct waiter *waiters = d->waiters;
	size_t count = d->waiter_count;
	struct kube_error error = d->error;
	struct part *p;

	loop_cancel(d->loop, &d->say);
	d->said = d->said && failed;
	for (size_t i = 0; i < 2; i++) {
		struct group_source *s = &d->sources[i];

		STAILQ_FOREACH (p, &d->parts, next)
			if (p->source == s)
				resources_append(&s->next, &p->table);
		if (!failed && s->fresh) {
			keep_stale(&s->next, &s->table);
			resources_release(&s->table);
			s->table = s->next;
			s->next = (struct resources){0};
		} else if (s->fresh) {
			/* The answer was not used, so it must come again. */
			take_etag(s, SPAN_NONE);
		}
		s->fresh = false;
		resources_release(&s->next);
	}
	parts_free(d);
	if (!failed)
		build_table(d);
	d->running = false;
	d->error = (struct kube_error){0};
	d->waiters = NULL;
	d->waiter_count = 0;
	for (size_t i = 0; i < count; i++)
		if (waiters[i].done != NULL)
			waiters[i].done(waiters[i].arg, failed ? &error : NULL);
	free(waiters);
	kube_error_release(&error);
}

/* The first error is the one that is reported. */
static void
fail(struct discovery *d, const struct kube_error *e)
{
	if (d->error.kind == ERR_NONE)
		kube_error_copy(&d->error, e);
}

static void
fail_text(struct discovery *d, const char *what, const char *path)
{
	struct kube_error e;
	struct err err;

	err_set(
	    &err, ERR_TRANSIENT, "%s%s: %s", kube_server(d->kube), path, what);
	kube_error_set(&e, &err);
	fail(d, &e);
	kube_error_release(&e);
}

static void
arrived(struct discovery *d)
{
	if (--d->pending == 0)
		finish(d);
}

/* ---- without aggregated discovery ---- */

static void
on_part(void *arg, const struct kube_answer *a)
{
	struct part *p = arg;
	struct group_source *s = p->source;
	struct discovery *d = s->discovery;

	p->call = NULL;
	/* The version may have gone meanwhile: 404. */
	if ((a->code != 0 && a->code != 404 && a->error.kind != ERR_NONE) ||
	    (a->error.kind == ERR_NONE &&
		resources_add_list(&p->table, &d->store, span_str(p->group),
		    span_str(p->version), a->body) != 0))
		resources_add_stale(&p->table, &s->table, span_str(p->group),
		    span_str(p->version));
	if (a->code == 0)
		fail(d, &a->error);
	arrived(d);
}

static void
add_part(struct group_source *s, struct span group, struct span version)
{
	struct discovery *d = s->discovery;
	struct part *p = mem_zalloc(sizeof(*p));
	struct buf path = BUF_INIT;
	struct kube_request r = {.verb = KUBE_LIST, .timeout_ms = TIMEOUT_MS};

	p->source = s;
	p->group = mem_dup(group.p, group.n);
	p->version = mem_dup(version.p, version.n);
	STAILQ_INSERT_TAIL(&d->parts, p, next);
	buf_adds(&path, s->path);
	if (group.n > 0)
		kube_path_add(&path, group);
	kube_path_add(&path, version);
	r.path = buf_str(&path);
	d->pending++;
	p->call = kube_start(d->kube, &r, on_part, p);
	buf_release(&path);
}

static void
add_group_parts(struct group_source *s, struct span group)
{
	struct buf scratch = BUF_INIT;
	struct json_elements e = json_elements(json_get(group, "versions"));
	char *preferred, *name;
	struct span v =
	    json_string(json_path(group, "preferredVersion.version"), &scratch);

	preferred = mem_dup(v.p, v.n);
	buf_reset(&scratch);
	v = json_string(json_get(group, "name"), &scratch);
	name = mem_dup(v.p, v.n);
	if (*preferred != '\0')
		add_part(s, span_str(name), span_str(preferred));
	while (json_element(&e)) {
		buf_reset(&scratch);
		v = json_string(json_get(e.value, "version"), &scratch);
		if (v.n > 0 && !span_is(v, preferred))
			add_part(s, span_str(name), v);
	}
	free(preferred);
	free(name);
	buf_release(&scratch);
}

static void
add_parts(struct group_source *s, struct span body)
{
	struct span groups = json_get(body, "groups");
	struct json_elements e = json_elements(groups);
	struct span core = json_get(body, "versions");
	struct json_elements v = json_elements(core);

	if (json_type(core) == JSON_ARRAY) {
		while (json_element(&v)) {
			struct buf version = BUF_INIT;

			add_part(
			    s, span_str(""), json_string(v.value, &version));
			buf_release(&version);
		}
		return;
	}
	if (json_type(groups) != JSON_ARRAY) {
		fail_text(s->discovery, "no list of API groups", s->path);
		return;
	}
	while (json_element(&e))
		add_group_parts(s, e.value);
}

/* ---- requests ---- */

static void
take_answer(struct group_source *s, const struct kube_answer *a)
{
	struct discovery *d = s->discovery;

	if (a->code == 304)
		return;
	s->fresh = true;
	take_etag(s, SPAN_NONE);
	if (a->code == 404 && s == &d->sources[0])
		return;		  /* an API server without the core group */
	if (a->error.too_large) { /* a broken proxy, which may be mended */
		fail_text(d, "the answer is larger than 64 MiB", s->path);
	} else if (a->error.kind != ERR_NONE) {
		fail(d, &a->error);
	} else if (a->content_type.n == 0 ||
	    memmem(a->content_type.p, a->content_type.n,
		"APIGroupDiscoveryList", 21) == NULL) {
		add_parts(s, a->body);
	} else if (resources_add_aggregated(&s->next, &d->store, a->body) !=
	    0) {
		fail_text(d, "no list of resources", s->path);
	} else {
		take_etag(s, a->etag);
	}
}

static void
on_answer(void *arg, const struct kube_answer *a)
{
	struct group_source *s = arg;

	s->discovery->calls[s - s->discovery->sources] = NULL;
	take_answer(s, a);
	arrived(s->discovery);
}

/* Everything waits for discovery, so silence would look like a hang. */
static void
say_waiting(void *arg)
{
	struct discovery *d = arg;

	log_warning("waiting for %s to say what it serves (%s)",
	    kube_server(d->kube), d->calls[0] != NULL ? "/api" : "/apis");
	d->said = true;
}

static void
start(void *arg)
{
	struct discovery *d = arg;

	if (!d->said)
		loop_after(d->loop, &d->say, SAY_MS, say_waiting, d);
	d->running = true;
	d->sent_ms = clock_ms();
	d->pending = 2;
	for (size_t i = 0; i < 2; i++) {
		struct kube_request r = {.verb = KUBE_LIST,
		    .path = d->sources[i].path,
		    .accept = accept_aggregated,
		    .etag = d->sources[i].etag,
		    .timeout_ms = TIMEOUT_MS};

		d->calls[i] =
		    kube_start(d->kube, &r, on_answer, &d->sources[i]);
	}
}

void
discovery_refresh(struct discovery *d, discovery_done_fn *done, void *arg)
{
	uint64_t due = d->sent_ms + PERIOD_MS;

	d->waiters = mem_grow(d->waiters, d->waiter_count, sizeof(*d->waiters));
	d->waiters[d->waiter_count++] = (struct waiter){done, arg};
	if (d->running || loop_timer_armed(&d->timer))
		return;
	if (d->sent_ms == 0 || clock_ms() >= due)
		start(d);
	else
		loop_at(d->loop, &d->timer, due, start, d);
}

/* ---- lookups ---- */

const struct api_resource *
discovery_find(const struct discovery *d, struct span group,
    struct span version, struct span kind)
{
	struct buf key = BUF_INIT;
	const struct group_entry *e;

	add_key(&key, group, version, kind);
	e = map_get(&d->by_kind, buf_span(&key));
	buf_release(&key);
	return e != NULL ? e->resource : NULL;
}

const struct api_resource *
discovery_find_kind(
    const struct discovery *d, struct span group, struct span kind)
{
	const struct api_resource *found = NULL;

	for (size_t i = 0; i < d->table.count; i++) {
		const struct api_resource *r = d->table.items[i];

		if (r->preferred && span_is(kind, r->kind) &&
		    span_is(group, r->group) &&
		    (found == NULL || (!found->can_list && r->can_list)))
			found = r;
	}
	return found;
}

const struct api_resource *
discovery_resolve(
    const struct discovery *d, const char *spelling, struct err *err)
{
	return resources_resolve(&d->table, spelling, err);
}

const struct api_resource *
discovery_category(const struct discovery *d, const char *category, size_t *at)
{
	return resources_category(&d->table, category, at);
}

bool
discovery_stale(
    const struct discovery *d, struct span group, struct span version)
{
	for (size_t i = 0; i < d->table.stale.count; i++) {
		struct span text = span_str(d->table.stale.items[i]);

		if (group.n > 0) {
			if (text.n != group.n + 1 + version.n ||
			    memcmp(text.p, group.p, group.n) != 0 ||
			    text.p[group.n] != '/')
				continue;
			text = span_make(text.p + group.n + 1, version.n);
		}
		if (span_eq(text, version))
			return true;
	}
	return false;
}

void
discovery_path(struct buf *b, const struct api_resource *r, struct span ns,
    struct span name, const char *subresource)
{
	if (*r->group == '\0') {
		buf_adds(b, "/api");
	} else {
		buf_adds(b, "/apis");
		kube_path_add(b, span_str(r->group));
	}
	kube_path_add(b, span_str(r->version));
	if (r->namespaced && ns.n > 0) {
		buf_adds(b, "/namespaces");
		kube_path_add(b, ns);
	}
	kube_path_add(b, span_str(r->plural));
	if (name.n > 0)
		kube_path_add(b, name);
	if (subresource != NULL)
		kube_path_add(b, span_str(subresource));
}
