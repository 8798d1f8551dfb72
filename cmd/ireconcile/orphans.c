#include "orphans.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "process/log.h"
#include "state/index.h"
#include "state/marks.h"
#include "state/primary.h"

static const int64_t soon_us = 5 * 1000000, later_us = 30 * 1000000;

struct orphan {
	const struct entry *entry;
	char *primary;	      /* "NAMESPACE\0NAME" */
	uint64_t first, last; /* numbers of the looks that found it */
	bool said;
	char label[];
};

static void
orphan_free(struct orphan *one)
{
	free(one->primary);
	free(one);
}

void
orphans_init(struct orphans *o, struct entries *es, struct sched *s)
{
	o->es = es;
	o->sched = s;
	o->timer.key = span_str("");
}

void
orphans_release(struct orphans *o)
{
	struct orphan *one;

	for (size_t i = 0; (one = map_next(&o->found, &i)) != NULL;)
		orphan_free(one);
	map_release(&o->found);
}

void
orphans_suspect(struct orphans *o)
{
	if (sched_at(&o->timer, SCHED_PERIOD) == 0)
		sched_set(o->sched, &o->timer, SCHED_PERIOD,
		    sched_ticks(o->sched) + soon_us);
}

static void
note(struct orphans *o, const struct entry *e,
    const struct cache_object *object, struct span primary)
{
	struct buf label = BUF_INIT;
	struct orphan *one;

	cache_object_add_label(&label, object);
	one = map_get(&o->found, buf_span(&label));
	if (one == NULL) {
		one = mem_zalloc(sizeof(*one) + label.len + 1);
		memcpy(one->label, label.data, label.len);
		one->entry = e;
		one->primary = mem_dup(primary.p, primary.n);
		one->first = o->look;
		map_put(&o->found, span_str(one->label), one);
	}
	one->last = o->look;
	buf_release(&label);
}

static void
look_into(struct orphans *o, struct entry *e, const struct entry_bucket *b)
{
	struct span key = index_primary_key(b);
	const struct primary *p = index_primary(b);

	if (b->key[0] != INDEX_MARKED || (p != NULL && p->object != NULL) ||
	    !entry_covers_namespace(e, span_make(key.p, strnlen(key.p, key.n))))
		return;
	for (size_t i = 0; i < b->count; i++) {
		const struct cache_object *object = b->links[i].object;

		/* Marks without a proof do not count: any user may write
		 * them. */
		if (b->links[i].use->conf->manage && !object->terminating &&
		    !object->retained && marks_is_ours(e, object) &&
		    (object->proven || !marks_are_bound(e))) {
			e->orphans++;
			note(o, e, object, key);
		}
	}
}

static void
tell_orphan(struct orphan *one)
{
	const char *ns = one->primary;
	struct log_about who = {.controller = one->entry->conf->name,
	    .namespace_ = *ns != '\0' ? ns : NULL,
	    .name = ns + strlen(ns) + 1};

	one->said = true;
	log_write(LOG_WARNING, &who,
	    "%s is an orphan: it belongs to this object, which does not "
	    "exist",
	    one->label);
}

/* Reports orphans that two looks have found, and forgets those that are
 * gone. */
static void
sort_out(struct orphans *o)
{
	struct orphan **all = (struct orphan **)map_sorted(&o->found);
	size_t count = o->found.count;
	int64_t wait = later_us;

	for (size_t i = 0; i < count; i++) {
		struct orphan *one = all[i];

		if (one->last != o->look && one->entry->complete) {
			map_del(&o->found, span_str(one->label));
			orphan_free(one);
		} else if (one->first == o->look) {
			wait = soon_us;
		} else if (one->last == o->look && !one->said) {
			tell_orphan(one);
		}
	}
	free(all);
	if (o->found.count > 0)
		sched_set(o->sched, &o->timer, SCHED_PERIOD,
		    sched_ticks(o->sched) + wait);
}

void
orphans_look(struct orphans *o)
{
	o->look++;
	for (size_t i = 0; i < o->es->count; i++) {
		struct entry *e = o->es->items[i];
		const struct entry_bucket *b;

		/* If primaries are selected, the primary may exist. */
		if (!e->complete || e->conf->primary.selector != NULL)
			continue;
		e->orphans = 0;
		for (size_t j = 0; (b = map_next(&e->buckets, &j)) != NULL;)
			look_into(o, e, b);
	}
	sort_out(o);
}
