// alone: it has functions in place of the tool's
/* fault: lines of a plan, good and bad. */
#include "reply/fault.h"

#include "base/array.h"
#include "request/request.h"
#include "tree/tree.h"
#include "tap.h"

/* Stands in for request.c. */
const char *
request_verb_name(enum verb v)
{
	static const char *const names[] = {"get", "list", "watch", "create",
	    "update", "patch", "delete", "deletecollection", ""};

	return names[v];
}

static void
is_refused(const char *line, const char *want)
{
	struct arena a = ARENA_INIT;
	struct fault f;
	struct err err = ERR_INIT;

	ok(fault_parse(&a, FAULT_PARSE_LINE, span_str(line), &f, &err) == -1,
	    line);
	is(err.message, want, "... says why");
	arena_release(&a);
}

static void
is_called(const char *line, const char *want)
{
	struct arena a = ARENA_INIT;
	struct fault f;
	struct err err = ERR_INIT;

	if (fault_parse(&a, FAULT_PARSE_LINE, span_str(line), &f, &err) != 0)
		is(err.message, "", line);
	else
		is(fault_name(&a, &f), want, line);
	arena_release(&a);
}

TEST(good)
{
	struct arena a = ARENA_INIT;
	struct fault f;
	struct err err;

	is_called("{\"code\":503}", "503");
	is_called("{\"code\":504,\"after\":true,\"verb\":\"*\"}", "504 after");
	is_called("{\"fault\":\"cut\",\"after\":true}", "cut after");
	is_called("{\"fault\":\"goaway\"}", "goaway");
	is_called("{\"delayMs\":5}", "delay");
	is_called("{\"pause\":true}", "pause");
	is_called("{\"pause\":true,\"after\":true}", "pause after");
	is_called("{\"pause\":true,\"code\":500}", "500");
	is_called("{\"fault\":\"cut\",\"bytes\":7}", "cut after");
	is_called("{\"fault\":\"cut\",\"bytes\":7,\"event\":2}", "cut");
	is_called("{\"fault\":\"mutate\",\"patch\":{}}", "mutate");
	ok(fault_parse(&a, FAULT_PARSE_LINE,
	       span_str("{\"code\":429,\"verb\":\"p*\",\"name\":\"x\","
			"\"nth\":3,\"count\":0,\"message\":\"m\"}"),
	       &f, &err) == 0,
	    "a line with everything");
	ok(span_is(f.verb, "p*") && span_is(f.name, "x") &&
		f.resource.p == NULL && f.nth == 3 && f.count == 0 &&
		f.code == 429 && f.retry_after == 1 &&
		span_is(f.message, "m") && f.reason.p == NULL,
	    "... is read");
	ok(fault_parse(&a, FAULT_PARSE_LINE, span_str("{\"fault\":\"hold\"}"),
	       &f, &err) == 0 &&
		f.event == 1 && f.count == 1 && span_is(f.verb, "watch"),
	    "hold is for watches");
	ok(fault_parse(&a, FAULT_PARSE_LINE,
	       span_str("{\"code\":500,\"forMs\":9}"), &f, &err) == 0 &&
		f.for_ms == 9 && f.count == 0,
	    "for a while: all requests");
	arena_release(&a);
}

TEST(copied)
{
	struct arena a = ARENA_INIT, b = ARENA_INIT;
	struct fault f, *copy;
	struct err err;

	ok(fault_parse(&a, FAULT_PARSE_LINE,
	       span_str("{\"fault\":\"mutate\",\"message\":\"m\","
			"\"reason\":\"r\",\"patch\":{\"k\":[\"v\"]}}"),
	       &f, &err) == 0,
	    "a patch");
	copy = fault_copy(&b, &f);
	arena_release(&a);
	ok(span_is(copy->message, "m") && span_is(copy->reason, "r") &&
		tree_text_is(tree_get(copy->patch, "k")->items[0], "v"),
	    "... is copied as a whole");
	arena_release(&b);
}

