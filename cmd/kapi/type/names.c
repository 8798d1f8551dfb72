#include "type/names.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "type/objectmeta.h"
#include "value/dnsname.h"

#define LABEL "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
#define KEY "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
#define USED "regex used for validation is '"

static const char label_message[] =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric "
    "characters or '-', and must start and end with an alphanumeric character "
    "(e.g. 'my-name',  or '123-abc', " USED LABEL "')";
static const char subdomain_message[] =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
    "characters, '-' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'example.com', " USED LABEL "(\\." LABEL ")*')";
static const char dns1035_message[] =
    "a DNS-1035 label must consist of lower case alphanumeric characters or "
    "'-', start with an alphabetic character, and end with an alphanumeric "
    "character (e.g. 'my-name',  or 'abc-123', " USED
    "[a-z]([-a-z0-9]*[a-z0-9])?')";
static const char value_message[] =
    "a valid label must be an empty string or consist of alphanumeric "
    "characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyValue',  or 'my_value',  or '12345', " USED "(" KEY
    ")?')";
#define KEY_MESSAGE                                                      \
	"must consist of alphanumeric characters, '-', '_' or '.', and " \
	"must start and end with an alphanumeric character (e.g. "       \
	"'MyName',  or 'my.name',  or '123-abc', " USED KEY "')"

static bool
matches_key(struct span s)
{
	if (s.n == 0 || !span_is_alnum(s.p[0]) || !span_is_alnum(s.p[s.n - 1]))
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!span_is_alnum(s.p[i]) && s.p[i] != '-' && s.p[i] != '_' &&
		    s.p[i] != '.')
			return false;
	return true;
}

/* All that is wrong with a name, at most two things. */
struct wrong {
	const char *said[2];
	size_t n;
};

static void
find(struct wrong *f, const char *what)
{
	f->said[f->n++] = what;
}

/* Without the zeros that a number of its dotted part begins with: Go takes
 * them, inet_pton does not. */
static void
without_zeros(struct span s, char *plain)
{
	const char *dot = span_find(s, '.');
	bool begins = true;

	for (size_t i = 0; i < s.n; i++) {
		bool digit = i + 1 < s.n && span_is_digit(s.p[i + 1]);

		/* A group of hexadecimal digits may begin with zeros. */
		if (begins && s.p[i] == '0' && digit && dot != NULL &&
		    memchr(s.p + i, ':', s.n - i) == NULL)
			continue;
		begins = s.p[i] == '.' || s.p[i] == ':';
		*plain++ = s.p[i];
	}
	*plain = '\0';
}

/* netip.Addr.String */
static void
canonical(int family, const unsigned char *bytes, char *text, socklen_t size)
{
	static const unsigned char zeros[12];

	inet_ntop(family, bytes, text, size);
	/* inet_ntop writes such an address with dots: ::1.2.3.4. */
	if (family == AF_INET6 && memcmp(bytes, zeros, 12) == 0 &&
	    (bytes[12] != 0 || bytes[13] != 0))
		snprintf(text, size, "::%x:%x", bytes[12] << 8 | bytes[13],
		    bytes[14] << 8 | bytes[15]);
}

/* The family of text that is an address but for zeros in front, or 0. */
static int
read_address(struct span s, char plain[64], unsigned char bytes[16])
{
	int family = span_find(s, ':') != NULL ? AF_INET6 : AF_INET;

	if (s.n >= 64)
		return 0;
	without_zeros(s, plain);
	return inet_pton(family, plain, bytes) == 1 ? family : 0;
}

static bool
is_mapped(int family, const unsigned char bytes[16])
{
	static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};

	return family == AF_INET6 && memcmp(bytes, mapped, sizeof mapped) == 0;
}

int
name_address_family(struct span s)
{
	char plain[64];
	unsigned char bytes[16] = {0};
	int family = read_address(s, plain, bytes);

	return family == 0				    ? 0
	    : family == AF_INET || is_mapped(family, bytes) ? 4
							    : 6;
}

