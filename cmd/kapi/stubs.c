/*
 * Stand-ins for modules that are not there yet, so that kapi links: each gives
 * way to the real function.
 */
#include "api.h"
#include "crd.h"
#include "decode.h"
#include "faults.h"
#include "gc.h"
#include "httpd.h"
#include "journal.h"
#include "namespace.h"
#include "resource.h"
#include "rest.h"
#include "rest.h"
#include "schema.h"
#include "state.h"
#include "watch.h"

#define WEAK __attribute__((weak))

WEAK void
api_serve(void *api, struct exchange *x, const struct httpd_request *request)
{
	struct api *a = api;

	(void)request;
	a->requests++;
	httpd_reply(x, 404, NULL, 0, span_str("404 page not found\n"));
}

WEAK void
api_too_large(
    void *api, struct exchange *x, const struct httpd_request *request)
{
	(void)api, (void)request;
	httpd_reply(x, 413, NULL, 0, SPAN_NONE);
}

WEAK void
api_release(struct api *api)
{
	(void)api;
}

WEAK struct registry *
registry_new(void)
{
	return NULL;
}

WEAK void
registry_free(struct registry *g)
{
	(void)g;
}

WEAK struct crds *
crds_new(struct api *api)
{
	(void)api;
	return NULL;
}

WEAK void
crds_free(struct crds *c)
{
	(void)c;
}

WEAK struct gc *
gc_new(struct api *api)
{
	(void)api;
	return NULL;
}

WEAK void
gc_free(struct gc *g)
{
	(void)g;
}

WEAK struct namespaces *
namespaces_new(struct api *api)
{
	(void)api;
	return NULL;
}

WEAK void
namespaces_free(struct namespaces *n)
{
	(void)n;
}

WEAK void
namespaces_start(struct namespaces *n)
{
	(void)n;
}

WEAK int
state_load(struct api *api, const char *path, struct err *err)
{
	(void)api;
	return err_set(err, ERR_PERMANENT, "%s: not yet", path);
}

WEAK int
state_save(struct api *api, const char *path, struct err *err)
{
	(void)api;
	return err_set(err, ERR_PERMANENT, "%s: not yet", path);
}

WEAK void
watch_hub_free(struct watch_hub *h)
{
	(void)h;
}

WEAK struct span
resource_name(struct arena *a, const struct resource *r)
{
	(void)a;
	return r->plural;
}

WEAK const struct field *
schema_field(const struct schema *s, struct span name)
{
	(void)s, (void)name;
	return NULL;
}

WEAK const struct schema *
schema_object_meta(void)
{
	return NULL;
}

WEAK void
warning_add(struct warnings *w, struct span text)
{
	(void)w, (void)text;
}

WEAK void
schema_default(struct arena *a, const struct schema *s, struct node *object)
{
	(void)a, (void)s, (void)object;
}

WEAK const struct crd_version *
crd_version_of(const struct resource *r)
{
	(void)r;
	return NULL;
}

WEAK struct problem *
decode_builtin(struct arena *a, const struct schema *s, struct node *object,
    struct warnings *unknown)
{
	(void)a, (void)s, (void)object, (void)unknown;
	return NULL;
}

WEAK struct node *
rest_tree(struct arena *a, const struct stored *o)
{
	return tree_parse(a, text_span(o->json), TREE_LIMITS, NULL, NULL);
}

WEAK struct problem *
rest_update(const struct rest_writer *w, struct resource *r,
    struct span subresource, struct node *object)
{
	(void)r, (void)subresource, (void)object;
	return problem_internal(w->arena, "no rest");
}

WEAK struct problem *
rest_delete(const struct rest_writer *w, struct resource *r,
    struct span namespace_, struct span name,
    const struct delete_options *options)
{
	(void)r, (void)namespace_, (void)name, (void)options;
	return problem_internal(w->arena, "no rest");
}

WEAK void
watches_end(struct api *api, const struct resource *resource)
{
	(void)api, (void)resource;
}

WEAK struct problem *
rest_create(const struct rest_writer *w, struct resource *r,
    struct node *object, struct stored **made)
{
	(void)r, (void)object, (void)made;
	return problem_internal(w->arena, "not yet");
}

WEAK struct problem *
rest_put_as_is(
    const struct rest_writer *w, struct resource *r, struct node *object)
{
	(void)r, (void)object;
	return problem_internal(w->arena, "not yet");
}
