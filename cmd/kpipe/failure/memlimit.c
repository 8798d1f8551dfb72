#include "failure/memlimit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"

/* The two versions of cgroups, which name things differently. */
struct flavor {
	const char *folder; /* folder below the root of cgroups */
	const char *kills, *limit;
};

static const struct flavor v1 = {
    "/memory", "memory.oom_control", "memory.limit_in_bytes"};
static const struct flavor v2 = {"", "memory.events", "memory.max"};

/* v1 says "no limit" by the largest number of pages. */
#define NO_LIMIT ((uint64_t)1 << 62)

enum { FILE_BYTES = 512 }; /* more than any of these files has */

/* Reads a file; one that is absent counts as empty. */
static struct span
read_all(const char *path, char *bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return span_str("");
	do
		n = read(fd, bytes, FILE_BYTES);
	while (n < 0 && errno == EINTR);
	close(fd);
	return span_make(bytes, n > 0 ? (size_t)n : 0);
}

static uint64_t
count_kills(const char *path)
{
	char bytes[FILE_BYTES];
	struct span text = read_all(path, bytes);
	uint64_t n;

	while (text.n > 0) {
		struct span line = span_cut(&text, '\n');

		if (span_take(&line, "oom_kill ") &&
		    span_number(line, UINT64_MAX, &n))
			return n;
	}
	return 0;
}

static uint64_t
read_limit(const char *path)
{
	char bytes[FILE_BYTES];
	struct span text = read_all(path, bytes);
	uint64_t n;

	if (!span_number(span_cut(&text, '\n'), UINT64_MAX, &n) ||
	    n >= NO_LIMIT)
		return 0;
	return n;
}

/* Owned. */
static char *
file_of(const char *root, const struct flavor *f, struct span path,
    const char *name)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s%s%.*s/%s", root, f->folder, SPAN_ARG(path), name);
	return buf_take(&b);
}

static bool
try(struct memlimit *m, const char *root, const struct flavor *f,
    struct span path)
{
	char *kills = file_of(root, f, path, f->kills);
	char *limit;

	if (access(kills, R_OK) != 0) {
		free(kills);
		return false;
	}
	limit = file_of(root, f, path, f->limit);
	m->kills = kills;
	m->bytes = read_limit(limit);
	m->seen = count_kills(kills);
	free(limit);
	return true;
}

/* The path of our cgroup; none: there is no such line. */
static struct span
own_path(struct span own, const struct flavor *f)
{
	while (own.n > 0) {
		struct span line = span_cut(&own, '\n');
		struct span names;

		span_cut(&line, ':');
		names = span_cut(&line, ':');
		if (f == &v2 ? names.n == 0 : span_is(names, "memory"))
			return span_is(line, "/") ? span_str("") : line;
	}
	return SPAN_NONE;
}

void
memlimit_find(struct memlimit *m, const char *root, struct span own)
{
	static const struct flavor *const flavors[] = {&v1, &v2};

	*m = (struct memlimit){.kills = NULL};
	for (size_t i = 0; i < COUNT(flavors); i++) {
		struct span path = own_path(own, flavors[i]);

		if (path.p != NULL &&
		    (try(m, root, flavors[i], path) ||
			try(m, root, flavors[i], span_str(""))))
			return;
	}
}

void
memlimit_release(struct memlimit *m)
{
	free(m->kills);
	m->kills = NULL;
}

bool
memlimit_killed(struct memlimit *m)
{
	if (m->kills == NULL || count_kills(m->kills) <= m->seen)
		return false;
	m->seen++;
	return true;
}
