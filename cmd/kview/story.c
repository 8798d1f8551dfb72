#include "story.h"

#include "base/hash.h"
#include "json/json.h"
#include "process/clock.h"
#include "record/statusdiff.h"
#include "value/bookmarks.h"

#define SYNTHETIC "kpipe.dev/synthetic"

enum { STATUS_FIELDS = 3 }; /* of a status, in the text of a row */

void
story_init(struct story *s, viewrow_fn *fn, void *arg)
{
	static const struct contrast_limits usual = {48, 160}, words = {1, 48};

	*s = (struct story){.fn = fn, .arg = arg};
	tracks_init(&s->tracks);
	textlist_init(&s->started);
	contrast_init(&s->contrast, usual);
	contrast_init(&s->statuses, words);
}

void
story_release(struct story *s)
{
	tracks_release(&s->tracks);
	contrast_release(&s->contrast);
	contrast_release(&s->statuses);
	buf_release(&s->text);
	buf_release(&s->details);
	buf_release(&s->state);
	buf_release(&s->programs);
	buf_release(&s->tool);
	buf_release(&s->former);
	textlist_release(&s->started);
	textlist_release(&s->open);
	epoch_release(&s->epoch);
	arena_release(&s->names);
}

void
story_tell(struct story *s, struct track *t, enum viewrow_sort sort)
{
	struct viewrow *r = &s->row;

	r->sort = sort;
	r->track = t;
	r->text = buf_span(&s->text);
	r->details = SPAN_NONE;
	if (s->details.len > 1) {
		buf_addc(&s->details, '}');
		r->details = buf_span(&s->details);
	}
	t->rows++;
	s->fn(s->arg, r);
	buf_reset(&s->text);
	buf_reset(&s->details);
	buf_addc(&s->details, '{');
}

/* ---- events ---- */

static void
add_text_member(struct buf *b, const char *key, struct span text)
{
	if (text.n == 0)
		return;
	json_add_key(b, key);
	json_add_string(b, text);
}

static void
add_event_details(struct story *s, const struct track *t,
    const struct json_frame *f, const struct reading_line *l)
{
	struct contrast *c = &s->contrast;

	add_text_member(&s->details, "version", f->resource_version);
	/* The manager of a change that a gap hides is not known. */
	if (t->object == NULL || t->gaps == s->gaps)
		add_text_member(&s->details, "manager",
		    json_name(json_get(l->text, "manager"), &s->names));
	if (c->count == 0)
		return;
	json_add_key(&s->details, "fields");
	buf_addc(&s->details, '[');
	buf_addspan(&s->details, buf_span(&c->fields));
	buf_addc(&s->details, ']');
	if (c->count > c->limits.fields) {
		json_add_key(&s->details, "more");
		json_add_int(
		    &s->details, (int64_t)(c->count - c->limits.fields));
	}
}

/* A hash of the object without metadata and status, in which two always
 * differ. */
static uint64_t
content_of(struct span object)
{
	struct buf b = BUF_INIT;
	uint64_t hash;

	for (struct json_members m = json_members(object); json_member(&m);)
		if (!span_is(m.key, "metadata") && !span_is(m.key, "status"))
			buf_addf(&b, "%.*s %.*s\n", SPAN_ARG(m.key),
			    SPAN_ARG(m.value));
	hash = hash_text(buf_span(&b)) | 1;
	buf_release(&b);
	return hash;
}

static bool
is_same_version(const struct track *t, const struct json_frame *f)
{
	struct span metadata = json_get(text_span(t->object), "metadata");
	struct span version =
	    json_raw_string(json_get(metadata, "resourceVersion"));

	return version.n > 0 && span_eq(version, f->resource_version) &&
	    t->uid != NULL && span_is(f->uid, t->uid);
}

static void
tell_gone(struct story *s, struct track *t, const char *why)
{
	if (t->object != NULL)
		t->former = content_of(text_span(t->object));
	buf_adds(&s->text, why);
	story_tell(s, t, ROW_GONE);
	tracks_set_object(&s->tracks, t, SPAN_NONE, SPAN_NONE);
}

static void
tell_new(struct story *s, struct track *t, const struct json_frame *f,
    const struct reading_line *l)
{
	struct span key = span_str(t->key);
	bool listing = tracks_is_listing(&s->tracks, span_cut(&key, '/'));

	contrast_find(&s->contrast, SPAN_NONE, SPAN_NONE, t->secret);
	add_event_details(s, t, f, l);
	buf_adds(&s->text, listing ? "was there" : "created");
	/* Compared with the object of this name that was deleted. */
	if (t->former != 0 && t->epoch == s->epoch.number &&
	    t->former != content_of(f->object))
		buf_adds(&s->text, " with other content than before");
	story_tell(s, t, listing ? ROW_PRESENT : ROW_APPEARED);
}

size_t
story_add_status(struct story *s, const struct track *t, struct span status)
{
	struct span before = json_get(text_span(t->object), "status");

	s->statuses.unlike = t->epoch != s->epoch.number;
	return statusdiff_add(
	    &s->text, &s->statuses, before, status, STATUS_FIELDS);
}

/* The most telling field, or a status in words. */
static void
add_changes(struct story *s, const struct track *t, struct span object)
{
	const struct contrast *c = &s->contrast;

	s->statuses.partial = false;
	if (c->status && !c->spec &&
	    story_add_status(s, t, json_get(object, "status")) > 0)
		return;
	buf_addspan(&s->text, buf_span(&c->heading));
	if (c->count > 1)
		buf_addf(&s->text, " (+%zu)", c->count - 1);
}

