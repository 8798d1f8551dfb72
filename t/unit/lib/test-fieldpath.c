#include "json/fieldpath.h"

#include "base/buf.h"
#include "tap.h"

static const char object[] =
    "{\"name\":\"n\",\"ns\":\"s\",\"null\":null,"
    "\"refs\":[{\"name\":\"a\",\"ns\":\"x\"},{\"name\":\"b\"},7,"
    "{\"ns\":\"y\"},{\"name\":\"c\",\"ns\":\"z\"}],"
    "\"many\":[{\"ns\":\"x\",\"names\":[\"a\",\"b\"]},"
    "{\"ns\":\"y\",\"names\":[\"c\",{\"deep\":[\"d\"]}]}],"
    "\"a.b\":[{\"name\":\"q\",\"in\":{\"ns\":\"r\"}}],"
    "\"rows\":[[{\"name\":\"1\",\"ns\":\"i\"}],[{\"name\":\"2\"}]]}";

static void
note(void *arg, struct span value, struct span beside)
{
	struct buf *b = arg;

	buf_addf(b, "%s%.*s", b->len > 0 ? " " : "", SPAN_ARG(value));
	if (beside.p != NULL)
		buf_addf(b, "@%.*s", SPAN_ARG(beside));
}

static void
pairs(const char *path, const char *other, const char *want)
{
	struct err err = ERR_INIT;
	struct buf got = BUF_INIT;

	is(fieldpath_check_beside(path, other, &err) == 0 ? "" : err.message,
	    "", "the paths go together");
	fieldpath_each_beside(path, other, span_str(object), note, &got);
	is(buf_str(&got), want, path);
	buf_release(&got);
}

TEST(fieldpath_beside)
{
	pairs("name", "ns", "\"n\"@\"s\"");
	pairs("name", "none", "\"n\"");
	pairs("name", "null", "\"n\"@null");
	pairs("none", "ns", "");
	pairs("refs[].name", "refs[].ns", "\"a\"@\"x\" \"b\" \"c\"@\"z\"");
	pairs("refs[].name", "ns", "\"a\"@\"s\" \"b\"@\"s\" \"c\"@\"s\"");
	pairs("many[].names[]", "many[].ns",
	    "\"a\"@\"x\" \"b\"@\"x\" \"c\"@\"y\" {\"deep\":[\"d\"]}@\"y\"");
	pairs("many[].names[].deep[]", "many[].ns", "\"d\"@\"y\"");
	pairs("[\"a.b\"][].name", "[\"a.b\"][].in.ns", "\"q\"@\"r\"");
	pairs("rows[][].name", "rows[][].ns", "\"1\"@\"i\" \"2\"");
	pairs(
	    "[\"refs\"][].name", "refs[].ns", "\"a\"@\"x\" \"b\" \"c\"@\"z\"");
	pairs("many[].names[]", "many[].names[]",
	    "\"a\"@\"a\" \"b\"@\"b\" \"c\"@\"c\" "
	    "{\"deep\":[\"d\"]}@{\"deep\":[\"d\"]}");
}

static void
apart(const char *path, const char *other)
{
	struct err err = ERR_INIT;

	ok(fieldpath_check_beside(path, other, &err) != 0 &&
		err.kind == ERR_PERMANENT,
	    other);
}

TEST(fieldpath_apart)
{
	apart("name", "refs[].ns");
	apart("refs[].name", "refs[].many[].ns");
	apart("a[].name", "b[].ns");
	apart("rows[].name", "rows[][].ns");
	apart("refs", "refs[]");
}
