#include "against/telling.h"

#include "base/quote.h"
#include "json/json.h"
#include "value/objref.h"

/* ---- JSON ---- */

static void
add_string(struct buf *b, const char *key, const char *text)
{
	if (text == NULL)
		return;
	json_add_key(b, key);
	json_add_str(b, text);
}

static void
json_begin(struct buf *b, const struct telling_about *about)
{
	buf_addc(b, '{');
	add_string(b, "primary", about->primary);
	if (about->uid.n > 0) {
		json_add_key(b, "uid");
		json_add_string(b, about->uid);
	}
	add_string(b, "time", about->time);
}

static void
json_fields(struct buf *b, const struct leafdiff *d)
{
	if (d->count == 0)
		return;
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
	if (d->more == 0)
		return;
	json_add_key(b, "moreDiffers");
	json_add_int(b, (int64_t)d->more);
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
text_object(struct buf *b, enum setdiff_part part, const char *key)
{
	bool own = part != SETDIFF_ITEM && part != SETDIFF_DELETE &&
	    part != SETDIFF_RELEASE;

	if (part != SETDIFF_ITEM)
		buf_adds(b, setdiff_part_name(part));
	if (own)
		return;
	if (part != SETDIFF_ITEM)
		buf_addc(b, ' ');
	text_label(b, key);
}

static void
text_field(struct buf *b, const struct leafdiff_field *f)
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
text_one(struct buf *b, const struct setdiff_object *o)
{
	static const char *const signs[] = {"  ", "- ", "+ ", "? "};

	buf_adds(b, signs[o->how]);
	if (o->how == SETDIFF_UNKNOWN) {
		buf_adds(b, "is not compared, both programs fail: ");
		quote_text(b, span_str(o->message));
		buf_addc(b, '\n');
		return;
	}
	text_object(b, o->part, o->object);
	buf_addc(b, '\n');
	for (size_t i = 0; i < o->fields.count; i++)
		text_field(b, &o->fields.fields[i]);
	if (o->fields.more > 0)
		buf_addf(b, "    and %zu more\n", o->fields.more);
}

/* ---- both ---- */

void
telling_begin(struct buf *b, enum telling_format format,
    const struct telling_about *about)
{
	if (format == TELLING_JSON)
		return;
	text_label(b, about->primary);
	if (about->time != NULL)
		buf_addf(b, ", %s", about->time);
	buf_addc(b, '\n');
}

void
telling_object(struct buf *b, enum telling_format format,
    const struct telling_about *about, const struct setdiff_object *o)
{
	if (format == TELLING_TEXT) {
		text_one(b, o);
		return;
	}
	json_begin(b, about);
	add_string(b, "object", o->object);
	add_string(b, "part", setdiff_part_name(o->part));
	add_string(b, "change", setdiff_how_name(o->how));
	json_fields(b, &o->fields);
	add_string(b, "message", o->message);
	buf_adds(b, "}\n");
}

void
telling_agrees(struct buf *b, enum telling_format format,
    const struct telling_about *about, enum setdiff_part part,
    const char *object)
{
	if (format == TELLING_TEXT) {
		buf_adds(b, "  ");
		text_object(b, part, object);
		buf_adds(b, " agrees again\n");
		return;
	}
	json_begin(b, about);
	add_string(b, "object", object);
	add_string(b, "part", setdiff_part_name(part));
	add_string(b, "change", "agrees");
	buf_adds(b, "}\n");
}

void
telling_gone(struct buf *b, enum telling_format format,
    const struct telling_about *about)
{
	if (format == TELLING_TEXT) {
		buf_adds(b, "  is gone\n");
		return;
	}
	json_begin(b, about);
	add_string(b, "change", "gone");
	buf_adds(b, "}\n");
}
