/* opstate: what a recording says about the operator itself. */
#include "record/opstate.h"

#include "tap.h"

static struct buf all;
static struct opstate state;

static void
note(void *arg, enum opstate_sort sort, struct span text)
{
	(void)arg;
	buf_addf(&all, "%d %.*s\n", sort, SPAN_ARG(text));
}

static void
take(const char *text)
{
	struct reading_line line = {.text = span_str(text)};
	struct err err = ERR_INIT;

	ok(reading_sort(line.text, &line, &err) == 0, "a line");
	opstate_line(&state, &line);
}

static void
is_told(const char *want, const char *what)
{
	is(buf_str(&all), want, what);
	buf_reset(&all);
}

#define SEGMENT(digest)                                               \
	"{\"record\":\"segment\",\"version\":1,\"tool\":\"kpipe 1\"," \
	"\"programs\":{\"Thing.x.y\":\"p.jq " digest "\"}}"
#define STATE(time, started, members)                          \
	"{\"record\":\"state\",\"time\":\"2026-01-01T00:" time \
	"Z\",\"line\":{\"started\":\"2026-01-01T00:" started   \
	"Z\",\"phase\":" members "}}"

static void
begin(void)
{
	opstate_release(&state);
	state = (struct opstate){.fn = note};
	buf_reset(&all);
}

TEST(starts)
{
	begin();
	take(SEGMENT("a"));
	take(STATE("00:01", "00:00", "\"waiting\""));
	is_told("0 the operator started: kpipe 1, Thing.x.y by p.jq a\n",
	    "the first one, with all versions");
	take(STATE("00:02", "00:00", "\"running\""));
	take(SEGMENT("a"));
	take(STATE("00:03", "00:00", "\"running\""));
	is_told("", "what is known is not told");
	take(STATE("00:10", "00:00", "\"draining\""));
	take(STATE("00:11", "00:00", "\"draining\""));
	is_told("1 the operator stops\n", "the stop, once");
	take(SEGMENT("b"));
	take(STATE("00:15", "00:15", "\"running\""));
	is_told("0 the operator started again, 5 s after it stopped: Thing.x.y "
		"by p.jq a -> p.jq b\n",
	    "another start, with what is new");
	take(SEGMENT("b"));
	take(STATE("10:00", "10:00", "\"running\""));
	is_told(
	    "0 the operator started again, without having stopped before; the "
	    "same version\n",
	    "after a process that was killed");
	take(STATE("11:00", "10:00", "\"stopping\""));
	take(STATE("15:01", "15:00", "\"running\""));
	is_told(
	    "4 the operator stops its stages\n"
	    "0 the operator started again, 4 min after it stopped; the same "
	    "version\n",
	    "after a failure");
	take(STATE("16:00", "15:00", "\"stopping\""));
	take(STATE("16:01", "15:00", "\"running\""));
	take(STATE("17:00", "17:00", "\"running\""));
	is_told(
	    "4 the operator stops its stages\n"
	    "0 the operator started again, without having stopped before; the "
	    "same version\n",
	    "after a failure that was mended");
}

TEST(late)
{
	begin();
	take(STATE("10:00", "00:00", "\"running\""));
	is_told("0 the operator runs since 2026-01-01T00:00:00Z\n",
	    "the oldest segments are gone");
}

TEST(versions)
{
	begin();
	take(SEGMENT("a"));
	take(STATE("00:01", "00:00", "\"running\""));
	buf_reset(&all);
	take("{\"record\":\"segment\",\"version\":1,\"tool\":\"kpipe 2\","
	     "\"programs\":{\"Other\":\"o.jq c\"}}");
	is_told("", "a process may begin here");
	take("{\"record\":\"set\",\"line\":{}}");
	is_told("2 from here on: kpipe 1 -> kpipe 2, Other by o.jq c, "
		"Thing.x.y by p.jq a -> "
		"nothing\n",
	    "it goes on");
	take("{\"record\":\"set\",\"line\":{}}");
	is_told("", "once");
}

TEST(changes)
{
	begin();
	take(STATE("00:01", "00:00", "\"running\",\"leader\":false"));
	take(STATE("00:02", "00:00",
	    "\"running\",\"leader\":true,\"stages\":{\"a\":{\"starts\":1}}"));
	take(STATE("00:03", "00:00",
	    "\"running\",\"leader\":true,\"reason\":\"r\","
	    "\"stages\":{\"a\":{\"starts\":2}}"));
	take(STATE("00:04", "00:00", "\"running\",\"leader\":false"));
	take("{\"record\":\"state\",\"line\":{\"tool\":\"kapply\"}}");
	is_told("0 the operator started\n"
		"3 the operator is not the leader, and waits\n"
		"3 the operator became the leader\n"
		"4 a was started again (start 2)\n"
		"5 the operator is not ready: r\n"
		"3 the operator is not the leader any more\n"
		"5 the operator is ready again\n",
	    "leader, stage, reason");
	opstate_release(&state);
	buf_release(&all);
}
