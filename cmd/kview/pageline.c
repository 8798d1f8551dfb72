#include "pageline.h"

#include "json/json.h"
#include "record/contrast.h"

static void
begin_track(struct buf *b, const struct track *t)
{
	buf_adds(b, "{\"track\":");
	json_add_int(b, (int64_t)t->index);
}

static void
add_text(struct buf *b, const char *key, struct span text)
{
	json_add_key(b, key);
	json_add_string(b, text);
}

void
pageline_add_track(struct buf *b, const struct track *t)
{
	struct span key = span_str(t->key);

	begin_track(b, t);
	add_text(b, "kind", span_cut(&key, '/'));
	add_text(b, "namespace", t->ref.namespace_);
	add_text(b, "name", t->ref.name);
	if (t->live && t->object != NULL)
		buf_adds(b, ",\"there\":true");
	if (t->live && t->decides)
		buf_adds(b, ",\"decides\":true");
	buf_addc(b, '}');
}

void
pageline_add_parent(struct buf *b, const struct track *t)
{
	begin_track(b, t);
	json_add_key(b, "parent");
	json_add_int(b, (int64_t)t->parent->index);
	buf_addc(b, '}');
}

void
pageline_add_object(struct buf *b, const struct track *t)
{
	begin_track(b, t);
	json_add_key(b, "object");
	contrast_add_object(b, text_span(t->object), t->secret);
	buf_addc(b, '}');
}

void
pageline_add_row(struct buf *b, const struct viewrow *row)
{
	buf_addc(b, '[');
	if (row->has_time)
		json_add_int(b, row->us);
	else
		buf_adds(b, "null");
	buf_addc(b, ',');
	json_add_int(b, (int64_t)row->line);
	buf_addc(b, ',');
	json_add_str(b, viewrow_sort_name(row->sort));
	buf_addc(b, ',');
	json_add_int(b, (int64_t)row->track->index);
	buf_addc(b, ',');
	json_add_string(b, row->text);
	if (row->details.p != NULL) {
		buf_addc(b, ',');
		buf_addspan(b, row->details);
	}
	buf_addc(b, ']');
}

void
pageline_add_escaped(struct buf *b, struct span line)
{
	struct span rest = line;

	while (rest.p != NULL) {
		buf_addspan(b, span_cut(&rest, '<'));
		if (rest.p != NULL)
			buf_adds(b, "\\u003c");
	}
}
