#include "holder.h"

#include <string.h>

#include "conf/instancename.h"
#include "json/json.h"
#include "process/log.h"
#include "state/index.h"
#include "state/marks.h"

/* Whether a was made before b, by the times of the server. */
static bool
is_older(const struct cache_object *a, const struct cache_object *b)
{
	struct span x, y;
	struct buf one = BUF_INIT, other = BUF_INIT;
	int order;

	if (b == NULL)
		return true;
	x = json_raw_string(cache_object_meta(a, "creationTimestamp"));
	y = json_raw_string(cache_object_meta(b, "creationTimestamp"));
	order = span_cmp(x, y);
	if (order == 0) {
		cache_object_add_label(&one, a);
		cache_object_add_label(&other, b);
		order = span_cmp(buf_span(&one), buf_span(&other));
	}
	buf_release(&one);
	buf_release(&other);
	return order < 0;
}

static void
find_oldest(const struct primary *p, struct span key, enum index_type type,
    const struct cache_object **oldest)
{
	const struct entry *e = p->entry;
	const struct entry_bucket *b = index_bucket(e, type, key);

	for (size_t i = 0; b != NULL && i < b->count; i++) {
		const struct cache_object *o = b->links[i].object;
		const struct use *u = b->links[i].use;

		if (u->role == USE_DEPENDENT && u->conf->manage &&
		    o->instance != INSTANCES_NONE && !o->retained &&
		    is_older(o, *oldest) &&
		    !marks_is_other_operators(e, o, p->object))
			*oldest = o;
	}
}

/* The oldest of the members that name an instance, ours or another; NULL: there
 * is none. */
static const struct cache_object *
oldest_named(const struct primary *p)
{
	const struct cache_object *oldest = NULL;
	struct buf key = BUF_INIT;

	marks_primary_key(&key, p->entry, p->object, MARKS_USUAL);
	find_oldest(p, buf_span(&key), INDEX_MARKED, &oldest);
	buf_reset(&key);
	if (marks_owning_key(&key, p->object))
		find_oldest(p, buf_span(&key), INDEX_OWNED, &oldest);
	buf_release(&key);
	return oldest;
}

/* The member that was made first decides, if it names an instance. */
static bool
is_made_by_another(const struct primary *p, struct buf *name)
{
	const struct entry *e = p->entry;
	const struct cache_object *o;
	struct buf scratch = BUF_INIT;

	if (e->instances->others == 0)
		return false;
	o = oldest_named(p);
	if (o == NULL || marks_is_ours(e, o))
		return false;
	buf_addspan(name,
	    json_string(cache_object_annotation(o, PROOF_INSTANCE), &scratch));
	buf_release(&scratch);
	return true;
}

bool
holder_find(const struct primary *p, struct buf *b)
{
	struct buf name = BUF_INIT;
	enum marks_claim claim = marks_claim(p->entry, p->object, &name);
	bool held = claim == MARKS_OTHERS ||
	    (claim == MARKS_UNCLAIMED && is_made_by_another(p, &name));
	if (held && b != NULL)
		buf_addspan(b,
		    instancename_is(buf_span(&name)) ? buf_span(&name)
						     : span_str("?"));
	buf_release(&name);
	return held;
}

bool
holder_look(struct primary *p)
{
	struct log_about who = primary_about(p);
	const char *own = p->entry->instance, *other;
	struct buf name = BUF_INIT;
	bool held = holder_find(p, &name);

	other = buf_str(&name);
	if (held && (p->holder == NULL || strcmp(p->holder, other) != 0)) {
		log_write(LOG_WARNING, &who,
		    "left alone: instance \"%s\" of this operator has it, and "
		    "this is %s%s%s; if that one is gone for good or has "
		    "another name now, start with --take-over-instance=%s",
		    other, own != NULL ? "\"" : "one without a name (instance)",
		    own != NULL ? own : "", own != NULL ? "\"" : "", other);
		primary_set_holder(p, other);
	} else if (!held && p->holder != NULL) {
		log_write(LOG_INFO, &who,
		    "instance \"%s\" does not have it any more", p->holder);
		primary_set_holder(p, NULL);
	}
	buf_release(&name);
	return held;
}
