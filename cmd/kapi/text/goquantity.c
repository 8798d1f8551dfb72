#include "text/goquantity.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

enum {
	NANO = -9,
	MILLI = -3,
	DIGITS_MAX = 38,
	INT64_DIGITS = 18,
	EXPONENT_MAX = 1000
};

enum format { DECIMAL_EXPONENT, DECIMAL_SI, BINARY_SI };

__extension__ typedef unsigned __int128 u128;

/* value * 10^scale, or (while it is parsed) value * 2^exponent * 10^scale */
struct amount {
	u128 value;
	int scale;
	bool negative;
	enum format format;
};

struct parts {
	bool negative;
	struct span number, fraction, suffix; /* leading zeros are gone */
};

static const struct {
	const char *text;
	int base, exponent;
} suffixes[] = {
    {"", 10, 0},
    {"n", 10, -9},
    {"u", 10, -6},
    {"m", 10, -3},
    {"k", 10, 3},
    {"M", 10, 6},
    {"G", 10, 9},
    {"T", 10, 12},
    {"P", 10, 15},
    {"E", 10, 18},
    {"Ki", 2, 10},
    {"Mi", 2, 20},
    {"Gi", 2, 30},
    {"Ti", 2, 40},
    {"Pi", 2, 50},
    {"Ei", 2, 60},
};
enum { SUFFIXES = COUNT(suffixes) };

static struct span
take_digits(struct span *s)
{
	struct span digits = {s->p, 0};

	while (s->n > 0 && is_digit(s->p[0])) {
		*s = span_skip(*s, 1);
		digits.n++;
	}
	return digits;
}

static bool
take(struct span *s, const char *any)
{
	if (s->n == 0 || s->p[0] == '\0' || strchr(any, s->p[0]) == NULL)
		return false;
	*s = span_skip(*s, 1);
	return true;
}

static bool
split(struct span s, struct parts *p)
{
	*p = (struct parts){.fraction = {"", 0}};
	if (s.n > 0 && s.p[0] == '-')
		p->negative = true;
	take(&s, "+-");
	while (take(&s, "0"))
		;
	p->number = take_digits(&s);
	if (p->number.n == 0)
		p->number = span_str("0");
	if (take(&s, "."))
		p->fraction = take_digits(&s);
	p->suffix = s;
	while (take(&s, "eEinumkKMGTP"))
		;
	take(&s, "+-");
	take_digits(&s);
	return s.n == 0;
}

/* -1: no such suffix. */
static int
read_suffix(struct span s, int *base, int *exponent, enum format *format)
{
	int sign = 1;

	for (size_t i = 0; i < SUFFIXES; i++)
		if (span_is(s, suffixes[i].text)) {
			*base = suffixes[i].base;
			*exponent = suffixes[i].exponent;
			*format = *base == 2 ? BINARY_SI : DECIMAL_SI;
			return 0;
		}
	if (s.n < 2 || (s.p[0] != 'e' && s.p[0] != 'E'))
		return -1;
	s = span_skip(s, 1);
	if (s.p[0] == '-')
		sign = -1;
	take(&s, "+-");
	if (s.n == 0)
		return -1;
	*base = 10;
	*exponent = 0;
	*format = DECIMAL_EXPONENT;
	for (; s.n > 0; s = span_skip(s, 1)) {
		if (!is_digit(s.p[0]))
			return -1;
		if (*exponent < EXPONENT_MAX)
			*exponent = *exponent * 10 + s.p[0] - '0';
	}
	*exponent *= sign;
	return 0;
}

static u128
read_digits(u128 value, struct span digits)
{
	for (size_t i = 0; i < digits.n; i++)
		value = value * 10 + (u128)(digits.p[i] - '0');
	return value;
}

static int
last_digit(const struct parts *p, size_t from_end)
{
	size_t f = p->fraction.n, n = p->number.n;

	if (from_end < f)
		return p->fraction.p[f - 1 - from_end];
	from_end -= f;
	return from_end < n ? p->number.p[n - 1 - from_end] : -1;
}

/* Whether the server keeps the text as it is. Only short ones, and by rules
 * that let some through that are not canonical. */
