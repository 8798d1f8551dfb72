#include "conf/yaml11.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

bool
yaml11_bool(const char *text, bool *value)
{
	static const char *const words[] = {"y", "n", "Y", "N", "yes", "no",
	    "Yes", "No", "YES", "NO", "on", "off", "On", "Off", "ON", "OFF",
	    "true", "false", "True", "False", "TRUE", "FALSE"};

	for (size_t i = 0; i < COUNT(words); i++) {
		*value = i % 2 == 0;
		if (strcmp(text, words[i]) == 0)
			return true;
	}
	return false;
}

/* The base that Go's strconv.ParseInt takes by the prefix; *digits is set
 * behind it. */
static int
base_of(const char **digits)
{
	const char *s = *digits;
	int base = 8;

	if (s[0] != '0' || s[1] == '\0')
		return 10;
	if (s[1] == 'x' || s[1] == 'X')
		base = 16;
	else if (s[1] == 'b' || s[1] == 'B')
		base = 2;
	*digits += base != 8 || s[1] == 'o' || s[1] == 'O' ? 2 : 1;
	return base;
}

static bool
all_digits(const char *s, int base)
{
	if (*s == '\0')
		return false;
	for (; *s != '\0'; s++)
		if (!(base == 16 ? isxdigit((unsigned char)*s)
				 : *s >= '0' && *s < '0' + base))
			return false;
	return true;
}

static bool
add_integer(const char *s, struct buf *out)
{
	bool minus = *s == '-';
	const char *digits = s + (*s == '-' || *s == '+');
	int base = base_of(&digits);
	unsigned long long v;

	if (!all_digits(digits, base))
		return false;
	errno = 0;
	v = strtoull(digits, NULL, base);
	if (errno != 0 || (minus && v > 1ULL << 63) ||
	    (*s == '+' && v >= 1ULL << 63))
		return false;
	buf_addf(out, "%s%llu", minus && v != 0 ? "-" : "", v);
	return true;
}

static const char *
skip_digits(const char *s)
{
	return s + strspn(s, "0123456789");
}

/* [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)? */
static bool
is_float(const char *s)
{
	const char *whole = s += *s == '-' || *s == '+';
	const char *part;

	s = skip_digits(s);
	if (s > whole && *s == '.') {
		s = skip_digits(s + 1);
	} else if (s == whole) {
		part = *s == '.' ? s + 1 : s;
		s = skip_digits(part);
		if (s == part || part == whole)
			return false;
	}
	if (*s == 'e' || *s == 'E') {
		s++;
		s += *s == '-' || *s == '+';
		part = s;
		s = skip_digits(s);
		if (s == part)
			return false;
	}
	return *s == '\0';
}

/* .inf, +.Inf, -.INF, .NaN, ...: one spelling of each. */
static bool
add_endless(const char *text, struct buf *out)
{
	static const char *const words[] = {".inf", ".Inf", ".INF", "+.inf",
	    "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF", ".nan", ".NaN",
	    ".NAN"};
	static const char *const spelled[] = {".inf", ".inf", "-.inf", ".nan"};

	for (size_t i = 0; i < COUNT(words); i++)
		if (strcmp(text, words[i]) == 0) {
			buf_adds(out, spelled[i / 3]);
			return true;
		}
	return false;
}

enum yaml11_number
yaml11_number(const char *text, struct buf *out)
{
	enum yaml11_number found = YAML11_TEXT;
	struct buf plain = BUF_INIT;

	if (add_endless(text, out))
		return YAML11_ENDLESS;
	/* A text that begins with a point is read with its underscores. */
	if (*text == '.' && strchr(text, '_') != NULL)
		return YAML11_TEXT;
	if (*text == '\0' || strchr("+-.0123456789", *text) == NULL)
		return YAML11_TEXT;
	for (const char *s = text; *s != '\0'; s++)
		if (*s != '_')
			buf_addc(&plain, *s);
	if (add_integer(buf_str(&plain), out)) {
		found = YAML11_INTEGER;
	} else if (is_float(buf_str(&plain)) &&
	    isfinite(strtod(buf_str(&plain), NULL))) {
		buf_addspan(out, buf_span(&plain));
		found = YAML11_FLOAT;
	}
	buf_release(&plain);
	return found;
}

/* Formats v like Go's strconv.FormatFloat(v, 'g', -1, 32). */
static void
add_shortest(struct buf *out, float v)
{
	char text[64];
	int digits = 0, exponent;

	do
		snprintf(text, sizeof(text), "%.*e", digits, (double)v);
	while (strtof(text, NULL) != v && ++digits < 9);
	exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
	if (exponent >= -4 && exponent < 6)
		snprintf(text, sizeof(text), "%.*f",
		    digits > exponent ? digits - exponent : 0, (double)v);
	buf_adds(out, text);
}

enum yaml11_number
yaml11_key(const char *text, struct buf *out)
{
	struct buf number = BUF_INIT;
	enum yaml11_number found = yaml11_number(text, &number);

	if (found == YAML11_FLOAT)
		add_shortest(out, strtof(buf_str(&number), NULL));
	else
		buf_addspan(out, buf_span(&number));
	buf_release(&number);
	return found;
}
