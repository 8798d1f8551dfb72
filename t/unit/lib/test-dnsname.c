#include "value/dnsname.h"

#include "tap.h"

static void
check(const char *name, bool label, bool subdomain)
{
	ok(dnsname_is_label(span_str(name)) == label, name);
	ok(dnsname_is_subdomain(span_str(name)) == subdomain, "... with dots");
}

TEST(dnsname)
{
	check("a", true, true);
	check("my-name", true, true);
	check("123-abc", true, true);
	check("a.b", false, true);
	check("example.com", false, true);
	check("", false, false);
	check("-a", false, false);
	check("a-", false, false);
	check("A", false, false);
	check("a_b", false, false);
	check(".a", false, false);
	check("a.", false, false);
	check("a..b", false, false);
	check("a.-b", false, false);
	ok(!dnsname_is_label(span_make("a\0b", 3)), "a zero byte");
	ok(!dnsname_is_subdomain(SPAN_NONE), "no name");
}
