#include "decide/damping.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "decide/line.h"
#include "decide/points.h"
#include "json/json.h"
#include "state/marks.h"

static const int64_t first_us = 10 * 1000000ll, longest_us = 600 * 1000000ll;

/* ---- holds ---- */

/* Begins a hold for 10 seconds, doubled so many times; returns its length. */
static int64_t
begin_hold(struct hold *h, unsigned doublings, int64_t now_us)
{
	enum { DOUBLINGS = 6 };
	int64_t wait = first_us
	    << (doublings < DOUBLINGS ? doublings : DOUBLINGS);

	wait = wait < longest_us ? wait : longest_us;
	h->until_us = h->quiet_us = now_us + wait;
	return wait;
}

bool
damping_is_held(const struct hold *h, int64_t now_us)
{
	/* Nothing is held longer, unless the clock was set back. */
	return h->until_us > now_us && h->until_us - now_us <= longest_us;
}

/* ---- loops: counting ---- */

enum { TOO_OFTEN = 5, FIELDS_MAX = 16 };

/* How often a field was repaired. */
struct loop_field {
	uint64_t path; /* hash of the field's path */
	int64_t since_us;
	unsigned repairs;
};

/* The fields that were repaired lately, in one allocation. */
struct repairs {
	size_t count;
	struct loop_field items[];
};

static bool
is_looping(const struct desired_item *i)
{
	return i->memory.damping != NULL && i->memory.damping->looping;
}

bool
damping_is_repair(const struct desired_item *i)
{
	return i->memory.agreed_before ||
	    (i->memory.damping != NULL && i->memory.damping->permadiff.grown);
}

static const char *
path_of(const struct desired_item *i)
{
	return i->memory.path != NULL ? i->memory.path : "";
}

/* An item that is held back for minutes stays in its loop. */
static bool
is_old(const struct damping *g, const struct loop_field *f, int64_t now_us)
{
	return now_us - f->since_us > longest_us &&
	    !(g->looping && f->repairs >= TOO_OFTEN);
}

/* The field of the path that differs; NULL: there is none. */
static struct loop_field *
find_field(const struct damping *g, const char *field)
{
	uint64_t path = hash_text(span_str(field));

	for (size_t n = 0; g->repairs != NULL && n < g->repairs->count; n++)
		if (g->repairs->items[n].path == path)
			return &g->repairs->items[n];
	return NULL;
}

/* Adds a field that was not repaired yet, or long ago. A manager that changes
 * other fields each time must be found, too: beyond FIELDS_MAX all other fields
 * are counted as one. */
static struct loop_field *
add_field(struct damping *g, const char *field, int64_t now_us)
{
	struct loop_field *f = NULL;
	size_t count = g->repairs != NULL ? g->repairs->count : 0;

	for (size_t n = 0; n < count && f == NULL; n++)
		if (is_old(g, &g->repairs->items[n], now_us))
			f = &g->repairs->items[n];
	if (f == NULL && count == FIELDS_MAX)
		return &g->repairs->items[FIELDS_MAX - 1];
	if (f == NULL) {
		g->repairs = mem_realloc(
		    g->repairs, sizeof(*g->repairs) + (count + 1) * sizeof(*f));
		g->repairs->count = count + 1;
		f = &g->repairs->items[count];
	}
	*f = (struct loop_field){.path = hash_text(span_str(field))};
	return f;
}

static void
forget_repairs(struct damping *g)
{
	free(g->repairs);
	g->repairs = NULL;
	g->looping = false;
}

/* Counts a repair of the field that differs. True: now it is a loop. */
static bool
count_repair(struct desired_item *i, int64_t now_us)
{
	struct damping *g = primary_damping(i);
	struct loop_field *f = find_field(g, path_of(i));

	if (f == NULL)
		f = add_field(g, path_of(i), now_us);
	if (is_old(g, f, now_us))
		f->repairs = 0;
	if (f->repairs++ == 0)
		f->since_us = now_us;
	if (f->repairs < TOO_OFTEN)
		return false;
	free(g->loop_path);
	g->loop_path = mem_strdup(path_of(i));
	if (g->looping)
		return false;
	g->looping = true;
	return true;
}

/* Whether this is a repair that was not requested yet. */
static bool
is_new_repair(const struct primary *p, const struct point *pt)
{
	return pt->target.type == POINT_ITEM && pt->object != NULL &&
	    !pt->done && damping_is_repair(pt->item) && !line_is_asked(p, pt);
}

