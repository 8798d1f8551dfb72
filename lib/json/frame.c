/* Part of json/json.h: the frame of an object, without a tree. */
#include "json/json.h"

#include "json/scan.h"

/* Walks the members of an object; the caller takes the values. */
struct walk {
	struct span rest;
	const char *member; /* start of the member: its comma, or the key */
	struct span key;
	bool first;
};

enum walk_result { WALK_BAD = -1, WALK_END, WALK_MEMBER };

static void
skip_space(struct span *t)
{
	while (t->n > 0 &&
	    (*t->p == ' ' || *t->p == '\n' || *t->p == '\t' || *t->p == '\r')) {
		t->p++;
		t->n--;
	}
}

static bool
skip_byte(struct span *t, char c)
{
	skip_space(t);
	if (t->n == 0 || *t->p != c)
		return false;
	t->p++;
	t->n--;
	return true;
}

static bool
walk_begin(struct walk *w, struct span text)
{
	*w = (struct walk){text, NULL, SPAN_NONE, true};
	return skip_byte(&w->rest, '{');
}

static enum walk_result
walk_next(struct walk *w)
{
	const char *p, *close;

	skip_space(&w->rest);
	w->member = w->rest.p;
	if (skip_byte(&w->rest, '}'))
		return WALK_END;
	if (!w->first && !skip_byte(&w->rest, ','))
		return WALK_BAD;
	w->first = false;
	if (!skip_byte(&w->rest, '"'))
		return WALK_BAD;
	p = w->rest.p;
	close = json_scan_string(p, p + w->rest.n);
	if (close == NULL)
		return WALK_BAD;
	w->key = span_make(p, (size_t)(close - p));
	w->rest = span_make(close + 1, w->rest.n - w->key.n - 1);
	return skip_byte(&w->rest, ':') ? WALK_MEMBER : WALK_BAD;
}

/* Between the quotes; SPAN_NONE if it is not a string. */
static struct span
text_of(struct span value)
{
	if (value.n < 2 || value.p[0] != '"')
		return SPAN_NONE;
	return span_make(value.p + 1, value.n - 2);
}

static int
walk_metadata(struct span *text, struct json_frame *f)
{
	const char *start;
	struct walk w;
	enum walk_result r;

	skip_space(text);
	start = text->p;
	if (!walk_begin(&w, *text))
		return -1;
	while ((r = walk_next(&w)) == WALK_MEMBER) {
		struct span value = json_value(&w.rest);
		const char *stop;

		if (value.p == NULL)
			return -1;
		if (span_is(w.key, "name")) {
			f->name = text_of(value);
		} else if (span_is(w.key, "namespace")) {
			f->namespace_ = text_of(value);
		} else if (span_is(w.key, "uid")) {
			f->uid = text_of(value);
		} else if (span_is(w.key, "resourceVersion")) {
			f->resource_version = text_of(value);
		} else if (span_is(w.key, "annotations")) {
			f->annotations = value;
		} else if (span_is(w.key, "managedFields")) {
			stop = w.rest.p;
			if (*w.member != ',') {
				struct span rest = w.rest;

				if (skip_byte(&rest, ','))
					stop = rest.p;
			}
			f->managed_fields =
			    span_make(w.member, (size_t)(stop - w.member));
		}
	}
	if (r != WALK_END)
		return -1;
	f->metadata = span_make(start, (size_t)(w.rest.p - start));
	*text = w.rest;
	return 0;
}

static int
walk_object(struct span *text, struct json_frame *f)
{
	const char *start;
	struct walk w;
	enum walk_result r;

	skip_space(text);
	start = text->p;
	if (!walk_begin(&w, *text))
		return -1;
	while ((r = walk_next(&w)) == WALK_MEMBER) {
		struct span value;

		skip_space(&w.rest);
		if (span_is(w.key, "metadata") && w.rest.n > 0 &&
		    *w.rest.p == '{') {
			if (walk_metadata(&w.rest, f) != 0)
				return -1;
			continue;
		}
		value = json_value(&w.rest);
		if (value.p == NULL)
			return -1;
		if (span_is(w.key, "apiVersion"))
			f->api_version = text_of(value);
		else if (span_is(w.key, "kind"))
			f->kind = text_of(value);
	}
	if (r != WALK_END)
		return -1;
	f->object = span_make(start, (size_t)(w.rest.p - start));
	*text = w.rest;
	return 0;
}

int
json_frame(struct span line, struct json_frame *f)
{
	struct walk w;
	enum walk_result r;

	*f = (struct json_frame){0};
	if (!walk_begin(&w, line))
		return -1;
	while ((r = walk_next(&w)) == WALK_MEMBER) {
		if (span_is(w.key, "object")) {
			if (walk_object(&w.rest, f) != 0)
				return -1;
		} else {
			struct span value = json_value(&w.rest);

			if (value.p == NULL)
				return -1;
			if (span_is(w.key, "type"))
				f->type = text_of(value);
		}
	}
	skip_space(&w.rest);
	return r == WALK_END && w.rest.n == 0 && f->type.p != NULL &&
		f->object.p != NULL
	    ? 0
	    : -1;
}

int
json_object_frame(struct span object, struct json_frame *f)
{
	*f = (struct json_frame){0};
	if (walk_object(&object, f) != 0)
		return -1;
	skip_space(&object);
	return object.n == 0 ? 0 : -1;
}

static void
decode(struct span *text, struct arena *names)
{
	if (span_find(*text, '\\') != NULL)
		*text = json_name(span_make(text->p - 1, text->n + 2), names);
}

void
json_frame_names(struct json_frame *f, struct arena *names)
{
	decode(&f->namespace_, names);
	decode(&f->name, names);
	decode(&f->uid, names);
	decode(&f->resource_version, names);
}
