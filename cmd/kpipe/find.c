#include "find.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"

static bool
is_program(const char *path)
{
	return access(path, X_OK) == 0;
}

/* "dir/name", owned, if that is a program. */
static char *
try_dir(struct span dir, const char *name)
{
	struct buf b = BUF_INIT;
	char *path;

	buf_addspan(&b, dir.n > 0 ? dir : span_str("."));
	buf_addf(&b, "/%s", name);
	path = buf_take(&b);
	if (is_program(path))
		return path;
	free(path);
	return NULL;
}

static char *
find_beside_us(const char *name)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self));

	while (n > 0 && self[n - 1] != '/')
		n--;
	return n > 0 ? try_dir(span_make(self, (size_t)n - 1), name) : NULL;
}

char *
find_in_path(const char *name)
{
	const char *p = getenv("PATH");
	char *found = NULL;

	while (found == NULL && p != NULL && *p != '\0') {
		size_t n = strcspn(p, ":");

		found = try_dir(span_make(p, n), name);
		p += n + (p[n] == ':');
	}
	return found;
}

char *
find_program(const char *name, const char *dir, struct err *err)
{
	char *path;

	if (dir != NULL) {
		path = try_dir(span_str(dir), name);
		if (path == NULL)
			err_set(err, ERR_PERMANENT, "there is no %s in %s",
			    name, dir);
		return path;
	}
	path = find_beside_us(name);
	if (path == NULL)
		path = find_in_path(name);
	if (path == NULL)
		err_set(err, ERR_PERMANENT,
		    "there is no %s, neither beside kpipe nor in PATH", name);
	return path;
}
