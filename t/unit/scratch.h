/*
 * scratch: a directory of a test's own in /tmp, and files in it.
 */
#ifndef SCRATCH_H
#define SCRATCH_H

#include <stdio.h>
#include <stdlib.h>

static char scratch[] = "/tmp/kpipe-test-XXXXXX";

__attribute__((unused)) static void
scratch_make(void)
{
	if (mkdtemp(scratch) == NULL) {
		printf("Bail out! cannot create %s\n", scratch);
		exit(1);
	}
}

__attribute__((unused)) static void
scratch_remove(void)
{
	char command[600];

	snprintf(command, sizeof(command), "rm -rf %s", scratch);
	if (system(command) != 0)
		printf("# cannot remove %s\n", scratch);
}

/* A path of it; four of them at a time. */
__attribute__((unused)) static const char *
in_dir(const char *name)
{
	static char paths[4][512];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", scratch, name);
	return path;
}

__attribute__((unused)) static void
put_file(const char *name, const char *text)
{
	FILE *f = fopen(in_dir(name), "w");

	if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0)
		abort();
}

#endif
