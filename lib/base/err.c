#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void
mark_cut(char *text, int wanted)
{
	if (wanted >= ERR_MESSAGE_MAX)
		memcpy(text + ERR_MESSAGE_MAX - 4, "...", 4);
}

int
err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
{
	va_list ap;

	if (e == NULL)
		return -1;
	e->kind = kind;
	va_start(ap, fmt);
	mark_cut(
	    e->message, vsnprintf(e->message, sizeof(e->message), fmt, ap));
	va_end(ap);
	return -1;
}

int
err_prefix(struct err *e, const char *fmt, ...)
{
	char old[ERR_MESSAGE_MAX];
	va_list ap;
	int n;

	if (e == NULL)
		return -1;
	memcpy(old, e->message, sizeof(old));
	va_start(ap, fmt);
	n = vsnprintf(e->message, sizeof(e->message), fmt, ap);
	va_end(ap);
	if (n < 0 || n >= ERR_MESSAGE_MAX) {
		mark_cut(e->message, n);
		return -1;
	}
	n += snprintf(
	    e->message + n, sizeof(e->message) - (size_t)n, ": %s", old);
	mark_cut(e->message, n);
	return -1;
}

int
err_exit_code(const struct err *e)
{
	switch (e->kind) {
	case ERR_BUG:
		return EXIT_BUG;
	case ERR_TRANSIENT:
	case ERR_CONFLICT:
	case ERR_GONE:
		return EXIT_TRANSIENT;
	case ERR_NONE:
	case ERR_PERMANENT:
		break;
	}
	return EXIT_PERMANENT;
}
