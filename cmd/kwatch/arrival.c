#include "arrival.h"

#include "base/buf.h"
#include "json/stream.h"
#include "outgoing.h"
#include "rooms.h"
#include "writers.h"

static struct deltafifo_entry *
entry(const struct watch *w, const struct json_frame *f)
{
	return deltafifo_entry(w->kind->app->deltafifo, &w->kind->index,
	    f->namespace_, f->name, w->owner, w->mark);
}

/* Appends who made this version, with --managers. */
static void
add_writers(struct watch *w, const struct json_frame *f,
    struct deltafifo_entry *e, struct buf *names)
{
	const struct watchspec *spec = w->kind->spec;
	enum writers_news news = WRITERS_STATE;

	if (!w->kind->app->managers)
		return;
	if (w->state == WATCHING) {
		if (deltafifo_entry_lives(e, f->uid))
			news = WRITERS_CHANGED;
		/* With a selector, an object may be older than its
		 * selection. */
		else if (!watchspec_selects(spec->selector) &&
		    spec->field_selector == NULL)
			news = WRITERS_CREATED;
	}
	writers_take(
	    deltafifo_entry_writers(e), &w->kind->index.pool, f, news, names);
}

/* The object exists in this version. One that is too long for a line is told of
 * by its sketch (record/sketch.h), with a mark, and logged. length: of what came,
 * if the frame is its sketch; else 0. Names are decoded: two servers of one
 * cluster may spell one name differently. */
static void
put_object(struct watch *w, const struct json_frame *frame, uint64_t length)
{
	const struct kind *k = w->kind;
	struct arena names = ARENA_INIT;
	struct json_frame f = *frame;
	struct buf body = BUF_INIT, managers = BUF_INIT;
	struct deltafifo_entry *e;

	json_frame_names(&f, &names);
	e = entry(w, &f);
	if (w->every || !deltafifo_entry_is(e, f.uid, f.resource_version)) {
		outgoing_body(k, &f, &body);
		if (length == 0 && body.len > STREAM_WRITE_MAX) {
			length = body.len;
			outgoing_shorten(k, &f, &body);
		}
		if (length > 0)
			outgoing_say_long(k, &f, length,
			    body.len > 0
				? "only its identity is passed on"
				: "it is left out, as its metadata is too "
				  "long");
		add_writers(w, &f, e, &managers);
		if (body.len > 0)
			deltafifo_put(k->app->deltafifo, e,
			    &(struct deltafifo_version){f.uid,
				f.resource_version, buf_span(&body),
				buf_span(&managers), length});
	}
	buf_release(&managers);
	buf_release(&body);
	arena_release(&names);
}

void
arrival_put_late(struct watch *w, const struct json_frame *frame)
{
	struct arena names = ARENA_INIT;
	struct json_frame f = *frame;

	json_frame_names(&f, &names);
	deltafifo_last(w->kind->app->deltafifo, entry(w, &f));
	put_object(w, frame, 0);
	arena_release(&names);
}

void
arrival_put(struct watch *w, const struct json_frame *f, uint64_t length)
{
	struct kwatch *app = w->kind->app;
	struct arena names = ARENA_INIT;
	struct json_frame decoded = *f;

	if (!rooms_are_of(w->kind)) {
		put_object(w, f, length);
		return;
	}
	json_frame_names(&decoded, &names);
	if (rooms_may_tell(app, &decoded)) {
		put_object(w, f, length);
		rooms_told(app, decoded.name);
	}
	arena_release(&names);
}

void
arrival_delete(struct watch *w, const struct json_frame *frame, uint64_t length)
{
	struct arena names = ARENA_INIT;
	struct json_frame f = *frame;
	struct buf body = BUF_INIT;

	json_frame_names(&f, &names);
	outgoing_body(w->kind, &f, &body);
	deltafifo_delete(w->kind->app->deltafifo, entry(w, &f), f.uid,
	    length > 0 || body.len > STREAM_WRITE_MAX ? SPAN_NONE
						      : buf_span(&body));
	if (rooms_are_of(w->kind))
		rooms_deleted(w->kind->app, f.name);
	buf_release(&body);
	arena_release(&names);
}
