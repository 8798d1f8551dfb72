#include "kubelet/logs.h"

#include "process/clock.h"
#include "request/parameters.h"
#include "type/decode_text.h"

static struct problem *
int_param(struct request *r, const char *name, int64_t *value, bool *given)
{
	struct span text = request_param(r, name);

	*given = text.p != NULL;
	return *given ? parameters_int(&r->arena, text, value) : NULL;
}

static void
negative(struct request *r, struct causes *c, const char *field, int64_t value,
    const char *detail)
{
	cause_invalid(c, span_str(field), tree_int(&r->arena, value), detail);
}

static struct problem *
since_time(struct request *r, struct log_options *o)
{
	struct span text = request_param(r, "sinceTime"), error;

	if (text.n == 0)
		return NULL;
	if (decode_time_canonical(&r->arena, text, false, &text, &error) != 0)
		return problem_bad_request(&r->arena, "%.*s", SPAN_ARG(error));
	clock_parse_us(text, &o->since_us);
	return NULL;
}

struct problem *
logs_options(struct request *r, struct log_options *o)
{
	int64_t seconds = 0;
	bool given[3];
	struct problem *p;

	*o = (struct log_options){
	    .follow = request_flag(r, "follow"),
	    .previous = request_flag(r, "previous"),
	    .timestamps = request_flag(r, "timestamps"),
	    .tail = -1,
	    .limit = -1,
	    .since_us = INT64_MIN,
	};
	p = int_param(r, "tailLines", &o->tail, &given[0]);
	if (p == NULL)
		p = int_param(r, "limitBytes", &o->limit, &given[1]);
	if (p == NULL)
		p = int_param(r, "sinceSeconds", &seconds, &given[2]);
	if (p == NULL)
		p = since_time(r, o);
	if (p == NULL) {
		/* ValidatePodLogOptions */
		struct causes c = {.arena = &r->arena};
		bool time = request_param(r, "sinceTime").n > 0;

		if (given[0] && o->tail < 0)
			negative(r, &c, "tailLines", o->tail,
			    "must be greater than or equal to 0");
		if (given[1] && o->limit < 1)
			negative(r, &c, "limitBytes", o->limit,
			    "must be greater than 0");
		if (given[2] && time)
			cause_forbidden(&c, span_str("[]"),
			    "at most one of `sinceTime` or `sinceSeconds` may "
			    "be specified");
		else if (given[2] && seconds < 1)
			negative(r, &c, "sinceSeconds", seconds,
			    "must be greater than 0");
		if (request_param(r, "stream").p != NULL)
			cause_forbidden(
			    &c, span_str("stream"), "may not be specified");
		p = c.n == 0 ? NULL
			     : problem_invalid_kind(&r->arena, SPAN_NONE,
				   span_str("PodLogOptions"), r->name, &c);
	}
	if (p == NULL && given[2])
		o->since_us = seconds > clock_real_us() / 1000000
		    ? 0
		    : clock_real_us() - seconds * 1000000;
	return p;
}

/* ---- lines ---- */

/* The time in front of a line, and what is behind it. False: there is none. */
static bool
take_time(struct span *line, struct span *time, int64_t *us)
{
	const char *blank = span_find(*line, ' ');

	if (blank == NULL || !span_is_digit(*line->p))
		return false;
	*time = span_make(line->p, (size_t)(blank - line->p));
	if (clock_parse_us(*time, us) != 0)
		return false;
	*line = span_skip(*line, time->n + 1);
	return true;
}

static void
add(struct buf *b, struct log_options *o, struct span s)
{
	if (o->limit >= 0 && (uint64_t)o->limit < s.n)
		s.n = (size_t)o->limit;
	buf_addspan(b, s);
	if (o->limit >= 0)
		o->limit -= (int64_t)s.n;
}

void
logs_select(struct span text, size_t done, int64_t began_us,
    struct log_options *o, struct buf *b)
{
	char began[CLOCK_RFC3339_MAX];
	struct span rest = text, time;
	size_t skip = 0;
	int64_t us = began_us;

	clock_format_s(began_us / 1000000, began);
	time = span_str(began);
	if (done == 0 && o->tail >= 0) {
		size_t lines = 0;

		for (struct span all = text; all.n > 0; lines++)
			span_cut(&all, '\n');
		skip = lines > (uint64_t)o->tail ? lines - (size_t)o->tail : 0;
	}
	for (size_t i = 0; rest.n > 0; i++) {
		bool told = rest.p < text.p + done;
		struct span line = span_cut(&rest, '\n');

		take_time(&line, &time, &us);
		if (told || i < skip || us < o->since_us)
			continue;
		if (o->timestamps) {
			add(b, o, time);
			add(b, o, span_str(" "));
		}
		add(b, o, line);
		add(b, o, span_str("\n"));
	}
}
