#include "series.h"

#include "base/array.h"
#include "json/json.h"
#include "tap.h"

#define ID "0123456789abcdef0123456789abcdef"
#define EXEMPLAR \
	"{\"trace_id\":\"" ID "\",\"value\":0.25,\"time\":1800000000.5}"
#define TIME(part) "\"kpipe_decision_seconds_" part "}\""
#define BUCKET(controller, le) \
	TIME("bucket{controller=\\\"" controller "\\\",le=\\\"" le "\\\"")

static struct series series;

/* The first error, or "". */
static const char *
take(unsigned tool, const char *samples)
{
	static struct err err;

	err = (struct err)ERR_INIT;
	ok(json_check(span_str(samples), NULL) == 0, samples);
	series_take(&series, tool, span_str(samples), &err);
	return err.message;
}

static void
page_is(enum series_format format, uint32_t running, const char *want,
    const char *what)
{
	struct buf b = BUF_INIT, lines = BUF_INIT;
	struct span rest;

	series_write(&series, format, running, &b);
	rest = buf_span(&b);
	while (rest.n > 0) {
		struct span line = span_cut(&rest, '\n');

		if (!span_starts(line, "# HELP"))
			buf_addf(&lines, "%.*s\n", SPAN_ARG(line));
	}
	is(buf_str(&lines), want, what);
	buf_release(&b);
	buf_release(&lines);
}

static void
again(void)
{
	series_release(&series);
	series = (struct series){.first = {NULL}};
}

static void
test_tools(void)
{
	again();
	is(take(1, "{\"kpipe_relays\":1}"), "unknown series \"kpipe_relays\"",
	    "a series that is not in the table");
	is(take(1, "{\"kpipe_stale_total\":3,\"kpipe_prunes_held\":2}"), "",
	    "a counter and a gauge");
	is(take(2, "{\"kpipe_stale_total\":4,\"kpipe_prunes_held\":5}"), "",
	    "of another tool, too");
	page_is(SERIES_TEXT, 6,
	    "# TYPE kpipe_stale_total counter\nkpipe_stale_total 7\n"
	    "# TYPE kpipe_prunes_held gauge\nkpipe_prunes_held 7\n",
	    "sums");
	page_is(SERIES_TEXT, 2,
	    "# TYPE kpipe_stale_total counter\nkpipe_stale_total 7\n"
	    "# TYPE kpipe_prunes_held gauge\nkpipe_prunes_held 2\n",
	    "gauges only of tools that run");
	page_is(SERIES_TEXT, 0,
	    "# TYPE kpipe_stale_total counter\nkpipe_stale_total 7\n",
	    "... and not even their names");
	series_restart(&series, 1);
	take(1, "{\"kpipe_stale_total\":1}");
	page_is(SERIES_TEXT, 6,
	    "# TYPE kpipe_stale_total counter\nkpipe_stale_total 8\n"
	    "# TYPE kpipe_prunes_held gauge\nkpipe_prunes_held 5\n",
	    "a counter goes on after another start, a gauge does not");
}

static void
test_order(void)
{
	again();
	is(take(1,
	       "{" TIME("count{controller=\\\"b\\\"") ":3," BUCKET(
		   "b", "+Inf") ":3," BUCKET("b", "10") ":2," BUCKET("a",
		   "+Inf") ":1," BUCKET("b", "5e-05") ":1," BUCKET("b",
		   "2.5") ":1," TIME("sum{controller=\\\"b\\\"") ":9.5}"),
	    "", "a histogram in any order");
	page_is(SERIES_TEXT, 0,
	    "# TYPE kpipe_decision_seconds histogram\n"
	    "kpipe_decision_seconds_bucket{controller=\"a\",le=\"+Inf\"} 1\n"
	    "kpipe_decision_seconds_bucket{controller=\"b\",le=\"5e-05\"} 1\n"
	    "kpipe_decision_seconds_bucket{controller=\"b\",le=\"2.5\"} 1\n"
	    "kpipe_decision_seconds_bucket{controller=\"b\",le=\"10\"} 2\n"
	    "kpipe_decision_seconds_bucket{controller=\"b\",le=\"+Inf\"} 3\n"
	    "kpipe_decision_seconds_sum{controller=\"b\"} 9.5\n"
	    "kpipe_decision_seconds_count{controller=\"b\"} 3\n",
	    "... is put in order");
	page_is(SERIES_OPENMETRICS, 0,
	    "# TYPE kpipe_decision_seconds histogram\n"
	    "kpipe_decision_seconds_bucket{controller=\"a\",le=\"+Inf\"} 1\n"
	    "kpipe_decision_seconds_bucket{controller=\"b\",le=\"5e-05\"} 1\n"
	    "kpipe_decision_seconds_bucket{controller=\"b\",le=\"2.5\"} 1\n"
	    "kpipe_decision_seconds_bucket{controller=\"b\",le=\"10.0\"} 2\n"
	    "kpipe_decision_seconds_bucket{controller=\"b\",le=\"+Inf\"} 3\n"
	    "kpipe_decision_seconds_sum{controller=\"b\"} 9.5\n"
	    "kpipe_decision_seconds_count{controller=\"b\"} 3\n# EOF\n",
	    "OpenMetrics: whole bounds have a point");
}

