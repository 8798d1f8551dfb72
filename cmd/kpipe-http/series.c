#include "series.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"

static const char *const types[] = {
    [METRIC_COUNTER] = "counter",
    [METRIC_GAUGE] = "gauge",
    [METRIC_HISTOGRAM] = "histogram",
};

void
series_release(struct series *s)
{
	struct series_sample *sample;

	for (size_t i = 0; (sample = map_next(&s->by_name, &i)) != NULL;) {
		free(sample->series);
		free(sample->exemplar);
		free(sample);
	}
	map_release(&s->by_name);
}

/* le, if there is one, is the last label (metric_of_series). */
static void
take_apart(struct series_sample *x, const struct metric_family *f)
{
	const char *rest = x->series + strlen(f->name), *le;

	if (f->type == METRIC_HISTOGRAM)
		x->part = strncmp(rest, "_bucket", 7) == 0 ? 0
		    : strncmp(rest, "_sum", 4) == 0	   ? 1
							   : 2;
	rest += strcspn(rest, "{");
	x->labels = span_str(rest + (*rest == '{'));
	if (x->labels.n > 0)
		x->labels.n--; /* the brace */
	x->bucket = f->type == METRIC_HISTOGRAM && x->part == 0;
	if (!x->bucket)
		return;
	le = span_find_last(x->labels, '=');
	x->le = strtod(le + 2, NULL);
	x->labels.n = (size_t)(le - x->labels.p) - 2;
	if (x->labels.n > 0)
		x->labels.n--; /* the comma */
}

/* The series of one label set together, its buckets as they grow. */
static int
order(const struct series_sample *a, const struct series_sample *b)
{
	int c = span_cmp(a->labels, b->labels);

	if (c != 0)
		return c;
	if (a->part != b->part)
		return a->part - b->part;
	return (a->le > b->le) - (a->le < b->le);
}

static struct series_sample *
find(struct series *s, struct span name, struct err *err)
{
	struct series_sample *sample = map_get(&s->by_name, name), **at;
	int family;

	if (sample != NULL)
		return sample;
	family = metric_of_series(name);
	if (family < 0) {
		err_set(err, ERR_PERMANENT, "unknown series \"%.*s\"",
		    SPAN_ARG(name));
		return NULL;
	}
	if (s->by_name.count >= SERIES_MAX) {
		err_set(err, ERR_PERMANENT,
		    "more than %d series: \"%.*s\" is left out", SERIES_MAX,
		    SPAN_ARG(name));
		return NULL;
	}
	sample = mem_zalloc(sizeof(*sample));
	sample->series = mem_dup(name.p, name.n);
	map_put(&s->by_name, span_str(sample->series), sample);
	take_apart(sample, &metric_families[family]);
	at = &s->first[family];
	while (*at != NULL && order(*at, sample) < 0)
		at = &(*at)->next;
	sample->next = *at;
	*at = sample;
	return sample;
}

static bool
number_of(struct span text, double *value)
{
	char digits[32];

	if (json_type(text) != JSON_NUMBER || text.n >= sizeof(digits))
		return false;
	memcpy(digits, text.p, text.n);
	digits[text.n] = '\0';
	*value = strtod(digits, NULL);
	return isfinite(*value);
}

static bool
is_trace_id(struct span text)
{
	size_t n = 0;

	while (n < text.n && text.p[n] != '\0' &&
	    strchr("0123456789abcdef", text.p[n]) != NULL)
		n++;
	return n == 32 && text.n == 32;
}

/* "# {trace_id="..."} VALUE TIME", owned; NULL: it is not valid. */
static char *
make_exemplar(struct span e)
{
	struct span id = json_raw_string(json_get(e, "trace_id"));
	struct span time = json_get(e, "time");
	struct buf b = BUF_INIT;
	double value, seconds;

	if (!is_trace_id(id) || !number_of(json_get(e, "value"), &value) ||
	    !number_of(time, &seconds))
		return NULL;
	buf_addf(&b, "# {trace_id=\"%.*s\"} ", SPAN_ARG(id));
	metric_add_value(&b, value);
	buf_addc(&b, ' ');
	buf_addspan(&b, time);
	return buf_take(&b);
}

/* A number, or [NUMBER, EXEMPLAR]; *exemplar is owned, or NULL. */
static bool
value_of(struct span text, double *value, char **exemplar)
{
	struct json_elements e = json_elements(text);

	*exemplar = NULL;
	if (json_type(text) != JSON_ARRAY)
		return number_of(text, value);
	return json_element(&e) && number_of(e.value, value) &&
	    json_element(&e) && (*exemplar = make_exemplar(e.value)) != NULL;
}

