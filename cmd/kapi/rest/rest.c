#include "rest/rest.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "kubelet/kubelet.h"
#include "merge/managed.h"
#include "read/list.h"
#include "read/selection.h"
#include "reply/reply.h"
#include "reply/table.h"
#include "request/parameters.h"
#include "request/users.h"
#include "rest/internal.h"
#include "rights/authorize.h"
#include "text/gotext.h"
#include "type/encode.h"
#include "type/objectmeta.h"
#include "type/strategy.h"
#include "write/convert.h"

struct write
rest_write_of(struct request *r)
{
	bool guarded = r->api->rights != NULL &&
	    span_is(r->group, "rbac.authorization.k8s.io");

	return (struct write){.api = r->api,
	    .guard = guarded ? authorize_escalation : NULL,
	    .may_create = r->api->rights != NULL ? authorize_create : NULL,
	    .request = r,
	    .mutation = r->mutation,
	    .arena = &r->arena,
	    .resource = r->resource,
	    .subresource = r->subresource,
	    .namespace_ = r->namespace_,
	    .name = r->name.n > 0 ? r->name : SPAN_NONE,
	    .manager = r->field_manager.n > 0
		? r->field_manager
		: managed_agent(&r->arena, r->user_agent),
	    .validation = r->field_validation,
	    .warnings = &r->warnings,
	    .force = r->force,
	    .dry_run = r->dry_run};
}

/* Answers r with the problem or the object: 201 if it was created, else 200. */
static void
answer(struct request *r, struct write *w, struct problem *p)
{
	int code = w->created ? 201 : 200;

	if (p != NULL) {
		reply_problem(r, p);
		return;
	}
	r->changed = w->changed;
	if (w->stored != NULL) {
		r->result_version = w->stored->version;
		reply_stored(r, code, w->stored);
	} else {
		reply_object(r, code, w->result);
	}
}

static const struct subresource *
find_subresource(const struct request *r)
{
	for (size_t i = 0; i < r->resource->subresource_count; i++)
		if (span_eq(r->resource->subresources[i].name, r->subresource))
			return &r->resource->subresources[i];
	return NULL;
}

static struct problem *
unreadable(struct request *r, struct span why)
{
	struct span kind = r->resource->kind;
	const struct subresource *s = find_subresource(r);

	if (s != NULL && s->kind.n > 0)
		kind = s->kind;
	return problem_bad_request(&r->arena,
	    "the object provided is unrecognized (must be of type %.*s): %.*s "
	    "(%.*s)",
	    SPAN_ARG(kind), SPAN_ARG(why),
	    SPAN_ARG(request_body_summary(&r->arena, r->http->body)));
}

/* Checks apiVersion and kind as encoding/json reads them. */
static struct problem *
check_type_meta(struct request *r, const struct node *body)
{
	static const char *const keys[] = {"apiVersion", "kind"};
	struct span api;
	size_t slashes = 0;

	for (size_t i = 0; i < 2; i++) {
		const struct node *n = tree_get(body, keys[i]);

		if (n != NULL && n->kind != NODE_STRING && n->kind != NODE_NULL)
			return unreadable(r,
			    arena_printf(&r->arena,
				"couldn't get version/kind; json parse error: "
				"json: cannot unmarshal %s into Go struct "
				"field .%s of type string",
				gotext_kind(n), keys[i]));
	}
	api = tree_text(tree_get(body, "apiVersion"));
	for (size_t i = 0; i < api.n; i++)
		slashes += api.p[i] == '/';
	if (slashes > 1)
		return unreadable(r,
		    arena_printf(&r->arena,
			"unexpected GroupVersion string: %.*s", SPAN_ARG(api)));
	if (r->resource->crd != NULL && !span_is(r->subresource, "scale") &&
	    tree_text(tree_get(body, "kind")).n == 0)
		return unreadable(r,
		    arena_printf(&r->arena,
			"Object 'Kind' is missing in '%.*s'",
			SPAN_ARG(r->http->body)));
	return NULL;
}

/* The type of the object in the body; NULL: that of a CRD. */
static const struct schema *
body_schema(const struct request *r)
{
	const struct subresource *s =
	    r->subresource.n > 0 ? find_subresource(r) : NULL;

	if (s != NULL)
		return schema_builtin_kind(s->group, s->version, s->kind);
	return r->resource->crd == NULL ? r->resource->schema : NULL;
}

/* Reports keys that a YAML body has twice: one error of many lines, or a
 * warning for each. */
