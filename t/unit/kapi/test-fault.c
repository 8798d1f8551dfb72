// alone: it has functions in place of the tool's
/* fault: lines of a plan, good and bad. */
#include "reply/fault.h"

#include "base/array.h"
#include "request/request.h"
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

	ok(fault_parse(&a, span_str(line), &f, &err) == -1, line);
	is(err.message, want, "... says why");
	arena_release(&a);
}

static void
is_called(const char *line, const char *want)
{
	struct arena a = ARENA_INIT;
	struct fault f;
	struct err err = ERR_INIT;

	if (fault_parse(&a, span_str(line), &f, &err) != 0)
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
	ok(fault_parse(&a,
	       span_str("{\"code\":429,\"verb\":\"p*\",\"name\":\"x\","
			"\"nth\":3,\"count\":0,\"message\":\"m\"}"),
	       &f, &err) == 0,
	    "a line with everything");
	ok(span_is(f.verb, "p*") && span_is(f.name, "x") &&
		f.resource.p == NULL && f.nth == 3 && f.count == 0 &&
		f.code == 429 && f.retry_after == 1 &&
		span_is(f.message, "m") && f.reason.p == NULL,
	    "... is read");
	ok(fault_parse(&a, span_str("{\"fault\":\"hold\"}"), &f, &err) == 0 &&
		f.event == 1 && f.count == 1 && span_is(f.verb, "watch"),
	    "hold is for watches");
	arena_release(&a);
}

TEST(bad)
{
	is_refused("", "at byte 1: the text is cut short");
	is_refused("[]", "want an object");
	is_refused("{\"verb\":\"get\"}",
	    "no member \"fault\", \"code\" or \"delayMs\"");
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
	    "duplicate or delay");
	is_refused("{\"fault\":\"stale\",\"event\":2}",
	    "member \"event\": only with hold, duplicate, cut or code");
	is_refused("{\"fault\":\"cut\",\"event\":2,\"after\":true}",
	    "members \"event\" and \"after\": want one of them");
	is_refused("{\"fault\":\"goaway\",\"after\":true}",
	    "member \"after\": only with code, cut or freeze");
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
