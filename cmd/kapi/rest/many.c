/*
 * Part of rest/internal.h: deletecollection is a LIST whose objects are
 * deleted one by one.
 */
#include "rest/internal.h"

#include "read/list.h"
#include "reply/reply.h"
#include "request/parameters.h"
#include "rest/delete.h"

static struct problem *
delete_listed(struct request *r, struct stored **objects, size_t n,
    const struct delete_options *options)
{
	struct problem *p = NULL;

	for (size_t i = 0; i < n && p == NULL; i++) {
		struct write w = rest_write_of(r);

		w.namespace_ = objects[i]->namespace_;
		w.name = objects[i]->name;
		p = delete_object(&w, options);
		r->changed = r->changed || w.changed;
		if (p != NULL && p->code == 404)
			p = NULL;
	}
	return p;
}

void
many_serve(struct request *r)
{
	struct delete_options options;
	struct stored **objects = NULL;
	size_t n = 0;
	struct buf b = BUF_INIT;
	struct problem *p = list_write(r, &b, &objects, &n);

	if (p == NULL)
		p = parameters_of_delete(r, &options);
	if (p == NULL)
		p = delete_listed(r, objects, n, &options);
	for (size_t i = 0; i < n; i++)
		store_unref(objects[i]);
	if (p != NULL)
		reply_problem(r, p);
	else
		reply_json(r, 200, buf_span(&b));
	buf_release(&b);
}