void
rest_add_twice(struct request *r, struct span twice, struct warnings *w)
{
	if (r->field_validation == VALIDATE_STRICT) {
		decode_warning_add(w,
		    arena_printf(&r->arena, "yaml: unmarshal errors:\n%.*s",
			SPAN_ARG(twice)));
		return;
	}
	while (twice.n > 0)
		decode_warning_add(w, span_skip(span_cut(&twice, '\n'), 2));
}

struct problem *
rest_body(struct request *r, struct node **object, struct warnings *strict)
{
	struct span duplicate = SPAN_NONE, twice = SPAN_NONE, wrong;
	struct problem *p = request_body(r, object, &duplicate, &twice, &wrong);

	if (p != NULL)
		return p;
	if (*object == NULL)
		return unreadable(r, wrong);
	p = check_type_meta(r, *object);
	if (p == NULL && twice.n > 0)
		rest_add_twice(r, twice, strict);
	if (p == NULL && duplicate.n > 0)
		decode_strict(&r->arena, body_schema(r), r->http->body, strict);
	return p;
}

struct problem *
rest_object(struct request *r, struct write *w, struct node **object)
{
	struct warnings strict = {&r->arena, NULL, 0};
	struct decoding how = {.strict = &strict};
	struct problem *p = rest_body(r, object, &strict);

	if (p == NULL)
		p = write_decode(w, *object, &how);
	return p;
}

struct problem *
rest_posted(struct request *r, const struct write *w, struct node **object)
{
	struct resource typed = *r->resource;
	struct write as = *w;

	typed.schema = body_schema(r);
	as.resource = &typed;
	return rest_object(r, &as, object);
}

struct problem *
rest_live(struct write *w, struct stored **stored, struct node **tree)
{
	*stored = store_get(w->resource->collection,
	    w->resource->namespaced ? w->namespace_ : SPAN_NONE, w->name);
	*tree = NULL;
	if (*stored == NULL)
		return problem_not_found(w->arena, w->resource, w->name);
	*tree = convert_read(w->arena, w->resource, *stored);
	return NULL;
}

struct node *
rest_extra(struct arena *a, const struct user *u)
{
	struct node *extra = tree_object(a);

	for (size_t i = 0; i < u->extra_count; i++)
		tree_put(a, extra, arena_str(a, u->extra[i].key),
		    tree_strings(a, u->extra[i].values, u->extra[i].count));
	return extra;
}

struct problem *
rest_precondition(struct write *w, const struct node *live,
    const struct node *object, const char *field)
{
	struct span sent =
	    tree_text(tree_get(tree_get(object, "metadata"), field));
	struct span has =
	    tree_text(tree_get(tree_get(live, "metadata"), field));
	const char *name =
	    strcmp(field, "uid") == 0 ? "UID" : "ResourceVersion";
	const struct resource *s = w->resource;

	if (sent.n == 0 || span_eq(sent, has))
		return NULL;
	return problem_conflict(w->arena, s, w->name,
	    arena_printf(w->arena,
		"StorageError: invalid object, Code: 4, Key: "
		"%s/%.*s%s%.*s/%.*s, ResourceVersion: 0, AdditionalErrorMsg: "
		"Precondition failed: %s in precondition: %.*s, %s in object "
		"meta: %.*s",
		live == NULL ? "" : "/registry", SPAN_ARG(s->plural),
		s->namespaced ? "/" : "",
		SPAN_ARG(s->namespaced ? w->namespace_ : SPAN_NONE),
		SPAN_ARG(w->name), name, SPAN_ARG(sent), name, SPAN_ARG(has))
		.p);
}

static struct problem *
update_object(struct request *r, struct write *w)
{
	struct stored *stored;
	struct node *object, *live;
	struct problem *p = rest_object(r, w, &object), *absent;

	if (p == NULL)
		p = write_check_namespace(w, object);
	if (p == NULL)
		p = write_check_name(w, object);
	if (p != NULL)
		return p;
	absent = rest_live(w, &stored, &live);
	if (absent != NULL &&
	    (w->subresource.n > 0 ||
		!(w->resource->strategy->traits & TRAIT_CREATE_ON_UPDATE)))
		return absent;
	p = rest_precondition(w, live, object, "uid");
	if (p != NULL)
		return p;
	write_dedup_owners(w, object, false);
	if (live != NULL)
		return write_update(w, stored, live, object);
	objectmeta_wipe(object);
	return write_create(w, object);
}

static void
update(struct request *r)
{
	struct problem *p =
	    parameters_of_write(r, "UpdateOptions", false, false);
	struct write w = rest_write_of(r);

	if (p == NULL)
		p = update_object(r, &w);
	answer(r, &w, p);
}

