#include "sidecar/shadowdiff.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "failure/notice.h"
#include "json/json.h"
#include "process/log.h"
#include "value/objref.h"

/* Bytes of one value, of a path or name, of a message of an Event. */
enum { VALUE_MAX = 120, TEXT_MAX = 300, MESSAGE_MAX = 900 };

/* State that the last Event about a primary told. */
enum stand { STAND_AGREES, STAND_DIFFERS, STAND_FAILS };

struct shadowdiff_primary {
	char *key, *uid;    /* owned; uid may be NULL */
	struct map objects; /* owned "PART KEY": those that differ */
	char *first;	    /* owned: the first that did, for people */
	char *failure;	    /* owned: why it is not compared now, or NULL */
	enum stand told;
};

/* ---- words ---- */

/* A text that may be long, or hide something. */
static void
add_text(struct buf *b, struct span text, size_t max)
{
	size_t n = utf8_cut(text, max);

	quote_text(b, span_make(text.p, n));
	if (n < text.n)
		buf_adds(b, "...");
}

static void
add_string(struct buf *b, struct span value, const char *absent, size_t max)
{
	struct buf scratch = BUF_INIT;
	struct span text = json_string(value, &scratch);

	add_text(b, text.p != NULL ? text : span_str(absent), max);
	buf_release(&scratch);
}

/* "Deployment.apps default/x" of a key. */
static void
add_label(struct buf *b, struct span key)
{
	struct buf scratch = BUF_INIT, label = BUF_INIT;
	struct span text = json_string(key, &scratch);
	struct objref o = {0};

	if (text.p != NULL && objref_parse_key(&o, text))
		objref_add_label(&label, &o);
	else
		buf_addspan(&label, text);
	add_text(b, buf_span(&label), TEXT_MAX);
	buf_release(&label);
	buf_release(&scratch);
}

/* " .spec.replicas 3 -> 5 and 2 more" */
static void
add_fields(struct buf *b, struct span line)
{
	struct json_elements e = json_elements(json_get(line, "differs"));
	struct span field = SPAN_NONE, before, after;
	int64_t more = 0;

	if (!json_int(json_get(line, "moreDiffers"), &more))
		more = 0;
	while (json_element(&e)) {
		if (field.p == NULL)
			field = e.value;
		else
			more++;
	}
	if (field.p == NULL)
		return;
	before = json_get(field, "before");
	after = json_get(field, "after");
	buf_addc(b, ' ');
	add_string(b, json_get(field, "path"), "", TEXT_MAX);
	if (before.p == NULL && after.p == NULL) { /* values are not told */
		buf_adds(b, " differs");
	} else {
		buf_addc(b, ' ');
		add_string(b, before, "nothing", VALUE_MAX);
		buf_adds(b, " -> ");
		add_string(b, after, "nothing", VALUE_MAX);
	}
	if (more > 0)
		buf_addf(b, " and %lld more", (long long)more);
}

static bool
is_unknown(struct span line)
{
	return span_is(
	    json_raw_string(json_get(line, "change")), "not-compared");
}

/* "Deployment.apps default/x .spec.replicas 3 -> 5", "status agrees". */
static void
add_object(struct buf *b, struct span line)
{
	struct span part = json_raw_string(json_get(line, "part"));
	struct span change = json_raw_string(json_get(line, "change"));
	bool item = span_is(part, "item");

	if (part.p == NULL) {
		buf_adds(b, "is gone");
		return;
	}
	if (!item)
		add_text(b, part, VALUE_MAX);
	if (span_is(part, "delete") || span_is(part, "release"))
		buf_addc(b, ' ');
	if (is_unknown(line)) {
		buf_adds(b, " of both programs, not compared: ");
		add_string(b, json_get(line, "message"), "", TEXT_MAX);
		return;
	}
	if (item || span_is(part, "delete") || span_is(part, "release"))
		add_label(b, json_get(line, "object"));
	if (span_is(change, "differs")) {
		add_fields(b, line);
		return;
	}
	buf_addc(b, ' ');
	add_text(b, change, VALUE_MAX);
}

/* ---- the window ---- */

static void
on_window(void *arg)
{
	struct shadowdiff *d = arg;

	if (d->unlogged > 0)
		log_info("shadow: %zu more lines like these in %d s",
		    d->unlogged, SHADOWDIFF_WINDOW_MS / 1000);
	d->logged = d->unlogged = d->told = 0;
	shadowdiff_settle(d);
}

