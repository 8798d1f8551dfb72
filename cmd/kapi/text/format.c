#include "text/format.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "text/pattern.h"
#include "value/date.h"

static bool
is_hex(char c)
{
	return span_is_digit(c) || (c >= 'a' && c <= 'f') ||
	    (c >= 'A' && c <= 'F');
}

static bool
matches(struct span text, const char *pattern)
{
	struct arena a = ARENA_INIT;
	bool yes = pattern_matches(pattern_make(&a, span_str(pattern)), text);

	arena_release(&a);
	return yes;
}

/* n digits at p, as a number; -1: they are not digits. */
static int
digits(const char *p, size_t n)
{
	int value = 0;

	for (size_t i = 0; i < n; i++) {
		if (!span_is_digit(p[i]))
			return -1;
		value = value * 10 + (p[i] - '0');
	}
	return value;
}

static bool
is_date(struct span s)
{
	int year, month, day;

	if (s.n != 10 || s.p[4] != '-' || s.p[7] != '-')
		return false;
	year = digits(s.p, 4);
	month = digits(s.p + 5, 2);
	day = digits(s.p + 8, 2);
	if (year < 0 || month < 1 || month > 12 || day < 1)
		return false;
	return day <= date_days_in_month(year, month);
}

/* The zone of a time: Z, or +hh:mm with any digits. */
static bool
is_zone(struct span s)
{
	if (s.n == 1)
		return s.p[0] == 'Z' || s.p[0] == 'z';
	return s.n == 6 && (s.p[0] == '+' || s.p[0] == '-') &&
	    digits(s.p + 1, 2) >= 0 && s.p[3] == ':' && digits(s.p + 4, 2) >= 0;
}

static bool
is_datetime(struct span s)
{
	struct span t;
	int hour, minute, second;
	size_t at = 8;

	if (s.n < 20 || (s.p[10] != 'T' && s.p[10] != 't') ||
	    !is_date(span_make(s.p, 10)))
		return false;
	t = span_skip(s, 11);
	hour = digits(t.p, 2);
	minute = digits(t.p + 3, 2);
	second = digits(t.p + 6, 2);
	if (t.p[2] != ':' || t.p[5] != ':' || hour < 0 || hour > 23 ||
	    minute < 0 || minute > 59 || second < 0 || second > 59)
		return false;
	if (is_zone(span_skip(t, at)))
		return true;
	/* Any character before the fraction, as the API server has it. */
	at++;
	if (at >= t.n || !span_is_digit(t.p[at]))
		return false;
	while (at < t.n && span_is_digit(t.p[at]))
		at++;
	return is_zone(span_skip(t, at));
}

static bool
is_ipv4_sloppy(struct span s)
{
	size_t i = 0;

	for (int part = 0; part < 4; part++) {
		int value = 0;
		size_t start = i;

		if (part > 0 && (i >= s.n || s.p[i++] != '.'))
			return false;
		if (part > 0)
			start = i;
		for (; i < s.n && span_is_digit(s.p[i]); i++) {
			value = value * 10 + (s.p[i] - '0');
			if (value > 255)
				return false;
		}
		if (i == start)
			return false;
	}
	return i == s.n;
}

static bool
is_ip6_text(struct span s)
{
	char text[64];
	struct in6_addr out;

	if (s.n >= sizeof text || memchr(s.p, 0, s.n) != NULL)
		return false;
	memcpy(text, s.p, s.n);
	text[s.n] = '\0';
	return inet_pton(AF_INET6, text, &out) == 1;
}

static bool
is_ipv4(struct span s)
{
	return is_ipv4_sloppy(s) ||
	    (span_find(s, '.') != NULL && is_ip6_text(s));
}

static bool
is_ipv6(struct span s)
{
	return s.n > 0 && is_ip6_text(s);
}