static void
patch(struct request *r)
{
	enum patch_type type;
	struct problem *p = rest_patch_type(r, r->resource, &type);
	struct write w;

	if (p == NULL)
		p = parameters_of_write(
		    r, "PatchOptions", true, type == PATCH_APPLY);
	w = rest_write_of(r);
	if (p == NULL)
		p = rest_patch_object(r, &w);
	answer(r, &w, p);
}

static void
delete_one(struct request *r)
{
	struct delete_options options;
	struct problem *p = parameters_of_delete(r, &options);
	struct write w = rest_write_of(r);
	int code = 200;

	if (p == NULL)
		p = delete_object(&w, &options);
	if (p != NULL) {
		reply_problem(r, p);
		return;
	}
	r->changed = w.changed;
	/* Deprecated, and the only case of 202. */
	if (options.has_orphan && !options.orphan &&
	    !tree_text_is(tree_get(w.result, "kind"), "Status") &&
	    tree_path(w.result, "metadata.deletionTimestamp") != NULL)
		code = 202;
	if (w.stored != NULL)
		reply_stored(r, code, w.stored);
	else
		reply_object(r, code, w.result);
}

/* Whether the subresource takes and shows the whole object. */
static bool
is_view(struct span name)
{
	static const char *const views[] = {
	    "status", "finalize", "approval", "ephemeralcontainers", "resize"};

	for (size_t i = 0; i < COUNT(views); i++)
		if (span_is(name, views[i]))
			return true;
	return false;
}

/* False: the subresource or the verb is not served; r was answered. */
static bool
check_subresource(struct request *r)
{
	const struct subresource *s = find_subresource(r);
	bool custom = r->resource->crd != NULL;

	if (s != NULL && r->verb != REQUEST_OTHER &&
	    (s->verbs & (1u << r->verb)))
		return true;
	if (custom && s != NULL)
		reply_problem(r,
		    problem_method_not_allowed(
			&r->arena, r->resource, request_verb_name(r->verb)));
	else if (custom)
		reply_problem(
		    r, problem_not_found(&r->arena, r->resource, r->name));
	else
		reply_problem(
		    r, problem_generic(&r->arena, s != NULL ? 405 : 404, NULL));
	return false;
}

static void
serve_subresource(struct request *r)
{
	if (!check_subresource(r))
		return;
	if (span_is(r->subresource, "scale"))
		scale_serve(r);
	else if (span_is(r->subresource, "eviction"))
		evict_serve(r);
	else if (span_is(r->subresource, "binding"))
		subresource_serve_binding(r);
	else if (span_is(r->subresource, "token"))
		token_serve(r);
	else if (span_is(r->subresource, "proxy"))
		kubelet_serve_proxy(r);
	else if (!is_view(r->subresource))
		kubelet_serve(r);
	else if (r->verb == REQUEST_GET) {
		struct write w = rest_write_of(r);
		struct stored *stored;
		struct node *tree;
		struct problem *p = rest_live(&w, &stored, &tree);

		w.stored = stored;
		answer(r, &w, p);
	} else if (r->verb == REQUEST_UPDATE)
		update(r);
	else
		patch(r);
}

static void many_serve(struct request *r);

void
rest_serve(struct request *r)
{
	if (r->subresource.n > 0)
		serve_subresource(r);
	else if (r->resource->strategy->review == REVIEW_BINDING)
		subresource_serve_binding(r);
	else if (r->resource->strategy->review != REVIEW_NONE)
		reviews_serve(r);
	else if (r->verb == REQUEST_CREATE) {
		struct problem *p =
		    parameters_of_write(r, "CreateOptions", false, false);
		struct write w = rest_write_of(r);
		struct node *object;
		struct node *spec;
		const struct user *u;
		struct arena *a;

		w.name = SPAN_NONE;
		w.posted = true;
		if (p == NULL)
			p = rest_object(r, &w, &object);
		if (p == NULL) {
			objectmeta_wipe(object);
			/* The requester in a certificate request is the
			 * authenticated user, whatever the client sent. */
			spec = tree_get(object, "spec");
			u = r->identity;
			a = &r->arena;
			if ((r->resource->strategy->traits &
				TRAIT_NAMES_REQUESTOR) &&
			    spec != NULL) {
				tree_put(a, spec, "username",
				    tree_string(a, u->name));
				tree_put(
				    a, spec, "uid", tree_string(a, u->uid));
				tree_put(a, spec, "groups",
				    tree_strings(a, u->groups, u->group_count));
				tree_remove(spec, "extra");
				if (u->extra_count > 0)
					tree_put(
					    a, spec, "extra", rest_extra(a, u));
			}
			p = write_check_namespace(&w, object);
		}
		if (p == NULL)
			p = write_create(&w, object);
		answer(r, &w, p);
	} else if (r->verb == REQUEST_UPDATE)
		update(r);
	else if (r->verb == REQUEST_PATCH)
		patch(r);
	else if (r->verb == REQUEST_DELETE)
		delete_one(r);
	else
		many_serve(r);
}

