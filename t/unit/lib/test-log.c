#include "process/log.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/utf8.h"
#include "json/json.h"
#include "process/clock.h"
#include "tap.h"

static int ends[2], kept;
static char got[4096];

static void
begin(enum log_format format, enum log_level least)
{
	log_init("tool", format, least);
	if (pipe(ends) != 0)
		abort();
	kept = dup(2);
	dup2(ends[1], 2);
}

/* The log since begin. */
static const char *
logged(void)
{
	ssize_t n;

	dup2(kept, 2);
	close(kept);
	close(ends[1]);
	n = read(ends[0], got, sizeof(got) - 1);
	got[n > 0 ? n : 0] = '\0';
	close(ends[0]);
	return got;
}

TEST(text)
{
	struct log_about about = {"thing.example.com", "ns", "a", "why"};

	begin(LOG_TEXT, LOG_INFO);
	log_debug("hidden");
	log_info("n=%d", 1);
	log_warning("warned");
	log_error("failed");
	log_fatal("gone");
	is(logged(),
	    "tool: n=1\ntool: warning: warned\ntool: error: failed\n"
	    "tool: fatal: gone\n",
	    "text: one line each, less than the level is hidden");

	begin(LOG_TEXT, LOG_DEBUG);
	log_debug("shown");
	log_write(LOG_ERROR, &about, "cannot");
	about.namespace_ = NULL;
	about.controller = NULL;
	about.error = NULL;
	log_write(LOG_INFO, &about, "of the cluster");
	is(logged(),
	    "tool: debug: shown\n"
	    "tool: error: thing.example.com ns/a: cannot: why\n"
	    "tool: a: of the cluster\n",
	    "text: what it is about");

	begin(LOG_TEXT, LOG_INFO);
	log_info("two\nlines\x1b[31m\ttab");
	is(logged(), "tool: two\\nlines\\x1b[31m\\ttab\n",
	    "text: a message stays one line, and out of the terminal's way");

	/* Characters that a name or a message must not contain, because they
	 * begin a line, set colours, change the direction, are invisible or
	 * look like others; and characters that it may contain. */
	about =
	    (struct log_about){"c\x7f", "n s:\n", "a:\nkapply: \x1b[1Cfatal",
		"\xc2\x9b"
		"31m"};
	begin(LOG_TEXT, LOG_INFO);
	log_write(LOG_ERROR, &about,
	    "\xe2\x80\xa8 \xe2\x80\xae \xe2\x81\xa6 \xd8\x9c \xef\xbb\xbf "
	    "\xf3\xa0\x81\x81 \xed\xa0\x80 \xc3 gr\xc3\xbc\xc3\x9f "
	    "\xf0\x9f\x98\x80");
	is(logged(),
	    "tool: error: c\\x7f n\\x20s:\\n/a:\\nkapply:\\x20\\x1b[1Cfatal: "
	    "\\u2028 \\u202e \\u2066 \\u061c \\ufeff \\U000e0041 "
	    "\\xed\\xa0\\x80 \\xc3 gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80: "
	    "\\u009b31m\n",
	    "text: nor does what it is about");
}

TEST(json)
{
	struct log_about about = {"c", "ns", "a", "why"};
	char ts[] = "\"ts\":\"2026-01-02T03:04:05.000006Z\"";
	const char *text, *p;
	struct span time;
	int64_t us;

	begin(LOG_JSON, LOG_INFO);
	log_write(LOG_WARNING, &about, "say \"%s\"", "a\\b\n");
	text = logged();
	p = strstr(text, "\"ts\":\"");
	if (!ok(p != NULL, "JSON: it has a time"))
		return;
	time = span_make(p + 6, strcspn(p + 6, "\""));
	ok(clock_parse_us(time, &us) == 0 &&
		llabs(us - clock_real_us()) < 60000000,
	    "... which is now");
	memmove((char *)p, ts, sizeof(ts) - 1);
	is(text,
	    "{\"level\":\"warning\",\"ts\":\"2026-01-02T03:04:05.000006Z\","
	    "\"logger\":\"tool\",\"msg\":\"say \\\"a\\\\b\\n\\\"\","
	    "\"controller\":\"c\",\"namespace\":\"ns\",\"name\":\"a\","
	    "\"error\":\"why\"}\n",
	    "... and the usual keys");
}

/* A xorshift, which gives the same bytes each time. */
static unsigned
draw(void)
{
	static uint32_t x = 20261122;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x;
}

/* Bytes that are likely to harm: half of them begin or are a special
 * character. */
static void
fill(char *text, size_t n)
{
	static const char *const bad[] = {"\n", "\r", "\x1b", "\x7f",
	    "\xc2\x9b", "\xe2\x80\xa8", "\xe2\x80\xae", "\xef\xbb\xbf",
	    "\xed\xa0\xbd", "\xf4\x90\x80\x80", "\xc0\xaf", "\"", "\\",
	    "\xf3\xa0\x80\xa0", "\xef\xbf\xbf"};
	size_t at = 0;

	while (at + 5 < n) {
		const char *piece = bad[draw() % COUNT(bad)];

		if (draw() % 2 == 0)
			for (; *piece != '\0'; piece++)
				text[at++] = *piece;
		else
			text[at++] = (char)(draw() % 255 + 1);
	}
	text[at] = '\0';
}

/* Whether it is one line of visible characters. */
static bool
is_harmless(const char *line)
{
	const char *end = strchr(line, '\n');

	if (end == NULL || end[1] != '\0')
		return false;
	while (line < end) {
		uint32_t c;
		size_t n = utf8_decode(line, end, &c);

		if (n == 0 || !utf8_is_visible(c))
			return false;
		line += n;
	}
	return true;
}

/* The string of this key is the text, with bad bytes replaced. */
static bool
says(const char *line, const char *key, const char *text)
{
	struct span value = json_get(span_str(line), key);
	struct buf scratch = BUF_INIT, plain = BUF_INIT, again = BUF_INIT;
	bool same;

	json_add_str(&plain, text); /* as in any other JSON */
	same = span_eq(json_string(value, &scratch),
	    json_string(buf_span(&plain), &again));
	buf_release(&scratch);
	buf_release(&plain);
	buf_release(&again);
	return same;
}

TEST(random)
{
	bool text_ok = true, json_ok = true, same = true;

	for (int i = 0; i < 3000; i++) {
		char words[5][60];
		struct log_about about = {
		    words[0], words[1], words[2], words[3]};
		const char *line;

		for (int w = 0; w < 5; w++)
			fill(words[w], 1 + draw() % sizeof(words[w]));
		begin(LOG_TEXT, LOG_INFO);
		log_write(LOG_ERROR, &about, "%s", words[4]);
		text_ok = text_ok && is_harmless(logged());
		begin(LOG_JSON, LOG_INFO);
		log_write(LOG_ERROR, &about, "%s", words[4]);
		line = logged();
		json_ok = json_ok && is_harmless(line) &&
		    json_check(span_str(line), NULL) == 0;
		same = same && says(line, "msg", words[4]) &&
		    says(line, "controller", words[0]) &&
		    says(line, "namespace", words[1]) &&
		    says(line, "name", words[2]) &&
		    says(line, "error", words[3]);
	}
	ok(text_ok, "random bytes: text is one line, and can be seen");
	ok(json_ok, "... JSON is valid, and can be seen");
	ok(same, "... and says the same as was logged");
}
