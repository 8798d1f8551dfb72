#include "series.h"

#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"

static const char *const types[] = {
    [METRIC_COUNTER] = "counter",
    [METRIC_GAUGE] = "gauge",
    [METRIC_HISTOGRAM] = "histogram",
};

void
series_init(struct series *s)
{
	*s = (struct series){0};
}

void
series_release(struct series *s)
{
	struct series_sample *sample;

	for (size_t i = 0; (sample = map_next(&s->by_name, &i)) != NULL;) {
		free(sample->series);
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
	if (f->type != METRIC_HISTOGRAM || x->part != 0)
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

static int
take_one(struct series *s, unsigned tool, const struct json_members *m,
    struct err *err)
{
	struct buf scratch = BUF_INIT;
	struct series_sample *sample;
	char digits[32];
	/* The line was checked, so there are quotes. */
	struct span name =
	    json_string(span_make(m->key.p - 1, m->key.n + 2), &scratch);
	int rc = -1;

	if (json_type(m->value) != JSON_NUMBER || m->value.n >= sizeof(digits))
		err_set(err, ERR_PERMANENT,
		    "the value of series \"%.*s\" is not a number",
		    SPAN_ARG(name));
	else if ((sample = find(s, name, err)) != NULL) {
		memcpy(digits, m->value.p, m->value.n);
		digits[m->value.n] = '\0';
		sample->values[tool] = strtod(digits, NULL);
		sample->tools |= 1u << tool;
		rc = 0;
	}
	buf_release(&scratch);
	return rc;
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
write_sample(const struct series_sample *x, uint32_t tools, struct buf *b)
{
	double sum = x->kept;

	for (unsigned i = 0; i < SERIES_TOOLS_MAX; i++)
		if (tools & 1u << i)
			sum += x->values[i];
	buf_addf(b, "%s ", x->series);
	metric_add_value(b, sum);
	buf_addc(b, '\n');
}

static void
write_family(const struct series *s, size_t i, uint32_t running, struct buf *b)
{
	const struct metric_family *f = &metric_families[i];
	bool gauge = f->type == METRIC_GAUGE, begun = false;

	for (struct series_sample *x = s->first[i]; x != NULL; x = x->next) {
		uint32_t tools = gauge ? x->tools & running : x->tools;

		if (gauge && tools == 0)
			continue;
		if (!begun)
			buf_addf(b, "# HELP %s %s\n# TYPE %s %s\n", f->name,
			    f->help, f->name, types[f->type]);
		begun = true;
		write_sample(x, tools, b);
	}
}

void
series_write(const struct series *s, uint32_t running, struct buf *b)
{
	for (size_t i = 0; i < METRICS; i++)
		write_family(s, i, running, b);
}