static void
tell_changed(struct story *s, struct track *t, const struct json_frame *f,
    const struct reading_line *l)
{
	struct contrast *c = &s->contrast;

	c->unlike = t->epoch != s->epoch.number;
	c->partial = false;
	contrast_find(c, text_span(t->object), f->object, t->secret);
	if (f->type.n == strlen("ADDED") &&
	    (c->count == 0 || is_same_version(t, f)))
		return; /* listed again */
	add_event_details(s, t, f, l);
	add_changes(s, t, f->object);
	if (c->count == 0)
		buf_adds(&s->text, "nothing that is shown");
	story_tell(s, t,
	    c->spec	    ? ROW_SPEC
		: c->status ? ROW_STATUS
			    : ROW_META);
}

static void
take_object(
    struct story *s, const struct json_frame *f, const struct reading_line *l)
{
	struct objref r = {.api_version = f->api_version,
	    .kind = f->kind,
	    .namespace_ = f->namespace_,
	    .name = f->name};
	struct track *t = tracks_of_ref(&s->tracks, &r);
	bool again =
	    t->object != NULL && t->uid != NULL && !span_is(f->uid, t->uid);

	if (span_is(f->type, "DELETED")) {
		contrast_find(&s->contrast, SPAN_NONE, SPAN_NONE, t->secret);
		if (json_get(f->annotations, SYNTHETIC).p == NULL)
			add_event_details(s, t, f, l);
		tell_gone(s, t, "deleted");
		return;
	}
	tracks_find_parent(&s->tracks, t, f->metadata);
	if (again)
		tell_gone(s, t, "deleted (another object has the name now)");
	/* The line has only the identity: what changed is not known. */
	if (json_get(l->text, "tooLarge").p != NULL) {
		buf_adds(&s->text, "too large to be read");
		story_tell(s, t, ROW_META);
		t->seen = true;
		t->gaps = s->gaps + 1;
		return;
	}
	if (t->object == NULL)
		tell_new(s, t, f, l);
	else
		tell_changed(s, t, f, l);
	tracks_set_object(&s->tracks, t, f->object, f->uid);
	t->epoch = s->epoch.number;
	t->gaps = s->gaps;
}

/* Objects that were not mentioned since the begin are gone. */
static void
end_kind(struct story *s, struct span kind)
{
	for (size_t i = 0; i < s->tracks.count; i++) {
		struct track *t = s->tracks.list[i];
		struct span key;

		if (t == NULL)
			continue;
		key = span_str(t->key);
		if (t->object != NULL && !t->seen &&
		    span_eq(span_cut(&key, '/'), kind))
			tell_gone(s, t, "not listed any more");
	}
	tracks_end_kind(&s->tracks, kind);
}

/* The kind began, or it is complete. */
static void
set_open(struct story *s, struct span kind, bool open)
{
	struct textlist rest = {NULL, 0};

	for (size_t i = 0; i < s->open.count; i++)
		if (!span_is(kind, s->open.items[i]))
			textlist_add(
			    &rest, s->open.items[i], strlen(s->open.items[i]));
	if (open)
		textlist_add(&rest, kind.p, kind.n);
	textlist_release(&s->open);
	s->open = rest;
}

static void
take_bookmark(struct story *s, const struct json_frame *f)
{
	struct buf kind = BUF_INIT;

	objref_add_kind(&kind, f->kind, objref_group(f->api_version));
	if (epoch_begins_again(&s->epoch, f->object)) {
		buf_adds(&s->text, "kwatch began again");
		story_tell(s, tracks_pipeline(&s->tracks), ROW_RESTART);
	}
	if (json_get(f->annotations, BOOKMARKS_BEGIN).p != NULL) {
		tracks_begin_kind(&s->tracks, buf_span(&kind));
		set_open(s, buf_span(&kind), true);
	} else if (json_get(f->annotations, BOOKMARKS_END).p != NULL) {
		end_kind(s, buf_span(&kind));
		set_open(s, buf_span(&kind), false);
	}
	buf_release(&kind);
}

static void
take_event(struct story *s, const struct reading_line *line)
{
	struct json_frame f;
	struct buf scratch = BUF_INIT;

	if (json_frame(line->text, &f) != 0)
		return;
	if (span_is(f.type, "ERROR")) {
		buf_adds(&s->text, "watch: ");
		buf_addspan(&s->text,
		    json_string(json_get(line->body, "message"), &scratch));
		buf_release(&scratch);
		story_tell(s, tracks_pipeline(&s->tracks), ROW_FAILURE);
	} else if (span_is(f.type, "BOOKMARK")) {
		take_bookmark(s, &f);
	} else if (f.kind.n > 0 && f.name.n > 0) {
		json_frame_names(&f, &s->names);
		take_object(s, &f, line);
	}
}

/* ---- lines ---- */

static void
begin_row(struct story *s, const struct reading_line *line)
{
	s->lines++;
	s->row = (struct viewrow){.line = s->lines};
	s->row.has_time =
	    line->time.n > 0 && clock_parse_us(line->time, &s->row.us) == 0;
	arena_reset(&s->names);
	buf_reset(&s->text);
	buf_reset(&s->details);
	buf_addc(&s->details, '{');
}

void
story_line(struct story *s, const struct reading_line *line)
{
	begin_row(s, line);
	if (line->kind == READING_EVENT)
		take_event(s, line);
	else
		story_record(s, line);
}

void
story_bad(struct story *s, const struct reading_line *line)
{
	begin_row(s, line);
	buf_adds(&s->text, line->err.message);
	story_tell(
	    s, tracks_pipeline(&s->tracks), line->cut ? ROW_GAP : ROW_BAD);
}
