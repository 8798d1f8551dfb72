#include "against/told.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/quote.h"
#include "json/json.h"
#include "value/digest.h"
#include "value/objref.h"

struct told_object {
	enum setdiff_part part;
	char *object; /* owned */
	unsigned char
	    digest[DIGEST_SIZE]; /* digest of the line, without the time */
};

/* ---- JSON ---- */

static void
add_string(struct buf *b, const char *key, const char *text)
{
	if (text == NULL)
		return;
	json_add_key(b, key);
	json_add_str(b, text);
}

/* Begins a line. object NULL: the line is about the whole primary. */
static void
json_begin(struct buf *b, const struct told_about *about, const char *object,
    enum setdiff_part part, const char *change)
{
	buf_addc(b, '{');
	add_string(b, "primary", about->primary);
	if (about->uid.n > 0) {
		json_add_key(b, "uid");
		json_add_string(b, about->uid);
	}
	add_string(b, "time", about->time);
	if (object != NULL) {
		add_string(b, "object", object);
		add_string(b, "part", setdiff_part_name(part));
	}
	add_string(b, "change", change);
}

static void
json_object(struct buf *b, const struct told_about *about,
    const struct setdiff_object *o)
{
	const struct setdiff_fields *d = &o->fields;

	json_begin(b, about, o->object, o->part, setdiff_how_name(o->how));
	if (d->count > 0) {
		json_add_key(b, "differs");
		buf_addc(b, '[');
		for (size_t i = 0; i < d->count; i++) {
			json_add_comma(b);
			buf_addc(b, '{');
			add_string(b, "path", d->fields[i].path);
			add_string(b, "before", d->fields[i].before);
			add_string(b, "after", d->fields[i].after);
			buf_addc(b, '}');
		}
		buf_addc(b, ']');
	}
	if (d->more > 0) {
		json_add_key(b, "moreDiffers");
		json_add_int(b, (int64_t)d->more);
	}
	add_string(b, "message", o->message);
	buf_adds(b, "}\n");
}

/* ---- text ---- */

static void
text_label(struct buf *b, const char *key)
{
	struct buf label = BUF_INIT;
	struct objref o;

	if (objref_parse_key(&o, span_str(key)))
		objref_add_label(&label, &o);
	else
		buf_adds(&label, key);
	quote_text(b, buf_span(&label));
	buf_release(&label);
}

/* "Deployment.apps default/a", "delete Deployment.apps default/a", "status". */
static void
text_name(struct buf *b, enum setdiff_part part, const char *key)
{
	bool named = part == SETDIFF_DELETE || part == SETDIFF_RELEASE;

	if (part != SETDIFF_ITEM)
		buf_adds(b, setdiff_part_name(part));
	if (named)
		buf_addc(b, ' ');
	if (named || part == SETDIFF_ITEM)
		text_label(b, key);
}

static void
text_field(struct buf *b, const struct setdiff_field *f)
{
	buf_adds(b, "    ");
	quote_text(b, span_str(f->path));
	if (f->before == NULL && f->after == NULL) {
		buf_adds(b, " differs\n");
		return;
	}
	buf_adds(b, ": ");
	quote_text(b, span_str(f->before != NULL ? f->before : "nothing"));
	buf_adds(b, " -> ");
	quote_text(b, span_str(f->after != NULL ? f->after : "nothing"));
	buf_addc(b, '\n');
}

static void
text_object(struct buf *b, const struct setdiff_object *o)
{
	static const char *const signs[] = {"  ", "- ", "+ ", "? "};

	buf_adds(b, signs[o->how]);
	if (o->how == SETDIFF_UNKNOWN) {
		buf_adds(b, "is not compared, both programs fail: ");
		quote_text(b, span_str(o->message));
		buf_addc(b, '\n');
		return;
	}
	text_name(b, o->part, o->object);
	buf_addc(b, '\n');
	for (size_t i = 0; i < o->fields.count; i++)
		text_field(b, &o->fields.fields[i]);
	if (o->fields.more > 0)
		buf_addf(b, "    and %zu more\n", o->fields.more);
}

/* Before the first line of text about a primary. */
static void
text_heading(struct buf *b, const struct told_about *about)
{
	text_label(b, about->primary);
	if (about->time != NULL)
		buf_addf(b, ", %s", about->time);
	buf_addc(b, '\n');
}

/* ---- both ---- */

static void
tell_agreed(struct buf *b, enum told_format format,
    const struct told_about *about, const struct told_object *o)
{
	if (format == TOLD_TEXT) {
		buf_adds(b, "  ");
		text_name(b, o->part, o->object);
		buf_adds(b, " agrees again\n");
	} else {
		json_begin(b, about, o->object, o->part, "agrees");
		buf_adds(b, "}\n");
	}
}

static struct told_object
told_object(const struct setdiff_object *o)
{
	const struct told_about about = {"", SPAN_NONE, NULL};
	struct told_object told = {o->part, mem_strdup(o->object), {0}};
	struct buf text = BUF_INIT;

	json_object(&text, &about, o);
	digest_sha256(buf_span(&text), told.digest);
	buf_release(&text);
	return told;
}

static int
compare(const struct told_object *a, const struct told_object *b)
{
	return a->part != b->part ? (int)a->part - (int)b->part
				  : strcmp(a->object, b->object);
}

void
told_update(struct told_list *t, const struct setdiff *s,
    enum told_format format, const struct told_about *about, struct buf *b)
{
	struct told_list now = {NULL, s->count};
	struct buf lines = BUF_INIT;
	size_t at = 0;

	if (s->count > 0)
		now.objects = mem_array(NULL, s->count, sizeof(*now.objects));
	for (size_t i = 0; i < s->count; i++) {
		struct told_object *mine = &now.objects[i];

		*mine = told_object(&s->objects[i]);
		/* Both lists have the same order. */
		while (at < t->count && compare(&t->objects[at], mine) < 0)
			at++;
		if (at < t->count && compare(&t->objects[at], mine) == 0 &&
		    memcmp(t->objects[at].digest, mine->digest, DIGEST_SIZE) ==
			0)
			continue;
		if (format == TOLD_TEXT)
			text_object(&lines, &s->objects[i]);
		else
			json_object(&lines, about, &s->objects[i]);
	}
	at = 0;
	for (size_t i = 0; i < t->count; i++) {
		const struct told_object *o = &t->objects[i];

		while (at < now.count && compare(&now.objects[at], o) < 0)
			at++;
		if (at == now.count || compare(&now.objects[at], o) != 0)
			tell_agreed(&lines, format, about, o);
	}
	if (lines.len > 0 && format == TOLD_TEXT)
		text_heading(b, about);
	buf_addspan(b, buf_span(&lines));
	buf_release(&lines);
	told_release(t);
	*t = now;
}

void
told_gone(const struct told_list *t, enum told_format format,
    const struct told_about *about, struct buf *b)
{
	if (t->count == 0)
		return;
	if (format == TOLD_TEXT) {
		text_heading(b, about);
		buf_adds(b, "  is gone\n");
	} else {
		json_begin(b, about, NULL, SETDIFF_PRIMARY, "gone");
		buf_adds(b, "}\n");
	}
}

void
told_release(struct told_list *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->objects[i].object);
	free(t->objects);
	*t = (struct told_list){NULL, 0};
}
