#include "input.h"

#include <stdlib.h>

#include "base/mem.h"
#include "json/stream.h"
#include "process/log.h"

struct input {
	struct apply *apply;
	int fd;
	void (*take)(void *arg, struct set *s);
	void *take_arg;
	struct stream *stream;
	struct set *held; /* owned: waits behind a barrier */
	bool watching, eof, ended;
	struct err err;
};

struct input *
input_new(
    struct apply *a, int fd, void (*take)(void *arg, struct set *s), void *arg)
{
	struct input *in = mem_zalloc(sizeof(*in));

	in->apply = a;
	in->fd = fd;
	in->take = take;
	in->take_arg = arg;
	in->stream = stream_new();
	return in;
}

void
input_free(struct input *in)
{
	if (in == NULL)
		return;
	if (in->watching)
		loop_unwatch(in->apply->loop, in->fd);
	set_free(in->held);
	stream_free(in->stream);
	free(in);
}

static void
readable(void *arg, int fd, int events)
{
	struct input *in = arg;
	long n = stream_read(in->stream, fd, &in->err);

	(void)events;
	if (n < 0 && in->err.kind == ERR_TRANSIENT) {
		in->err.kind = ERR_NONE;
		return;
	}
	if (n <= 0)
		in->eof = true;
	if (n < 0)
		in->ended = true;
	loop_unwatch(in->apply->loop, in->fd);
	in->watching = false;
}

static void
bad(struct input *in, const struct err *err)
{
	in->apply->counters.bad_lines++;
	in->apply->failed = true;
	log_error("%s", err->message);
}

static void
accept_doc(struct input *in, const struct stream_doc *doc)
{
	struct err err = ERR_INIT;
	struct set *s = set_parse(doc->text, doc->line, &err);

	if (s == NULL) {
		err_prefix(&err, "line %zu", doc->line);
		bad(in, &err);
	} else if (in->take != NULL && s->plain) {
		in->take(in->take_arg, s);
	} else {
		in->held = s;
	}
}

static bool
submit_held(struct input *in)
{
	struct set *s = in->held;

	if (s == NULL)
		return true;
	if (s->plain && in->apply->barriers > 0 &&
	    s->items[0].phase != PHASE_SCOPES)
		return false;
	in->held = NULL;
	engine_submit(in->apply, s);
	return true;
}

static bool
has_room(const struct apply *a)
{
	return !workqueue_full(&a->queue) && !out_full(&a->out) &&
	    a->lined_up < 2 * (size_t)a->o->max_in_flight;
}

void
input_pump(struct input *in)
{
	struct apply *a = in->apply;
	struct stream_doc doc;

	while (!in->ended && !in->watching && has_room(a) && submit_held(in)) {
		switch (stream_next(in->stream, &doc)) {
		case STREAM_DOC:
			accept_doc(in, &doc);
			break;
		case STREAM_BAD:
			bad(in, &doc.err);
			break;
		case STREAM_MORE:
			in->watching = true;
			loop_watch(a->loop, in->fd, LOOP_READ, readable, in);
			break;
		case STREAM_END:
			in->ended = true;
		}
	}
}

bool
input_ended(const struct input *in)
{
	return in->ended && in->held == NULL;
}

const struct err *
input_error(const struct input *in)
{
	return in->err.kind == ERR_NONE ? NULL : &in->err;
}
