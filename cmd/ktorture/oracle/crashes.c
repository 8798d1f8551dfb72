#include "oracle/crashes.h"

#include <signal.h>
#include <string.h>

#include "base/err.h"
#include "json/jvtext.h"

static const char *const words[] = {"Sanitizer",
    "runtime error: ", "bug: ", "exit code 101", "Assertion `",
    "Assertion failed", "stack smashing", "double free",
    "free(): ", "malloc(): ", "corrupted ", "SIGSEGV", "SIGABRT", "SIGBUS",
    "SIGFPE", "SIGILL", "SIGSYS", "panic: ", "thread 'main' panicked",
    "Traceback (most recent call last)", NULL};

/* An error of jq in a program, not one of `fail` or `need`: it names the place,
 * as "reconcile.jq:13: ". */
static bool
is_of_jq(struct span log)
{
	const char *place = ".jq:";
	size_t n = strlen(place);

	if (!span_starts(log, "error: "))
		return false;
	for (; log.n > n; log = span_skip(log, 1))
		if (span_starts(log, place) && span_is_digit(log.p[n]))
			return true;
	return false;
}

static void
check_log(jv line, struct violations *f)
{
	struct span log = played_text(line, "log");

	if (is_of_jq(log)) {
		violations_add(f, "crash", played_text(line, "stage"),
		    "a program fails by itself: %.*s", SPAN_ARG(log));
		return;
	}
	for (size_t i = 0; words[i] != NULL; i++)
		if (span_has(log, words[i])) {
			violations_add(f, "crash", played_text(line, "stage"),
			    "it says: %.*s", SPAN_ARG(log));
			return;
		}
}

/* A stage is killed because another one ended, and may give up for now because
 * of a fault. */
static bool
is_right(int signal, int code, bool after_asked, bool after_fault)
{
	if (signal != 0)
		return (signal == SIGKILL || signal == SIGTERM) && after_asked;
	return code == 0
	    ? after_asked
	    : code == EXIT_TRANSIENT && (after_asked || after_fault);
}

void
crashes_check(const struct played *p, struct violations *f)
{
	bool after_asked = false, after_fault = false;

	for (int i = 0, n = played_length(p->record); i < n; i++) {
		jv line = played_at(p->record, i);
		struct span stage = played_text(line, "death");
		int number = (int)played_number(line, "signal", 0);
		int code = (int)played_number(line, "code", 0);

		if (jv_is_valid(jvtext_peek(line, "log"))) {
			check_log(line, f);
			continue;
		}
		if (jv_is_valid(jvtext_peek(line, "fault")))
			after_fault = true;
		if (stage.n == 0)
			continue;
		if (jv_get_kind(jvtext_peek(line, "asked")) == JV_KIND_TRUE)
			after_asked = true;
		else if (!is_right(number, code, after_asked, after_fault))
			violations_add(f, "crash", stage,
			    number != 0 ? "it was ended by signal %d"
					: "it ended with exit code %d",
			    number != 0 ? number : code);
	}
	if (jv_is_valid(p->end) && played_number(p->end, "code", 0) != 0)
		violations_add(f, "crash", SPAN_NONE,
		    "the operator ended with exit code %d",
		    (int)played_number(p->end, "code", 0));
}