static void
test_exemplars(void)
{
	again();
	is(take(1, "{" BUCKET("c", "1") ":[2," EXEMPLAR "]}"), "",
	    "a bucket with an exemplar");
	page_is(SERIES_OPENMETRICS, 0,
	    "# TYPE kpipe_decision_seconds histogram\n"
	    "kpipe_decision_seconds_bucket{controller=\"c\",le=\"1.0\"} 2 "
	    "# {trace_id=\"" ID "\"} 0.25 1800000000.5\n# EOF\n",
	    "... has it in OpenMetrics");
	page_is(SERIES_TEXT, 0,
	    "# TYPE kpipe_decision_seconds histogram\n"
	    "kpipe_decision_seconds_bucket{controller=\"c\",le=\"1\"} 2\n",
	    "... and in no other format");
	take(1, "{" BUCKET("c", "1") ":3}");
	page_is(SERIES_OPENMETRICS, 0,
	    "# TYPE kpipe_decision_seconds histogram\n"
	    "kpipe_decision_seconds_bucket{controller=\"c\",le=\"1.0\"} 3 "
	    "# {trace_id=\"" ID "\"} 0.25 1800000000.5\n# EOF\n",
	    "... and keeps it until there is another");
	again();
	is(take(1,
	       "{\"kpipe_stale_total\":[3," EXEMPLAR "],"
	       "\"kpipe_prunes_held\":[2," EXEMPLAR
	       "]," TIME("sum{controller=\\\"c\\\"") ":[1," EXEMPLAR "]}"),
	    "series \"kpipe_stale_total\" is not a bucket: its exemplar is "
	    "left out",
	    "only a bucket can have one");
	page_is(SERIES_OPENMETRICS, 2,
	    "# TYPE kpipe_stale counter\nkpipe_stale_total 3\n"
	    "# TYPE kpipe_prunes_held gauge\nkpipe_prunes_held 2\n"
	    "# TYPE kpipe_decision_seconds histogram\n"
	    "kpipe_decision_seconds_sum{controller=\"c\"} 1\n# EOF\n",
	    "... others have their values");
}

/* A page with one of these would be refused as a whole. */
static void
test_bad_values(void)
{
	static const char *const values[] = {"\"1\"", "null", "true", "{}",
	    "[]", "[1]", "[1,2]", "[1,{}]", "[[1]," EXEMPLAR "]",
	    "1234567890123456789012345678901234567890",
	    "[1,{\"trace_id\":\"\",\"value\":1,\"time\":1}]",
	    "[1,{\"trace_id\":\"" ID "0\",\"value\":1,\"time\":1}]",
	    "[1,{\"trace_id\":\"0123456789ABCDEF0123456789abcdef\","
	    "\"value\":1,\"time\":1}]",
	    "[1,{\"trace_id\":\"0123456789abcdef0123456789abcd\\n\","
	    "\"value\":1,\"time\":1}]",
	    "[1,{\"trace_id\":\"" ID "\",\"value\":\"1\",\"time\":1}]",
	    "[1,{\"trace_id\":\"" ID "\",\"value\":1}]",
	    "[1,{\"trace_id\":\"" ID "\",\"value\":1,\"time\":\"1\\n\"}]",
	    "[1,{\"trace_id\":\"" ID "\",\"value\":1,\"time\":1e999}]"};
	struct buf line = BUF_INIT;

	again();
	for (size_t i = 0; i < COUNT(values); i++) {
		buf_reset(&line);
		buf_addf(&line, "{" BUCKET("c", "1") ":%s}", values[i]);
		is(take(1, buf_str(&line)),
		    "the value of series \"kpipe_decision_seconds_bucket"
		    "{controller=\"c\",le=\"1\"}\" is not a number",
		    values[i]);
	}
	is(take(1, "{\"kpipe_stale_total\":{},\"kpipe_prunes_held\":1}"),
	    "the value of series \"kpipe_stale_total\" is not a number",
	    "what follows");
	page_is(SERIES_OPENMETRICS, 2,
	    "# TYPE kpipe_prunes_held gauge\nkpipe_prunes_held 1\n# EOF\n",
	    "... is taken all the same");
	is(take(1, "[]"), "metrics is not an object", "a line of another form");
	buf_release(&line);
}

static void
test_bad_names(void)
{
	again();
	ok(*take(1, "{\"kpipe_objects{kind=\\\"a\\u0000b\\\"}\":1}") != '\0',
	    "a label with a zero byte");
	ok(*take(1, "{\"kpipe_objects{kind=\\\"a\\nb\\\"}\":1}") != '\0',
	    "... with a newline");
	page_is(SERIES_TEXT, 2, "", "... are left out");
	is(take(1, "{\"kpipe_objects{kind=\\\"a\\\\nb\\\"}\":1}"), "",
	    "... with one that is escaped");
	page_is(SERIES_TEXT, 2,
	    "# TYPE kpipe_objects gauge\nkpipe_objects{kind=\"a\\nb\"} 1\n",
	    "... is written so");
}

static void
test_many(void)
{
	struct buf line = BUF_INIT;
	struct err err = ERR_INIT;
	int refused = 0;

	again();
	for (int i = 0; i < SERIES_MAX + 5; i++) {
		buf_reset(&line);
		buf_addf(&line, "{\"kpipe_objects{kind=\\\"%05d\\\"}\":1}", i);
		refused += series_take(&series, 1, buf_span(&line), &err) != 0;
	}
	ok(refused == 5, "so many series and no more");
	is(err.message,
	    "more than 10000 series: \"kpipe_objects{kind=\"10004\"}\" is left "
	    "out",
	    "... says so");
	ok(series_take(&series, 1,
	       span_str("{\"kpipe_objects{kind=\\\"00007\\\"}\":2}"),
	       &err) == 0,
	    "... those that are known go on");
	buf_release(&line);
}

int
main(void)
{
	test_tools();
	test_order();
	test_exemplars();
	test_bad_values();
	test_bad_names();
	test_many();
	series_release(&series);
	return tap_done();
}
