#include "decide/points.h"

#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "program/arguments.h"

struct point *
points_add(struct decision *d, enum point_type type, struct buf *what)
{
	struct point *pt;

	d->points = mem_grow(d->points, d->count, sizeof(*d->points));
	pt = &d->points[d->count++];
	*pt = (struct point){
	    .type = type, .what = buf_take(what), .observed = jv_invalid()};
	if (type != POINT_STATUS)
		d->open++;
	return pt;
}

void
points_index(struct decision *d)
{
	enum { MANY = 32 }; /* fewer are found faster without */

	for (size_t i = 0; d->count >= MANY && i < d->count; i++)
		map_put(&d->index, span_str(d->points[i].what), &d->points[i]);
}

void
points_outstanding(struct decision *d, struct span object)
{
	arguments_add(&d->outstanding, ARGUMENTS_OUTSTANDING, object);
	d->outstanding_count++;
}

static void
add_text(struct buf *b, const char *key, struct span text)
{
	json_add_key(b, key);
	json_add_string(b, text.p != NULL ? text : span_str(""));
}

void
points_identity(struct buf *b, const struct cache_object *o)
{
	struct span version = json_get(cache_object_text(o), "apiVersion");

	buf_addc(b, '{');
	add_text(b, "apiVersion", json_raw_string(version));
	add_text(b, "kind", span_str(o->kind->conf->kind));
	json_add_key(b, "metadata");
	buf_addc(b, '{');
	if (o->ns_len > 0)
		add_text(b, "namespace", cache_object_namespace(o));
	add_text(b, "name", cache_object_name(o));
	add_text(b, "uid", cache_object_uid(o));
	buf_adds(b, "}}");
}
