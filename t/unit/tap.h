/*
 * tap: a test that prints TAP. ok(), is(); return tap_done() from main(void),
 * which tests.c calls.
 */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests.h"

/* Another name for each test, by the Makefile. */
int main(void);

static const struct test tap_test
    __attribute__((used, section("unit_tests"))) = {__BASE_FILE__, main};

static int tap_count, tap_failed;

__attribute__((unused)) static bool
ok_at(bool pass, const char *what, const char *file, int line)
{
	printf("%sok %d - %s\n", pass ? "" : "not ", ++tap_count, what);
	if (!pass) {
		tap_failed++;
		printf("# failed at %s:%d\n", file, line);
	}
	fflush(stdout);
	return pass;
}

__attribute__((unused)) static bool
is_at(const char *got, const char *want, const char *what, const char *file,
    int line)
{
	bool pass = got == want || (got && want && strcmp(got, want) == 0);

	ok_at(pass, what, file, line);
	if (!pass)
		printf("# got:  %s\n# want: %s\n", got ? got : "(none)",
		    want ? want : "(none)");
	return pass;
}

__attribute__((unused)) static int
tap_done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed != 0;
}

#define ok(pass, what) ok_at(pass, what, __FILE__, __LINE__)
#define is(got, want, what) is_at(got, want, what, __FILE__, __LINE__)

#endif