const char *
name_check_address(struct span s)
{
	char plain[64];
	unsigned char bytes[16] = {0};
	int family = read_address(s, plain, bytes);

	if (family == 0)
		return "must be a valid IP address, (e.g. 10.9.8.7 or "
		       "2001:db8::ffff)";
	if (strlen(plain) < s.n)
		return "must not have leading 0s";
	return is_mapped(family, bytes)
	    ? "must not be an IPv4-mapped IPv6 address"
	    : NULL;
}

/* IsValidIP; NULL: fine. */
static const char *
check_address(struct arena *a, struct span s)
{
	char plain[64], text[INET6_ADDRSTRLEN];
	unsigned char bytes[16] = {0};
	const char *why = name_check_address(s);

	if (why != NULL)
		return why;
	canonical(read_address(s, plain, bytes), bytes, text, sizeof text);
	return span_is(s, text)
	    ? NULL
	    : arena_printf(a, "must be in canonical form (\"%s\")", text).p;
}

/* The length of a prefix, at most max, or -1. Zeros in front are taken. */
static int
prefix_length(struct span s, int max)
{
	int n = 0;

	if (s.n == 0)
		return -1;
	for (size_t i = 0; i < s.n; i++) {
		if (!span_is_digit(s.p[i]) || n > max)
			return -1;
		n = 10 * n + (s.p[i] - '0');
	}
	return n > max ? -1 : n;
}

/* Clears what is behind the prefix; whether anything was set there. */
static bool
mask(unsigned char *bytes, int size, int length)
{
	bool any = false;

	for (int i = length; i < 8 * size; i++) {
		unsigned char bit = (unsigned char)(0x80 >> i % 8);

		any = any || (bytes[i / 8] & bit) != 0;
		bytes[i / 8] &= (unsigned char)~bit;
	}
	return any;
}

const char *
name_check_cidr(struct arena *a, struct span s, int *family)
{
	static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
	struct span length = s, address = span_cut(&length, '/');
	bool v6 = span_find(address, ':') != NULL;
	char plain[64], text[INET6_ADDRSTRLEN];
	unsigned char bytes[16] = {0};
	int n = prefix_length(length, v6 ? 128 : 32);
	bool set;

	*family = 0;
	if (address.n < sizeof plain)
		without_zeros(address, plain);
	if (n < 0 || address.n >= sizeof plain ||
	    inet_pton(v6 ? AF_INET6 : AF_INET, plain, bytes) != 1)
		return "must be a valid CIDR value, (e.g. 10.9.8.0/24 or "
		       "2001:db8::/64)";
	*family = v6 && memcmp(bytes, mapped, sizeof mapped) != 0 ? 6 : 4;
	if (strlen(plain) < address.n || (length.n > 1 && length.p[0] == '0'))
		return "must not have leading 0s in IP or prefix length";
	if (v6 && *family == 4)
		return "must not have an IPv4-mapped IPv6 address";
	set = mask(bytes, v6 ? 16 : 4, n);
	if (set)
		return "must not have bits set beyond the prefix length";
	canonical(v6 ? AF_INET6 : AF_INET, bytes, text, sizeof text);
	return span_is(address, text)
	    ? NULL
	    : arena_printf(a, "must be in canonical form (\"%s/%d\")", text, n)
		  .p;
}

const char *
name_check_form(struct span s, enum name_rule rule)
{
	if (rule == NAME_SUBDOMAIN)
		return dnsname_is_subdomain(s) ? NULL : subdomain_message;
	return dnsname_is_label(s)    ? NULL
	    : dnsname_is_subdomain(s) ? "must not contain dots"
				      : label_message;
}

static struct wrong
check(struct span s, enum name_rule rule)
{
	struct wrong f = {{NULL, NULL}, 0};

	switch (rule) {
	case NAME_SUBDOMAIN:
	case NAME_LABEL:
		if (s.n > (rule == NAME_LABEL ? 63 : 253))
			find(&f,
			    rule == NAME_LABEL
				? "must be no more than 63 bytes"
				: "must be no more than 253 bytes");
		if (name_check_form(s, rule) != NULL)
			find(&f, name_check_form(s, rule));
		break;
	case NAME_DNS1035:
		if (s.n > 63)
			find(&f, "must be no more than 63 bytes");
		if (!dnsname_is_label(s) || !span_is_lower(s.p[0]))
			find(&f, dns1035_message);
		break;
	case NAME_SEGMENT:
		if (span_is(s, "."))
			find(&f, "may not be '.'");
		else if (span_is(s, ".."))
			find(&f, "may not be '..'");
		if (span_find(s, '/') != NULL)
			find(&f, "may not contain '/'");
		if (span_find(s, '%') != NULL)
			find(&f, "may not contain '%'");
		break;
	case NAME_ADDRESS: /* see name_check */
		break;
	}
	return f;
}

