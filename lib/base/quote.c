#include "base/quote.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* \b \f \n \r \t, or 0. */
static char
short_escape(uint32_t c)
{
	static const char from[] = "\b\f\n\r\t", to[] = "bfnrt";
	const char *at = c == 0 || c > 0x1f ? NULL : strchr(from, (int)c);

	return at != NULL ? to[at - from] : '\0';
}

static void
add_unit(struct buf *b, uint32_t unit)
{
	static const char hex[] = "0123456789abcdef";

	buf_adds(b, "\\u");
	for (int shift = 12; shift >= 0; shift -= 4)
		buf_addc(b, hex[unit >> shift & 15]);
}

static void
add_json_escape(struct buf *b, uint32_t c)
{
	char escape = c == '"' || c == '\\' ? (char)c : short_escape(c);

	if (escape != '\0') {
		buf_addc(b, '\\');
		buf_addc(b, escape);
	} else if (c < 0x10000) {
		add_unit(b, c);
	} else {
		add_unit(b, 0xd800 + ((c - 0x10000) >> 10));
		add_unit(b, 0xdc00 + ((c - 0x10000) & 0x3ff));
	}
}

/* Escapes for YAML 1.1 and 1.2 of characters that JSON allows. */
static bool
yaml_stays(uint32_t c)
{
	return c < 0x7f ||
	    (c > 0x9f && c != 0x2028 && c != 0x2029 && c != 0xfeff &&
		c != 0xfffe && c != 0xffff);
}

static bool
json_stays(uint32_t c, enum quote what)
{
	if (c == '"' || c == '\\')
		return false;
	if (what == QUOTE_HIDDEN)
		return utf8_is_visible(c);
	return c >= 0x20 && (what == QUOTE_LEAST || yaml_stays(c));
}

/* Whether the character stays as it is in every mode, like most. */
static bool
is_plain(char c)
{
	return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

static const char *
skip_plain(const char *p, const char *end)
{
	while (p < end && is_plain(*p))
		p++;
	return p;
}

void
quote_json(struct buf *b, struct span text, enum quote what)
{
	const char *p = text.p, *end = text.p + text.n, *from = p;

	buf_addc(b, '"');
	while ((p = skip_plain(p, end)) < end) {
		uint32_t c = (unsigned char)*p;
		size_t n = c < 0x80 ? 1 : utf8_decode(p, end, &c);

		if (n > 0 && json_stays(c, what)) {
			p += n;
			continue;
		}
		buf_add(b, from, (size_t)(p - from));
		if (n > 0)
			add_json_escape(b, c);
		else
			utf8_add(b, UTF8_REPLACEMENT);
		from = p += n > 0 ? n : 1;
	}
	buf_add(b, from, (size_t)(p - from));
	buf_addc(b, '"');
}

/* The half of a character beyond U+FFFF that an escape says, or 0. */
static uint32_t
half(const char *p, const char *end, const char *of)
{
	char digits[5] = "";

	if (end - p < 6 || p[0] != '\\' || p[1] != 'u' ||
	    (p[2] | 0x20) != 'd' || strchr(of, p[3]) == NULL)
		return 0;
	memcpy(digits, p + 2, 4);
	return (uint32_t)strtoul(digits, NULL, 16);
}

/* An escape of JSON as YAML knows it; returns its length in JSON. */
static size_t
add_escape_for_yaml(struct buf *b, const char *p, const char *end)
{
	uint32_t high = half(p, end, "89abAB");
	uint32_t low = high != 0 ? half(p + 6, end, "cdefCDEF") : 0;

	if (low != 0) {
		utf8_add(b, 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff));
		return 12;
	}
	if (end - p < 2 || p[1] != '/')
		buf_addc(b, '\\');
	if (end - p < 2)
		return 1;
	buf_addc(b, p[1]);
	return 2;
}

/* Skips eight characters at once, as long as all are from ' ' to '~', and none
 * is a backslash. */
static const char *
skip_ascii(const char *p, const char *end)
{
	const uint64_t each = 0x0101010101010101u;

	for (; end - p >= 8; p += 8) {
		uint64_t eight;

		memcpy(&eight, p, 8);
		if (((eight | (eight + each) | (eight - each * ' ') |
			 ((eight ^ each * '\\') - each)) &
			each * 0x80) != 0)
			break;
	}
	return p;
}

void
quote_yaml(struct buf *b, struct span json)
{
	const char *p = json.p, *end = json.p + json.n, *from = p;

	while ((p = skip_ascii(p, end)) < end) {
		uint32_t c = (unsigned char)*p;
		size_t n = 1;

		if (c >= ' ' && c <= '~' && c != '\\') { /* nearly all */
			p++;
			continue;
		}
		if (c >= 0x80)
			n = utf8_decode(p, end, &c);
		if (c != '\\' && (n == 0 || yaml_stays(c))) {
			p += n > 0 ? n : 1;
			continue;
		}
		buf_add(b, from, (size_t)(p - from));
		if (c == '\\')
			n = add_escape_for_yaml(b, p, end);
		else
			add_unit(b, c);
		from = p += n;
	}
	buf_add(b, from, (size_t)(p - from));
}

static void
add_text_escape(struct buf *b, uint32_t c)
{
	char escape = short_escape(c);

	if (escape == 'n' || escape == 'r' || escape == 't')
		buf_addf(b, "\\%c", escape);
	else if (c < 0x80)
		buf_addf(b, "\\x%02x", c);
	else
		buf_addf(b, c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
}

static void
add_line(struct buf *b, struct span text, uint32_t least)
{
	const char *p = text.p, *end = text.p + text.n, *from = p;

	while (p < end) {
		uint32_t c = (unsigned char)*p;
		size_t n = c < 0x80 ? 1 : utf8_decode(p, end, &c);

		if (n > 0 && c >= least && utf8_is_visible(c)) {
			p += n;
			continue;
		}
		buf_add(b, from, (size_t)(p - from));
		if (n > 0)
			add_text_escape(b, c);
		else
			buf_addf(b, "\\x%02x", (unsigned char)*p);
		from = p += n > 0 ? n : 1;
	}
	buf_add(b, from, (size_t)(p - from));
}

void
quote_text(struct buf *b, struct span text)
{
	add_line(b, text, ' ');
}

void
quote_name(struct buf *b, struct span text)
{
	add_line(b, text, ' ' + 1);
}
