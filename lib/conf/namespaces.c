#include "conf/namespaces.h"

#include <stdbool.h>
#include <string.h>

#include "base/span.h"

enum { NAME_MAX_LENGTH = 63 };

/* A DNS label (RFC 1123), as the API server wants it. */
static bool
is_name(struct span s)
{
	static const char ends[] = "abcdefghijklmnopqrstuvwxyz0123456789";

	if (s.n == 0 || s.n > NAME_MAX_LENGTH || s.p[0] == '-' ||
	    s.p[s.n - 1] == '-')
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '-' && strchr(ends, s.p[i]) == NULL)
			return false;
	return true;
}

static int
check(const char *what, struct span name, struct err *err)
{
	if (is_name(name))
		return 0;
	return err_set(err, ERR_PERMANENT,
	    "%s: \"%.*s\" is not a name of a namespace", what, SPAN_ARG(name));
}

static int
add_name(
    struct textlist *to, const char *what, struct span name, struct err *err)
{
	if (check(what, name, err) != 0)
		return -1;
	if (!textlist_has(to, name.p, name.n))
		textlist_add(to, name.p, name.n);
	return 0;
}

int
namespaces_parse(
    struct textlist *to, const char *what, const char *text, struct err *err)
{
	if (span_trim(span_str(text), SPAN_BLANKS).n == 0)
		return 0;
	for (;;) {
		size_t n = strcspn(text, ",");

		if (add_name(to, what,
			span_trim(span_make(text, n), SPAN_BLANKS), err) != 0)
			return -1;
		if (text[n] == '\0')
			return 0;
		text += n + 1;
	}
}

int
namespaces_name(const char *what, const char *name, struct err *err)
{
	return check(what, span_str(name), err);
}

int
namespaces_option(struct textlist *to, const char *text, struct err *err)
{
	if (span_trim(span_str(text), SPAN_BLANKS).n == 0)
		return err_set(err, ERR_PERMANENT,
		    "option --namespace names none; --all-namespaces means "
		    "all");
	return namespaces_parse(to, "option --namespace", text, err);
}
