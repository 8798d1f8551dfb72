#include "decide/loops.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "decide/line.h"
#include "decide/points.h"
#include "decide/staying.h"
#include "json/json.h"
#include "json/jvtext.h"
#include "state/marks.h"

enum { TOO_OFTEN = 5, DOUBLINGS = 6, FIELDS_MAX = 16 };
static const int64_t second = 1000000, window_us = 600 * 1000000ll;
static const char condition_type[] = "RepairLoop";

/* ---- counting ---- */

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

static const char *
path_of(const struct desired_item *i)
{
	return i->path != NULL ? i->path : "";
}

/* An item that is held back for minutes stays in its loop. */
static bool
is_old(const struct desired_item *i, const struct loop_field *f, int64_t now_us)
{
	return now_us - f->since_us > window_us &&
	    !(i->looping && f->repairs >= TOO_OFTEN);
}

/* The field of the path that differs; NULL: there is none. */
static struct loop_field *
find(const struct desired_item *i)
{
	uint64_t path = hash_text(span_str(path_of(i)));

	for (size_t n = 0; i->repairs != NULL && n < i->repairs->count; n++)
		if (i->repairs->items[n].path == path)
			return &i->repairs->items[n];
	return NULL;
}

/* A manager that changes other fields each time must be found, too: beyond this
 * number all other fields are counted as one. */
static struct loop_field *
find_or_last(const struct desired_item *i)
{
	struct loop_field *f = find(i);

	return f != NULL || i->repairs->count < FIELDS_MAX
	    ? f
	    : &i->repairs->items[FIELDS_MAX - 1];
}

/* A field that was not repaired yet, or long ago. */
static struct loop_field *
add_field(struct desired_item *i, int64_t now_us)
{
	struct loop_field *f = NULL;
	size_t count = i->repairs != NULL ? i->repairs->count : 0;

	for (size_t n = 0; n < count && f == NULL; n++)
		if (is_old(i, &i->repairs->items[n], now_us))
			f = &i->repairs->items[n];
	if (f == NULL && count == FIELDS_MAX)
		return &i->repairs->items[FIELDS_MAX - 1];
	if (f == NULL) {
		i->repairs = mem_realloc(
		    i->repairs, sizeof(*i->repairs) + (count + 1) * sizeof(*f));
		i->repairs->count = count + 1;
		f = &i->repairs->items[count];
	}
	*f = (struct loop_field){.path = hash_text(span_str(path_of(i)))};
	return f;
}

static void
forget(struct desired_item *i)
{
	free(i->repairs);
	i->repairs = NULL;
	i->looping = false;
}

static bool
count(struct desired_item *i, int64_t now_us)
{
	struct loop_field *f = find(i);

	if (f == NULL)
		f = add_field(i, now_us);
	if (is_old(i, f, now_us))
		f->repairs = 0;
	if (f->repairs++ == 0)
		f->since_us = now_us;
	if (f->repairs < TOO_OFTEN)
		return false;
	free(i->loop_path);
	i->loop_path = mem_strdup(path_of(i));
	if (i->looping)
		return false;
	i->looping = true;
	return true;
}

/* Whether this is a repair that was not requested yet. */
static bool
is_repair(const struct primary *p, const struct point *pt)
{
	return pt->target.type == POINT_ITEM && pt->object != NULL &&
	    !pt->done &&
	    (pt->item->agreed_before || staying_has_grown(pt->item)) &&
	    !line_is_asked(p, pt);
}

size_t
loops_count(struct primary *p, struct decision *d, struct buf *what)
{
	size_t found = 0;

	for (size_t n = 0; n < d->count; n++) {
		struct desired_item *i = d->points[n].item;

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
		struct desired_item *i = d->points[n].item;
		const struct loop_field *f;
		int64_t wait, between;
		unsigned doublings;

		if (!is_repair(p, &d->points[n]) || !i->looping)
			continue;
		f = find_or_last(i);
		if (f == NULL || f->repairs < TOO_OFTEN)
			continue;
		doublings = f->repairs - TOO_OFTEN;
		if (doublings > DOUBLINGS)
			doublings = DOUBLINGS;
		wait = (10 * second) << doublings;
		wait = wait < window_us ? wait : window_us;
		between = (d->now_us - f->since_us) / (f->repairs - 1);
		i->held_until_us = d->now_us + wait;
		i->quiet_us =
		    d->now_us + (wait > 2 * between ? wait : 2 * between);
	}
}

