/*
 * Conversion between versions of built-in kinds that are kept together: events
 * of events.k8s.io/v1, kept as those of the core group; autoscalers.
 */
#include "write/convert.h"

#include "builtin/topics.h"
#include "crd/crd.h"
#include "type/decode.h"
#include "type/encode.h"

void
convert_event_to(struct arena *a, struct node *o)
{
	(void)a;
	event_rename(o, false);
}

void
convert_event_from(struct arena *a, struct node *o)
{
	(void)a;
	event_rename(o, true);
}

void
convert_builtin_read(struct arena *a, const struct resource *r, struct node *o)
{
	tree_put(a, o, "apiVersion", tree_string(a, r->api_version));
	if (r->strategy->convert_to == NULL)
		return;
	r->strategy->convert_to(a, o);
	encode_builtin(a, r->schema, o);
}

void
convert_builtin_keep(struct arena *a, const struct registry *g,
    struct resource *r, struct node *o)
{
	const struct resource *s;

	if (r->storage)
		return;
	s = resource_storage(g, r->group, r->plural);
	if (s == NULL)
		return;
	if (r->strategy->convert_from != NULL) {
		r->strategy->convert_from(a, o);
		encode_builtin(a, s->schema, o);
	}
	tree_put(a, o, "apiVersion", tree_string(a, s->api_version));
}

struct node *
convert_tree(struct arena *a, const struct stored *o)
{
	return tree_parse(a, text_span(o->json), TREE_LIMITS, NULL, NULL);
}

bool
convert_is_stored(const struct resource *r)
{
	return r->storage;
}

struct node *
convert_read(struct arena *a, const struct resource *r, const struct stored *o)
{
	struct node *n = convert_tree(a, o);

	if (!r->storage)
		r->strategy->steps->read(a, r, n);
	return n;
}
