#include "sidecar/pipestate.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "json/json.h"
#include "tap.h"

static void
report(struct pipestate *b, const char *line)
{
	pipestate_report(b, 0, "kapply", span_str(line));
}

/* The content of the pipe; valid until the next call. */
static const char *
drain(int fd)
{
	static char text[1 << 17];
	size_t n = 0;
	ssize_t got;

	while ((got = read(fd, text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = '\0';
	return text;
}

/* Whether all is written, and equals this. */
static bool
writes(struct pipestate *b, int fds[2], const char *want)
{
	return pipestate_write(b, fds[1]) == PIPESTATE_WRITTEN &&
	    strcmp(drain(fds[0]), want) == 0;
}

#define SAMPLES(text) "{\"tool\":\"kapply\",\"metrics\":{" text "}}"
#define COUNTED(n) "{\"tool\":\"kapply\",\"counters\":{\"a\":" n "}}"

static void
test_newest(int fds[2])
{
	struct pipestate b = {0};

	ok(writes(&b, fds, ""), "nothing is known: nothing is written");
	report(&b, COUNTED("1"));
	report(&b, COUNTED("2"));
	report(&b, SAMPLES("\"x\":1"));
	report(&b, SAMPLES("\"x\":2"));
	pipestate_set(&b, span_str("{\"old\":1}"));
	pipestate_set(&b, span_str("{\"new\":1}"));
	ok(writes(&b, fds,
	       "{\"new\":1}\n" COUNTED("2") "\n" SAMPLES("\"x\":2") "\n"),
	    "the state, then the newest of all");
	ok(writes(&b, fds, ""), "once");
	report(&b, COUNTED("2"));
	report(&b, SAMPLES("\"x\":2"));
	pipestate_set(&b, span_str("{\"new\":1}"));
	ok(writes(&b, fds, ""), "what did not change is not written again");
	report(&b, SAMPLES("\"y\":1"));
	ok(writes(&b, fds, SAMPLES("\"y\":1") "\n"),
	    "only the sample that did");
	report(&b, SAMPLES("\"a\":1,\"x\":3"));
	ok(writes(&b, fds, SAMPLES("\"x\":3,\"a\":1") "\n"),
	    "samples stay in the order in which they came");
	pipestate_again(&b);
	pipestate_write(&b, fds[1]);
	ok(strncmp(drain(fds[0]), "{\"new\":1}\n" COUNTED("2") "\n", 20) == 0,
	    "another reader gets all");
	pipestate_forget(&b, 0);
	pipestate_again(&b);
	ok(writes(&b, fds, "{\"new\":1}\n"),
	    "what a stage said before its end is forgotten");
	pipestate_release(&b);
}

static void
test_refused(int fds[2])
{
	static const char *const bad[] = {"", "x", "{", "[]",
	    "{\"counters\":1}", "{\"metrics\":[1]}", "{\"tool\":\"kapply\"}",
	    "{\"metrics\":{}} x"};
	struct pipestate b = {0};
	char longest[PIPESTATE_LINE_MAX + 1];
	bool none = true;

	for (size_t i = 0; i < COUNT(bad); i++)
		none = none &&
		    !pipestate_report(&b, 0, "kapply", span_str(bad[i]));
	memset(longest, ' ', sizeof(longest));
	memcpy(longest, "{\"counters\":{}}", 15);
	ok(!pipestate_report(
	       &b, 0, "kapply", span_make(longest, PIPESTATE_LINE_MAX)),
	    "a line that a pipe might not take whole is refused");
	ok(none, "text that is not a report is refused");
	ok(writes(&b, fds, ""), "... and leaves nothing");
	pipestate_release(&b);
}

static void
add_many(struct pipestate *b, int count)
{
	struct buf line = BUF_INIT;

	for (int i = 0; i < count; i++) {
		buf_reset(&line);
		buf_addf(
		    &line, "{\"metrics\":{\"sample_of_some_length_%d\":1}}", i);
		pipestate_report(b, 0, "kapply", buf_span(&line));
	}
	buf_release(&line);
}

static size_t
count_samples(const char *text)
{
	size_t n = 0;

	while ((text = strstr(text, "sample_")) != NULL) {
		n++;
		text++;
	}
	return n;
}

static bool
lines_are_short(const char *text)
{
	const char *end;

	for (; (end = strchr(text, '\n')) != NULL; text = end + 1)
		if (end + 1 - text > PIPESTATE_LINE_MAX ||
		    json_check(span_make(text, (size_t)(end - text)), NULL) !=
			0)
			return false;
	return *text == '\0';
}

static void
test_full_pipe(int fds[2])
{
	struct pipestate b = {0};
	enum pipestate_result result = PIPESTATE_FULL;
	const char *text;
	bool first;
	size_t n;

	add_many(&b, 5000);
	ok(pipestate_write(&b, fds[1]) == PIPESTATE_FULL,
	    "a pipe that is full");
	pipestate_set(&b, span_str("{\"new\":1}"));
	ok(pipestate_write(&b, fds[1]) == PIPESTATE_FULL, "... stays full");
	text = drain(fds[0]);
	ok(lines_are_short(text), "... it has whole lines, none too long");
	n = count_samples(text);
	for (first = true; result == PIPESTATE_FULL; first = false) {
		result = pipestate_write(&b, fds[1]);
		text = drain(fds[0]);
		if (first)
			ok(strncmp(text, "{\"new\":1}\n", 10) == 0,
			    "the rest when it has room, the state first");
		n += count_samples(text);
	}
	ok(result == PIPESTATE_WRITTEN && n == PIPESTATE_SAMPLES_MAX,
	    "... each once, and no more than the limit");
	close(fds[0]);
	pipestate_again(&b);
	ok(pipestate_write(&b, fds[1]) == PIPESTATE_FAILED && errno == EPIPE,
	    "a reader that is gone");
	pipestate_release(&b);
}

int
main(void)
{
	int fds[2];

	signal(SIGPIPE, SIG_IGN);
	if (pipe2(fds, O_NONBLOCK | O_CLOEXEC) != 0)
		return 1;
	test_newest(fds);
	test_refused(fds);
	test_full_pipe(fds);
	return tap_done();
}
