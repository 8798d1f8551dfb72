/* Part of decide/damping.h: points that the program never stops changing. Each
 * has a budget for its changes. */
#include "decide/damping.h"

#include <stdlib.h>
#include <string.h>

#include "agree/agree.h"
#include "base/mem.h"
#include "decide/line.h"
#include "decide/points.h"
#include "decide/reason.h"
#include "json/json.h"
#include "json/jvtext.h"

/* ---- changes by others ---- */

static uint64_t
mix(uint64_t h, struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 0x100000001b3u;
	return (h ^ 0xff) * 0x100000001b3u;
}

static uint64_t
mix_number(uint64_t h, uint64_t n)
{
	return mix(h, span_make((const char *)&n, sizeof(n)));
}

/* The primary without the fields that we write. */
static uint64_t
users(const struct primary *p)
{
	uint64_t h = 0xcbf29ce484222325u;
	struct json_members m = json_members(cache_object_text(p->object));

	while (json_member(&m)) {
		struct json_members in;

		if (span_is(m.key, "status"))
			continue;
		h = mix(h, m.key);
		if (!span_is(m.key, "metadata")) {
			h = mix(h, m.value);
			continue;
		}
		in = json_members(m.value);
		while (json_member(&in))
			if (!span_is(in.key, "resourceVersion"))
				h = mix(mix(h, in.key), in.value);
	}
	return h;
}

static struct unsettled *
find_budget(
    const struct primary *p, enum unsettled_what what, const char *label)
{
	for (size_t i = 0; i < p->said.unsettled_count; i++) {
		struct unsettled *u = &p->said.unsettled[i];

		if (u->what == what &&
		    (what != UNSETTLED_ITEM || strcmp(u->label, label) == 0))
			return u;
	}
	return NULL;
}

/* Whether o is an item that we keep changing: then its status changes are
 * answers to us. */
static bool
is_changing(const struct primary *p, const struct cache_object *o)
{
	struct buf label = BUF_INIT;
	bool is;

	cache_object_add_label(&label, o);
	is = find_budget(p, UNSETTLED_ITEM, buf_str(&label)) != NULL;
	buf_release(&label);
	return is;
}

/* Mixes an object into h. The status alone counts of a managed object: the rest
 * is ours. */
static uint64_t
mix_object(uint64_t h, const struct primary *p, const struct use *u,
    const struct cache_object *o)
{
	if (u->role != USE_DEPENDENT || !u->conf->manage)
		return mix_number(h, o->serial);
	if (is_changing(p, o))
		return h;
	h = mix(h, cache_object_key(o));
	return mix(h, json_get(cache_object_text(o), "status"));
}

static uint64_t
others(const struct primary *p, enum unsettled_what what)
{
	bool item = what == UNSETTLED_ITEM || what == UNSETTLED_SET;
	bool owned = !item || p->entry->conf->reads_owned;
	uint64_t h = users(p);

	for (size_t i = 0; i < p->entry->use_count; i++) {
		const struct use *u = p->entry->uses[i];
		struct cache_object **list;

		if (u->role == USE_PRIMARY ||
		    (u->role == USE_DEPENDENT && !owned))
			continue;
		h = mix_number(h, i);
		list = entry_objects(p->entry, p, u);
		for (size_t j = 0; list[j] != NULL; j++)
			h = mix_object(h, p, u, list[j]);
		free(list);
	}
	return h;
}

/* ---- budgets ---- */

enum {
	BUDGET = 3000,
	REFILL = 30, /* per second */
	OWN = 30,
	OWN_SET = 100, /* before the prune limit stops all primaries */
	OTHERS = 1
};
static const int64_t second_us = 1000000, longest_us = 600 * 1000000ll;

static struct unsettled *
budget_of(struct primary *p, enum unsettled_what what, const char *label,
    int64_t now_us)
{
	struct unsettled *u = find_budget(p, what, label);

	if (u != NULL)
		return u;
	p->said.unsettled = mem_grow(p->said.unsettled, p->said.unsettled_count,
	    sizeof(*p->said.unsettled));
	u = &p->said.unsettled[p->said.unsettled_count++];
	*u = (struct unsettled){.what = what,
	    .label = label != NULL ? mem_strdup(label) : NULL,
	    .budget = BUDGET,
	    .at_us = now_us};
	return u;
}

static void
refill(struct unsettled *u, int64_t now_us)
{
	int64_t passed = now_us - u->at_us;

	/* Setting the clock gives no budget. */
	if (passed > longest_us)
		passed = longest_us;
	if (passed > 0)
		u->budget += passed * REFILL / second_us;
	if (passed < 0 || passed * REFILL >= second_us)
		u->at_us = now_us;
	if (u->budget > BUDGET)
		u->budget = BUDGET;
}

/* ---- deciding ---- */

bool
damping_holds(struct decision *d, enum unsettled_what what, const char *label)
{
	struct unsettled *u = find_budget(d->primary, what, label);

	if (u == NULL)
		return false;
	u->wanted = true;
	return damping_is_held(&u->hold, d->now_us);
}

void
damping_begin(struct decision *d)
{
	struct primary *p = d->primary;

	for (size_t n = p->said.unsettled_count; n-- > 0;) {
		struct unsettled *u = &p->said.unsettled[n];
		/* A change of the primary by its users may settle it. */
		bool over = u->holds > 0 &&
		    ((!u->wanted && u->hold.quiet_us <= d->now_us) ||
			u->users != users(p));

		u->wanted = false;
		if (u->holds == 0)
			refill(u, d->now_us);
		if (over)
			buf_addf(&d->loops_over, "%s%s: that is over",
			    d->loops_over.len > 0 ? "\n" : "", u->message);
		if (over || (u->holds == 0 && u->budget >= BUDGET))
			said_settle(&p->said, n);
	}
}