/* ---- writes of kapi itself ---- */

static struct write
inner_write(const struct rest_writer *w, struct resource *r,
    struct warnings *ignored, const struct node *object)
{
	const struct node *m = tree_get(object, "metadata");

	ignored->arena = w->arena;
	return (struct write){.api = w->api,
	    .arena = w->arena,
	    .resource = r,
	    .subresource = span_str(""),
	    .namespace_ =
		r->namespaced ? tree_text(tree_get(m, "namespace")) : SPAN_NONE,
	    .name = tree_text(tree_get(m, "name")),
	    .manager = w->manager,
	    .validation = VALIDATE_IGNORE,
	    .warnings = ignored,
	    .internal = true};
}

static struct problem *
decode(struct write *w, struct node *object)
{
	const struct resource *r = w->resource;
	struct warnings none = {w->arena, NULL, 0};

	tree_put_first(w->arena, object, "apiVersion",
	    tree_string(w->arena, r->api_version));
	tree_put_first(
	    w->arena, object, "kind", tree_string(w->arena, r->kind));
	return write_decode_fields(w, object, &none);
}

struct problem *
rest_create(const struct rest_writer *writer, struct resource *r,
    struct node *object, struct stored **made)
{
	struct warnings ignored = {0};
	struct write w = inner_write(writer, r, &ignored, object);
	struct problem *p = decode(&w, object);

	if (p == NULL) {
		objectmeta_wipe(object);
		p = write_create(&w, object);
	}
	if (p == NULL && made != NULL)
		*made = w.stored;
	return p;
}

struct problem *
rest_update(const struct rest_writer *writer, struct resource *r,
    struct span subresource, struct node *object)
{
	struct warnings ignored = {0};
	struct write w = inner_write(writer, r, &ignored, object);
	struct stored *stored;
	struct node *live;
	struct problem *p;

	if (subresource.p != NULL)
		w.subresource = subresource;
	p = decode(&w, object);
	if (p == NULL)
		p = rest_live(&w, &stored, &live);
	return p != NULL ? p : write_update(&w, stored, live, object);
}

struct problem *
rest_delete(const struct rest_writer *writer, struct resource *r,
    struct span namespace_, struct span name,
    const struct delete_options *options)
{
	static const struct delete_options none;
	struct warnings ignored = {0};
	struct write w = inner_write(writer, r, &ignored, NULL);

	w.namespace_ = r->namespaced ? namespace_ : SPAN_NONE;
	w.name = name;
	return delete_object(&w, options == NULL ? &none : options);
}

struct problem *
rest_put_as_is(
    const struct rest_writer *writer, struct resource *r, struct node *object)
{
	struct warnings ignored = {0};
	struct write w = inner_write(writer, r, &ignored, object);
	struct problem *p = decode(&w, object);
	struct node *m;

	if (p != NULL)
		return p;
	m = tree_make(w.arena, object, "metadata");
	if (tree_text(tree_get(m, "uid")).n == 0)
		tree_put(w.arena, m, "uid",
		    tree_string(w.arena, objectmeta_uuid(w.arena)));
	if (tree_text(tree_get(m, "creationTimestamp")).n == 0)
		tree_put(w.arena, m, "creationTimestamp",
		    tree_string(w.arena, objectmeta_time_now(w.arena)));
	r->strategy->steps->encode(w.arena, r, object);
	write_put(&w, object, NULL);
	return NULL;
}

/* ---- collections ---- */

static void
many_serve(struct request *r)
{
	struct delete_options options;
	struct stored **objects = NULL;
	size_t n = 0;
	struct buf b = BUF_INIT;
	struct problem *p = list_write(r, &b, &objects, &n);

	if (p == NULL)
		p = parameters_of_delete(r, &options);
	for (size_t i = 0; i < n && p == NULL; i++) {
		struct write w = rest_write_of(r);

		w.namespace_ = objects[i]->namespace_;
		w.name = objects[i]->name;
		p = delete_object(&w, &options);
		r->changed = r->changed || w.changed;
		if (p != NULL && p->code == 404)
			p = NULL;
	}
	for (size_t i = 0; i < n; i++)
		store_unref(objects[i]);
	if (p != NULL)
		reply_problem(r, p);
	else
		reply_json(r, 200, buf_span(&b));
	buf_release(&b);
}
