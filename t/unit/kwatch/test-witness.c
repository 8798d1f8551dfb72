/* witness: what is asked for, and what the answer means. */
#include "witness.h"

#include "tap.h"

static void
see(struct witness *w, const char *line, bool deleted)
{
	struct json_frame f;

	if (json_frame(span_str(line), &f) == 0)
		witness_take(w, &f, deleted);
}

#define EVENT(name, uid, version)                                        \
	"{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"" name \
	"\",\"namespace\":\"s\",\"uid\":\"" uid                          \
	"\",\"resourceVersion\":\"" version "\"}}}"
#define ITEM(uid, version)                             \
	"{\"metadata\":{\"name\":\"b\",\"uid\":\"" uid \
	"\",\"resourceVersion\":\"" version "\"}}"
#define ALL(version, items)                             \
	"{\"metadata\":{\"resourceVersion\":\"" version \
	"\"},\"items\":[" items "]}"

static void
asked(const struct witness *w, enum witness_question q, const char *want,
    const char *what)
{
	struct buf b = BUF_INIT;

	witness_version(w, q, span_str("30"), &b);
	buf_addc(&b, ' ');
	witness_selector(w, &b);
	is(buf_str(&b), want, what);
	buf_release(&b);
}

static void
test_take(void)
{
	struct witness w = {.version = 0};

	ok(witness_first(&w) == WITNESS_NONE, "nothing was seen");
	see(&w, EVENT("a", "1", "20"), false);
	see(&w, EVENT("b", "2", "9"), false);
	ok(witness_first(&w) == WITNESS_NOW, "an object");
	asked(&w, WITNESS_NOW, "30 metadata.name=a", "the latest version");
	see(&w, EVENT("x,y=\\u005cz", "3", "21"), false);
	asked(&w, WITNESS_NOW, "30 metadata.name=x\\,y\\=\\\\z",
	    "a name that selectors escape");
	see(&w, EVENT("b", "2", "22"), true);
	ok(witness_first(&w) == WITNESS_BEFORE, "a deletion");
	asked(&w, WITNESS_BEFORE, "21 metadata.name=b", "... just before it");
	see(&w, EVENT("c", "4", "x23"), false);
	see(&w, EVENT("c", "", "24"), false);
	asked(&w, WITNESS_NOW, "30 metadata.name=b",
	    "neither a version that is not a number, nor without a uid");
	witness_forget(&w);
	ok(witness_first(&w) == WITNESS_NONE, "forgotten");
	see(&w, EVENT("a", "1", "1"), true);
	ok(witness_first(&w) == WITNESS_NOW, "there is no version 0");
	witness_release(&w);
}

static const struct answer {
	bool deleted;
	enum witness_question question;
	const char *list;
	enum witness_word want;
	const char *what;
} answers[] = {
    {false, WITNESS_NOW, ALL("30", ITEM("2", "9")), WITNESS_SAME, "the same"},
    {false, WITNESS_NOW, ALL("30", ITEM("2", "8")), WITNESS_OTHER,
	"an older version"},
    {false, WITNESS_NOW, ALL("30", ITEM("3", "9")), WITNESS_OTHER,
	"another uid"},
    {false, WITNESS_NOW, ALL("30", ""), WITNESS_OTHER, "it is not there"},
    {false, WITNESS_NOW, ALL("31", ITEM("2", "31")), WITNESS_UNKNOWN,
	"a list of now"},
    {false, WITNESS_NOW, ALL("30", "4"), WITNESS_UNKNOWN, "not an object"},
    {false, WITNESS_NOW, "{}", WITNESS_UNKNOWN, "not a list"},
    {true, WITNESS_BEFORE, ALL("30", ITEM("2", "5")), WITNESS_SAME,
	"before its deletion"},
    {true, WITNESS_BEFORE, ALL("30", ITEM("3", "5")), WITNESS_OTHER,
	"... another uid"},
    {true, WITNESS_BEFORE, ALL("30", ""), WITNESS_OTHER, "... it is not there"},
    {true, WITNESS_NOW, ALL("30", ""), WITNESS_SAME, "after its deletion"},
    {true, WITNESS_NOW, ALL("30", ITEM("3", "20")), WITNESS_SAME,
	"... created again"},
    {true, WITNESS_NOW, ALL("30", ITEM("2", "5")), WITNESS_OTHER,
	"... it is there"},
};

static void
test_hear(void)
{
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
		const struct answer *a = &answers[i];
		struct witness w = {.version = 0};

		see(&w, EVENT("b", "2", "9"), a->deleted);
		ok(witness_hear(&w, a->question, "30", span_str(a->list)) ==
			a->want,
		    a->what);
		witness_release(&w);
	}
}

int
main(void)
{
	test_take();
	test_hear();
	return tap_done();
}