static int
take_one(struct series *s, unsigned tool, const struct json_members *m,
    struct err *err)
{
	struct buf scratch = BUF_INIT;
	struct series_sample *sample = NULL;
	/* The line was checked, so there are quotes. */
	struct span name =
	    json_string(span_make(m->key.p - 1, m->key.n + 2), &scratch);
	char *exemplar;
	double value;

	if (!value_of(m->value, &value, &exemplar)) {
		err_set(err, ERR_PERMANENT,
		    "the value of series \"%.*s\" is not a number",
		    SPAN_ARG(name));
	} else if ((sample = find(s, name, err)) != NULL) {
		sample->values[tool] = value;
		sample->tools |= 1u << tool;
	}
	if (sample != NULL && exemplar != NULL && !sample->bucket) {
		err_set(err, ERR_PERMANENT,
		    "series \"%.*s\" is not a bucket: its exemplar is left out",
		    SPAN_ARG(name));
		sample = NULL;
	}
	if (sample != NULL && exemplar != NULL) {
		free(sample->exemplar);
		sample->exemplar = exemplar;
		exemplar = NULL;
	}
	free(exemplar);
	buf_release(&scratch);
	return sample != NULL ? 0 : -1;
}

int
series_take(
    struct series *s, unsigned tool, struct span samples, struct err *err)
{
	struct json_members m = json_members(samples);
	struct err first = ERR_INIT;
	int rc = 0;

	if (json_type(samples) != JSON_OBJECT)
		return err_set(err, ERR_PERMANENT, "metrics is not an object");
	while (json_member(&m))
		if (take_one(s, tool, &m, rc == 0 ? &first : NULL) != 0)
			rc = -1;
	if (rc != 0 && err != NULL)
		*err = first;
	return rc;
}

void
series_restart(struct series *s, unsigned tool)
{
	for (size_t i = 0; i < METRICS; i++) {
		bool grows = metric_families[i].type != METRIC_GAUGE;

		for (struct series_sample *x = s->first[i]; x != NULL;
		     x = x->next) {
			if ((x->tools & 1u << tool) && grows)
				x->kept += x->values[tool];
			x->values[tool] = 0;
			x->tools &= ~(1u << tool);
		}
	}
}

static void
write_sample(const struct series_sample *x, uint32_t tools,
    enum series_format format, struct buf *b)
{
	bool open = format == SERIES_OPENMETRICS;
	double sum = x->kept;

	for (unsigned i = 0; i < SERIES_TOOLS_MAX; i++)
		if (tools & 1u << i)
			sum += x->values[i];
	/* OpenMetrics writes a whole number in a bucket's bound with a
	 * point. */
	if (open && x->bucket &&
	    strpbrk(span_find_last(span_str(x->series), '='), ".eI") == NULL)
		buf_addf(
		    b, "%.*s.0\"} ", (int)strlen(x->series) - 2, x->series);
	else
		buf_addf(b, "%s ", x->series);
	metric_add_value(b, sum);
	if (open && x->exemplar != NULL)
		buf_addf(b, " %s", x->exemplar);
	buf_addc(b, '\n');
}

/* OpenMetrics names a counter without _total. */
static void
write_head(
    const struct metric_family *f, enum series_format format, struct buf *b)
{
	int n = (int)strlen(f->name);

	if (format == SERIES_OPENMETRICS && f->type == METRIC_COUNTER)
		n -= (int)strlen("_total");
	buf_addf(b, "# HELP %.*s %s\n# TYPE %.*s %s\n", n, f->name, f->help, n,
	    f->name, types[f->type]);
}

void
series_write(const struct series *s, enum series_format format,
    uint32_t running, struct buf *b)
{
	for (size_t i = 0; i < METRICS; i++) {
		bool gauge = metric_families[i].type == METRIC_GAUGE;
		bool begun = false;

		for (struct series_sample *x = s->first[i]; x != NULL;
		     x = x->next) {
			uint32_t tools = gauge ? x->tools & running : x->tools;

			if (gauge && tools == 0)
				continue;
			if (!begun)
				write_head(&metric_families[i], format, b);
			begun = true;
			write_sample(x, tools, format, b);
		}
	}
	if (format == SERIES_OPENMETRICS)
		buf_adds(b, "# EOF\n");
}
