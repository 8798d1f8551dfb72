#include "viewrow.h"

#include "base/utf8.h"
#include "json/json.h"
#include "process/clock.h"
#include "record/contrast.h"

/* color: the SGR number. Those that matter are told apart, the rest is dim. */
static const struct {
	const char *name;
	int color;
} sorts[] = {
    [ROW_PRESENT] = {"present", 2},
    [ROW_APPEARED] = {"appeared", 1},
    [ROW_SPEC] = {"spec", 34},
    [ROW_STATUS] = {"status", 2},
    [ROW_META] = {"meta", 2},
    [ROW_GONE] = {"gone", 1},
    [ROW_DECISION] = {"decision", 35},
    [ROW_WRITE] = {"write", 32},
    [ROW_UNCHANGED] = {"unchanged", 2},
    [ROW_FAILURE] = {"failure", 31},
    [ROW_LEADER] = {"leader", 33},
    [ROW_RESTART] = {"restart", 33},
    [ROW_PHASE] = {"phase", 33},
    [ROW_GAP] = {"gap", 33},
    [ROW_BAD] = {"bad", 31},
    [ROW_SHADOW] = {"shadow", 33},
};

/* ---- for a terminal ---- */

static void
add_visible(struct buf *b, struct span text)
{
	const char *p = text.p, *end = text.p + text.n;

	while (p < end) {
		uint32_t c;
		size_t n = utf8_decode(p, end, &c);

		if (n > 0 && utf8_is_visible(c))
			buf_add(b, p, n);
		else
			buf_addc(b, '?');
		p += n > 0 ? n : 1;
	}
}

void
viewrow_add_term(
    struct buf *b, const struct viewrow *row, enum viewrow_colors colors)
{
	char time[CLOCK_RFC3339_MAX];

	if (row->has_time) {
		clock_format_us(row->us, time);
		buf_adds(b, time);
	} else {
		buf_addf(b, "line %zu", row->line);
	}
	buf_addc(b, ' ');
	if (colors == VIEWROW_COLORS)
		buf_addf(b, "\033[%dm", sorts[row->sort].color);
	buf_addf(b, "%-9s", sorts[row->sort].name);
	if (colors == VIEWROW_COLORS)
		buf_adds(b, "\033[0m");
	buf_addc(b, ' ');
	if (row->track->ref.name.n == 0)
		buf_adds(b, "pipeline");
	else
		add_visible(b, span_str(row->track->key));
	if (row->text.n > 0)
		buf_adds(b, ": ");
	add_visible(b, row->text);
	buf_addc(b, '\n');
}

/* ---- for a page ---- */

void
viewrow_add_track(struct buf *b, const struct track *t, enum viewrow_page page)
{
	struct span key = span_str(t->key);

	buf_addf(b, "{\"track\":%zu", t->index);
	json_add_text(b, "kind", span_cut(&key, '/'));
	json_add_text(b, "namespace", t->ref.namespace_);
	json_add_text(b, "name", t->ref.name);
	if (page == VIEWROW_LIVE && t->object != NULL)
		buf_adds(b, ",\"there\":true");
	if (page == VIEWROW_LIVE && t->decides)
		buf_adds(b, ",\"decides\":true");
	buf_addc(b, '}');
}

void
viewrow_add_parent(struct buf *b, const struct track *t)
{
	buf_addf(
	    b, "{\"track\":%zu,\"parent\":%zu}", t->index, t->parent->index);
}

void
viewrow_add_object(struct buf *b, const struct track *t)
{
	buf_addf(b, "{\"track\":%zu,\"object\":", t->index);
	contrast_add_object(b, text_span(t->object), t->secret);
	buf_addc(b, '}');
}

void
viewrow_add_json(struct buf *b, const struct viewrow *row)
{
	buf_addc(b, '[');
	if (row->has_time)
		json_add_int(b, row->us);
	else
		buf_adds(b, "null");
	buf_addc(b, ',');
	json_add_int(b, (int64_t)row->line);
	buf_addc(b, ',');
	json_add_str(b, sorts[row->sort].name);
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

static void
tell(struct track *t, enum viewrow_page page, struct buf *line,
    void (*put)(void *arg), void *arg)
{
	if (t->told)
		return;
	t->told = true;
	viewrow_add_track(line, t, page);
	put(arg);
}

/* A loop for those above, of which there may be very many. */
void
viewrow_tell_track(struct track *t, enum viewrow_page page, struct buf *line,
    void (*put)(void *arg), void *arg)
{
	tell(t, page, line, put, arg);
	for (; t->parent != t->told_parent; t = t->parent) {
		tell(t->parent, page, line, put, arg);
		t->told_parent = t->parent;
		viewrow_add_parent(line, t);
		put(arg);
	}
}

void
viewrow_add_escaped(struct buf *b, struct span line)
{
	struct span rest = line;

	while (rest.p != NULL) {
		buf_addspan(b, span_cut(&rest, '<'));
		if (rest.p != NULL)
			buf_adds(b, "\\u003c");
	}
}
