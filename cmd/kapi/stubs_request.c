/* More stand-ins (see stubs.c): what requests call. */
#include "builtin.h"
#include "crd.h"
#include "decode.h"
#include "faults.h"
#include "journal.h"
#include "list.h"
#include "managed.h"
#include "rest.h"
#include "table.h"
#include "watch.h"

#define WEAK __attribute__((weak))

WEAK void
get_serve(struct request *r)
{
	struct stored *o =
	    store_get(r->resource->collection, r->namespace_, r->name);

	if (o == NULL)
		reply_problem(
		    r, problem_not_found(&r->arena, r->resource, r->name));
	else
		reply_stored(r, 200, o);
}

WEAK void
list_serve(struct request *r)
{
	reply_plain(r, 501, "not yet\n");
}

WEAK void
watch_serve(struct request *r)
{
	reply_plain(r, 501, "not yet\n");
}

WEAK struct problem *
form_answer(struct request *r, struct span *json)
{
	(void)r, (void)json;
	return NULL;
}

WEAK void
json_pretty(struct buf *b, struct span json)
{
	buf_addspan(b, json);
}

WEAK bool
json_wants_pretty(const struct request *r)
{
	(void)r;
	return false;
}

WEAK struct resource *
registry_find(const struct registry *g, struct span group, struct span version,
    struct span plural)
{
	(void)g, (void)group, (void)version, (void)plural;
	return NULL;
}

WEAK struct resource *
registry_find_kind(const struct registry *g, struct span group,
    struct span version, struct span kind)
{
	(void)g, (void)group, (void)version, (void)kind;
	return NULL;
}

WEAK struct resource *
registry_storage(
    const struct registry *g, struct span group, struct span plural)
{
	(void)g, (void)group, (void)plural;
	return NULL;
}

WEAK bool
registry_has_version(
    const struct registry *g, struct span group, struct span version)
{
	(void)g, (void)group, (void)version;
	return false;
}

WEAK struct resource *
registry_next(const struct registry *g, size_t *i)
{
	(void)g, (void)i;
	return NULL;
}

WEAK struct span
resource_name(struct arena *a, const struct resource *r)
{
	if (r->group.n == 0)
		return r->plural;
	return arena_printf(
	    a, "%.*s.%.*s", SPAN_ARG(r->plural), SPAN_ARG(r->group));
}

WEAK void
rest_serve(struct request *r)
{
	reply_plain(r, 501, "not yet\n");
}

WEAK struct node *
rest_read(struct arena *a, const struct resource *r, const struct stored *o)
{
	(void)r;
	return tree_parse(a, text_span(o->json), TREE_LIMITS, NULL, NULL);
}

WEAK bool
rest_read_is_stored(const struct resource *r)
{
	(void)r;
	return true;
}

WEAK struct problem *
decode_builtin(struct arena *a, const struct schema *s, struct node *object,
    struct warnings *unknown)
{
	(void)a, (void)s, (void)object, (void)unknown;
	return NULL;
}

WEAK void
schema_default(struct arena *a, const struct schema *s, struct node *object)
{
	(void)a, (void)s, (void)object;
}

WEAK void
builtin_default(struct arena *a, const struct resource *r, struct node *object)
{
	(void)a, (void)r, (void)object;
}

WEAK void
managed_update(
    const struct managed_write *w, const struct node *live, struct node *object)
{
	(void)w, (void)live, (void)object;
}

WEAK struct problem *
managed_apply(const struct managed_write *w, const struct node *live,
    const struct node *applied, struct node **result)
{
	(void)live, (void)applied, (void)result;
	return problem_internal(w->arena, "no apply yet");
}

WEAK bool
managed_settle(const struct node *live, struct node *object)
{
	return node_equal(live, object);
}

WEAK struct span
managed_agent(struct arena *a, struct span user_agent)
{
	(void)a;
	return user_agent;
}

WEAK struct node *
managed_to_scale(
    struct arena *a, const struct node *parent_fields, const char *replicas)
{
	(void)a, (void)parent_fields, (void)replicas;
	return NULL;
}

WEAK struct node *
managed_from_scale(struct arena *a, const struct node *parent_fields,
    const struct node *scale_fields, struct span api_version,
    const char *replicas)
{
	(void)scale_fields, (void)api_version, (void)replicas;
	return parent_fields == NULL ? NULL : node_copy(a, parent_fields);
}

WEAK bool
crd_read_needed(const struct resource *r)
{
	(void)r;
	return false;
}

WEAK void
crd_read(struct arena *a, const struct resource *r, struct node *object)
{
	(void)a, (void)r, (void)object;
}

WEAK struct problem *
form_of(struct request *r, struct form *form)
{
	form->as = r->as;
	return NULL;
}

WEAK void
form_list_begin(struct buf *b, const struct resource *r,
    const struct form *form, struct span metadata)
{
	(void)b, (void)r, (void)form, (void)metadata;
}

WEAK void
form_list_item(struct buf *b, const struct resource *r, const struct form *form,
    struct span object)
{
	(void)b, (void)r, (void)form, (void)object;
}

WEAK void
form_list_end(struct buf *b, const struct resource *r, const struct form *form,
    struct span metadata)
{
	(void)b, (void)r, (void)form, (void)metadata;
}

WEAK void
warning_add(struct warnings *w, struct span text)
{
	w->items =
	    arena_grow(w->arena, w->items, w->n, w->n + 1, sizeof *w->items);
	w->items[w->n++] = text;
}
