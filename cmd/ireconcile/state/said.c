#include "state/said.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "state/marks.h"
#include "state/primary.h"

struct target
said_target(enum point_type type, struct span label, struct span uid,
    struct span version)
{
	struct target t = {.type = type};
	struct buf b = BUF_INIT;

	buf_addc(&b, (char)('0' + type));
	buf_addspan(&b, label);
	buf_addc(&b, '\0');
	buf_addspan(&b, uid);
	buf_addc(&b, '\0');
	buf_addspan(&b, version);
	t.len = b.len;
	t.text = buf_take_exact(&b);
	t.label = t.text + 1;
	t.uid = t.label + label.n + 1;
	t.version = t.uid + uid.n + 1;
	return t;
}

void
said_target_release(struct target *t)
{
	free(t->text);
}

/* ---- items that lines asked to create ---- */

/* The primaries whose lines asked to create an object: mostly one. */
struct claim {
	struct primary **list;
	size_t count;
	char label[];
};

static struct claim *
claim_new(struct entry *e, const char *label)
{
	size_t size = strlen(label) + 1;
	struct claim *c = mem_zalloc(sizeof(*c) + size);

	memcpy(c->label, label, size);
	map_put(&e->claims, span_str(c->label), c);
	return c;
}

static void
claim(struct primary *p, const char *label)
{
	struct claim *c;

	c = map_get(&p->entry->claims, span_str(label));
	if (c == NULL)
		c = claim_new(p->entry, label);
	c->list = mem_grow(c->list, c->count, sizeof(*c->list));
	c->list[c->count++] = p;
}

static void
claim_free(struct claim *c)
{
	free(c->list);
	free(c);
}

static void
unclaim(struct primary *p, const char *label)
{
	struct claim *c = map_get(&p->entry->claims, span_str(label));
	size_t i = 0;

	while (c != NULL && i < c->count && c->list[i] != p)
		i++;
	if (c == NULL || i == c->count)
		return;
	c->list[i] = c->list[--c->count];
	if (c->count > 0)
		return;
	map_del(&p->entry->claims, span_str(label));
	claim_free(c);
}

/* ---- requests ---- */

struct asked *
said_find(const struct said *s, const struct target *target)
{
	struct span key = said_target_key(target);

	if (s->index.count > 0)
		return map_get(&s->index, key);
	for (size_t i = 0; i < s->asked_count; i++)
		if (span_eq(said_target_key(&s->asked[i].target), key))
			return &s->asked[i];
	return NULL;
}

struct asked *
said_status(const struct said *s)
{
	for (size_t i = 0; i < s->asked_count; i++)
		if (s->asked[i].target.type == POINT_STATUS)
			return &s->asked[i];
	return NULL;
}

static void
index_asked(struct said *s)
{
	enum { MANY = 32 }; /* from here on an index is faster */

	map_release(&s->index);
	for (size_t i = 0; s->asked_count >= MANY && i < s->asked_count; i++)
		map_put(&s->index, said_target_key(&s->asked[i].target),
		    &s->asked[i]);
}

static bool
is_claim(const struct asked *a)
{
	return a->target.type == POINT_ITEM && a->uid == NULL;
}

static void
release_asked(struct primary *p, struct asked *a)
{
	if (is_claim(a))
		unclaim(p, a->target.label);
	said_target_release(&a->target);
	free(a->uid);
}

void
said_set(struct primary *p, struct asked *list, size_t count)
{
	struct said *s = &p->said;

	for (size_t i = 0; i < s->asked_count; i++)
		release_asked(p, &s->asked[i]);
	free(s->asked);
	s->asked = list;
	s->asked_count = (uint32_t)count;
	index_asked(s);
	for (size_t i = 0; i < count; i++)
		if (is_claim(&list[i]))
			claim(p, list[i].target.label);
}

void
said_shrink(
    struct primary *p, bool (*is_over)(void *arg, struct asked *a), void *arg)
{
	struct said *s = &p->said;
	uint32_t kept = 0;

	for (size_t i = 0; i < s->asked_count; i++) {
		if (is_over(arg, &s->asked[i]))
			release_asked(p, &s->asked[i]);
		else
			s->asked[kept++] = s->asked[i];
	}
	if (s->asked_count == kept)
		return;
	s->asked_count = kept;
	index_asked(s);
}

static void
vacate(struct entries *es, struct primary *p, const char *label)
{
	struct target item =
	    said_target(POINT_ITEM, span_str(label), SPAN_NONE, SPAN_NONE);
	struct asked *a = said_find(&p->said, &item);

	if (a != NULL)
		a->vacated = true;
	said_target_release(&item);
	es->dirty(es->arg, p);
}

void
said_vacate(
    struct entries *es, const struct use *u, const struct cache_object *o)
{
	struct buf label = BUF_INIT;
	struct claim *c;

	if (u->role != USE_DEPENDENT || !u->conf->manage ||
	    u->entry->claims.count == 0)
		return;
	cache_object_add_label(&label, o);
	c = map_get(&u->entry->claims, buf_span(&label));
	for (size_t i = 0; c != NULL && i < c->count; i++) {
		struct primary *p = c->list[i];

		if (p->object != NULL &&
		    !marks_is_member(u->entry, o, p->object))
			vacate(es, p, c->label);
	}
	buf_release(&label);
}

void
said_release_claims(struct entry *e)
{
	struct claim *c;

	for (size_t i = 0; (c = map_next(&e->claims, &i)) != NULL;)
		claim_free(c);
	map_release(&e->claims);
}

/* ---- the rest ---- */

void
said_settle(struct said *s, size_t n)
{
	free(s->unsettled[n].label);
	free(s->unsettled[n].message);
	s->unsettled[n] = s->unsettled[--s->unsettled_count];
}

void
said_settle_all(struct said *s)
{
	while (s->unsettled_count > 0)
		said_settle(s, 0);
	free(s->unsettled);
	s->unsettled = NULL;
}

void
said_forget_events(struct said *s)
{
	for (size_t i = 0; i < s->event_count; i++)
		free(s->events[i]);
	free(s->events);
	s->events = NULL;
	s->event_count = 0;
}

void
said_release(struct primary *p)
{
	struct said *s = &p->said;

	said_set(p, NULL, 0);
	said_forget_events(s);
	said_settle_all(s);
	free(s->claimants);
	free(s->line_primary);
	free(s->last_error);
	free(s->told_error);
	free(s->requested);
	free(s->complaint);
}