static bool
is_cidr(struct span s)
{
	const char *slash = span_find(s, '/');
	struct span ip, bits;
	int n;

	if (slash == NULL)
		return false;
	ip = span_make(s.p, (size_t)(slash - s.p));
	bits = span_make(slash + 1, s.n - ip.n - 1);
	n = bits.n >= 1 && bits.n <= 3 ? digits(bits.p, bits.n) : -1;
	if (n < 0)
		return false;
	return (is_ipv4_sloppy(ip) && n <= 32) ||
	    (ip.n > 0 && is_ip6_text(ip) && n <= 128);
}

static bool
is_mac(struct span s)
{
	size_t group = 2, octets;
	char separator;

	if (s.n < 14)
		return false;
	separator = s.p[2];
	if (separator != ':' && separator != '-') {
		separator = s.p[4];
		group = 4;
		if (separator != '.')
			return false;
	}
	if ((s.n + 1) % (group + 1) != 0)
		return false;
	octets = (s.n + 1) / (group + 1) * (group / 2);
	if (octets != 6 && octets != 8 && octets != 20)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (i % (group + 1) == group ? s.p[i] != separator
					     : !is_hex(s.p[i]))
			return false;
	return true;
}

static bool
is_base64(struct span s)
{
	size_t pad = 0;

	if (s.n == 0 || s.n % 4 != 0)
		return false;
	while (pad < 2 && s.p[s.n - 1 - pad] == '=')
		pad++;
	for (size_t i = 0; i < s.n - pad; i++)
		if (!isalnum((unsigned char)s.p[i]) && s.p[i] != '+' &&
		    s.p[i] != '/')
			return false;
	return true;
}

static bool
good_escapes(struct span s)
{
	for (size_t i = 0; i < s.n; i++) {
		if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
			return false;
		if (s.p[i] == '%' &&
		    (i + 2 >= s.n || !is_hex(s.p[i + 1]) ||
			!is_hex(s.p[i + 2])))
			return false;
	}
	return true;
}

static bool
good_authority(struct span s)
{
	const char *at = span_find_last(s, '@');
	struct span host = s;
	const char *colon;

	if (at != NULL)
		host = span_make(at + 1, s.n - (size_t)(at + 1 - s.p));
	for (size_t i = 0; i < host.n; i++)
		if (strchr(" <>\"\\^`{}|", host.p[i]) != NULL)
			return false;
	if (host.n > 0 && host.p[0] == '[')
		return span_find(host, ']') != NULL;
	colon = span_find_last(host, ':');
	if (colon == NULL)
		return true;
	for (const char *p = colon + 1; p < host.p + host.n; p++)
		if (!span_is_digit(*p))
			return false;
	return true;
}

/* Like url.ParseRequestURI: an absolute path, or with a scheme. */
static bool
is_uri(struct span s)
{
	size_t i = 0;
	struct span rest;

	if (s.n == 0 || !good_escapes(s))
		return false;
	if (s.p[0] == '/' || span_is(s, "*"))
		return true;
	while (i < s.n &&
	    (isalnum((unsigned char)s.p[i]) ||
		(i > 0 && strchr("+-.", s.p[i]) != NULL)))
		i++;
	if (i == 0 || i >= s.n || s.p[i] != ':' ||
	    !isalpha((unsigned char)s.p[0]))
		return false;
	rest = span_make(s.p + i + 1, s.n - i - 1);
	if (rest.n < 2 || rest.p[0] != '/' || rest.p[1] != '/')
		return true;
	for (i = 2; i < rest.n && strchr("/?#", rest.p[i]) == NULL;)
		i++;
	return good_authority(span_make(rest.p + 2, i - 2));
}

/* A dot-atom of RFC 5322, with UTF-8. */
static bool
is_dot_atom(struct span s)
{
	if (s.n == 0 || s.p[0] == '.' || s.p[s.n - 1] == '.')
		return false;
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c == '.' ? s.p[i - 1] == '.'
			     : !isalnum(c) && c < 0x80 &&
			    (c == 0 ||
				strchr("!#$%&'*+-/=?^_`{|}~", c) == NULL))
			return false;
	}
	return true;
}

