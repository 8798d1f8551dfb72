/* tests: runs the one of this program's tests by whose name it was called. */
#include "tests.h"

#include <stdio.h>
#include <string.h>

extern const struct test __start_unit_tests[], __stop_unit_tests[];
/* Weak: there may be none. */
extern const struct test_part __start_unit_parts[] __attribute__((weak)),
    __stop_unit_parts[] __attribute__((weak));

static const char *
base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void
tests_run_parts(const char *file)
{
	const struct test_part *p;

	for (p = __start_unit_parts; p < __stop_unit_parts; p++)
		if (strcmp(p->file, file) == 0)
			p->run();
}

int
main(int argc, char **argv)
{
	const char *name = argc > 0 ? base(argv[0]) : "";
	size_t n = strlen(name);
	const struct test *t;

	for (t = __start_unit_tests; t < __stop_unit_tests; t++) {
		const char *file = base(t->file);

		if (strncmp(file, name, n) == 0 && strcmp(file + n, ".c") == 0)
			return t->run ? t->run() : t->run_parts();
	}
	fprintf(stderr, "%s: there is no such test in this program\n", name);
	return 100;
}
