#include "environ.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

static const char *const always[] = {
    "PATH", "TZ", "TZDIR", "LANG", "LC_ALL", "TMPDIR", "WATCH_NAMESPACE", NULL};

static bool
is_name_byte(char c)
{
	return span_is_alnum(c) || c == '_';
}

/* "${NAME" anywhere, also in a comment: a name too many does no harm. */
static bool
is_named(struct span name, struct span text)
{
	for (size_t i = 0; i + 2 + name.n < text.n; i++)
		if (text.p[i] == '$' && text.p[i + 1] == '{' &&
		    memcmp(text.p + i + 2, name.p, name.n) == 0 &&
		    !is_name_byte(text.p[i + 2 + name.n]))
			return true;
	return false;
}

static bool
may_pass(const char *variable, struct span text)
{
	struct span name = span_make(variable, strcspn(variable, "="));

	for (size_t i = 0; always[i] != NULL; i++)
		if (span_is(name, always[i]))
			return true;
	return name.n > 0 && is_named(name, text);
}

char **
environ_select(char *const *env, struct span watches)
{
	char **selected;
	size_t count = 0;

	while (env[count] != NULL)
		count++;
	selected = mem_zalloc((count + 1) * sizeof(*selected));
	count = 0;
	for (; *env != NULL; env++)
		if (may_pass(*env, watches))
			selected[count++] = *env;
	return selected;
}

char **
environ_with(char *const *env, const char *variable)
{
	char **all;
	size_t count = 0;

	while (env[count] != NULL)
		count++;
	all = mem_zalloc((count + 2) * sizeof(*all));
	memcpy(all, env, count * sizeof(*all));
	all[count] = (char *)variable;
	return all;
}

/* Appends the text of the file. */
static int
add_file(struct buf *text, const char *path, struct err *err)
{
	enum { FILE_MAX = 1 << 20 };
	size_t most = text->len + FILE_MAX;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	while (fd >= 0 && text->len <= most) {
		n = read(fd, buf_reserve(text, 65536), 65536);
		if (n > 0)
			text->len += (size_t)n;
		else if (n == 0 || errno != EINTR)
			break;
	}
	if (n != 0)
		err_set(err, ERR_PERMANENT, "%s: %s", path,
		    n > 0 ? "larger than 1 MiB" : strerror(errno));
	if (fd >= 0)
		close(fd);
	return n == 0 ? 0 : -1;
}

char **
environ_for_program(char *const *env, const char *watches_path,
    const char *other, struct err *err)
{
	struct buf text = BUF_INIT;
	char **selected = NULL;
	int rc = add_file(&text, watches_path, err);

	buf_addc(&text, '\n');
	if (rc == 0 && other != NULL)
		rc = add_file(&text, other, err);
	if (rc == 0)
		selected = environ_select(env, buf_span(&text));
	buf_release(&text);
	return selected;
}
