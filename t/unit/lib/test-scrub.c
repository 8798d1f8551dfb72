#include "record/scrub.h"

#include "tap.h"

static void
leaves(const char *text, const char *object, const char *want, const char *what)
{
	struct buf b = BUF_INIT;

	scrub_add(&b, span_str(text), span_str(object));
	is(buf_str(&b), want, what);
	buf_release(&b);
}

TEST(scrub)
{
	const char *secret = "{\"data\":{\"a\":\"c2VjcmV0LXdvcmQ=\"},"
			     "\"stringData\":{\"b\":\"two\\nlines here\"}}";
	struct buf b = BUF_INIT, text = BUF_INIT;

	leaves("a policy says no", secret, "a policy says no", "nothing of it");
	leaves("no secret-word, no", secret, "no ..., no", "data, decoded");
	leaves("no c2VjcmV0LXdvcmQ= !", secret, "no ... !", "... as it is");
	leaves("no cret-word", secret, "no ...", "a part of it");
	leaves("no ret-wor", secret, "no ret-wor", "less than eight bytes");
	leaves("no two\nlines here", secret, "no ...", "a value of lines");
	leaves("no two\\nlines here", secret, "no ...", "... escaped");
	leaves("no dHdvCmxpbmVzIGhlcmU=", secret, "no ...", "... in base64");
	leaves("8 of 80 are 8", "{\"data\":{\"n\":\"8\"}}", "... of 80 are ...",
	    "a short value that stands alone");
	leaves("x is 17", "{\"data\":{\"n\":17}}", "x is ...", "a number");
	leaves("", secret, "", "nothing");
	leaves("a text", "{}", "a text", "an object without data");
	leaves("\xc3\xa4", "{\"data\":null}", "\xc3\xa4", "data that is null");
	for (int i = 0; i < 1500; i++)
		buf_adds(&text, "\xc3\xa9");
	scrub_add(&b, buf_span(&text), span_str("{}"));
	ok(b.len == SCRUB_TEXT_MAX + 3, "a long text is cut");
	buf_release(&b);
	buf_release(&text);
}
