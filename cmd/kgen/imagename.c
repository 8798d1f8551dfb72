#include "imagename.h"

enum { REPOSITORY_MAX = 255, TAG_MAX = 128, HEX_DIGITS = 64 };

/* Lower case and digits, joined by ".", "_", "__" or dashes. */
static bool
is_component(struct span s)
{
	while (s.n > 0) {
		size_t n = 0;

		while (
		    n < s.n && (span_is_lower(s.p[n]) || span_is_digit(s.p[n])))
			n++;
		if (n == 0)
			return false;
		s = span_skip(s, n);
		if (s.n == 0)
			return true;
		if (!span_take(&s, ".") && !span_take(&s, "__") &&
		    !span_take(&s, "_")) {
			if (*s.p != '-')
				return false;
			s = span_trim_start(s, "-");
		}
	}
	return false;
}

/* The first part of several may be host:port; a host has a dot, a port, or is
 * localhost. */
static bool
is_host(struct span s)
{
	struct span host = span_cut(&s, ':');
	bool dot = span_find(host, '.') != NULL;

	if (s.p != NULL && (!span_is_digits(s) || s.n > 5))
		return false;
	if (!dot && s.p == NULL)
		return false;
	for (size_t i = 0; i < host.n; i++)
		if (!span_is_alnum(host.p[i]) && host.p[i] != '.' &&
		    host.p[i] != '-')
			return false;
	return host.n > 0 && span_is_alnum(host.p[0]) &&
	    span_is_alnum(host.p[host.n - 1]);
}

bool
imagename_is_repository(struct span s)
{
	bool first = true;

	if (s.n == 0 || s.n > REPOSITORY_MAX)
		return false;
	while (s.p != NULL) {
		struct span part = span_cut(&s, '/');
		bool host = first && s.p != NULL && is_host(part);

		if (!host && !is_component(part))
			return false;
		first = false;
	}
	return true;
}

static bool
is_tag(struct span s)
{
	if (s.n == 0 || s.n > TAG_MAX)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!span_is_alnum(s.p[i]) && s.p[i] != '_' &&
		    (i == 0 || !span_is_among(s.p[i], ".-")))
			return false;
	return true;
}

static bool
is_digest(struct span s)
{
	if (!span_take(&s, "sha256:") || s.n != HEX_DIGITS)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!span_is_among(s.p[i], "0123456789abcdef"))
			return false;
	return true;
}

bool
imagename_is_image(struct span s)
{
	struct span name = span_cut(&s, '@');
	const char *slash = span_find_last(name, '/');
	const char *colon = span_find_last(name, ':');

	if (s.p != NULL && !is_digest(s))
		return false;
	if (colon != NULL && (slash == NULL || colon > slash)) {
		size_t n = (size_t)(colon - name.p);

		if (!is_tag(span_skip(name, n + 1)))
			return false;
		name.n = n;
	}
	return imagename_is_repository(name);
}

/* Dotted pieces of letters, digits and dashes. */
static bool
is_suffix(struct span s)
{
	while (s.p != NULL) {
		struct span piece = span_cut(&s, '.');

		if (piece.n == 0)
			return false;
		for (size_t i = 0; i < piece.n; i++)
			if (!span_is_alnum(piece.p[i]) && piece.p[i] != '-')
				return false;
	}
	return true;
}

bool
imagename_is_version(struct span s)
{
	struct span build = s, main = span_cut(&build, '+');
	struct span pre = main, core = span_cut(&pre, '-');

	if ((build.p != NULL && !is_suffix(build)) ||
	    (pre.p != NULL && !is_suffix(pre)))
		return false;
	for (int i = 0; i < 3; i++) {
		struct span n = span_cut(&core, '.');

		if (!span_is_digits(n) || (n.n > 1 && *n.p == '0'))
			return false;
	}
	return core.p == NULL;
}