size_t
damping_count_repairs(struct primary *p, struct decision *d, struct buf *what)
{
	size_t found = 0;

	for (size_t n = 0; n < d->count; n++) {
		struct desired_item *i = d->points[n].item;

		if (!is_new_repair(p, &d->points[n]) ||
		    !count_repair(i, d->now_us))
			continue;
		found++;
		buf_addf(what,
		    "%s%s: %s is changed by somebody else each time it was "
		    "repaired",
		    what->len > 0 ? "\n" : "", i->label,
		    i->memory.damping->loop_path);
	}
	return found;
}

/* Holds back items in a loop that are repaired now. */
static void
hold_repairs(struct primary *p, const struct decision *d)
{
	for (size_t n = 0; n < d->count; n++) {
		struct desired_item *i = d->points[n].item;
		const struct loop_field *f;
		struct damping *g;
		int64_t wait, between;

		if (!is_new_repair(p, &d->points[n]) || !is_looping(i))
			continue;
		g = i->memory.damping;
		f = find_field(g, path_of(i));
		if (f == NULL && g->repairs->count == FIELDS_MAX)
			f = &g->repairs->items[FIELDS_MAX - 1];
		if (f == NULL || f->repairs < TOO_OFTEN)
			continue;
		wait = begin_hold(&g->hold, f->repairs - TOO_OFTEN, d->now_us);
		between = (d->now_us - f->since_us) / (f->repairs - 1);
		if (2 * between > wait)
			g->hold.quiet_us = d->now_us + 2 * between;
	}
}

void
damping_hold(struct primary *p, struct decision *d)
{
	hold_repairs(p, d);
	for (size_t n = 0; n < p->said.unsettled_count; n++) {
		struct unsettled *u = &p->said.unsettled[n];

		if (u->counted && u->holds > 0) {
			begin_hold(&u->hold, u->holds - 1, d->now_us);
			u->holds++;
			points_look_again(d, u->hold.until_us);
		}
		u->counted = false;
	}
}

bool
damping_holds_repair(const struct desired_item *i, int64_t now_us)
{
	return i->memory.damping != NULL &&
	    damping_is_held(&i->memory.damping->hold, now_us);
}

void
damping_meet(struct desired_item *i, const struct cache_object *object)
{
	struct span uid = object ? cache_object_uid(object) : SPAN_NONE;
	struct damping *g = i->memory.damping;

	if (!(i->marks & ITEM_PATCH) ||
	    (g != NULL && g->of_uid != NULL &&
		span_eq(span_str(g->of_uid), uid)))
		return;
	i->memory.agreed_before = false;
	if (g == NULL && uid.n == 0)
		return;
	g = primary_damping(i);
	free(g->of_uid);
	g->of_uid = uid.n > 0 ? mem_dup(uid.p, uid.n) : NULL;
	forget_repairs(g);
	g->hold.until_us = 0;
}

void
damping_watch(struct desired_item *i, struct decision *d)
{
	struct damping *g = i->memory.damping;
	int64_t at;

	if (!is_looping(i))
		return;
	at = i->memory.agrees ? g->hold.quiet_us : g->hold.until_us;
	if (i->memory.agrees && at <= d->now_us) {
		forget_repairs(g);
		buf_addf(&d->loops_over,
		    "%s%s: %s is not changed back any more",
		    d->loops_over.len > 0 ? "\n" : "", i->label, g->loop_path);
	} else if (at > d->now_us &&
	    (d->held_until_us == 0 || at < d->held_until_us)) {
		d->held_until_us = at;
	}
}

void
damping_replaced(struct primary *p, const struct cache_object *o)
{
	for (size_t n = 0; p->work.dirty && n < p->desired.count; n++) {
		struct desired_item *i = &p->desired.items[n];

		if (i->kind != o->kind || i->memory.agreed_before ||
		    !span_eq(primary_item_key(i), cache_object_key(o)) ||
		    p->object == NULL || o->terminating ||
		    (!(i->marks & ITEM_PATCH) &&
			!marks_is_member(p->entry, o, p->object)))
			continue;
		damping_meet(i, o);
		desired_compare(p, i, o, NULL);
		i->memory.agreed_before = i->memory.agrees;
	}
}

/* ---- loops: messages ---- */

static const struct desired_item *
next_loop(const struct decision *d, size_t *n)
{
	while (d->set != NULL && *n < d->set->count) {
		const struct desired_item *i = &d->set->items[(*n)++];

		if (is_looping(i))
			return i;
	}
	return NULL;
}

bool
damping_any_loop(const struct decision *d)
{
	size_t n = 0;

	return next_loop(d, &n) != NULL;
}

