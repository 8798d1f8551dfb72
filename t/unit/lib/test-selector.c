#include "conf/selector.h"

#include "tap.h"

static void
check(const char *selector, bool want)
{
	struct span labels = span_str(
	    "{\"app\":\"web\",\"x.io/tier\":\"front\",\"empty\":\"\"}");

	ok(selector_matches(selector, labels) == want, selector);
}

TEST(selector)
{
	check("", true);
	check("app=web", true);
	check("app == web", true);
	check("app=other", false);
	check("app=", false);
	check("empty=", true);
	check("none=web", false);
	check("app!=web", false);
	check("app != other", true);
	check("none!=web", true);
	check("x.io/tier", true);
	check("none", false);
	check("!none", true);
	check("!app", false);
	check("app in (db, web)", true);
	check("app in (db,cache)", false);
	check("none in (a)", false);
	check("app notin (db,cache)", true);
	check("app notin (web)", false);
	check("none notin (web)", true);
	check("app=web,x.io/tier in (front,back),!none", true);
	check("app=web,x.io/tier in (back),!none", false);
	ok(!selector_matches("app", SPAN_NONE), "no labels: app");
	ok(selector_matches("!app", SPAN_NONE), "no labels: !app");
}

TEST(clear)
{
	static const char *const good[] = {"a", "!a", "! a", "a=b", "a==b",
	    "a = b", "a!=b", "a=", "a in (b)", "a in (b, c)", "a notin (b,c)",
	    "a in(b)", "x.io/y=z,!b,c in (d)"};
	static const char *const bad[] = {"", "a,", ",a", "a b", "a>1", "a > 1",
	    "a<1", "!a=b", "=b", "a in b", "a in ()", "a in (b", "a=b c",
	    "a=b=c", "a in (b) c", "(a)", "a=(b)", "a out (b)"};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		ok(selector_is_clear(good[i]), good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(!selector_is_clear(bad[i]), bad[i]);
}
