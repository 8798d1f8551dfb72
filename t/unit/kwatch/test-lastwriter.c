// needs cmd/kwatch/lastwriter.c
#include "lastwriter.h"

#include "tap.h"

static void
newest(const char *list, const char *want, const char *what)
{
	struct buf fields = BUF_INIT, b = BUF_INIT;

	buf_addf(&fields, "\"managedFields\":%s,", list);
	lastwriter_add(&b, buf_span(&fields));
	is(buf_str(&b), want, what);
	buf_release(&fields);
	buf_release(&b);
}

#define ENTRY(name, time)                                                     \
	"{\"manager\":\"" name "\",\"operation\":\"Update\",\"time\":\"" time \
	"\",\"fieldsV1\":{\"f:data\":{\"f:[]\":{}}}}"

int
main(void)
{
	newest("[]", "", "no entry");
	newest("[" ENTRY("a", "2026-01-01T00:00:05Z") "]", ",\"manager\":\"a\"",
	    "one entry");
	newest("[" ENTRY("a", "2026-01-01T00:00:05Z") "," ENTRY(
		   "b", "2026-01-01T00:00:04Z") "]",
	    ",\"manager\":\"a\"", "the newest one, wherever it is");
	newest("[" ENTRY("a", "2026-01-01T00:00:05Z") "," ENTRY(
		   "b", "2026-01-01T00:00:05Z") "]",
	    ",\"manager\":\"a or b\"", "of one second, both");
	newest("[{\"manager\":\"a\"}," ENTRY("b", "2026-01-01T00:00:05Z") "]",
	    ",\"manager\":\"b\"", "an entry without a time is old");
	newest("[{\"manager\":\"a\"}]", ",\"manager\":\"a\"",
	    "... but better than nothing");
	newest("[" ENTRY("say \\\"x\\\"", "2026-01-01T00:00:05Z") "]",
	    ",\"manager\":\"say \\\"x\\\"\"", "a name stays escaped");
	newest("[" ENTRY("a", "2026-01-01T00:00:05Z") "," ENTRY(
		   "a", "2026-01-01T00:00:05Z") "]",
	    ",\"manager\":\"a\"", "... one of them once");
	newest("[{\"manager\":7}]", "", "a name that is not text");
	newest("{}", "", "not a list");
	return tap_done();
}