jv
damping_loops(const struct decision *d)
{
	const struct desired_item *i;
	jv list = jv_array();

	for (size_t n = 0; (i = next_loop(d, &n)) != NULL;) {
		jv loop = jv_object_set(
		    jv_object(), jv_string("item"), jv_string(i->label));

		loop = jv_object_set(loop, jv_string("path"),
		    jv_string(i->memory.damping->loop_path));
		list = jv_array_append(list, loop);
	}
	return list;
}

static void
add_subject(struct buf *b, const struct desired_item *i)
{
	struct span ns = span_make(i->key, strlen(i->key));
	struct span name = span_make(ns.p + ns.n + 1, i->key_len - ns.n - 1);

	buf_addf(b, "%s %.*s%s%.*s: %s is changed back by ", i->kind->name,
	    SPAN_ARG(ns), ns.n > 0 ? "/" : "", SPAN_ARG(name),
	    i->memory.damping->loop_path);
}

/* The manager's name in the observed condition; empty: it has none. */
static void
add_known_name(
    struct buf *b, const struct decision *d, const struct desired_item *i)
{
	struct buf subject = BUF_INIT, scratch = BUF_INIT;
	struct span said = json_string(
	    json_get(points_condition(d, NOTICE_LOOP), "message"), &scratch);
	const char *end;

	add_subject(&subject, i);
	if (said.n > subject.len &&
	    memcmp(said.p, subject.data, subject.len) == 0) {
		said = span_skip(said, subject.len);
		end = span_find(said, ';');
		buf_add(b, said.p, end ? (size_t)(end - said.p) : said.n);
	}
	buf_release(&subject);
	buf_release(&scratch);
}

/*
 * kapply can find the other manager as long as the field has its value. After
 * our repair the name is in the observed condition, if that was written
 * already.
 */
static bool
is_asked_for(const struct decision *d, const struct desired_item *i)
{
	struct buf name = BUF_INIT;
	size_t n = 0;
	bool asked = !i->memory.agrees;

	if (!asked && next_loop(d, &n) == i) {
		add_known_name(&name, d, i);
		asked = name.len == 0;
	}
	buf_release(&name);
	return asked;
}

void
damping_add_loops(struct buf *b, const struct decision *d)
{
	const struct desired_item *i;
	bool first = true;

	for (size_t n = 0; (i = next_loop(d, &n)) != NULL;) {
		if (!is_asked_for(d, i))
			continue;
		if (first) {
			json_add_key(b, "loops");
			buf_addc(b, '{');
		}
		first = false;
		json_add_comma(b);
		json_add_str(b, i->label);
		buf_addc(b, ':');
		json_add_str(b, i->memory.damping->loop_path);
	}
	if (!first)
		buf_addc(b, '}');
}

/* ---- what is said ---- */

static const struct unsettled *
next_unsettled(const struct decision *d, size_t *n)
{
	while (*n < d->primary->said.unsettled_count) {
		const struct unsettled *u = &d->primary->said.unsettled[(*n)++];

		if (u->holds > 0)
			return u;
	}
	return NULL;
}

bool
damping_any_unsettled(const struct decision *d)
{
	size_t n = 0;

	return next_unsettled(d, &n) != NULL;
}

jv
damping_conditions(const struct decision *d, jv status)
{
	struct buf loops = BUF_INIT, changes = BUF_INIT;
	size_t n = 0, more = 0;
	const struct desired_item *i = next_loop(d, &n);
	const struct unsettled *u;

	/* kapply reports all loops in Events. */
	if (i != NULL) {
		add_subject(&loops, i);
		if (is_asked_for(d, i))
			buf_adds(&loops, "${manager}");
		else
			add_known_name(&loops, d, i);
	}
	while (next_loop(d, &n) != NULL)
		more++;
	if (more > 0)
		buf_addf(&loops, "; and %zu more", more);

	n = more = 0;
	u = next_unsettled(d, &n);
	if (u != NULL)
		buf_adds(&changes, u->message);
	while (next_unsettled(d, &n) != NULL)
		more++;
	if (more > 0)
		buf_addf(&changes, "; and %zu more", more);

	status = points_set_condition(
	    d, status, NOTICE_LOOP, loops.len > 0 ? buf_str(&loops) : "");
	status = points_set_condition(d, status, NOTICE_UNSETTLED,
	    changes.len > 0 ? buf_str(&changes) : "");
	buf_release(&loops);
	buf_release(&changes);
	return status;
}

void
damping_note(struct decision *d)
{
	const struct unsettled *u;

	permadiff_note(d);
	for (size_t n = 0; (u = next_unsettled(d, &n)) != NULL;)
		points_note(d, NOTICE_UNSETTLED, u->message);
}