static void
open_window(struct shadowdiff *d)
{
	if (!loop_timer_armed(&d->window))
		loop_after(
		    d->loop, &d->window, SHADOWDIFF_WINDOW_MS, on_window, d);
}

static void
log_line(struct shadowdiff *d, struct span line)
{
	struct buf b = BUF_INIT;

	open_window(d);
	if (d->logged == SHADOWDIFF_LOGGED) {
		d->unlogged++;
		return;
	}
	d->logged++;
	add_label(&b, json_get(line, "primary"));
	buf_adds(&b, ": ");
	add_object(&b, line);
	log_info("shadow: %s", buf_str(&b));
	buf_release(&b);
}

/* ---- primaries ---- */

static void
clear(struct shadowdiff_primary *p)
{
	char *name;

	for (size_t i = 0; (name = map_next(&p->objects, &i)) != NULL;)
		free(name);
	map_release(&p->objects);
	p->objects = (struct map)MAP_INIT;
	free(p->first);
	free(p->failure);
	p->first = p->failure = NULL;
}

static void
forget(struct shadowdiff *d, struct shadowdiff_primary *p)
{
	map_del(&d->primaries, span_str(p->key));
	clear(p);
	free(p->key);
	free(p->uid);
	free(p);
}

static struct shadowdiff_primary *
find(struct shadowdiff *d, struct span key)
{
	struct shadowdiff_primary *p = map_get(&d->primaries, key);

	if (p != NULL)
		return p;
	if (d->primaries.count >= SHADOWDIFF_PRIMARIES_MAX) {
		if (!d->full)
			log_warning("shadow: more than %d primaries differ: "
				    "there are no Events about the others",
			    SHADOWDIFF_PRIMARIES_MAX);
		d->full = true;
		return NULL;
	}
	p = mem_zalloc(sizeof(*p));
	p->key = mem_dup(key.p, key.n);
	map_put(&d->primaries, span_str(p->key), p);
	return p;
}

static void
differs(struct shadowdiff_primary *p, struct span name, struct span line)
{
	struct buf first = BUF_INIT;
	char *copy;

	if (map_get(&p->objects, name) != NULL ||
	    p->objects.count >= SHADOWDIFF_OBJECTS_MAX)
		return;
	if (p->objects.count == 0) {
		add_object(&first, line);
		free(p->first);
		p->first = buf_take(&first);
	}
	copy = mem_dup(name.p, name.n);
	map_put(&p->objects, span_make(copy, name.n), copy);
}

/* A line about an object of the primary. */
static void
note(struct shadowdiff *d, struct shadowdiff_primary *p, struct span line)
{
	struct span part = json_raw_string(json_get(line, "part"));
	struct span change = json_raw_string(json_get(line, "change"));
	struct span uid = json_raw_string(json_get(line, "uid"));
	struct buf name = BUF_INIT, why = BUF_INIT;

	buf_addspan(&name, part);
	buf_addc(&name, ' ');
	buf_addspan(&name, json_get(line, "object"));
	/* A line about a failure replaces the last one about it. */
	if (span_is(part, "failure")) {
		free(p->failure);
		p->failure = NULL;
	}
	if (is_unknown(line)) {
		/* Both programs fail: whether they agree is not known. */
		free(map_del(&p->objects, buf_span(&name)));
		free(p->failure);
		add_string(&why, json_get(line, "message"), "", TEXT_MAX);
		buf_str(&why);
		p->failure = buf_take(&why);
	} else if (span_is(change, "agrees")) {
		free(map_del(&p->objects, buf_span(&name)));
	} else {
		differs(p, buf_span(&name), line);
	}
	if (uid.n > 0) {
		free(p->uid);
		p->uid = mem_dup(uid.p, uid.n);
	}
	buf_release(&name);
	d->due = true;
}

void
shadowdiff_take(struct shadowdiff *d, struct span line)
{
	struct buf scratch = BUF_INIT;
	struct span key = json_string(json_get(line, "primary"), &scratch);
	struct shadowdiff_primary *p;

	if (key.n == 0) {
		log_debug("shadow: a line without primary");
	} else {
		log_line(d, line);
		p = find(d, key);
		if (p != NULL &&
		    span_is(json_raw_string(json_get(line, "change")), "gone"))
			forget(d, p);
		else if (p != NULL)
			note(d, p, line);
	}
	buf_release(&scratch);
}

