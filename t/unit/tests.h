/*
 * tests: the unit tests of a program, in tables that the linker makes: each
 * file that includes tap.h is a row, and so is each TEST of it.
 */
#ifndef TESTS_H
#define TESTS_H

struct test {
	const char *file; /* t/unit/lib/test-buf.c */
	int (*run)(void); /* main of the file; NULL if it has none, then: */
	int (*run_parts)(void);
};

struct test_part {
	const char *file;
	void (*run)(void);
};

/* The TESTs of the file, in their order. */
void tests_run_parts(const char *file);

#endif
