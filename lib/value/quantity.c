#include "value/quantity.h"

#include <stdint.h>
#include <stdio.h>

#include "base/array.h"

enum { NANO = -9, MILLI = -3, DIGITS_MAX = 39, INT64_DIGITS = 18 };

enum format { DECIMAL_EXPONENT, DECIMAL_SI, BINARY_SI };

struct parts {
	bool negative;
	struct span number, fraction, suffix; /* leading zeros are gone */
	int base, exponent;		      /* meaning of the suffix */
	enum format format;
};

static const char wrong_format[] =
    "quantities must match the regular expression "
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
static const char wrong_suffix[] = "unable to parse quantity's suffix";

static const struct {
	char text[3];
	signed char base, exponent;
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
	struct span digits = span_make(s->p, span_digits(*s));

	*s = span_skip(*s, digits.n);
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

/* The digits of a number, as strconv.ParseInt: 64 bits, and cut to 32 then. */
static bool
read_exponent(struct span s, int *exponent)
{
	bool negative = s.n > 0 && s.p[0] == '-';
	uint64_t n;

	take(&s, "+-");
	if (!span_number(s, (uint64_t)INT64_MAX + negative, &n))
		return false;
	*exponent = (int32_t)(uint32_t)(negative ? -n : n);
	return true;
}

static bool
read_suffix(struct parts *p)
{
	struct span s = p->suffix;

	for (size_t i = 0; i < SUFFIXES; i++)
		if (span_is(s, suffixes[i].text)) {
			p->base = suffixes[i].base;
			p->exponent = suffixes[i].exponent;
			p->format = p->base == 2 ? BINARY_SI : DECIMAL_SI;
			return true;
		}
	p->base = 10;
	p->format = DECIMAL_EXPONENT;
	return (take(&s, "e") || take(&s, "E")) &&
	    read_exponent(s, &p->exponent);
}

/* ---- the amount ---- */

/* A remainder below the last digit rounds up: the result is never zero. */
static void
round_up(struct quantity *q, int64_t scale)
{
	while (q->scale < scale && q->value > 1) {
		/* Rounding up twice is the same as once. */
		q->value = q->value / 10 + (q->value % 10 != 0);
		q->scale++;
	}
	if (q->scale < scale && q->value != 0)
		q->scale = scale;
}

static void
normalize(struct quantity *q)
{
	for (; q->value != 0 && q->value % 10 == 0; q->value /= 10)
		q->scale++;
	if (q->value == 0)
		*q = (struct quantity){0};
}

static int
magnitude_cmp(struct quantity a, struct quantity b)
{
	if (a.value == 0 || b.value == 0)
		return (a.value != 0) - (b.value != 0);
	if (a.scale < b.scale)
		return -magnitude_cmp(b, a);
	for (; a.scale > b.scale; a.scale--)
		if (__builtin_mul_overflow(a.value, 10, &a.value))
			return 1;
	return (a.value > b.value) - (a.value < b.value);
}

/* More digits than fit are rounded up. */
static void
add_digits(struct quantity *q, struct span digits, quantity_digits most)
{
	for (size_t i = 0; i < digits.n; i++) {
		unsigned digit = (unsigned)(digits.p[i] - '0');

		if (q->value < most && !q->rounded) {
			q->value = q->value * 10 + digit;
			continue;
		}
		q->value += digit != 0 && !q->rounded;
		q->rounded |= digit != 0;
		q->scale++;
	}
}

static void
amount_of(const struct parts *p, struct quantity *q)
{
	static const struct quantity most = {.value = INT64_MAX};
	quantity_digits limit = UINT64_MAX; /* times 2^60 or 10^3 fits, too */
	struct span fraction = span_trim_end(p->fraction, "0");

	*q = (struct quantity){.negative = p->negative,
	    .scale = -(int64_t)fraction.n + (p->base == 10 ? p->exponent : 0)};
	if (p->base == 10)
		limit *= 10000000000000000; /* 10^16 */
	add_digits(q, p->number, limit / 10);
	add_digits(q, fraction, limit / 10);
	if (p->base == 2)
		q->value <<= p->exponent;
	round_up(q, NANO);
	if (p->base == 2 && magnitude_cmp(*q, most) > 0)
		*q = (struct quantity){
		    .negative = p->negative, .value = INT64_MAX};
	normalize(q);
}

static const char *
read(struct span text, struct parts *p, struct quantity *q)
{
	if (text.n == 0 || !split(text, p))
		return wrong_format;
	if (!read_suffix(p))
		return wrong_suffix;
	amount_of(p, q);
	return NULL;
}

const char *
quantity_parse(struct span text, struct quantity *q)
{
	struct parts p;

	return read(text, &p, q);
}

int
quantity_cmp(const struct quantity *a, const struct quantity *b)
{
	int c = magnitude_cmp(*a, *b);

	if (a->negative != b->negative)
		return a->negative ? -1 : 1;
	return a->negative ? -c : c;
}

int64_t
quantity_integer(const struct quantity *q)
{
	struct quantity whole = *q;
	quantity_digits value;

	round_up(&whole, 0);
	value = whole.value;
	for (; whole.scale > 0 && value <= INT64_MAX; whole.scale--)
		value *= 10;
	if (value > INT64_MAX)
		value = INT64_MAX;
	return q->negative ? -(int64_t)value : (int64_t)value;
}

/* ---- as the server writes it ---- */

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
is_kept(const struct parts *p, int least)
{
	int digits = (int)(p->number.n + p->fraction.n);
	int64_t scale = p->exponent - (int64_t)p->fraction.n;
	uint64_t n;

	if (p->base == 2)
		return p->fraction.n == 0 &&
		    15 - (int)p->number.n - (int)((float)p->exponent * 3 / 10) -
			1 >=
		    0 &&
		    span_number(p->number, UINT64_MAX, &n) && (n & 7) != 0;
	if (digits > INT64_DIGITS || scale < least || scale % 3 != 0)
		return false;
	if (last_digit(p, 0) == '0' && last_digit(p, 1) == '0' &&
	    last_digit(p, 2) == '0')
		return false;
	return p->number.p[0] != '0';
}

/* The server has no suffix above E and Ei, and then writes none. */
static const char *
suffix_of(int base, int64_t exponent)
{
	for (size_t i = 0; i < SUFFIXES; i++)
		if (suffixes[i].exponent == exponent &&
		    (suffixes[i].base == base || exponent == 0))
			return suffixes[i].text;
	return "";
}

static struct span
write_amount(struct arena *arena, const struct quantity *q,
    quantity_digits value, const char *suffix)
{
	char digits[DIGITS_MAX + 8];
	size_t n = sizeof digits;

	do {
		digits[--n] = (char)('0' + (int)(value % 10));
		value /= 10;
	} while (value != 0);
	return arena_printf(arena, "%s%.*s%s", q->negative ? "-" : "",
	    (int)(sizeof digits - n), digits + n, suffix);
}

static struct span
write_decimal(struct arena *arena, const struct quantity *q, enum format format)
{
	quantity_digits value = q->value;
	int64_t exponent = q->scale;
	char power[24] = "";

	for (; exponent % 3 != 0; exponent--)
		value *= 10;
	if (format != DECIMAL_EXPONENT)
		return write_amount(arena, q, value, suffix_of(10, exponent));
	if (exponent != 0)
		snprintf(power, sizeof power, "e%lld", (long long)exponent);
	return write_amount(arena, q, value, power);
}

static struct span
write_canonical(
    struct arena *arena, const struct quantity *q, enum format format)
{
	static const struct quantity least = {.value = 1024};
	quantity_digits value = q->value;
	int exponent = 0;

	if (value == 0)
		return span_str("0");
	if (format != BINARY_SI)
		return write_decimal(arena, q, format);
	if (q->scale < 0 || magnitude_cmp(*q, least) < 0)
		return write_decimal(arena, q, DECIMAL_SI);
	for (int64_t i = 0; i < q->scale; i++)
		value *= 10;
	for (; value % 1024 == 0; value /= 1024)
		exponent += 10;
	return write_amount(arena, q, value, suffix_of(2, exponent));
}

static const char *
canonical(struct arena *a, struct span text, int least, struct span *result)
{
	struct parts p;
	struct quantity q;
	const char *wrong = read(text, &p, &q);

	*result = text;
	if (wrong != NULL || q.rounded || is_kept(&p, least))
		return wrong;
	round_up(&q, least);
	normalize(&q);
	*result = write_canonical(a, &q, p.format);
	return NULL;
}

const char *
quantity_canonical(struct arena *a, struct span text, struct span *result)
{
	return canonical(a, text, NANO, result);
}

const char *
quantity_round(struct arena *a, struct span text, struct span *result)
{
	return canonical(a, text, MILLI, result);
}
