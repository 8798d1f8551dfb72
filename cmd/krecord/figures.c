#include "figures.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/quote.h"
#include "base/textlist.h"
#include "census.h"
#include "json/json.h"

struct figures {
	size_t lines[READING_OTHER + 1];
	uint64_t bytes; /* not compressed */
	struct textlist tools, programs, started;
	char *first, *last; /* times, as they are written */
	struct census *census;
};

static void
add_once(struct textlist *list, struct span text)
{
	if (text.n > 0 && !textlist_has(list, text.p, text.n))
		textlist_add(list, text.p, text.n);
}

/* All are UTC, with microseconds: their order is that of their bytes. */
static void
take_time(struct figures *f, struct span time)
{
	if (time.p == NULL)
		return;
	if (f->first == NULL || span_cmp(time, span_str(f->first)) < 0) {
		free(f->first);
		f->first = strndup(time.p, time.n);
	}
	if (f->last == NULL || span_cmp(time, span_str(f->last)) > 0) {
		free(f->last);
		f->last = strndup(time.p, time.n);
	}
}

static void
take_versions(struct figures *f, struct span segment)
{
	struct json_members m = json_members(json_get(segment, "programs"));
	struct buf program = BUF_INIT;

	add_once(&f->tools, json_raw_string(json_get(segment, "tool")));
	while (json_member(&m)) {
		buf_reset(&program);
		buf_addf(&program, "%.*s: %.*s", SPAN_ARG(m.key),
		    SPAN_ARG(json_raw_string(m.value)));
		add_once(&f->programs, buf_span(&program));
	}
	buf_release(&program);
}

static bool
take(void *arg, const struct reading_line *line, size_t number)
{
	struct figures *f = arg;

	f->lines[line->kind]++;
	f->bytes += line->text.n + 1;
	take_time(f, line->time);
	if (line->kind == READING_EVENT)
		census_take(f->census, line->text, number);
	else if (line->kind == READING_SEGMENT)
		take_versions(f, line->text);
	else if (line->kind == READING_STATE)
		add_once(&f->started,
		    json_raw_string(json_get(line->body, "started")));
	return true;
}

/* Of the recording: made visible. */
static void
add_text(struct buf *b, const char *before, struct span text)
{
	buf_adds(b, before);
	quote_text(b, text);
}

static void
add_list(struct buf *b, const char *name, const struct textlist *list)
{
	if (list->count == 0)
		return;
	buf_addf(b, "%-10s ", name);
	for (size_t i = 0; i < list->count; i++)
		add_text(b, i > 0 ? ", " : "", span_str(list->items[i]));
	buf_addc(b, '\n');
}

static void
describe(const struct figures *f, const struct emit_source *s, struct buf *b)
{
	static const char *const names[] = {"events", NULL, "sets", "results",
	    "statuses", "states", NULL, "shadow", NULL};
	struct buf objects = BUF_INIT;

	buf_addf(b, "%-10s %zu\n", "segments", f->lines[READING_SEGMENT]);
	add_text(b, "from       ", span_str(f->first != NULL ? f->first : "-"));
	add_text(b, "\nto         ", span_str(f->last != NULL ? f->last : "-"));
	buf_addc(b, '\n');
	buf_addf(b, "%-10s %llu\n", "bytes", (unsigned long long)f->bytes);
	for (size_t i = 0; i < COUNT(names); i++)
		if (names[i] != NULL)
			buf_addf(b, "%-10s %zu\n", names[i], f->lines[i]);
	buf_addf(b, "%-10s %zu\n", "gaps", f->lines[READING_GAP]);
	buf_addf(b, "%-10s %zu\n", "bad lines", s->bad);
	buf_addf(b, "%-10s %zu\n", "cut ends", s->cuts);
	census_count(f->census, &objects);
	if (objects.len > 0) {
		buf_addf(b, "%-10s ", "objects");
		add_text(b, "", buf_span(&objects));
		buf_addc(b, '\n');
	}
	if (f->started.count > 0)
		buf_addf(b, "%-10s %zu\n", "starts", f->started.count);
	add_list(b, "started", &f->started);
	add_list(b, "tools", &f->tools);
	add_list(b, "programs", &f->programs);
	buf_release(&objects);
}

int
figures_print(struct emit_source *s, struct err *err)
{
	struct figures f = {.census = census_new(CENSUS_NUMBERS)};
	struct emit out = {0};
	int rc = emit_each(s, take, &f, err);

	census_close(f.census);
	if (rc == 0) {
		describe(&f, s, &out.out);
		if ((rc = emit_end(&out)) != 0)
			*err = out.err;
	}
	emit_release(&out);
	census_free(f.census);
	textlist_release(&f.tools);
	textlist_release(&f.programs);
	textlist_release(&f.started);
	free(f.first);
	free(f.last);
	return rc;
}
