#include "report/metric.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/mem.h"
#include "json/json.h"
#include "process/file.h"
#include "tap.h"

static const char *
value(double d)
{
	static struct buf b;

	buf_reset(&b);
	metric_add_value(&b, d);
	return buf_str(&b);
}

TEST(table)
{
	bool named = true, helped = true, differ = true, suffix = true,
	     sorted = true;

	for (int i = 0; i < METRICS; i++) {
		const struct metric_family *f = &metric_families[i];
		size_t n;

		named = named && f->name != NULL;
		if (f->name == NULL)
			continue;
		n = strlen(f->name);
		helped = helped && f->help != NULL &&
		    strchr(f->help, '\n') == NULL &&
		    strchr(f->help, '\\') == NULL;
		suffix = suffix &&
		    (n > 6 && strcmp(f->name + n - 6, "_total") == 0) ==
			(f->type == METRIC_COUNTER);
		for (int j = 0; j < i; j++)
			differ = differ &&
			    strcmp(f->name, metric_families[j].name) != 0;
		sorted = sorted &&
		    (f->type == METRIC_HISTOGRAM) == (f->bucket_count > 0) &&
		    f->bucket_count <= METRIC_BUCKETS_MAX;
		for (size_t j = 1; j < f->bucket_count; j++)
			sorted = sorted && f->buckets[j - 1] < f->buckets[j];
	}
	ok(named, "every row has a name");
	ok(differ, "... of its own");
	ok(helped, "... and a help of one line");
	ok(suffix, "counters, and they alone, end in _total");
	ok(sorted, "histograms have buckets in order");
}

TEST(series)
{
	struct buf b = BUF_INIT;

	metric_series(&b, METRIC_REST_REQUESTS, "",
	    METRIC_LABELS("200", "GET", "a\"b\\c\nd"), NULL);
	is(buf_str(&b),
	    "rest_client_requests_total{code=\"200\",method=\"GET\","
	    "host=\"a\\\"b\\\\c\\\\nd\"}",
	    "label values are escaped");
	ok(metric_of_series(buf_span(&b)) == METRIC_REST_REQUESTS,
	    "... and such a series is known again");
	buf_reset(&b);
	metric_series(&b, METRIC_OBJECTS, "",
	    METRIC_LABELS("P\x1b[1m\xe2\x80\xae\xff"), NULL);
	is(buf_str(&b), "kpipe_objects{kind=\"P\\\\x1b[1m\\\\u202e\\\\xff\"}",
	    "what cannot be seen is made visible");
	ok(metric_of_series(buf_span(&b)) == METRIC_OBJECTS,
	    "... also for the reader");
	buf_reset(&b);
	metric_series(&b, METRIC_READY, "", NULL, NULL);
	is(buf_str(&b), "kpipe_ready", "no labels, no braces");
	buf_release(&b);
}

TEST(reading)
{
	static const struct {
		const char *text;
		int want;
	} cases[] = {
	    {"kpipe_ready", METRIC_READY},
	    {"kpipe_ready{}", -1},
	    {"kpipe_readyx", -1},
	    {"nobody_knows", -1},
	    {"", -1},
	    {"kpipe_objects{kind=\"Pod\"}", METRIC_OBJECTS},
	    {"kpipe_objects{kind=\"Po\nd\"}", -1},
	    {"kpipe_objects{kind=\"Po\\d\"}", -1},
	    {"kpipe_objects{kind=\"Pod\\", -1},
	    {"kpipe_objects{kind=\"Pod\"", -1},
	    {"kpipe_objects{kind=\"Pod\"} 7\nevil 1", -1},
	    {"kpipe_objects{kin=\"Pod\"}", -1},
	    {"kpipe_objects", -1},
	    {"kpipe_objects{kind=\"Pod\",x=\"y\"}", -1},
	    {"workqueue_adds_total{name=\"a\",controller=\"a\"}",
		METRIC_QUEUE_ADDS},
	    {"workqueue_adds_total{controller=\"a\",name=\"a\"}", -1},
	    {"workqueue_work_duration_seconds{name=\"a\",controller=\"a\"}",
		-1},
	    {"workqueue_work_duration_seconds_sum{name=\"a\",controller=\"a\"}",
		METRIC_QUEUE_WORK},
	    {"workqueue_work_duration_seconds_bucket{name=\"a\","
	     "controller=\"a\"}",
		-1},
	    {"workqueue_work_duration_seconds_bucket{name=\"a\","
	     "controller=\"a\",le=\"+Inf\"}",
		METRIC_QUEUE_WORK},
	    {"workqueue_work_duration_seconds_bucket{name=\"a\","
	     "controller=\"a\",le=\"=\"}",
		-1},
	    {"workqueue_work_duration_seconds_bucket{name=\"a\","
	     "controller=\"a\",le=\"\"}",
		-1},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char what[32];

		snprintf(what, sizeof(what), "series %zu is read", i);
		if (!ok(metric_of_series(span_str(cases[i].text)) ==
			    cases[i].want,
			what))
			printf("# %s\n", cases[i].text);
	}
}

