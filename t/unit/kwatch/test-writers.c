#include "writers.h"

#include "tap.h"

static struct pool pool;
static struct writers *marks;

/* The next version of an object whose data and spec are those, with these
 * entries. */
static void
version(enum writers_news news, const char *data, const char *list,
    const char *want, const char *what)
{
	struct buf text = BUF_INIT, names = BUF_INIT;
	struct json_frame f;

	buf_addf(&text,
	    "{\"kind\":\"Thing\",%s,\"metadata\":{\"name\":\"a\","
	    "\"managedFields\":%s,\"uid\":\"u\"}}",
	    data, list);
	if (json_object_frame(buf_span(&text), &f) != 0)
		ok(false, buf_str(&text));
	writers_take(&marks, &pool, &f, news, &names);
	is(buf_str(&names), want, what);
	buf_release(&text);
	buf_release(&names);
}

static void
forget(void)
{
	writers_free(marks, &pool);
	marks = NULL;
}

#define PART(name, sub, time, fields)                              \
	"{\"manager\":\"" name "\",\"operation\":\"Update\"," time \
	"\"fieldsType\":\"FieldsV1\",\"fieldsV1\":" fields sub "}"
#define AT(second) "\"time\":\"2026-01-01T00:00:0" second "Z\","
#define ENTRY(name, second, fields) PART(name, "", AT(second), fields)
#define SCALE(name)                                  \
	PART(name, ",\"subresource\":\"scale\"", "", \
	    "{\"f:spec\":{\"f:replicas\":{}}}")
#define D(fields) "{\"f:data\":{" fields "}}"
#define K D("\"f:k\":{}")
#define L D("\"f:l\":{}")
#define KL D("\"f:k\":{},\"f:l\":{}")
#define DATA "\"data\":{\"k\":\"1\",\"l\":\"1\"}"
#define DATA_2 "\"data\":{\"k\":\"2\",\"l\":\"1\"}"

/* By its entry: new, later, larger. */
static void
test_entries(void)
{
	version(WRITERS_STATE, DATA, "[" ENTRY("a", "1", KL) "]", "",
	    "what is there: nobody");
	version(WRITERS_CHANGED, DATA,
	    "[" ENTRY("a", "1", KL) "," ENTRY("b", "2", "{}") "]", "b",
	    "an entry that is new");
	version(WRITERS_CHANGED, DATA,
	    "[" ENTRY("a", "3", KL) "," ENTRY("b", "2", "{}") "]", "a",
	    "an entry with another time");
	version(WRITERS_CHANGED, DATA,
	    "[" ENTRY("a", "3", L) "," ENTRY("b", "2", "{}") "]", "",
	    "an entry that has lost a field: nobody");
	version(WRITERS_CHANGED, DATA,
	    "[" ENTRY("a", "3", L) "," ENTRY("b", "2", K) "]", "b",
	    "an entry that has got a field within its second");
	version(WRITERS_CHANGED, DATA, "[" ENTRY("a", "3", L) "]", "",
	    "an entry that is gone: nobody");
	version(WRITERS_CHANGED, DATA_2, "[" ENTRY("a", "3", L) "]", "",
	    "nothing of the entries: nobody");
	version(WRITERS_CHANGED, DATA,
	    "[" ENTRY("a", "4", L) "," ENTRY("b", "4", K) "]", "a or b",
	    "both, if both have written");
	version(WRITERS_CHANGED, DATA,
	    "[" ENTRY("a", "5", L) "," ENTRY("b", "4", K) "," PART(
		"a", ",\"subresource\":\"status\"", AT("5"), "{}") "]",
	    "a", "one name once");
	version(WRITERS_CHANGED, DATA, "[" ENTRY("say \\\"x\\\"", "6", L) "]",
	    "say \\\"x\\\"", "a name stays escaped");
	version(WRITERS_CHANGED, DATA, "[]", "", "no entry");
	version(WRITERS_CHANGED, DATA, "[" ENTRY("a", "7", L) "]", "",
	    "... and none is known of the version before");
	forget();
}

/* Server-made names. */
static void
test_joined(void)
{
	version(WRITERS_STATE, DATA, "[" ENTRY("a", "1", K) "]", "", "one");
	version(WRITERS_CHANGED, DATA,
	    "[" ENTRY("ancient-changes", "1", K) "," ENTRY("b", "2", L) "]",
	    "b", "what the server has joined has not written");
	version(WRITERS_CHANGED, DATA,
	    "[" ENTRY("before-first-apply", "3", K) "," ENTRY("c", "3", L) "]",
	    "c", "nor what it has not noted");
	version(WRITERS_CHANGED, DATA, "[{\"manager\":7}]", "",
	    "a name that is not text");
	forget();
}