TEST(continued)
{
	static const struct {
		const char *line, *want;
	} bad[] = {
	    {"{}", "no member \"paused\""},
	    {"{\"paused\":1,\"verb\":\"get\"}", "unknown member \"verb\""},
	    {"{\"paused\":1,\"nth\":1}", "unknown member \"nth\""},
	    {"{\"paused\":1,\"forMs\":1}", "unknown member \"forMs\""},
	    {"{\"paused\":1,\"pause\":true}", "unknown member \"pause\""},
	    {"{\"paused\":\"1\"}", "member \"paused\": want a number from 0"},
	    {"{\"paused\":1,\"code\":1}", "member \"code\": want 400 to 599"},
	};
	struct arena a = ARENA_INIT;
	struct fault f;
	struct err err = ERR_INIT;

	ok(fault_parse(&a, FAULT_PARSE_CONTINUE, span_str("{\"paused\":0}"), &f,
	       &err) == 0 &&
		f.paused == 0 && f.kind == FAULT_DELAY && f.delay_ms == 0,
	    "it goes on as it was");
	ok(fault_parse(&a, FAULT_PARSE_CONTINUE,
	       span_str("{\"paused\":7,\"fault\":\"cut\",\"after\":true}"), &f,
	       &err) == 0 &&
		f.paused == 7 && f.kind == FAULT_CUT && f.after,
	    "it goes on with a fault");
	for (size_t i = 0; i < COUNT(bad); i++) {
		ok(fault_parse(&a, FAULT_PARSE_CONTINUE, span_str(bad[i].line),
		       &f, &err) == -1,
		    bad[i].line);
		is(err.message, bad[i].want, "... says why");
	}
	arena_release(&a);
}

TEST(bad)
{
	is_refused("", "at byte 1: the text is cut short");
	is_refused("[]", "want an object");
	is_refused("{\"verb\":\"get\"}",
	    "no member \"fault\", \"code\", \"pause\" or \"delayMs\"");
	is_refused("{\"paused\":1,\"code\":500}", "unknown member \"paused\"");
	is_refused("{\"codes\":503}", "unknown member \"codes\"");
	is_refused(
	    "{\"code\":\"503\"}", "member \"code\": want a number from 0");
	is_refused("{\"code\":200}", "member \"code\": want 400 to 599");
	is_refused("{\"code\":500,\"nth\":-1}",
	    "member \"nth\": want a number from 0");
	is_refused("{\"code\":500,\"nth\":99999999999}",
	    "member \"nth\": want a number from 0");
	is_refused(
	    "{\"code\":500,\"name\":1}", "member \"name\": want a string");
	is_refused("{\"code\":500,\"after\":1}",
	    "member \"after\": want true or false");
	is_refused("{\"code\":500,\"fault\":\"cut\"}",
	    "members \"code\" and \"fault\": want one of them");
	is_refused("{\"fault\":\"code\"}",
	    "member \"fault\": want cut, freeze, goaway, stale, compact, hold, "
	    "duplicate, end, mutate or delay");
	is_refused("{\"fault\":\"stale\",\"event\":2}",
	    "member \"event\": only with hold, duplicate, cut, end or "
	    "code");
	is_refused("{\"fault\":\"cut\",\"event\":2,\"after\":true}",
	    "members \"event\" and \"after\": want one of them");
	is_refused("{\"fault\":\"goaway\",\"after\":true}",
	    "member \"after\": only with code, cut, freeze or pause");
	is_refused("{\"fault\":\"stale\",\"after\":true,\"pause\":true}",
	    "member \"after\": only with code, cut, freeze or pause");
	is_refused("{\"fault\":\"hold\",\"pause\":true}",
	    "members \"event\" and \"pause\": want one of them");
	is_refused("{\"fault\":\"freeze\",\"bytes\":1}",
	    "member \"bytes\": only with cut");
	is_refused("{\"code\":500,\"forMs\":1,\"count\":1}",
	    "members \"count\" and \"forMs\": want one of them");
	is_refused("{\"fault\":\"mutate\"}",
	    "member \"patch\": with mutate, and only there");
	is_refused("{\"fault\":\"cut\",\"patch\":{}}",
	    "member \"patch\": with mutate, and only there");
	is_refused("{\"fault\":\"mutate\",\"patch\":[]}",
	    "member \"patch\": want an object");
	is_refused("{\"pause\":1}", "member \"pause\": want true or false");
	is_refused("{\"fault\":\"cut\",\"verb\":\"put\"}",
	    "member \"verb\": no verb matches \"put\"");
}

TEST(glob)
{
	static const struct {
		const char *pattern, *text;
		bool matches;
	} cases[] = {
	    {"", "", true},
	    {"", "a", false},
	    {"*", "", true},
	    {"a*", "abc", true},
	    {"a*c", "abcbc", true},
	    {"a*c", "abcb", false},
	    {"*b*", "abc", true},
	    {"a?c", "abc", true},
	    {"a?c", "ac", false},
	    {"web-*-?", "web-1-2-3", true},
	    {"**a", "bba", true},
	    {"a", "A", false},
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		ok(fault_glob(span_str(cases[i].pattern),
		       span_str(cases[i].text)) == cases[i].matches,
		    cases[i].pattern);
}