/* ---- Events ---- */

static enum stand
stand_of(const struct shadowdiff_primary *p)
{
	return p->failure != NULL  ? STAND_FAILS
	    : p->objects.count > 0 ? STAND_DIFFERS
				   : STAND_AGREES;
}

static void
add_message(struct buf *b, const struct shadowdiff *d,
    const struct shadowdiff_primary *p)
{
	size_t n = p->objects.count;

	if (p->failure != NULL) {
		buf_adds(b, "it cannot be compared with ");
		add_text(b, span_str(d->path), TEXT_MAX);
		buf_addf(b, ", both programs fail: %s", p->failure);
		b->len = utf8_cut(buf_span(b), MESSAGE_MAX);
		return;
	}
	if (n == 0) {
		buf_adds(b, "nothing differs any more with ");
		add_text(b, span_str(d->path), TEXT_MAX);
		return;
	}
	buf_addf(b, "%zu object%s would differ with ", n, n > 1 ? "s" : "");
	add_text(b, span_str(d->path), TEXT_MAX);
	buf_addf(b, "%s%s", n > 1 ? ", such as " : ": ", p->first);
	b->len = utf8_cut(buf_span(b), MESSAGE_MAX);
}

/* A primary that only the other file has is not ours to speak about. */
static bool
tell(struct shadowdiff *d, const struct shadowdiff_primary *p)
{
	static const char *const reasons[] = {
	    "ShadowAgrees", "ShadowDiffers", "ShadowFails"};
	struct buf line = BUF_INIT, message = BUF_INIT;
	struct objref o = {0};
	const struct watch_entry *e = NULL;
	bool told = true;

	if (objref_parse_key(&o, span_str(p->key)))
		for (size_t i = 0; i < d->watches->count && e == NULL; i++) {
			const struct watch_kind *k =
			    &d->watches->entries[i].primary;

			if (span_is(o.kind, k->kind) &&
			    span_is(o.group, k->group))
				e = &d->watches->entries[i];
		}
	if (e != NULL) {
		o.api_version = span_str(e->primary.api_version);
		o.uid = span_str(p->uid);
		add_message(&message, d, p);
		notice_add(&line,
		    &(struct notice){o, "Normal", reasons[stand_of(p)],
			buf_str(&message), e->manager});
		if (line.len < PIPE_BUF)
			told = d->tell(d->arg, buf_span(&line));
	}
	buf_release(&message);
	buf_release(&line);
	return told;
}

/* False: no more can be told now. */
static bool
settle(struct shadowdiff *d, struct shadowdiff_primary *p)
{
	enum stand now = stand_of(p);

	if (now == p->told || (now == STAND_AGREES && d->unsure))
		return true;
	if (d->told == SHADOWDIFF_TOLD || !tell(d, p))
		return false;
	open_window(d);
	d->told++;
	p->told = now;
	return true;
}

void
shadowdiff_settle(struct shadowdiff *d)
{
	struct shadowdiff_primary *p;
	void **all;

	if (!d->due)
		return;
	d->due = false;
	for (size_t i = 0; (p = map_next(&d->primaries, &i)) != NULL;)
		if (!settle(d, p)) {
			d->due = true;
			return;
		}
	/* Primaries that agree, and are known to, are forgotten. */
	all = map_sorted(&d->primaries);
	for (size_t n = d->primaries.count, i = 0; i < n; i++) {
		p = all[i];
		if (stand_of(p) == STAND_AGREES && p->told == STAND_AGREES)
			forget(d, p);
	}
	free(all);
}

void
shadowdiff_again(struct shadowdiff *d)
{
	struct shadowdiff_primary *p;

	for (size_t i = 0; (p = map_next(&d->primaries, &i)) != NULL;)
		clear(p);
	d->unsure = true;
}

void
shadowdiff_whole(struct shadowdiff *d)
{
	d->unsure = false;
	d->due = true;
	shadowdiff_settle(d);
}

void
shadowdiff_release(struct shadowdiff *d)
{
	struct shadowdiff_primary *p;

	if (d->loop != NULL)
		loop_cancel(d->loop, &d->window);
	for (size_t i = 0; (p = map_next(&d->primaries, &i)) != NULL;) {
		clear(p);
		free(p->key);
		free(p->uid);
		free(p);
	}
	map_release(&d->primaries);
}
