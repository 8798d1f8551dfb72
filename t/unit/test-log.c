#include "log.h"

#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
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

/* What was logged since begin. */
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

static void
test_text(void)
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
	is(logged(), "tool: two\\nlines\\x1b[31m\ttab\n",
	    "text: a message stays one line, and out of the terminal's way");
}

static void
test_json(void)
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
	    "\"logger\":\"tool\",\"msg\":\"say \\\"a\\\\b\\u000a\\\"\","
	    "\"controller\":\"c\",\"namespace\":\"ns\",\"name\":\"a\","
	    "\"error\":\"why\"}\n",
	    "... and the usual keys");
}

int
main(void)
{
	test_text();
	test_json();
	return tap_done();
}
