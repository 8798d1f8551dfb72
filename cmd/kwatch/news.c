#include "news.h"

#include <inttypes.h>

#include "json/stream.h"
#include "process/log.h"
#include "record/sketch.h"
#include "value/objref.h"

static struct sink_entry *
entry(const struct news_from *from, const struct json_frame *f)
{
	return sink_entry(from->kind->app->sink, &from->kind->index,
	    f->namespace_, f->name, from->owner, from->mark);
}

static void
say_long(const struct news_from *from, const struct json_frame *f,
    uint64_t length, const char *what)
{
	struct buf key = BUF_INIT;

	objref_add_key(&key,
	    &(struct objref){.kind = span_str(from->kind->kind),
		.group = span_str(from->kind->group),
		.namespace_ = f->namespace_,
		.name = f->name});
	log_warning("%s has %" PRIu64 " bytes of JSON, and a line at most %s: "
		    "%s; make the object smaller",
	    buf_str(&key), length, STREAM_MAX_TEXT, what);
	buf_release(&key);
}

/* The body of a whole object is too long: it becomes that of its sketch. */
static int
shorten(
    const struct news_from *from, const struct json_frame *f, struct buf *body)
{
	struct sketch s = {.length = 0};
	struct buf line = BUF_INIT;
	struct json_frame short_one;
	int rc;

	sketch_begin(&s, SKETCH_OBJECT);
	sketch_add(&s, f->object);
	rc = sketch_end(&s, &line);
	if (rc == 0)
		rc = json_frame(buf_span(&line), &short_one);
	buf_reset(body);
	if (rc == 0)
		kind_body(from->kind, &short_one, body);
	buf_release(&line);
	sketch_release(&s);
	return rc;
}

/* Appends the body; returns the length of the object if that is only of its
 * sketch. */
static uint64_t
add_body(
    const struct news_from *from, const struct json_frame *f, struct buf *body)
{
	uint64_t length = from->length;
	int rc = 0;

	kind_body(from->kind, f, body);
	if (length == 0 && body->len > STREAM_WRITE_MAX) {
		length = body->len;
		rc = shorten(from, f, body);
	}
	if (length > 0)
		say_long(from, f, length,
		    rc == 0 ? "only its identity is passed on"
			    : "it is left out, as its metadata is too long");
	return length;
}

void
news_put(const struct news_from *from, const struct json_frame *frame)
{
	struct arena names = ARENA_INIT;
	struct json_frame f = *frame;
	struct buf body = BUF_INIT, managers = BUF_INIT;
	struct sink_entry *e;

	json_frame_names(&f, &names);
	e = entry(from, &f);
	if (from->every || !sink_entry_is(e, f.uid, f.resource_version)) {
		uint64_t length = add_body(from, &f, &body);

		kind_writers(from->kind, &f, from->news, e, &managers);
		if (body.len > 0)
			sink_put(from->kind->app->sink, e,
			    &(struct sink_version){f.uid, f.resource_version,
				buf_span(&body), buf_span(&managers), length});
	}
	buf_release(&managers);
	buf_release(&body);
	arena_release(&names);
}

void
news_drop(const struct news_from *from, const struct json_frame *frame)
{
	struct arena names = ARENA_INIT;
	struct json_frame f = *frame;
	struct buf body = BUF_INIT;

	json_frame_names(&f, &names);
	kind_body(from->kind, &f, &body);
	sink_delete(from->kind->app->sink, entry(from, &f), f.uid,
	    from->length > 0 || body.len > STREAM_WRITE_MAX ? SPAN_NONE
							    : buf_span(&body));
	buf_release(&body);
	arena_release(&names);
}
