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
