#include "tap.h"
#include "value/objref.h"

static const char *
key_of(const struct objref *o)
{
	static struct buf b = BUF_INIT;

	buf_reset(&b);
	objref_add_key(&b, o);
	return buf_str(&b);
}

static const char *
label_of(const struct objref *o)
{
	static struct buf b = BUF_INIT;

	buf_reset(&b);
	objref_add_label(&b, o);
	return buf_str(&b);
}

TEST(api_version)
{
	struct span group, version;

	objref_split(span_str("apps/v1"), &group, &version);
	ok(span_is(group, "apps") && span_is(version, "v1"),
	    "group and version");
	objref_split(span_str("v1"), &group, &version);
	ok(group.p != NULL && group.n == 0 && span_is(version, "v1"),
	    "the core group");
	objref_split(SPAN_NONE, &group, &version);
	ok(group.p != NULL && group.n == 0 && version.p == NULL,
	    "no apiVersion at all");
	objref_split(span_str("apps/"), &group, &version);
	ok(span_is(group, "apps") && version.p != NULL && version.n == 0,
	    "an empty version is there");
	ok(span_is(objref_group(span_str("a.b/v1")), "a.b"), "the group alone");
}

TEST(spelling)
{
	struct objref o = {.kind = span_str("Deployment"),
	    .group = span_str("apps"),
	    .namespace_ = span_str("ns"),
	    .name = span_str("x")};

	is(key_of(&o), "Deployment.apps/ns/x", "the key");
	is(label_of(&o), "Deployment.apps ns/x", "the label");
	o.group = span_str("");
	o.namespace_ = SPAN_NONE;
	is(key_of(&o), "Deployment//x", "the key of a cluster's object");
	is(label_of(&o), "Deployment x", "its label");
}

TEST(parse)
{
	struct objref o;

	ok(objref_parse_key(&o, span_str("Role.rbac.x.io/ns/a:b")) &&
		span_is(o.kind, "Role") && span_is(o.group, "rbac.x.io") &&
		span_is(o.namespace_, "ns") && span_is(o.name, "a:b") &&
		o.version.p == NULL && o.uid.p == NULL,
	    "a key taken apart");
	is(key_of(&o), "Role.rbac.x.io/ns/a:b", "and put together");
	ok(objref_parse_key(&o, span_str("Node//n/m")) &&
		span_is(o.group, "") && o.group.p != NULL &&
		o.namespace_.n == 0 && span_is(o.name, "n/m"),
	    "the name is all that follows");
	ok(!objref_parse_key(&o, span_str("Node.x/n")) &&
		span_is(o.kind, "Node.x/n") && o.name.p == NULL,
	    "texts that are not keys");
	ok(!objref_parse_key(&o, SPAN_NONE), "nothing");
}

TEST(names)
{
	ok(objref_name_fits(span_str("a.b")) &&
		objref_name_fits(span_str("system:node")) &&
		objref_name_fits(span_str("...")),
	    "names that fit in a path");
	ok(!objref_name_fits(span_str(".")) &&
		!objref_name_fits(span_str("..")) &&
		!objref_name_fits(span_str("a/b")) &&
		!objref_name_fits(span_str("a%2f")) &&
		!objref_name_fits(span_make("a\0b", 3)),
	    "and those that do not");
}