/* By the values, where a time says nothing. */
static void
test_values(void)
{
#define TWO "[" SCALE("s") "," ENTRY("a", "1", "{}") "]"
	version(WRITERS_STATE, "\"spec\":{\"replicas\":1}",
	    "[" ENTRY("a", "1", "{}") "]", "", "not scaled yet");
	version(WRITERS_CHANGED, "\"spec\":{\"replicas\":2}", TWO, "s",
	    "scaled: an entry without a time");
	version(WRITERS_CHANGED, "\"spec\":{\"replicas\":3}", TWO, "s",
	    "scaled again: the entry is the same");
	version(WRITERS_CHANGED, "\"spec\":{\"replicas\":3},\"status\":1", TWO,
	    "", "another field: nobody");
	forget();
	version(WRITERS_STATE, "\"spec\":{\"replicas\":2}", TWO, "",
	    "a list has it");
	version(WRITERS_CHANGED, "\"spec\":{\"replicas\":3}", TWO, "s",
	    "... and then it is scaled");
	version(WRITERS_CHANGED, "\"spec\":{\"replicas\":4}",
	    "[" SCALE("s") "," ENTRY("a", "2", "{}") "]", "a",
	    "a time says more than values");
	forget();
	version(WRITERS_CREATED, DATA, "[" ENTRY("a", "1", KL) "]", "a",
	    "an object that was made");
	version(WRITERS_CHANGED, DATA_2, "[" ENTRY("a", "1", KL) "]", "a",
	    "... and changed within a second by the same client");
	version(WRITERS_CHANGED, DATA, "[" ENTRY("a", "1", K) "]", "",
	    "not if it has lost a field");
	version(WRITERS_CHANGED, DATA_2,
	    "[" ENTRY("a", "1", K) "," ENTRY("b", "1", K) "]", "b",
	    "one of two of one second");
	version(WRITERS_CHANGED, DATA,
	    "[" ENTRY("a", "1", K) "," ENTRY("b", "1", K) "]", "",
	    "either may have: nobody");
	forget();
	version(WRITERS_CREATED, "\"spec\":{}",
	    "[" ENTRY("a", "1", "{\"f:spec\":{}}") "]", "a", "an empty map");
	version(WRITERS_CHANGED, "\"spec\":{\"x\":1}",
	    "[" ENTRY("a", "1", "{\"f:spec\":{}}") "]", "",
	    "... that others may fill");
	forget();
}

static void
test_created(void)
{
	version(WRITERS_CREATED, DATA,
	    "[" ENTRY("a", "1", K) "," ENTRY("a", "2", L) "]", "a",
	    "made by the one client that it has");
	forget();
	version(WRITERS_CREATED, DATA,
	    "[" ENTRY("a", "1", K) "," ENTRY("b", "1", L) "]", "",
	    "by one of several: nobody");
	forget();
	version(WRITERS_CREATED, DATA, "[" ENTRY("ancient-changes", "1", K) "]",
	    "", "by a name of the server: nobody");
	forget();
	version(WRITERS_STATE, DATA, "[" ENTRY("a", "1", K) "]", "",
	    "it was there: nobody");
	version(WRITERS_STATE, DATA, "[" ENTRY("b", "2", K) "]", "",
	    "... and another time");
	version(WRITERS_CHANGED, DATA, "[" ENTRY("a", "3", K) "]", "a",
	    "a list is compared with, too");
	forget();
}

static void
test_many(void)
{
	struct buf list = BUF_INIT;

	for (int i = 0; i < 33; i++)
		buf_addf(
		    &list, "%s{\"manager\":\"m%d\"}", i == 0 ? "[" : ",", i);
	buf_adds(&list, "]");
	version(WRITERS_STATE, DATA, "[" ENTRY("a", "1", K) "]", "", "few");
	version(WRITERS_CHANGED, DATA, buf_str(&list), "", "too many: nobody");
	buf_release(&list);
	forget();
}

static void
unite(const char *one, const char *other, const char *want)
{
	struct buf names = BUF_INIT;

	buf_adds(&names, one);
	writers_unite(&names, span_str(other));
	is(buf_str(&names), want, "names are united");
	buf_release(&names);
}

int
main(void)
{
	test_entries();
	test_joined();
	test_values();
	test_created();
	test_many();
	unite("a", "b", "a or b");
	unite("a or b", "b or c", "a or b or c");
	unite("a", "a", "a");
	unite("", "a", "");
	unite("a", "", "");
	pool_release(&pool);
	return tap_done();
}