static bool
is_email(struct span s)
{
	const char *open, *at;
	struct span local, domain;

	while (s.n > 0 && s.p[0] == ' ')
		s = span_skip(s, 1);
	while (s.n > 0 && s.p[s.n - 1] == ' ')
		s.n--;
	if (s.n == 0)
		return false;
	open = span_find(s, '<'); /* Name <local@domain> */
	if (open != NULL) {
		if (s.p[s.n - 1] != '>')
			return false;
		s = span_make(open + 1, s.n - (size_t)(open + 1 - s.p) - 1);
	}
	at = span_find_last(s, '@');
	if (at == NULL)
		return false;
	local = span_make(s.p, (size_t)(at - s.p));
	domain = span_make(at + 1, s.n - local.n - 1);
	if (local.n >= 2 && local.p[0] == '"' && local.p[local.n - 1] == '"')
		return is_dot_atom(domain);
	return is_dot_atom(local) && is_dot_atom(domain);
}

static bool
is_hostname(struct span s)
{
	size_t label = 0;

	if (s.n > 255 ||
	    !matches(s,
		"^([a-zA-Z0-9\\p{S}\\p{L}]((-?[a-zA-Z0-9\\p{S}\\p{L}]{0,62}"
		")?)|([a-zA-Z0-9\\p{S}\\p{L}](([a-zA-Z0-9-\\p{S}\\p{L}]{0,61}"
		"[a-zA-Z0-9\\p{S}\\p{L}])?)(\\.)){1,}([a-zA-Z\\p{L}]){2,63})"
		"$"))
		return false;
	for (size_t i = 0; i < s.n; i++) {
		label = s.p[i] == '.' ? 0 : label + 1;
		if (label > 63)
			return false;
	}
	return true;
}

static bool
is_duration(struct span s)
{
	return matches(s,
		   "^[-+]?(0|(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)"
		   "(ns|us|µs|μs|ms|s|m|h))+)$") ||
	    matches(s,
		"[0-9]+\\s*((?i)(ns|nano|us|µs|micro|ms|milli|s|sec|m|min|h|"
		"hr|hour|d|day|w|wk|week)([^A-Za-zµ]|$)|"
		"(nano|micro|milli|sec|min|hour|day|week)[A-Za-zµ]*)");
}

/* The digits of s (and a last X) without what is skipped; -1: others. */
static int
strip(struct span s, const char *skipped, char out[20])
{
	int n = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (strchr(skipped, s.p[i]) != NULL && s.p[i] != '\0')
			continue;
		if (n == 19 || (!span_is_digit(s.p[i]) && s.p[i] != 'X'))
			return -1;
		out[n++] = s.p[i];
	}
	return n;
}

static bool
is_isbn10(struct span s)
{
	char d[20];
	int sum = 0;

	if (strip(s, "- \t\r\n", d) != 10)
		return false;
	for (int i = 0; i < 10; i++) {
		if (d[i] == 'X' && i < 9)
			return false;
		sum += (i + 1) * (d[i] == 'X' ? 10 : d[i] - '0');
	}
	return sum % 11 == 0;
}

static bool
is_isbn13(struct span s)
{
	char d[20];
	int sum = 0;

	if (strip(s, "- \t\r\n", d) != 13)
		return false;
	for (int i = 0; i < 13; i++) {
		if (d[i] == 'X')
			return false;
		if (i < 12)
			sum += (i % 2 == 0 ? 1 : 3) * (d[i] - '0');
	}
	return d[12] - '0' == (10 - sum % 10) % 10;
}

static bool
is_isbn(struct span s)
{
	return is_isbn10(s) || is_isbn13(s);
}