void
name_check(struct causes *c, struct span field, struct span value,
    enum name_rule rule, bool generate)
{
	struct span checked = value;
	const char *said;
	struct wrong f;

	/* The server replaces the last two characters of a prefix that ends in
	 * a dash by one letter. */
	if (generate && rule != NAME_SEGMENT && value.n > 1 &&
	    value.p[value.n - 1] == '-')
		checked =
		    arena_printf(c->arena, "%.*sa", (int)value.n - 2, value.p);
	if (generate && rule == NAME_SEGMENT && value.p[0] == '.')
		return;
	f = check(checked, rule);
	if (rule == NAME_ADDRESS &&
	    (said = check_address(c->arena, value)) != NULL)
		find(&f, said);
	for (size_t i = 0; i < f.n; i++)
		cause_invalid_text(c, field, value, f.said[i]);
}

static const char *
first(struct span name, enum name_rule rule)
{
	struct wrong f = check(name, rule);

	return f.n == 0 ? NULL : f.said[0];
}

const char *
name_check_subdomain(struct span name)
{
	return first(name, NAME_SUBDOMAIN);
}

const char *
name_check_dns1035(struct span name)
{
	return first(name, NAME_DNS1035);
}

bool
name_is_qualified(struct span value)
{
	struct span name = value, prefix;

	if (span_find(value, '/') != NULL) {
		prefix = span_cut(&name, '/');
		if (check(prefix, NAME_SUBDOMAIN).n > 0)
			return false;
	}
	return name.n <= 63 && matches_key(name);
}

static void
key_name_check(
    struct causes *c, struct span field, struct span shown, struct span name)
{
	if (name.n == 0)
		cause_invalid_text(
		    c, field, shown, "name part must be non-empty");
	else if (name.n > 63)
		cause_invalid_text(
		    c, field, shown, "name part must be no more than 63 bytes");
	if (!matches_key(name))
		cause_invalid_text(c, field, shown, "name part " KEY_MESSAGE);
}

void
name_qualified(
    struct causes *c, struct span field, struct span shown, struct span value)
{
	const char *slash = span_find(value, '/');
	struct span prefix, name = value;
	struct wrong f;

	if (slash != NULL) {
		prefix = span_make(value.p, (size_t)(slash - value.p));
		name = span_make(slash + 1, value.n - prefix.n - 1);
		if (span_find(name, '/') != NULL) {
			cause_invalid_text(c, field, shown,
			    "a valid label key " KEY_MESSAGE
			    " with an optional DNS subdomain prefix and '/' "
			    "(e.g. 'example.com/MyName')");
			return;
		}
		if (prefix.n == 0)
			cause_invalid_text(
			    c, field, shown, "prefix part must be non-empty");
		f = prefix.n == 0 ? (struct wrong){{NULL, NULL}, 0}
				  : check(prefix, NAME_SUBDOMAIN);
		for (size_t i = 0; i < f.n; i++)
			cause_invalid_text(c, field, shown,
			    arena_printf(c->arena, "prefix part %s", f.said[i])
				.p);
	}
	key_name_check(c, field, shown, name);
}

void
name_label_value(struct causes *c, struct span field, struct span value)
{
	if (value.n > 63)
		cause_invalid_text(
		    c, field, value, "must be no more than 63 bytes");
	if (value.n > 0 && !matches_key(value))
		cause_invalid_text(c, field, value, value_message);
}

const char *
name_check_label_value(struct span value)
{
	if (value.n > 63)
		return "must be no more than 63 bytes";
	return value.n > 0 && !matches_key(value) ? value_message : NULL;
}
