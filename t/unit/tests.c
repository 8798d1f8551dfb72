/* tests: runs the one of this program's tests by whose name it was called. */
#include "tests.h"

#include <stdio.h>
#include <string.h>

extern const struct test __start_unit_tests[], __stop_unit_tests[];

static const char *
base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
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
			return t->run();
	}
	fprintf(stderr, "%s: there is no such test in this program\n", name);
	return 100;
}
