#include "watchevent.h"

#include <inttypes.h>
#include <string.h>

#include "json/stream.h"
#include "process/log.h"
#include "record/sketch.h"
#include "value/objref.h"
#include "writers.h"

/* ---- the object as it goes out ---- */

/* The object without managedFields, with the type that lists leave out. */
static void
add_object(const struct kind *k, const struct json_frame *f, struct buf *out)
{
	const char *p = f->object.p, *end = p + f->object.n;

	if (f->api_version.p == NULL || f->kind.p == NULL) {
		buf_addc(out, '{');
		json_add_key(out, "apiVersion");
		json_add_str(out, k->api_version);
		json_add_key(out, "kind");
		json_add_str(out, k->kind);
		p++; /* never empty: the metadata is there */
		buf_addc(out, ',');
	}
	if (f->managed_fields.p != NULL && !k->app->show_managed_fields) {
		buf_add(out, p, (size_t)(f->managed_fields.p - p));
		p = f->managed_fields.p + f->managed_fields.n;
	}
	buf_add(out, p, (size_t)(end - p));
}

static void
add_body(const struct kind *k, const struct json_frame *f, struct buf *out)
{
	struct kwatch *app = k->app;
	bool secret = *k->group == '\0' && strcmp(k->kind, "Secret") == 0;
	bool hides = app->redact != NULL &&
	    (app->redact_all || secret || k->want->redact.count > 0 ||
		redact_has_secret(f->object));
	struct buf whole = BUF_INIT;
	struct buf *b = hides ? &whole : out;

	/* Without an option that says what becomes of Secrets, the first one
	 * is. */
	if (app->on_secret != NULL && secret &&
	    json_get(f->object, "data").p != NULL) {
		log_warning("%s", app->on_secret);
		app->on_secret = NULL;
	}
	if (k->want->project != NULL)
		project_cut(k->want->project, span_str(k->api_version),
		    span_str(k->kind), f->object, b);
	else
		add_object(k, f, b);
	if (hides)
		redact_object(app->redact, span_str(k->group),
		    span_str(k->kind),
		    (const char *const *)k->want->redact.items, buf_span(b),
		    out);
	buf_release(&whole);
}

/* The body of a whole object is too long: it becomes that of its sketch, or
 * empty, if its metadata alone is too long. */
static void
shorten(const struct kind *k, const struct json_frame *f, struct buf *body)
{
	struct sketch s = {.length = 0};
	struct buf line = BUF_INIT;
	struct json_frame short_one;

	sketch_begin(&s, SKETCH_OBJECT);
	sketch_add(&s, f->object);
	buf_reset(body);
	if (sketch_end(&s, &line) == 0 &&
	    json_frame(buf_span(&line), &short_one) == 0)
		add_body(k, &short_one, body);
	buf_release(&line);
	sketch_release(&s);
}

static void
say_long(const struct kind *k, const struct json_frame *f, uint64_t length,
    const char *what)
{
	struct buf key = BUF_INIT;

	objref_add_key(&key,
	    &(struct objref){.kind = span_str(k->kind),
		.group = span_str(k->group),
		.namespace_ = f->namespace_,
		.name = f->name});
	log_warning("%s has %" PRIu64 " bytes of JSON, and a line at most %s: "
		    "%s; make the object smaller",
	    buf_str(&key), length, STREAM_MAX_TEXT, what);
	buf_release(&key);
}

/* ---- events ---- */

static struct sink_entry *
entry(const struct watch *w, const struct json_frame *f)
{
	return sink_entry(w->kind->app->sink, &w->kind->index, f->namespace_,
	    f->name, w->owner, w->mark);
}

/* Appends who made this version, with --managers. */
static void
add_writers(struct watch *w, const struct json_frame *f, struct sink_entry *e,
    struct buf *names)
{
	const struct want *want = w->kind->want;
	enum writers_news news = WRITERS_STATE;

	if (!w->kind->app->managers)
		return;
	if (w->state == WATCHING) {
		if (sink_entry_lives(e, f->uid))
			news = WRITERS_CHANGED;
		/* With a selector it may be older than its selection. */
		else if (!want_selects(want->selector) &&
		    want->field_selector == NULL)
			news = WRITERS_CREATED;
	}
	writers_take(
	    sink_entry_writers(e), &w->kind->index.pool, f, news, names);
}

void
watchevent_put(struct watch *w, const struct json_frame *frame, uint64_t length)
{
	const struct kind *k = w->kind;
	struct arena names = ARENA_INIT;
	struct json_frame f = *frame;
	struct buf body = BUF_INIT, managers = BUF_INIT;
	struct sink_entry *e;

	json_frame_names(&f, &names);
	e = entry(w, &f);
	if (w->every || !sink_entry_is(e, f.uid, f.resource_version)) {
		add_body(k, &f, &body);
		if (length == 0 && body.len > STREAM_WRITE_MAX) {
			length = body.len;
			shorten(k, &f, &body);
		}
		if (length > 0)
			say_long(k, &f, length,
			    body.len > 0
				? "only its identity is passed on"
				: "it is left out, as its metadata is too "
				  "long");
		add_writers(w, &f, e, &managers);
		if (body.len > 0)
			sink_put(k->app->sink, e,
			    &(struct sink_version){f.uid, f.resource_version,
				buf_span(&body), buf_span(&managers), length});
	}
	buf_release(&managers);
	buf_release(&body);
	arena_release(&names);
}

void
watchevent_drop(
    struct watch *w, const struct json_frame *frame, uint64_t length)
{
	struct arena names = ARENA_INIT;
	struct json_frame f = *frame;
	struct buf body = BUF_INIT;

	json_frame_names(&f, &names);
	add_body(w->kind, &f, &body);
	sink_delete(w->kind->app->sink, entry(w, &f), f.uid,
	    length > 0 || body.len > STREAM_WRITE_MAX ? SPAN_NONE
						      : buf_span(&body));
	buf_release(&body);
	arena_release(&names);
}
