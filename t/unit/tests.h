/*
 * tests: the unit tests of a program, in a table that the linker makes: each
 * that includes tap.h is a row.
 */
#ifndef TESTS_H
#define TESTS_H

struct test {
	const char *file; /* t/unit/lib/test-buf.c */
	int (*run)(void);
};

#endif
