#include "process/clock.h"

#include <stdio.h>
#include <time.h>

#include "base/array.h"
#include "value/date.h"

uint64_t
clock_ms(void)
{
	return clock_boot_ns() / 1000000;
}

int64_t
clock_boot_us(void)
{
	return (int64_t)(clock_boot_ns() / 1000);
}

uint64_t
clock_boot_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

int64_t
clock_real_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

/* n < 100 and c; returns behind them. */
static char *
put_two(char *to, int n, char c)
{
	*to++ = (char)('0' + n / 10);
	*to++ = (char)('0' + n % 10);
	*to++ = c;
	return to;
}

static int
format_date(int64_t seconds, char out[CLOCK_RFC3339_MAX])
{
	int64_t days = seconds / 86400, rest = seconds % 86400;
	int y, m, d;
	char *to = out;

	if (rest < 0) {
		rest += 86400;
		days--;
	}
	date_of_days(days, &y, &m, &d);
	if (y >= 0 && y <= 9999) {
		*to++ = (char)('0' + y / 1000);
		*to++ = (char)('0' + y / 100 % 10);
		to = put_two(to, y % 100, '-');
		to = put_two(to, m, '-');
		to = put_two(to, d, 'T');
		to = put_two(to, (int)(rest / 3600), ':');
		to = put_two(to, (int)(rest / 60 % 60), ':');
		to = put_two(to, (int)(rest % 60), '\0');
		return (int)(to - out) - 1;
	}
	return snprintf(out, CLOCK_RFC3339_MAX, "%04d-%02d-%02dT%02d:%02d:%02d",
	    y, m, d, (int)(rest / 3600), (int)(rest / 60 % 60),
	    (int)(rest % 60));
}

void
clock_format_us(int64_t us, char out[CLOCK_RFC3339_MAX])
{
	int64_t seconds = us / 1000000, rest = us % 1000000;
	char part[] = ".000000Z";
	int n;

	if (rest < 0) {
		rest += 1000000;
		seconds--;
	}
	for (char *digit = part + 6; rest > 0; rest /= 10)
		*digit-- = (char)('0' + rest % 10);
	n = format_date(seconds, out);
	if (n > 0 && (size_t)n + sizeof(part) <= CLOCK_RFC3339_MAX)
		memcpy(out + n, part, sizeof(part));
}

void
clock_format_s(int64_t seconds, char out[CLOCK_RFC3339_MAX])
{
	int n = format_date(seconds, out);

	if (n > 0 && n + 1 < CLOCK_RFC3339_MAX)
		memcpy(out + n, "Z", 2);
}

/* n digits at *p; -1 if there are fewer. */
static int
digits(struct span *t, size_t n)
{
	int v = 0;

	if (t->n < n)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (!span_is_digit(t->p[i]))
			return -1;
		v = v * 10 + (t->p[i] - '0');
	}
	t->p += n;
	t->n -= n;
	return v;
}

static int
eat(struct span *t, const char *any)
{
	if (t->n == 0 || strchr(any, *t->p) == NULL || *t->p == '\0')
		return -1;
	t->p++;
	t->n--;
	return t->p[-1];
}

static int64_t
fraction_us(struct span *t)
{
	int64_t us = 0, unit = 100000;

	while (t->n > 0 && span_is_digit(*t->p)) {
		us += (*t->p - '0') * unit;
		unit /= 10;
		t->p++;
		t->n--;
	}
	return us;
}

static int
parse_offset(struct span *t, int64_t *seconds)
{
	int sign = eat(t, "Zz+-");
	int h, m;

	*seconds = 0;
	if (sign == 'Z' || sign == 'z')
		return 0;
	if (sign < 0 || (h = digits(t, 2)) < 0 || h > 23 || eat(t, ":") < 0 ||
	    (m = digits(t, 2)) < 0 || m > 59)
		return -1;
	*seconds = (h * 60 + m) * 60 * (sign == '-' ? -1 : 1);
	return 0;
}

int
clock_parse_us(struct span t, int64_t *us)
{
	int y, mo, d, h, mi, s;
	int64_t fraction = 0, offset;

	if ((y = digits(&t, 4)) < 0 || eat(&t, "-") < 0 ||
	    (mo = digits(&t, 2)) < 1 || mo > 12 || eat(&t, "-") < 0 ||
	    (d = digits(&t, 2)) < 1 || d > date_days_in_month(y, mo) ||
	    eat(&t, "Tt") < 0 || (h = digits(&t, 2)) < 0 || h > 23 ||
	    eat(&t, ":") < 0 || (mi = digits(&t, 2)) < 0 || mi > 59 ||
	    eat(&t, ":") < 0 || (s = digits(&t, 2)) < 0 || s > 59)
		return -1;
	if (eat(&t, ".") >= 0) {
		if (t.n == 0 || !span_is_digit(*t.p))
			return -1;
		fraction = fraction_us(&t);
	}
	if (parse_offset(&t, &offset) != 0 || t.n != 0)
		return -1;
	*us =
	    (date_to_days(y, mo, d) * 86400 + h * 3600 + mi * 60 + s - offset) *
		1000000 +
	    fraction;
	return 0;
}
