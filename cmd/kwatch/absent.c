#include "absent.h"

#include <string.h>

#include "kind.h"
#include "process/log.h"

/* The kind whose watches cover the operand. */
static const struct kind *
cover(const struct kind *k)
{
	return k->twin != NULL ? k->twin : k;
}

static bool
is_known(const struct kind *k)
{
	return k->want->spelling != NULL && k->resource != NULL &&
	    !cover(k)->given_up;
}

static void
add_place(struct buf *b, const struct kind *k)
{
	const struct textlist *ns = &k->want->namespaces;

	if (!k->resource->namespaced || ns->count == 0)
		return;
	buf_addf(b, " in namespace%s", ns->count > 1 ? "s" : "");
	for (size_t i = 0; i < ns->count; i++)
		buf_addf(b, "%s %s", i > 0 ? "," : "", ns->items[i]);
}

static void
say_object(struct kwatch *app, const struct kind *k)
{
	struct buf b = BUF_INIT;

	if (sink_index_has(&cover(k)->index, k->want->name))
		return;
	kind_describe(k, NULL, &b);
	buf_addf(&b, " \"%s\" not found", k->want->name);
	add_place(&b, k);
	log_error("%s", buf_str(&b));
	buf_release(&b);
	app->failed = true;
}

void
absent_say(struct kwatch *app)
{
	const struct kind *last = NULL;
	struct buf b = BUF_INIT;
	size_t found = 0;

	for (size_t i = 0; i < app->kind_count; i++) {
		const struct kind *k = app->kinds[i];

		if (!is_known(k))
			continue;
		if (k->want->name != NULL) {
			say_object(app, k);
			continue;
		}
		found += sink_index_count(&cover(k)->index);
		buf_adds(&b, last != NULL ? ", " : "no ");
		kind_describe(k, NULL, &b);
		if (last == NULL || k->resource->namespaced)
			last = k;
	}
	if (last != NULL && found == 0 && !app->failed) {
		buf_adds(&b, " found");
		add_place(&b, last);
		log_info("%s", buf_str(&b));
	}
	buf_release(&b);
}

static bool
has_places(const struct kind *k)
{
	return k->resource != NULL && k->resource->namespaced &&
	    !cover(k)->given_up && k->want->name == NULL &&
	    k->want->namespaces.count > 0;
}

static bool
same_places(const struct kind *a, const struct kind *b)
{
	const struct textlist *x = &a->want->namespaces;
	const struct textlist *y = &b->want->namespaces;

	if (!has_places(b) || x->count != y->count)
		return false;
	for (size_t i = 0; i < x->count; i++)
		if (strcmp(x->items[i], y->items[i]) != 0)
			return false;
	return true;
}

/* Appends the kinds that are watched where app->kinds[at] is. False: one of
 * them has an object, or an earlier kind is among them. */
static bool
list_empty(const struct kwatch *app, size_t at, struct buf *b)
{
	const struct kind *first = app->kinds[at];
	size_t found = 0;

	for (size_t i = 0; i < app->kind_count; i++) {
		const struct kind *k = app->kinds[i];

		if (!same_places(first, k))
			continue;
		if (i < at)
			return false;
		found += sink_index_count(&cover(k)->index);
		buf_adds(b, i > at ? ", " : "no ");
		kind_describe(k, NULL, b);
	}
	return found == 0;
}

void
absent_say_namespaces(const struct kwatch *app)
{
	for (size_t i = 0; i < app->kind_count; i++) {
		const struct kind *k = app->kinds[i];
		struct buf b = BUF_INIT;

		if (has_places(k) && list_empty(app, i, &b)) {
			buf_adds(&b, " found");
			add_place(&b, k);
			log_info("%s", buf_str(&b));
		}
		buf_release(&b);
	}
}
