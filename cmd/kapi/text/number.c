#include "text/number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *
parse(struct span digits, uint64_t max, uint64_t *n)
{
	*n = 0;
	if (digits.n == 0)
		return "invalid syntax";
	for (size_t i = 0; i < digits.n; i++) {
		uint64_t d = (uint64_t)(digits.p[i] - '0');

		if (!span_is_digit(digits.p[i]))
			return "invalid syntax";
		if (*n > (max - d) / 10)
			return "value out of range";
		*n = *n * 10 + d;
	}
	return NULL;
}

const char *
number_parse_uint(struct span text, uint64_t *n)
{
	return parse(text, UINT64_MAX, n);
}

const char *
number_parse_int(struct span text, int64_t *n)
{
	bool minus = span_take(&text, "-");
	const char *wrong;
	uint64_t u;

	if (!minus)
		span_take(&text, "+");
	wrong = parse(text, (uint64_t)INT64_MAX + minus, &u);
	if (wrong == NULL)
		*n = (int64_t)(minus ? -u : u);
	return wrong;
}

bool
number_is_int(const struct node *n, int64_t *value)
{
	char text[32], *end;
	struct span s = n->text;

	if (s.n == 0 || s.n >= sizeof text)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '.' || s.p[i] == 'e' || s.p[i] == 'E')
			return false;
	memcpy(text, s.p, s.n);
	text[s.n] = '\0';
	errno = 0;
	*value = strtoll(text, &end, 10);
	return errno == 0 && *end == '\0';
}

/* The shortest digits, without a point, and the exponent of the first. */
static int
shortest(double value, char digits[32], int *exponent)
{
	char text[40];
	int n = 0;

	for (int precision = 0; precision <= 16; precision++) {
		snprintf(text, sizeof text, "%.*e", precision, value);
		if (strtod(text, NULL) == value)
			break;
	}
	for (const char *p = text; *p != 'e' && *p != '\0'; p++)
		if (span_is_digit(*p))
			digits[n++] = *p;
	digits[n] = '\0';
	*exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
	return n;
}

static struct span
number_text(struct arena *a, double value, int least, int most, int width)
{
	char digits[32];
	int exponent, n;
	bool negative = signbit(value) != 0;
	const char *minus;

	if (value == 0)
		return span_str(negative ? "-0" : "0");
	if (!isfinite(value))
		return span_str(isnan(value) ? "NaN"
			: value > 0	     ? "+Inf"
					     : "-Inf");
	n = shortest(fabs(value), digits, &exponent);
	if (exponent < least || exponent >= most)
		return arena_printf(a, "%s%c%s%se%c%0*d", negative ? "-" : "",
		    digits[0], n > 1 ? "." : "", digits + 1,
		    exponent < 0 ? '-' : '+', width, abs(exponent));
	if (exponent == -1) /* 0.5: no zeros behind the point */
		return arena_printf(a, "%s0.%s", negative ? "-" : "", digits);
	minus = negative ? "-" : "";
	if (exponent < 0)
		return arena_printf(
		    a, "%s0.%0*d%s", minus, -exponent - 1, 0, digits);
	if (exponent + 1 >= n) {
		struct span s = arena_printf(
		    a, "%s%s%0*d", minus, digits, exponent + 1 - n, 0);

		/* "%0*d" of width 0 still writes a digit. */
		if (exponent + 1 == n)
			s.n--;
		return s;
	}
	return arena_printf(
	    a, "%s%.*s.%s", minus, exponent + 1, digits, digits + exponent + 1);
}

struct span
number_show(struct arena *a, double value)
{
	return number_text(a, value, -4, 6, 2);
}

struct span
number_json(struct arena *a, double value)
{
	return number_text(a, value, -6, 21, 1);
}

struct span
number_plain(struct arena *a, double value)
{
	return number_text(a, value, -400, 400, 1);
}

static bool
is_normal(struct span s)
{
	if (s.n > 18 || (s.n > 1 && s.p[0] == '-' && s.p[1] == '0'))
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '.' || s.p[i] == 'e' || s.p[i] == 'E')
			return false;
	return true;
}

void
number_normalize(struct arena *a, struct node *n)
{
	switch (n->kind) {
	case NODE_NUMBER:
		int64_t value;

		if (!is_normal(n->text)) {
			if (number_is_int(n, &value))
				n->text =
				    arena_printf(a, "%lld", (long long)value);
			else if (isfinite(tree_double(n)))
				n->text = number_json(a, tree_double(n));
		}
		break;
	case NODE_ARRAY:
		for (size_t i = 0; i < n->n; i++)
			number_normalize(a, n->items[i]);
		break;
	case NODE_OBJECT:
		for (size_t i = 0; i < n->n; i++)
			number_normalize(a, n->members[i].value);
		break;
	default:
		break;
	}
}
