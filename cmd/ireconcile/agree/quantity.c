#include "agree/quantity.h"

#include <stdlib.h>

enum { EXPONENT_MAX = 1000 };

/* Takes the digits from *text; *tens counts those behind the point. */
static int
take_digits(struct span *text, unsigned __int128 *mantissa, int *tens)
{
	const unsigned __int128 most = ~(unsigned __int128)0 / 10 - 1;
	bool point = false;
	int digits = 0;
	int zeros = 0; /* not yet multiplied in: "1.000...0" fits */

	for (; text->n > 0; text->p++, text->n--) {
		char c = *text->p;

		if (c == '.' && !point) {
			point = true;
			continue;
		}
		if (!is_digit(c))
			break;
		digits++;
		*tens -= point;
		if (c == '0') {
			zeros++;
			continue;
		}
		for (; zeros >= 0; zeros--) {
			if (*mantissa > most)
				return -1;
			*mantissa *= 10;
		}
		zeros = 0;
		*mantissa += (unsigned)(c - '0');
	}
	if (*mantissa != 0)
		*tens += zeros;
	return digits > 0 ? 0 : -1;
}

static int
take_exponent(struct span text, int *tens)
{
	bool negative = text.n > 0 && text.p[0] == '-';
	int e = 0;

	if (text.n > 0 && (text.p[0] == '-' || text.p[0] == '+'))
		text = span_skip(text, 1);
	if (text.n == 0)
		return -1;
	for (; text.n > 0; text.p++, text.n--) {
		if (!is_digit(*text.p) || e > EXPONENT_MAX)
			return -1;
		e = 10 * e + (*text.p - '0');
	}
	*tens += negative ? -e : e;
	return 0;
}

static int
take_suffix(struct span text, int *tens, int *twos)
{
	static const char *const decimal[] = {
	    "n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
	static const char *const binary[] = {
	    "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

	for (int i = 0; i < 10; i++) {
		if (span_is(text, decimal[i])) {
			*tens += 3 * (i - 3);
			return 0;
		}
	}
	for (int i = 0; i < 6; i++) {
		if (span_is(text, binary[i])) {
			*twos += 10 * (i + 1);
			return 0;
		}
	}
	if (text.p[0] != 'e' && text.p[0] != 'E')
		return -1;
	return take_exponent(span_skip(text, 1), tens);
}

int
quantity_parse(struct span text, struct quantity *q)
{
	int tens = 0;

	*q = (struct quantity){false, 0, 0, 0};
	if (text.n == 0)
		return -1;
	q->negative = text.p[0] == '-';
	if (text.p[0] == '-' || text.p[0] == '+')
		text = span_skip(text, 1);
	if (take_digits(&text, &q->mantissa, &tens) != 0)
		return -1;
	if (text.n > 0 && take_suffix(text, &tens, &q->twos) != 0)
		return -1;
	if (q->mantissa == 0) {
		*q = (struct quantity){false, 0, 0, 0};
		return 0;
	}
	q->twos += tens;
	q->fives = tens;
	for (; q->mantissa % 2 == 0; q->mantissa /= 2)
		q->twos++;
	for (; q->mantissa % 5 == 0; q->mantissa /= 5)
		q->fives++;
	return 0;
}

bool
quantity_eq(const struct quantity *a, const struct quantity *b)
{
	return a->negative == b->negative && a->mantissa == b->mantissa &&
	    a->twos == b->twos && a->fives == b->fives;
}