TEST(lines)
{
	struct metric_histogram h = {0};
	struct metric_lines m;
	struct buf b = BUF_INIT;
	size_t lines = 0, longest = 0, samples = 0;
	bool valid = true;
	char *rest, *line;

	metric_lines_init(&m, "tool", &b);
	metric_lines_end(&m);
	is(buf_str(&b), "", "no samples, no line");
	metric_add(&m, METRIC_READY, NULL, 1);
	metric_add(&m, METRIC_OBJECTS, METRIC_LABELS("Pod"), 2);
	metric_lines_end(&m);
	is(buf_str(&b),
	    "{\"tool\":\"tool\",\"metrics\":{\"kpipe_ready\":1,"
	    "\"kpipe_objects{kind=\\\"Pod\\\"}\":2}}\n",
	    "samples share a line");
	buf_reset(&b);
	metric_observe(&h, METRIC_RECONCILE_TIME, 0.005);
	metric_observe(&h, METRIC_RECONCILE_TIME, 0.3);
	metric_observe(&h, METRIC_RECONCILE_TIME, 61);
	for (int i = 0; i < 5; i++)
		metric_add_histogram(&m, METRIC_RECONCILE_TIME,
		    METRIC_LABELS("thing.example.com"), &h);
	metric_lines_end(&m);
	ok(strstr(buf_str(&b), "le=\\\"0.005\\\"}\":1,") != NULL &&
		strstr(buf_str(&b), "le=\\\"0.25\\\"}\":1,") != NULL &&
		strstr(buf_str(&b), "le=\\\"0.3\\\"}\":2,") != NULL &&
		strstr(buf_str(&b), "le=\\\"60\\\"}\":2,") != NULL &&
		strstr(buf_str(&b), "le=\\\"+Inf\\\"}\":3,") != NULL,
	    "buckets count what is at most their bound");
	ok(strstr(buf_str(&b),
	       "_sum{controller=\\\"thing.example.com\\\"}"
	       "\":61.305") != NULL &&
		strstr(buf_str(&b),
		    "_count{controller=\\\"thing.example.com"
		    "\\\"}\":3") != NULL,
	    "... and sum and number");
	rest = b.data;
	while ((line = strsep(&rest, "\n")) != NULL && *line != '\0') {
		struct json_members s =
		    json_members(json_get(span_str(line), "metrics"));

		lines++;
		if (strlen(line) + 1 > longest)
			longest = strlen(line) + 1;
		valid = valid && json_check(span_str(line), NULL) == 0;
		while (json_member(&s))
			samples++;
	}
	ok(valid && samples == 5 * 43, "long ones are cut into whole lines");
	ok(lines > 1 && longest <= METRIC_LINE_MAX && longest > 3900,
	    "... none longer than a pipe takes at once");
	buf_release(&b);
}

TEST(hostile)
{
	struct metric_lines m;
	struct buf b = BUF_INIT;
	char *huge = mem_alloc(100001);

	memset(huge, '\1', 100000);
	huge[100000] = '\0';
	metric_lines_init(&m, "tool", &b);
	metric_add(
	    &m, METRIC_REST_REQUESTS, METRIC_LABELS(huge, huge, huge), 1);
	metric_lines_end(&m);
	ok(b.len < METRIC_LINE_MAX && json_check(buf_span(&b), NULL) == 0,
	    "a huge label is cut");
	buf_reset(&b);
	metric_add(&m, METRIC_OBJECTS, METRIC_LABELS("\xff\xfe"), 1);
	metric_lines_end(&m);
	ok(json_check(buf_span(&b), NULL) == 0,
	    "one that is not UTF-8 is fine");
	free(huge);
	buf_release(&b);
}

/* "| `name` | type | `a`, `b` |" of each row, in doc/monitoring.md. */
TEST(page)
{
	static const char *const types[] = {"counter", "gauge", "histogram"};
	struct buf page = BUF_INIT, row = BUF_INIT;
	const char *at, *behind;

	ok(file_read("doc/monitoring.md", 1, &page, NULL) == 0,
	    "the page is there");
	at = buf_str(&page);
	for (int i = 0; i < METRICS; i++) {
		const struct metric_family *f = &metric_families[i];
		const char *found;

		buf_reset(&row);
		buf_addf(&row, "\n| `%s` | %s |", f->name, types[f->type]);
		for (size_t j = 0; j < METRIC_LABELS_MAX && f->labels[j]; j++)
			buf_addf(
			    &row, "%s `%s`", j > 0 ? "," : "", f->labels[j]);
		buf_adds(&row, " |");
		found = strstr(at, buf_str(&row));
		if (!ok(found != NULL, f->name))
			printf(
			    "# doc/monitoring.md lacks, or not in this place:"
			    "%s\n",
			    buf_str(&row));
		at = found != NULL ? found + 1 : at;
	}
	behind = strstr(at + 1, "\n| `");
	ok(behind == NULL || behind > strstr(at, "\n## Events\n"),
	    "the page has no other");
	buf_release(&page);
	buf_release(&row);
}

TEST(values)
{
	is(value(0), "0", "values: zero");
	is(value(1234567890123.0), "1234567890123", "... whole");
	is(value(0.25), "0.25", "... with a fraction");
	is(value(0.1 + 0.2), "0.3", "... without noise");
	is(value(1795263039.54), "1795263039.54", "... a time");
	is(value(1e-7), "1e-07", "... tiny");
	is(value(NAN), "0", "... none");
	is(value(INFINITY), "0", "... infinite");
}
