#include "period.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "process/clock.h"
#include "value/duration.h"

#define SECOND_US INT64_C(1000000)
#define DAY_US (INT64_C(86400) * SECOND_US)

/* ---- options ---- */

/* "03:04" or "03:04:05.6": the time since midnight. */
static bool
parse_clock(struct span text, int64_t *us)
{
	struct buf whole = BUF_INIT;
	bool good;

	buf_addf(&whole, "1970-01-01T%.*s%sZ", SPAN_ARG(text),
	    text.n == sizeof("03:04") - 1 ? ":00" : "");
	good = clock_parse_us(buf_span(&whole), us) == 0;
	buf_release(&whole);
	return good;
}

static int
parse_bound(
    const char *name, const char *text, struct period_bound *m, struct err *err)
{
	struct span t = span_str(text);
	uint64_t ms;

	*m = (struct period_bound){.kind = PERIOD_NONE};
	if (text == NULL)
		return 0;
	if (clock_parse_us(t, &m->us) == 0) {
		m->kind = PERIOD_AT;
	} else if (parse_clock(t, &m->us)) {
		m->kind = PERIOD_CLOCK;
	} else if (span_take(&t, "-") && duration_parse_ms(t, &ms) == 0) {
		m->kind = PERIOD_BEFORE_END;
		m->us = (int64_t)ms * 1000;
	} else {
		return err_set(err, ERR_PERMANENT,
		    "option --%s needs a time such as 2026-01-02T03:04:05Z, "
		    "03:04 of the last day of the recording, or -15m before "
		    "its end, not \"%s\"",
		    name, text);
	}
	return 0;
}

int
period_init(struct period *p, const char *from, const char *to,
    uint64_t since_ms, struct buf *out, struct err *err)
{
	*p = (struct period){.out = out, .day = -1};
	if (parse_bound("from", from, &p->from, err) != 0 ||
	    parse_bound("to", to, &p->to, err) != 0)
		return -1;
	if (since_ms != PERIOD_SINCE_NONE) {
		if (from != NULL)
			return err_set(err, ERR_PERMANENT,
			    "options --since and --from exclude each other");
		p->from = (struct period_bound){
		    PERIOD_BEFORE_END, (int64_t)since_ms * 1000};
	}
	if (p->from.kind == PERIOD_AT && p->to.kind == PERIOD_AT &&
	    p->from.us > p->to.us)
		return err_set(err, ERR_PERMANENT,
		    "option --from: %s is later than --to, %s", from, to);
	return 0;
}

void
period_release(struct period *p)
{
	buf_release(&p->kept);
	free(p->list);
}

/* ---- sentences ---- */

static void
tell(struct period *p, const struct period_sentence *s, struct span text)
{
	char day[CLOCK_RFC3339_MAX];

	if (p->days && s->us != 0 && s->us / DAY_US != p->day) {
		clock_format_us(s->us, day);
		p->day = s->us / DAY_US;
		buf_addf(p->out, "%.10s\n", day);
	}
	buf_addspan(p->out, text);
	p->told += !s->remark;
}

/* Tells those of the first n that are kept from a time to another one; forgets
 * all n. */
static void
tell_kept(struct period *p, size_t n, int64_t from, int64_t to)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		const struct period_sentence *s = &p->list[i];

		if (s->us >= from && s->us <= to)
			tell(p, s, span_make(p->kept.data + at, s->length));
		at += s->length;
	}
	buf_consume(&p->kept, at);
	p->count -= n;
	if (n > 0)
		memmove(p->list, p->list + n, p->count * sizeof(*p->list));
}

static bool
is_relative(const struct period_bound *m)
{
	return m->kind == PERIOD_CLOCK || m->kind == PERIOD_BEFORE_END;
}

/* Before what time a sentence is certainly too early, or, if only the end is
 * relative, early enough. */
