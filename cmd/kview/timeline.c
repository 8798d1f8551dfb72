#include "timeline.h"

#include "base/utf8.h"
#include "process/clock.h"
#include "track.h"

/* The SGR number of a sort: those that matter are told apart, the rest is
 * dim. */
static int
color(enum viewrow_sort sort)
{
	switch (sort) {
	case ROW_FAILURE:
	case ROW_BAD:
		return 31;
	case ROW_GAP:
	case ROW_LEADER:
	case ROW_RESTART:
	case ROW_PHASE:
	case ROW_SHADOW:
		return 33;
	case ROW_DECISION:
		return 35;
	case ROW_WRITE:
		return 32;
	case ROW_SPEC:
		return 34;
	case ROW_APPEARED:
	case ROW_GONE:
		return 1;
	case ROW_PRESENT:
	case ROW_STATUS:
	case ROW_META:
	case ROW_UNCHANGED:
		break;
	}
	return 2;
}

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

static void
add_time(struct buf *b, const struct viewrow *row)
{
	char text[CLOCK_RFC3339_MAX];

	if (row->has_time) {
		clock_format_us(row->us, text);
		buf_adds(b, text);
	} else {
		buf_addf(b, "line %zu", row->line);
	}
}

void
timeline_add(
    struct buf *b, const struct viewrow *row, enum timeline_colors colors)
{
	add_time(b, row);
	buf_addc(b, ' ');
	if (colors == TIMELINE_COLORS)
		buf_addf(b, "\033[%dm", color(row->sort));
	buf_addf(b, "%-9s", viewrow_sort_name(row->sort));
	if (colors == TIMELINE_COLORS)
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