void
damping_end(struct decision *d)
{
	for (size_t n = 0; n < d->primary->said.unsettled_count; n++) {
		const struct unsettled *u = &d->primary->said.unsettled[n];

		if (u->holds > 0)
			points_look_again(
			    d, u->wanted ? u->hold.until_us : u->hold.quiet_us);
	}
}

bool
damping_holds_target(
    const struct primary *p, const struct target *t, int64_t now_us)
{
	const struct unsettled *set = find_budget(p, UNSETTLED_SET, NULL);
	const struct unsettled *u = NULL;

	/* The item may be created again, which is a change of the set. */
	if ((t->type == POINT_ITEM || t->type == POINT_DELETE) && set != NULL &&
	    damping_is_held(&set->hold, now_us))
		return true;
	if (t->type == POINT_ITEM)
		u = find_budget(p, UNSETTLED_ITEM, t->label);
	else if (t->type == POINT_STATUS)
		u = find_budget(p, UNSETTLED_STATUS, NULL);
	return u != NULL && damping_is_held(&u->hold, now_us);
}

/* ---- counting ---- */

/* Whether the change of this point counts, and as which kind of change.
 * Requests that were made already, repairs of changes by others, and new items
 * do not count. */
static bool
counts(
    const struct primary *p, const struct point *pt, enum unsettled_what *what)
{
	const struct desired_item *i = pt->item;

	if (pt->done || line_is_asked(p, pt))
		return false;
	switch (pt->target.type) {
	case POINT_ITEM:
		*what = UNSETTLED_ITEM;
		return pt->object != NULL
		    ? !i->memory.agreed_before /* a repair */
		    : i->memory.compared != 0;
	case POINT_DELETE:
	case POINT_FOREIGN:
	case POINT_RELEASE:
		*what = UNSETTLED_SET;
		return !p->object->terminating;
	case POINT_STATUS:
		*what = UNSETTLED_STATUS;
		return true;
	default:
		return false;
	}
}

/* The change, in the words of the log; NULL: no such point here. */
static void
describe(const struct primary *p, const struct decision *d,
    const struct point *pt, struct buf *b)
{
	struct err err = ERR_INIT;
	struct buf path = BUF_INIT, values = BUF_INIT;
	const struct cache_object *o = pt->object;
	jv wanted,
	    observed = jvtext_parse(
		cache_object_text(o != NULL ? o : p->object), &err);

	if (pt->target.type == POINT_STATUS) {
		wanted = jvtext_parse(buf_span(&d->status), &err);
		agree_status_values(
		    wanted, jvtext_peek(observed, "status"), &path, &values);
	} else {
		wanted = jvtext_parse(primary_item_text(pt->item), &err);
		agree_values(wanted, observed, &path,
		    reason_is_confidential(pt->item) ? NULL : &values);
		if (path.len == 0 && (pt->item->marks & ITEM_EXACTLY))
			agree_exactly(wanted, observed, &path);
		buf_addf(b, "%s: ", pt->item->label);
	}
	reason_hide_texts(p, &values);
	buf_addf(b, "%s changes again and again", buf_str(&path));
	if (values.len > 0)
		buf_addf(b, " (%s)", buf_str(&values));
	jv_free(wanted);
	jv_free(observed);
	buf_release(&path);
	buf_release(&values);
}

static void
set_message(struct unsettled *u, const struct primary *p,
    const struct decision *d, const struct point *pt)
{
	struct buf b = BUF_INIT;

	if (pt == NULL) {
		buf_adds(&b, "events change again and again");
	} else if (pt->target.type == POINT_RELEASE) {
		cache_object_add_label(&b, pt->object);
		buf_adds(&b, " and others are held and given back in turn");
	} else if (pt->target.type == POINT_DELETE ||
	    pt->target.type == POINT_FOREIGN) {
		cache_object_add_label(&b, pt->object);
		buf_adds(&b, " and others are created and deleted in turn");
	} else if (pt->target.type == POINT_ITEM && pt->object == NULL) {
		buf_addf(&b, "%s is deleted and recreated again and again",
		    pt->item->label);
	} else {
		describe(p, d, pt, &b);
	}
	free(u->message);
	u->message = buf_take(&b);
}

/* Whether the budget has enough for one more change, which is taken from it. */
static bool
is_paid(struct unsettled *u, const struct primary *p, int64_t now_us)
{
	uint64_t now = others(p, u->what);

	if (u->holds > 0)
		return false;
	refill(u, now_us);
	u->budget -= u->others != now  ? OTHERS
	    : u->what == UNSETTLED_SET ? OWN_SET
				       : OWN;
	u->others = now;
	return u->budget > 0;
}

bool
damping_count_changes(
    struct primary *p, const struct decision *d, struct buf *what)
{
	bool set = false, news = false;

	for (size_t n = 0; n <= d->count; n++) {
		const struct point *pt = n < d->count ? &d->points[n] : NULL;
		enum unsettled_what kind = UNSETTLED_EVENTS;
		struct unsettled *u;

		if (pt != NULL ? !counts(p, pt, &kind) : !d->has_news)
			continue;
		if (kind == UNSETTLED_SET && set)
			continue;
		set = set || kind == UNSETTLED_SET;
		u = budget_of(p, kind,
		    kind == UNSETTLED_ITEM ? pt->target.label : NULL,
		    d->now_us);
		u->counted = true;
		if (is_paid(u, p, d->now_us))
			continue;
		news = true;
		set_message(u, p, d, pt);
		if (u->holds > 0)
			continue;
		u->holds = 1;
		u->users = users(p);
		buf_addf(what, "%s%s: it is held back", what->len ? "\n" : "",
		    u->message);
	}
	return news;
}
