#include "loops.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "json.h"
#include "jvtext.h"
#include "line.h"
#include "marks.h"
#include "mem.h"

enum { TOO_OFTEN = 5, DOUBLINGS = 6 };
static const int64_t second = 1000000, window_us = 600 * 1000000ll;
static const char condition_type[] = "RepairLoop";

/* ---- counting ---- */

static bool
count(struct item *i, int64_t now_us)
{
	/* One held back for minutes stays in its loop. */
	if (!i->looping && now_us - i->repairs_since_us > window_us)
		i->repairs = 0;
	if (i->repairs++ == 0)
		i->repairs_since_us = now_us;
	free(i->loop_path);
	i->loop_path = mem_strdup(i->path != NULL ? i->path : "");
	if (i->looping || i->repairs < TOO_OFTEN)
		return false;
	i->looping = true;
	return true;
}

/* Is this a repair that was not asked for yet? */
static bool
is_repair(const struct primary *p, const struct point *pt)
{
	return pt->type == POINT_ITEM && pt->object != NULL && !pt->done &&
	    pt->item->agreed_before && !line_is_asked(p, pt);
}

size_t
loops_count(struct primary *p, struct decision *d, struct buf *what)
{
	size_t found = 0;

	for (size_t n = 0; n < d->count; n++) {
		struct item *i = d->points[n].item;

		if (!is_repair(p, &d->points[n]) || !count(i, d->now_us))
			continue;
		found++;
		buf_addf(what,
		    "%s%s: %s is changed by somebody else each time it was "
		    "repaired",
		    what->len > 0 ? "\n" : "", i->label, i->loop_path);
	}
	return found;
}

void
loops_hold(struct primary *p, const struct decision *d)
{
	for (size_t n = 0; n < d->count; n++) {
		struct item *i = d->points[n].item;
		int64_t wait, between;
		unsigned doublings;

		if (!is_repair(p, &d->points[n]) || !i->looping)
			continue;
		doublings = i->repairs - TOO_OFTEN;
		if (doublings > DOUBLINGS)
			doublings = DOUBLINGS;
		wait = (10 * second) << doublings;
		wait = wait < window_us ? wait : window_us;
		between = (d->now_us - i->repairs_since_us) / (i->repairs - 1);
		i->held_until_us = d->now_us + wait;
		i->quiet_us =
		    d->now_us + (wait > 2 * between ? wait : 2 * between);
	}
}

void
loops_watch(struct item *i, struct decision *d)
{
	int64_t at = i->agrees ? i->quiet_us : i->held_until_us;

	if (!i->looping)
		return;
	if (i->agrees && at <= d->now_us) {
		i->looping = false;
		i->repairs = 0;
		buf_addf(&d->loops_over,
		    "%s%s: %s is not changed back any more",
		    d->loops_over.len > 0 ? "\n" : "", i->label, i->loop_path);
	} else if (at > d->now_us &&
	    (d->held_until_us == 0 || at < d->held_until_us)) {
		d->held_until_us = at;
	}
}

void
loops_glimpse(struct primary *p, const struct object *o)
{
	for (size_t n = 0; p->dirty && n < p->desired.count; n++) {
		struct item *i = &p->desired.items[n];

		if (i->kind != o->kind || i->agreed_before ||
		    !span_eq(buf_span(&i->key), object_key(o)) ||
		    p->object == NULL || o->terminating ||
		    !marks_is_member(o, p->object))
			continue;
		item_compare(i, o);
		i->agreed_before = i->agrees;
	}
}

/* ---- telling ---- */

static const struct item *
next_loop(const struct decision *d, size_t *n)
{
	while (d->set != NULL && *n < d->set->count) {
		const struct item *i = &d->set->items[(*n)++];

		if (i->looping)
			return i;
	}
	return NULL;
}

bool
loops_any(const struct decision *d)
{
	size_t n = 0;

	return next_loop(d, &n) != NULL;
}

jv
loops_list(const struct decision *d)
{
	const struct item *i;
	jv list = jv_array();

	for (size_t n = 0; (i = next_loop(d, &n)) != NULL;) {
		jv loop = jv_object_set(
		    jv_object(), jv_string("item"), jv_string(i->label));

		loop = jv_object_set(
		    loop, jv_string("path"), jv_string(i->loop_path));
		list = jv_array_append(list, loop);
	}
	return list;
}

/* kapply knows the manager of the first one, and tells all in Events. */
static void
add_message(struct buf *b, const struct decision *d)
{
	size_t n = 0, more = 0;
	const struct item *i = next_loop(d, &n);
	struct span ns = span_make(i->key.data, strlen(i->key.data));

	buf_addf(b, "%s %.*s%s%s: %s is changed back by ${manager}",
	    i->kind->name, SPAN_ARG(ns), ns.n > 0 ? "/" : "",
	    i->key.data + ns.n + 1, i->loop_path);
	while (next_loop(d, &n) != NULL)
		more++;
	if (more > 0)
		buf_addf(b, "; and %zu more", more);
}

static bool
is_ours(jv condition_peek)
{
	return span_is(
	    jvtext_span(jvtext_peek(condition_peek, "type")), condition_type);
}

/* The transition's time, if the observed condition is true already. */
static jv
since(const struct decision *d)
{
	struct span observed =
	    json_path(object_text(d->primary->object), "status.conditions");
	char now[CLOCK_RFC3339_MAX];

	for (struct json_elements e = json_elements(observed);
	     json_element(&e);) {
		struct span time =
		    raw_string(json_get(e.value, "lastTransitionTime"));

		if (json_is(json_get(e.value, "type"), condition_type) &&
		    json_is(json_get(e.value, "status"), "True") && time.n > 0)
			return jv_string_sized(time.p, (int)time.n);
	}
	clock_format_s(d->now_us / second, now);
	return jv_string(now);
}

static jv
condition(const struct decision *d)
{
	jv c = jv_object_set(
	    jv_object(), jv_string("type"), jv_string(condition_type));
	struct buf message = BUF_INIT;
	int64_t generation;

	add_message(&message, d);
	c = jv_object_set(c, jv_string("status"), jv_string("True"));
	c = jv_object_set(c, jv_string("reason"), jv_string("ChangedBack"));
	c = jv_object_set(
	    c, jv_string("message"), jv_string(buf_str(&message)));
	c = jv_object_set(c, jv_string("lastTransitionTime"), since(d));
	if (json_int(json_path(object_text(d->primary->object),
			 "metadata.generation"),
		&generation))
		c = jv_object_set(c, jv_string("observedGeneration"),
		    jv_number((double)generation));
	buf_release(&message);
	return c;
}

jv
loops_condition(const struct decision *d, jv status)
{
	jv list = jvtext_peek(status, "conditions"), kept = jv_array();

	if (jv_get_kind(list) != JV_KIND_ARRAY) {
		jv_free(kept);
		return status;
	}
	jv_array_foreach(list, n, c)
	{
		if (is_ours(c))
			jv_free(c);
		else
			kept = jv_array_append(kept, c);
	}
	if (loops_any(d))
		kept = jv_array_append(kept, condition(d));
	return jv_object_set(status, jv_string("conditions"), kept);
}
