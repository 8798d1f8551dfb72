/* journey: which decision is over first, and how many there can be. */
#include "traces/journey.h"

#include "json/json.h"
#include "traces/spanline.h"
#include "tap.h"

#define KIND "\"apiVersion\":\"v1\",\"kind\":\"Thing\","

static struct journeys all;
static char over[64]; /* the last primary that was */
static size_t over_count, failed_checks, steps, events;

static void
on_journey(void *arg, const struct journey *j)
{
	struct buf b = BUF_INIT;

	(void)arg;
	snprintf(over, sizeof(over), "%s", j->primary);
	over_count++;
	steps = j->step_count;
	events = j->events != NULL;
	spanline_add(&b, j);
	spanline_end(&b);
	failed_checks += json_check(buf_span(&b), NULL) != 0;
	buf_release(&b);
}

static void
give(enum reading_kind kind, int second, const char *body)
{
	char time[64];

	snprintf(time, sizeof(time), "2026-11-27T15:%02d:%02d.000000Z",
	    second / 60, second % 60);
	journeys_line(&all,
	    &(struct reading_line){
		.kind = kind, .time = span_str(time), .body = span_str(body)});
}

static void
set(int second, const char *namespace_, const char *name)
{
	char body[256];

	snprintf(body, sizeof(body),
	    "{\"items\":[1,2],\"reconcile\":{\"primary\":{" KIND
	    "\"namespace\":\"%s\",\"name\":\"%s\"}}}",
	    namespace_, name);
	give(READING_SET, second, body);
}

static void
answer(int second, const char *name)
{
	char body[256];

	snprintf(body, sizeof(body),
	    "{" KIND "\"result\":\"failed\",\"primary\":\"Thing/n/%s\"}", name);
	give(READING_RESULT, second, body);
}

static void
begin(void)
{
	all = (struct journeys){.fn = on_journey};
	over_count = failed_checks = 0;
	*over = '\0';
}

/* One that is tried again and again lets the others end. */
static void
test_order(void)
{
	begin();
	set(0, "n", "tried");
	set(1, "n", "silent");
	answer(20, "tried");
	answer(32, "tried");
	ok(over_count == 1, "30 s without an answer: over");
	is(over, "Thing/n/silent", "... that one");
	answer(50, "tried");
	ok(over_count == 1, "another that is still answered is not");
	journeys_end(&all);
	is(over, "Thing/n/tried", "... until the end");
	ok(over_count == 2 && steps == 3, "... with its answers");
}

static void
test_many(void)
{
	char name[32];

	begin();
	for (int i = 0; i < JOURNEYS_MAX; i++) {
		snprintf(name, sizeof(name), "o%d", i);
		set(0, "n", name);
	}
	answer(0, "o0");
	ok(over_count == 0, "very many are under way");
	set(0, "n", "more");
	ok(over_count == 1, "one more: one is over");
	is(over, "Thing/n/o1", "... the one that waits for longest");
	journeys_end(&all);
	ok(over_count == JOURNEYS_MAX + 1, "... each was given once");
}

static void
test_texts(void)
{
	struct buf body = BUF_INIT;

	begin();
	set(0, "n", "long");
	buf_adds(&body,
	    "{" KIND "\"result\":\"failed\",\"primary\":\"Thing/n/long\","
	    "\"message\":\"");
	for (int i = 0; i < JOURNEY_TEXTS_MAX / 2; i++)
		buf_addc(&body, 'x');
	buf_adds(&body, "\"}");
	for (int i = 0; i < 3; i++)
		give(READING_RESULT, 0, buf_str(&body));
	journeys_end(&all);
	ok(over_count == 1 && steps == 1, "long messages: the first is there");
	buf_release(&body);
	begin();
	buf_adds(&body,
	    "{\"reconcile\":{\"primary\":{" KIND
	    "\"name\":\"a\"},\"because\":{\"events\":[\"");
	for (int i = 0; i < JOURNEY_TEXTS_MAX; i++)
		buf_addc(&body, 'x');
	buf_adds(&body, "\"]}}}");
	give(READING_SET, 0, buf_str(&body));
	journeys_end(&all);
	ok(over_count == 1 && events == 0, "long events are left out");
	buf_release(&body);
}

/* Names are raw JSON, and are never cut within an escape. */
static void
test_escapes(void)
{
	begin();
	set(0, "a\\/b", "c\\\\\\/\\ud83d\\ude00");
	set(0, "", "\\\"");
	journeys_end(&all);
	ok(over_count == 2 && failed_checks == 0, "strange names are JSON");
}

int
main(void)
{
	test_order();
	test_many();
	test_texts();
	test_escapes();
	return tap_done();
}