bool
loops_is_held(const struct desired_item *i, int64_t now_us)
{
	/* Nothing is held longer, unless the clock was set back. */
	return i->held_until_us > now_us &&
	    i->held_until_us - now_us <= window_us;
}

void
loops_meet(struct desired_item *i, const struct cache_object *object)
{
	struct span uid = object ? cache_object_uid(object) : SPAN_NONE;

	if (!(i->marks & ITEM_PATCH) ||
	    (i->of_uid != NULL && span_eq(span_str(i->of_uid), uid)))
		return;
	free(i->of_uid);
	i->of_uid = uid.n > 0 ? mem_dup(uid.p, uid.n) : NULL;
	i->agreed_before = false;
	forget(i);
	i->held_until_us = 0;
}

void
loops_watch(struct desired_item *i, struct decision *d)
{
	int64_t at = i->agrees ? i->quiet_us : i->held_until_us;

	if (!i->looping)
		return;
	if (i->agrees && at <= d->now_us) {
		forget(i);
		buf_addf(&d->loops_over,
		    "%s%s: %s is not changed back any more",
		    d->loops_over.len > 0 ? "\n" : "", i->label, i->loop_path);
	} else if (at > d->now_us &&
	    (d->held_until_us == 0 || at < d->held_until_us)) {
		d->held_until_us = at;
	}
}

void
loops_replaced(struct primary *p, const struct cache_object *o)
{
	for (size_t n = 0; p->work.dirty && n < p->desired.count; n++) {
		struct desired_item *i = &p->desired.items[n];

		if (i->kind != o->kind || i->agreed_before ||
		    !span_eq(primary_item_key(i), cache_object_key(o)) ||
		    p->object == NULL || o->terminating ||
		    (!(i->marks & ITEM_PATCH) &&
			!marks_is_member(p->entry, o, p->object)))
			continue;
		loops_meet(i, o);
		desired_compare(p, i, o, NULL);
		i->agreed_before = i->agrees;
	}
}

/* ---- messages ---- */

static const struct desired_item *
next_loop(const struct decision *d, size_t *n)
{
	while (d->set != NULL && *n < d->set->count) {
		const struct desired_item *i = &d->set->items[(*n)++];

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
	const struct desired_item *i;
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

static void
add_subject(struct buf *b, const struct desired_item *i)
{
	struct span ns = span_make(i->key, strlen(i->key));
	struct span name = span_make(ns.p + ns.n + 1, i->key_len - ns.n - 1);

	buf_addf(b, "%s %.*s%s%.*s: %s is changed back by ", i->kind->name,
	    SPAN_ARG(ns), ns.n > 0 ? "/" : "", SPAN_ARG(name), i->loop_path);
}

/* The manager's name in the observed condition; empty: it has none. */
static void
add_known_name(
    struct buf *b, const struct decision *d, const struct desired_item *i)
{
	struct buf subject = BUF_INIT, scratch = BUF_INIT;
	struct span said = json_string(
	    json_get(points_condition(d, condition_type), "message"), &scratch);
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
	bool asked = !i->agrees;

	if (!asked && next_loop(d, &n) == i) {
		add_known_name(&name, d, i);
		asked = name.len == 0;
	}
	buf_release(&name);
	return asked;
}

/* For the first loop; kapply reports all of them in Events. */
static void
add_message(struct buf *b, const struct decision *d)
{
	size_t n = 0, more = 0;
	const struct desired_item *i = next_loop(d, &n);

	add_subject(b, i);
	if (is_asked_for(d, i))
		buf_adds(b, "${manager}");
	else
		add_known_name(b, d, i);
	while (next_loop(d, &n) != NULL)
		more++;
	if (more > 0)
		buf_addf(b, "; and %zu more", more);
}

void
loops_add(struct buf *b, const struct decision *d)
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
		json_add_str(b, i->loop_path);
	}
	if (!first)
		buf_addc(b, '}');
}

jv
loops_condition(const struct decision *d, jv status)
{
	struct buf message = BUF_INIT;

	if (loops_any(d))
		add_message(&message, d);
	status = points_set_condition(d, status, condition_type, "ChangedBack",
	    message.len > 0 ? buf_str(&message) : NULL);
	buf_release(&message);
	return status;
}
