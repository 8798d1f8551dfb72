/* Part of rest/rest.h: writes of kapi itself. */
#include "rest/rest.h"

#include "rest/delete.h"
#include "rest/internal.h"
#include "type/encode.h"
#include "type/objectmeta.h"

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
