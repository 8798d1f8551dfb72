#include "child/inside.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define INSIDE(name, fn, id) inside_fn fn;
#include <inside.inc>
#undef INSIDE
#define INSIDE(name, fn, id) {name, fn, id, sizeof(id) - 1},

/* The end has no name. */
static const struct inside {
	const char *name;
	inside_fn *fn;
	const char *id; /* the GNU build ID of the program, as bytes */
	size_t id_size;
} all[] = {
#include <inside.inc>
    {NULL, NULL, NULL, 0}};

/* The notes of a program are in its first page, and the build ID is one. */
enum { NOTES_MAX = 4096 };

static bool
has_id(const char *path, const struct inside *b)
{
	char head[NOTES_MAX];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, head, sizeof(head));
	close(fd);
	return n > 0 && b->id_size > 0 &&
	    memmem(head, (size_t)n, b->id, b->id_size) != NULL;
}

inside_fn *
inside_find(const char *name, const char *path)
{
	for (const struct inside *b = all; b->name != NULL; b++)
		if (strcmp(b->name, name) == 0)
			return has_id(path, b) ? b->fn : NULL;
	return NULL;
}
