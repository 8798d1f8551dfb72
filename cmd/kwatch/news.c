#include "news.h"

static struct sink_entry *
entry(const struct news_from *from, const struct json_frame *f)
{
	return sink_entry(from->kind->app->sink, &from->kind->index,
	    f->namespace_, f->name, from->owner, from->mark);
}

void
news_put(const struct news_from *from, const struct json_frame *frame,
    enum kind_news news)
{
	struct arena names = ARENA_INIT;
	struct json_frame f = *frame;
	struct buf body = BUF_INIT, managers = BUF_INIT;
	struct sink_entry *e;

	json_frame_names(&f, &names);
	e = entry(from, &f);
	if (from->every || !sink_entry_is(e, f.uid, f.resource_version)) {
		kind_body(from->kind, &f, &body);
		kind_writers(from->kind, &f, news, e, &managers);
		sink_put(from->kind->app->sink, e,
		    &(struct sink_version){f.uid, f.resource_version,
			buf_span(&body), buf_span(&managers)});
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
	sink_delete(
	    from->kind->app->sink, entry(from, &f), f.uid, buf_span(&body));
	buf_release(&body);
	arena_release(&names);
}
