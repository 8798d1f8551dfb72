#include "spans.h"

#include "traces/journey.h"
#include "traces/spanline.h"

struct spans {
	struct emit out;
	struct buf line;
	size_t batch, in_line;
};

static void
put_line(struct spans *s)
{
	if (s->in_line == 0)
		return;
	spanline_end(&s->line);
	emit_line(&s->out, buf_span(&s->line));
	emit_end(&s->out); /* who reads it may wait for it */
	buf_reset(&s->line);
	s->in_line = 0;
}

static void
on_journey(void *arg, const struct journey *j)
{
	struct spans *s = arg;

	spanline_add(&s->line, j);
	if (++s->in_line == s->batch || s->line.len >= SPANLINE_BYTES)
		put_line(s);
}

struct spans_way {
	struct spans *spans;
	struct journeys all;
};

static bool
take(void *arg, const struct reading_line *line, size_t number)
{
	struct spans_way *way = arg;

	(void)number;
	journeys_line(&way->all, line);
	return way->spans->out.err.kind == ERR_NONE;
}

int
spans_print(struct emit_source *s, long batch, struct err *err)
{
	struct spans spans = {.batch = (size_t)batch};
	struct spans_way way = {&spans, {.fn = on_journey, .arg = &spans}};
	int rc = emit_each(s, take, &way, err);

	journeys_end(&way.all);
	put_line(&spans);
	if (emit_end(&spans.out) != 0 && rc == 0) {
		*err = spans.out.err;
		rc = -1;
	}
	emit_release(&spans.out);
	buf_release(&spans.line);
	return rc;
}
