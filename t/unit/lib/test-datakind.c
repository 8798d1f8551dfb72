#include "value/datakind.h"

#include "tap.h"

static bool
has(const char *group, const char *kind)
{
	return datakind(span_str(group), span_str(kind));
}

TEST(datakind)
{
	ok(has("", "Secret") && has("", "ConfigMap"),
	    "those of the core group");
	ok(!has("example.com", "Secret") && !has("apps", "ConfigMap"),
	    "not of another group");
	ok(!has("", "Secrets") && !has("", "Pod") && !has("", "secret") &&
		!has("", ""),
	    "not another kind");
}