static int64_t
horizon(const struct period *p)
{
	const struct period_bound *m =
	    is_relative(&p->from) ? &p->from : &p->to;

	return p->last_us - (m->kind == PERIOD_CLOCK ? DAY_US : m->us);
}

/* Keeps no more than may be told, or not, when the end is known. */
static void
settle(struct period *p)
{
	size_t n = 0;

	while (n < p->count && p->list[n].us < horizon(p))
		n++;
	tell_kept(
	    p, n, is_relative(&p->from) ? INT64_MAX : INT64_MIN, INT64_MAX);
}

int64_t
period_time(struct period *p, struct span time)
{
	int64_t us;

	if (time.n > 0 && clock_parse_us(time, &us) == 0 && us > p->last_us) {
		p->last_us = us;
		p->first_us = p->first_us != 0 ? p->first_us : us;
	}
	return p->last_us;
}

void
period_add(struct period *p, struct span sentence, bool remark)
{
	struct period_sentence s = {p->last_us, sentence.n, remark};
	bool waits = is_relative(&p->from) || is_relative(&p->to);

	if ((p->from.kind == PERIOD_AT && s.us < p->from.us) ||
	    (p->to.kind == PERIOD_AT && s.us > p->to.us))
		return;
	p->found |= !remark;
	if (!waits && p->found) {
		tell_kept(p, p->count, INT64_MIN, INT64_MAX);
		tell(p, &s, sentence);
		return;
	}
	p->list = mem_grow(p->list, p->count, sizeof(*p->list));
	p->list[p->count++] = s;
	buf_addspan(&p->kept, sentence);
	if (waits && p->list[p->count / 2].us < horizon(p))
		settle(p);
}

/* ---- the end ---- */

static int64_t
midnight(int64_t us)
{
	return us - us % DAY_US;
}

/* The last such time of the recording; if there is none, the one that is nearest
 * to it. */
static int64_t
last_clock(const struct period *p, int64_t clock)
{
	int64_t us = midnight(p->last_us) + clock;

	if (us <= p->last_us)
		return us;
	if (p->first_us - (us - DAY_US) > us - p->last_us)
		return us;
	return us - DAY_US;
}

/* When it is, now that the end is known. after: 0, or the begin of the period. */
static int64_t
resolve(const struct period *p, const struct period_bound *m, int64_t after)
{
	int64_t us;

	switch (m->kind) {
	case PERIOD_BEFORE_END:
		return p->last_us - m->us;
	case PERIOD_CLOCK:
		if (after == 0)
			return last_clock(p, m->us);
		us = midnight(after) + m->us;
		return us < after ? us + DAY_US : us;
	default:
		return m->us;
	}
}

int
period_end(struct period *p, struct err *err)
{
	char first[CLOCK_RFC3339_MAX], last[CLOCK_RFC3339_MAX];
	int64_t from = resolve(p, &p->from, 0);
	int64_t to =
	    p->to.kind == PERIOD_NONE ? INT64_MAX : resolve(p, &p->to, from);
	bool any = false;

	if (p->last_us == 0 &&
	    (p->from.kind != PERIOD_NONE || p->to.kind != PERIOD_NONE))
		return err_set(err, ERR_PERMANENT,
		    "no line of the recording has a time: kwatch --timestamps "
		    "writes it");
	clock_format_us(p->first_us, first);
	clock_format_us(p->last_us, last);
	if ((p->from.kind != PERIOD_NONE && from > p->last_us) ||
	    (p->to.kind != PERIOD_NONE && (to < p->first_us || to < from)))
		return err_set(err, ERR_PERMANENT,
		    "the recording has nothing of that time: it is from %s to "
		    "%s",
		    first, last);
	for (size_t i = 0; i < p->count; i++)
		any |= !p->list[i].remark && p->list[i].us >= from &&
		    p->list[i].us <= to;
	if (any || p->told > 0)
		tell_kept(p, p->count, from, to);
	return 0;
}
