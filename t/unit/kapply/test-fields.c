#include "fields.h"

#include <stdlib.h>

#include "tap.h"

static const char object[] =
    "{\"metadata\":{\"labels\":{\"e.com/x\":\"1\"},\"managedFields\":["
    "{\"manager\":\"ours\",\"operation\":\"Apply\",\"fieldsV1\":{\"f:spec\":"
    "{\"f:replicas\":{}}}},"
    "{\"manager\":\"hpa\",\"operation\":\"Update\",\"fieldsV1\":{\"f:spec\":"
    "{\"f:replicas\":{}}}},"
    "{\"manager\":\"hpa\",\"operation\":\"Update\",\"subresource\":\"scale\","
    "\"fieldsV1\":{\"f:spec\":{\"f:replicas\":{}}}},"
    "{\"manager\":\"edit\",\"operation\":\"Update\",\"fieldsV1\":{"
    "\"f:metadata\":{\"f:labels\":{\".\":{},\"f:e.com/x\":{}}},"
    "\"f:spec\":{\"f:replicas\":{},\"f:ports\":{"
    "\"k:{\\\"port\\\":80,\\\"protocol\\\":\\\"TCP\\\"}\":{\".\":{},\"f:name\""
    ":{}}},\"f:c\":{\"k:{\\\"name\\\":\\\"a\\\"}\":{\"f:image\":{},\"f:args\":"
    "{}}},\"f:set\":{\"v:\\\"one\\\"\":{}}}}},"
    "{\"manager\":\"a, b\",\"operation\":\"Update\",\"fieldsV1\":{"
    "\"f:spec\":{\"f:odd\":{}}}}]},"
    "\"spec\":{\"replicas\":3,\"ports\":[{\"port\":80,\"name\":\"h\"}],"
    "\"c\":[{\"name\":\"b\",\"image\":\"2\"},{\"name\":\"a\",\"image\":\"1\","
    "\"args\":[\"x\"]}],\"set\":[\"one\"],\"own\":true,\"odd\":1}}";

static void
owner(const char *path, const char *want, const char *what)
{
	static const char *const found[] = {[FIELDS_SHARED] = "shared",
	    [FIELDS_UNOWNED] = "unowned",
	    [FIELDS_ABSENT] = "absent"};
	struct buf names = BUF_INIT;
	int f = fields_setter(
	    &names, span_str(object), span_str(path), span_str("ours"));

	if (f != FIELDS_OWNED)
		buf_adds(&names, found[f]);
	is(buf_str(&names), want, what);
	buf_release(&names);
}

static void
unite(const char *a, const char *b, const char *want, const char *what)
{
	struct buf out = BUF_INIT;

	fields_union(&out, span_str(a), span_str(b));
	is(buf_str(&out), want, what);
	buf_release(&out);
}

int
main(void)
{
	owner(".spec.replicas", "shared", "several others");
	owner(".spec.odd", "a, b", "a name with a comma in it is one");
	owner(".metadata.labels[\"e.com/x\"]", "edit", "a key in brackets");
	owner(".spec.ports[port=80,protocol=TCP].name", "edit",
	    "an element by its keys, one of them a default");
	owner(".spec.ports[port=81,protocol=TCP].name", "absent",
	    "another element");
	owner(".spec.c[name=a].image", "edit", "an element by its name");
	owner(".spec.c[1].image", "edit", "... by its index");
	owner(".spec.c[name=b].image", "unowned", "... not its neighbour");
	owner(".spec.c[0].image", "unowned", "... nor by index");
	owner(".spec.c[name=a].args[0]", "edit", "inside what is owned whole");
	owner(".spec.set[one]", "edit", "one of a set");
	owner(".spec.own", "unowned", "without an owner");
	owner(".spec.none", "absent", "not there");
	owner("", "shared", "no path: the whole object");
	owner(".spec.c[", "shared", "a path ends at the first bad part");
	unite("{}", "{}", "{}", "nothing and nothing");
	unite("{\"f:a\":{},\"f:b\":{\"f:c\":{}}}",
	    "{\"f:b\":{\"f:d\":{},\".\":{}},\"f:e\":{}}",
	    "{\"f:a\":{},\"f:b\":{\"f:c\":{},\"f:d\":{},\".\":{}},\"f:e\":{}}",
	    "two sets become one");
	unite("{\"f:a\":{}}", "{\"f:a\":{\"f:b\":{}}}",
	    "{\"f:a\":{\"f:b\":{}}}", "a leaf and what is below it");
	return tap_done();
}
