#include "state/claims.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "state/marks.h"
#include "state/primary.h"

/* Mostly of one primary. */
struct claim {
	struct primary **list;
	size_t count;
	char what[];
};

static const char item_prefix[] = "item ";

static bool
is_item(const char *what)
{
	return strncmp(what, item_prefix, sizeof(item_prefix) - 1) == 0;
}

static struct claim *
claim_new(struct entry *e, const char *what)
{
	size_t size = strlen(what) + 1;
	struct claim *c = mem_zalloc(sizeof(*c) + size);

	memcpy(c->what, what, size);
	map_put(&e->claims, span_str(c->what), c);
	return c;
}

void
claims_add(struct primary *p, const char *what)
{
	struct claim *c;

	if (!is_item(what))
		return;
	c = map_get(&p->entry->claims, span_str(what));
	if (c == NULL)
		c = claim_new(p->entry, what);
	c->list = mem_grow(c->list, c->count, sizeof(*c->list));
	c->list[c->count++] = p;
}

static void
claim_free(struct claim *c)
{
	free(c->list);
	free(c);
}

void
claims_remove(struct primary *p, const char *what)
{
	struct claim *c = map_get(&p->entry->claims, span_str(what));
	size_t i = 0;

	while (c != NULL && i < c->count && c->list[i] != p)
		i++;
	if (c == NULL || i == c->count)
		return;
	c->list[i] = c->list[--c->count];
	if (c->count > 0)
		return;
	map_del(&p->entry->claims, span_str(what));
	claim_free(c);
}

static void
vacate(struct entries *es, struct primary *p, const char *what)
{
	struct asked *a = primary_find_asked(p, what);

	if (a != NULL)
		a->vacated = true;
	es->dirty(es->arg, p);
}

void
claims_vacate(
    struct entries *es, const struct use *u, const struct cache_object *o)
{
	struct buf what = BUF_INIT;
	struct claim *c;

	if (u->role != USE_DEPENDENT || !u->conf->manage ||
	    u->entry->claims.count == 0)
		return;
	buf_adds(&what, item_prefix);
	cache_object_add_label(&what, o);
	c = map_get(&u->entry->claims, buf_span(&what));
	for (size_t i = 0; c != NULL && i < c->count; i++) {
		struct primary *p = c->list[i];

		if (p->object != NULL &&
		    !marks_is_member(u->entry, o, p->object))
			vacate(es, p, c->what);
	}
	buf_release(&what);
}

void
claims_release(struct entry *e)
{
	struct claim *c;

	for (size_t i = 0; (c = map_next(&e->claims, &i)) != NULL;)
		claim_free(c);
	map_release(&e->claims);
}