static bool
is_creditcard(struct span s)
{
	char d[32];
	size_t n = 0;
	int sum = 0;

	for (size_t i = 0; i < s.n && n < sizeof d; i++)
		if (span_is_digit(s.p[i]))
			d[n++] = s.p[i];
	if (!matches(span_make(d, n),
		"^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|"
		"6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|"
		"3(?:0[0-5]|[68][0-9])[0-9]{11}|"
		"(?:2131|1800|35\\d{3})\\d{11})$"))
		return false;
	for (size_t i = 0; i < n; i++) {
		int v = (d[n - 1 - i] - '0') * (i % 2 == 1 ? 2 : 1);

		sum += v > 9 ? v - 9 : v;
	}
	return sum % 10 == 0;
}

#define OCTET "\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*"
#define LABEL "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
#define UUID(third, fourth)                                            \
	"^(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?" third "[0-9a-f]{3}-?" fourth \
	"[0-9a-f]{3}-?[0-9a-f]{12}$"

/* A format is a function, or a pattern and a largest length; with none of them
 * any text is right. */
static const struct format {
	const char *name; /* without its dashes */
	bool (*fn)(struct span text);
	const char *pattern;
	size_t max; /* bytes; 0: any */
} formats[] = {
    {"bsonobjectid", NULL, "^[0-9a-fA-F]{24}$", 0},
    {"byte", is_base64, NULL, 0},
    {"cidr", is_cidr, NULL, 0},
    {"creditcard", is_creditcard, NULL, 0},
    {"date", is_date, NULL, 0},
    {"datetime", is_datetime, NULL, 0},
    {"duration", is_duration, NULL, 0},
    {"email", is_email, NULL, 0},
    {"hexcolor", NULL, "^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$", 0},
    {"hostname", is_hostname, NULL, 0},
    {"ipv4", is_ipv4, NULL, 0},
    {"ipv6", is_ipv6, NULL, 0},
    {"isbn", is_isbn, NULL, 0},
    {"isbn10", is_isbn10, NULL, 0},
    {"isbn13", is_isbn13, NULL, 0},
    {"k8slongname", NULL, "^" LABEL "(\\." LABEL ")*$", 253},
    {"k8sshortname", NULL, "^" LABEL "$", 63},
    {"mac", is_mac, NULL, 0},
    {"password", NULL, NULL, 0},
    {"rgbcolor", NULL, "^rgb\\(" OCTET "," OCTET "," OCTET "\\)$", 0},
    {"ssn", NULL, "^\\d{3}[- ]\\d{2}[- ]\\d{4}$", 0},
    {"uri", is_uri, NULL, 0},
    {"uuid", NULL, UUID("[0-9a-f]", "[0-9a-f]"), 0},
    {"uuid3", NULL, UUID("3", "[0-9a-f]"), 0},
    {"uuid4", NULL, UUID("4", "[89ab]"), 0},
    {"uuid5", NULL, UUID("5", "[89ab]"), 0},
};

static const struct format *
format_find(struct span name)
{
	char text[32];
	size_t n = 0;

	for (size_t i = 0; i < name.n; i++) {
		if (name.p[i] == '-')
			continue;
		if (n == sizeof text)
			return NULL;
		text[n++] = name.p[i];
	}
	for (size_t i = 0; i < COUNT(formats); i++)
		if (span_is(span_make(text, n), formats[i].name))
			return &formats[i];
	return NULL;
}

bool
format_known(struct span type, struct span format)
{
	if (type.n == 0 || span_is(type, "string"))
		return format_find(format) != NULL;
	if (span_is(type, "integer"))
		return span_is(format, "int32") || span_is(format, "int64");
	if (span_is(type, "number"))
		return span_is(format, "float") || span_is(format, "double");
	return false;
}

bool
format_matches(struct span format, struct span text)
{
	const struct format *f = format_find(format);

	if (text.p == NULL)
		text = span_str("");
	if (f == NULL)
		return true;
	if (f->fn != NULL)
		return f->fn(text);
	return (f->max == 0 || text.n <= f->max) &&
	    (f->pattern == NULL || matches(text, f->pattern));
}
