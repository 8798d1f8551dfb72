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

char **
environ_for_program(char *const *env, const char *watches_path, struct err *err)
{
	enum { FILE_MAX = 1 << 20 };
	int fd = open(watches_path, O_RDONLY | O_CLOEXEC);
	struct buf text = BUF_INIT;
	char **selected = NULL;
	ssize_t n = -1;

	while (fd >= 0 && text.len <= FILE_MAX) {
		n = read(fd, buf_reserve(&text, 65536), 65536);
		if (n > 0)
			text.len += (size_t)n;
		else if (n == 0 || errno != EINTR)
			break;
	}
	if (n == 0)
		selected = environ_select(env, buf_span(&text));
	else
		err_set(err, ERR_PERMANENT, "%s: %s", watches_path,
		    n > 0 ? "larger than 1 MiB" : strerror(errno));
	if (fd >= 0)
		close(fd);
	buf_release(&text);
	return selected;
}