static bool
is_kept(const struct parts *p, int base, int exponent, u128 value)
{
	int digits = (int)(p->number.n + p->fraction.n);
	int scale = (base == 10 ? exponent : 0) - (int)p->fraction.n;

	if (base == 2) {
		if (p->fraction.n > 0 ||
		    15 - (int)p->number.n - (int)((float)exponent * 3 / 10) -
			    1 <
			0)
			return false;
		return (value & 7) != 0;
	}
	if (digits > INT64_DIGITS || scale < NANO || scale % 3 != 0)
		return false;
	if (last_digit(p, 0) == '0' && last_digit(p, 1) == '0' &&
	    last_digit(p, 2) == '0')
		return false;
	return p->number.p[0] != '0';
}

/* What is below the least digit makes it one more: never zero. */
static void
round_up(struct amount *a, int scale)
{
	while (a->scale < scale && a->value != 0) {
		u128 rest = a->value % 10;

		/* Ceilings of ceilings are the ceiling. */
		a->value = a->value / 10 + (rest != 0);
		a->scale++;
	}
}

static struct span
write_amount(struct arena *arena, const struct amount *a, u128 value,
    const char *suffix, int exponent)
{
	char digits[DIGITS_MAX + 8];
	size_t n = sizeof digits;

	do {
		digits[--n] = (char)('0' + (int)(value % 10));
		value /= 10;
	} while (value != 0);
	if (suffix == NULL && exponent != 0)
		return arena_printf(arena, "%s%.*se%d", a->negative ? "-" : "",
		    (int)(sizeof digits - n), digits + n, exponent);
	return arena_printf(arena, "%s%.*s%s", a->negative ? "-" : "",
	    (int)(sizeof digits - n), digits + n, suffix == NULL ? "" : suffix);
}

/* The server has no suffix above E and Ei, and then writes none. */
static const char *
suffix_of(int base, int exponent)
{
	for (size_t i = 0; i < SUFFIXES; i++)
		if (suffixes[i].exponent == exponent &&
		    (suffixes[i].base == base || exponent == 0))
			return suffixes[i].text;
	return "";
}

static struct span
write_decimal(struct arena *arena, const struct amount *a, enum format format)
{
	u128 value = a->value;
	int exponent = a->scale;

	while (value >= 10 && value % 10 == 0) {
		value /= 10;
		exponent++;
	}
	while (exponent % 3 != 0) {
		value *= 10;
		exponent--;
	}
	return write_amount(arena, a, value,
	    format == DECIMAL_EXPONENT ? NULL : suffix_of(10, exponent),
	    exponent);
}

static struct span
write_canonical(struct arena *arena, const struct amount *a)
{
	u128 value = a->value;
	int exponent = 0, scale = a->scale;

	if (a->value == 0)
		return span_str("0");
	if (a->format != BINARY_SI)
		return write_decimal(arena, a, a->format);
	while (scale < 0 && value % 10 == 0) {
		value /= 10;
		scale++;
	}
	if (scale < 0 || value < 1024)
		return write_decimal(arena, a, DECIMAL_SI);
	while (value >= 1024 && value % 1024 == 0) {
		value /= 1024;
		exponent += 10;
	}
	return write_amount(arena, a, value, suffix_of(2, exponent), 0);
}

static const char *
canonical(struct arena *a, struct span text, int least, struct span *result)
{
	struct parts p;
	struct amount amount;
	int base, exponent;

	*result = text;
	if (text.n == 0 || !split(text, &p))
		return "quantities must match the regular expression '"
		       "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
	if (read_suffix(p.suffix, &base, &exponent, &amount.format) < 0)
		return "unable to parse quantity's suffix";
	/* More than fits here, and less than any node has: as it came. */
	if (p.number.n + p.fraction.n > DIGITS_MAX - 19)
		return NULL;
	amount.negative = p.negative;
	amount.value = read_digits(read_digits(0, p.number), p.fraction);
	amount.scale = -(int)p.fraction.n + (base == 10 ? exponent : 0);
	if (is_kept(&p, base, exponent, amount.value) && amount.scale >= least)
		return NULL;
	if (base == 2)
		amount.value <<= exponent;
	round_up(&amount, NANO);
	if (base == 2 && amount.scale == 0 && amount.value > INT64_MAX)
		amount.value = INT64_MAX;
	round_up(&amount, least);
	*result = write_canonical(a, &amount);
	return NULL;
}

const char *
goquantity_canonical(struct arena *a, struct span text, struct span *result)
{
	return canonical(a, text, NANO, result);
}

const char *
goquantity_round(struct arena *a, struct span text, struct span *result)
{
	return canonical(a, text, MILLI, result);
}
