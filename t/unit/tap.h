/*
 * tap: a test that prints TAP, with ok() and is().
 *
 *	TEST(what)
 *	{
 *		is(got, want, "...");
 *	}
 *
 * tests.c runs all TESTs of a file, in their order. A file that needs something
 * around them has main(void), which calls tap_run() and returns tap_done().
 */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests.h"

/* Another name for each test, by the Makefile. */
int main(void) __attribute__((weak));

/* Rows of a table have no gaps. */
#define TAP_ROW(table) \
	__attribute__((used, section(table), aligned(sizeof(void *))))

static int tap_run_parts(void);
static const struct test tap_test TAP_ROW("unit_tests") = {
    __BASE_FILE__, main, tap_run_parts};

#define TEST(name)                                                          \
	static void test_##name(void);                                      \
	static const struct test_part part_##name TAP_ROW("unit_parts") = { \
	    __BASE_FILE__, test_##name};                                    \
	static void test_##name(void)

/* The same between set_up() and tear_down() of the file. */
#define TEST_F(name)                    \
	static void inner_##name(void); \
	TEST(name)                      \
	{                               \
		set_up();               \
		inner_##name();         \
		tear_down();            \
	}                               \
	static void inner_##name(void)

#define tap_run() tests_run_parts(__BASE_FILE__)

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

static int
tap_run_parts(void)
{
	tap_run();
	return tap_done();
}

#define ok(pass, what) ok_at(pass, what, __FILE__, __LINE__)
#define is(got, want, what) is_at(got, want, what, __FILE__, __LINE__)

#endif
