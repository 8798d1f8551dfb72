#include "history.h"

#include "base/buf.h"
#include "tap.h"

static struct tracks all;
static struct history h;
static size_t forgotten;

static void
count_forgotten(void *arg, const struct track *t)
{
	(void)arg;
	(void)t;
	forgotten++;
}

static struct track *
add(const char *key)
{
	struct track *t = tracks_of_key(&all, span_str(key));

	history_add(&h, span_str("[1,1,\"spec\",1,\"<text>\"]"), t);
	return t;
}

static void
test_lines(void)
{
	struct text *event;
	uint64_t n = 0;

	history_init(&h, 4, 1000);
	h.letters = 0xab;
	event = history_add(&h, span_str("{\"a\":\"<\"}"), NULL);
	is(event->p, "id: 000000ab-0\ndata: {\"a\":\"\\u003c\"}\n\n",
	    "a line is an event with a number");
	ok(history_after(&h, span_str("000000ab-0"), &n) && n == 1,
	    "after the last one: nothing yet");
	ok(!history_after(&h, span_str("000000ab-1"), &n), "a later one");
	ok(!history_after(&h, span_str("000000ac-0"), &n), "another process");
	ok(!history_after(&h, span_str("000000ab"), &n), "no number");
	ok(!history_after(&h, SPAN_NONE, &n), "nothing");
	ok(!history_after(&h, span_str("000000ab-18446744073709551615"), &n),
	    "a number that would be 0 behind it");
	for (int i = 0; i < 9; i++)
		history_add(&h, span_str("{}"), NULL);
	ok(h.next - h.first == 4, "at most so many lines");
	ok(!history_after(&h, span_str("000000ab-4"), &n),
	    "what followed is gone");
	ok(history_after(&h, span_str("000000ab-5"), &n) && n == 6,
	    "what followed is here");
	history_release(&h);
}

static void
test_bytes(void)
{
	static char line[400];

	memset(line, 'x', sizeof(line) - 1);
	history_init(&h, 100, 1000);
	for (int i = 0; i < 9; i++)
		history_add(&h, span_str(line), NULL);
	ok(h.next - h.first == 2 && h.bytes <= 1000, "at most so many bytes");
	history_release(&h);
	history_init(&h, 100, 100);
	history_add(&h, span_str(line), NULL);
	ok(h.next - h.first == 1, "one that is longer is kept, alone");
	history_release(&h);
}

/* Memory is bounded for ever: a million objects that come and go. */
static void
test_tracks(void)
{
	char key[64];
	struct track *stays;

	history_init(&h, 100, 100000);
	tracks_init(&all);
	stays = tracks_of_key(&all, span_str("Pod/ns/stays"));
	tracks_set_object(&all, stays, span_str("{}"), span_str("u"));
	for (int i = 0; i < 1000000; i++) {
		struct track *t;

		snprintf(key, sizeof(key), "Pod/ns/p%d", i);
		t = add(key);
		snprintf(key, sizeof(key), "Job.batch/ns/j%d", i / 10);
		tracks_offer_parent(t, tracks_of_key(&all, span_str(key)));
		if (i % 1000 == 0)
			tracks_sweep(&all, count_forgotten, NULL);
	}
	tracks_sweep(&all, count_forgotten, NULL);
	ok(tracks_known(&all) <= 2 + 100 + 11,
	    "tracks without object and row are forgotten");
	ok(all.count < 3000, "... their numbers come again");
	ok(forgotten > 1000000, "... each is told");
	ok(tracks_of_key(&all, span_str("Pod/ns/stays")) == stays,
	    "an object that is there stays");
	ok(tracks_of_key(&all, span_str("Pod/ns/p999999"))->kept == 1,
	    "one with a row, too");
	ok(tracks_of_key(&all, span_str("Job.batch/ns/j99999"))->children > 0,
	    "... and what is above it");
	history_release(&h);
	tracks_sweep(&all, count_forgotten, NULL);
	ok(tracks_known(&all) == 2,
	    "without rows: the pipeline and the object");
	tracks_release(&all);
}

static void
check(const char *object, const char *want, const char *what)
{
	struct buf b = BUF_INIT;

	track_add_standing(&b, span_str(object));
	is(buf_str(&b), want, what);
	buf_release(&b);
}

static void
test_standing(void)
{
	check("{\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":"
	      "\"Ready\",\"status\":\"True\",\"reason\":\"R\"}]}}",
	    "{\"phase\":\"Running\",\"ready\":\"True\"}", "ready");
	check("{\"status\":{\"conditions\":[{\"type\":\"Available\",\"status\":"
	      "\"False\",\"reason\":\"R\"}]}}",
	    "{\"ready\":\"False\",\"reason\":\"R\"}", "not available, and why");
	check("{\"status\":{\"conditions\":[{\"type\":\"Available\",\"status\":"
	      "\"True\"},{\"type\":\"Ready\",\"status\":\"Unknown\"}]}}",
	    "{\"ready\":\"Unknown\"}", "Ready before Available");
	check("{\"status\":{\"phase\":7}}", "", "a number");
	check("{}", "", "no status");
}

int
main(void)
{
	test_lines();
	test_bytes();
	test_tracks();
	test_standing();
	return tap_done();
}
