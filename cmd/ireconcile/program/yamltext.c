#include "program/yamltext.h"

#include <math.h>
#include <string.h>

#include "base/quote.h"
#include "json/jvtext.h"

static bool
is_container(jv v)
{
	return (jv_get_kind(v) == JV_KIND_OBJECT &&
		   jv_object_length(jv_copy(v)) > 0) ||
	    (jv_get_kind(v) == JV_KIND_ARRAY &&
		jv_array_length(jv_copy(v)) > 0);
}

static void
new_line(struct buf *b, size_t indent)
{
	buf_addc(b, '\n');
	memset(buf_reserve(b, indent), ' ', indent);
	b->len += indent;
}

/* ---- text ---- */

static bool
is_graphic(char c)
{
	return c > ' ' && c <= '~';
}

/* Lines of printable ASCII, the first not indented, the last not blank. */
static bool
is_block(struct span s)
{
	if (s.n == 0 || span_find(s, '\n') == NULL)
		return false;
	s.n -= s.p[s.n - 1] == '\n';
	if (s.n < 2 || !is_graphic(s.p[0]) || !is_graphic(s.p[s.n - 1]))
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '\n' && s.p[i] != ' ' && !is_graphic(s.p[i]))
			return false;
	return true;
}

/* Empty lines of the text are not indented more than the lines around it. */
static void
add_block(struct buf *b, struct span s, size_t indent)
{
	const char *end = s.p + s.n;
	bool ends = end[-1] == '\n';

	buf_adds(b, ends ? "|" : "|-");
	end -= ends;
	for (const char *p = s.p; p < end;) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));

		if (stop == NULL)
			stop = end;
		new_line(b, stop == p ? indent : indent + 2);
		buf_add(b, p, (size_t)(stop - p));
		p = stop + 1;
	}
}

/* In one of the spellings of a boolean or null of YAML 1.1. */
static bool
is_word(struct span s)
{
	static const char words[] = " y n yes no on off true false null ";
	char entry[8] = " ";

	if (s.n > 5)
		return false;
	for (size_t i = 0; i < s.n; i++)
		entry[1 + i] = (char)(s.p[i] | 0x20);
	entry[1 + s.n] = ' ';
	return strstr(words, entry) != NULL;
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Plain if no reader takes it for something else. */
static void
add_key(struct buf *b, struct span s)
{
	bool plain = s.n > 0 && is_letter(s.p[0]) && !is_word(s);

	for (size_t i = 0; i < s.n && plain; i++)
		plain = is_letter(s.p[i]) || span_is_digit(s.p[i]) ||
		    s.p[i] == '-' || s.p[i] == '.' || s.p[i] == '~';
	if (plain)
		buf_addspan(b, s);
	else
		quote_json(b, s, QUOTE_YAML);
	buf_addc(b, ':');
}

/* ---- values ---- */

/* Writes a number as tojson does. */
static int
add_number(struct buf *b, double d, struct err *err)
{
	jv number = jv_number(d + 0); /* no -0 */
	int rc;

	if (fabs(d) <= (double)JVTEXT_INT_MAX) {
		jv text = jv_dump_string(number, 0);

		buf_addspan(b, jvtext_span(text));
		jv_free(text);
		return 0;
	}
	rc = jvtext_add(b, number, err);
	jv_free(number);
	return rc;
}

static int
add_scalar(struct buf *b, jv v, size_t indent, struct err *err)
{
	struct span s = jvtext_span(v);

	if (jv_get_kind(v) == JV_KIND_NUMBER)
		return add_number(b, jv_number_value(v), err);
	if (s.p == NULL)
		return jvtext_add(b, v, err);
	if (is_block(s))
		add_block(b, s, indent);
	else
		quote_json(b, s, QUOTE_YAML);
	return 0;
}

/* The first line goes where b ends; others are indented. */
static int add_value(struct buf *b, jv v, size_t indent, struct err *err);

static int
add_member(struct buf *b, jv v, size_t indent, struct err *err)
{
	if (!is_container(v)) {
		buf_addc(b, ' ');
		return add_scalar(b, v, indent, err);
	}
	new_line(b, indent + 2);
	return add_value(b, v, indent + 2, err);
}

static int
add_object(struct buf *b, jv v, size_t indent, struct err *err)
{
	struct jvtext_members m;
	int rc = 0;

	jvtext_members_init(&m, v, JVTEXT_SORTED);
	for (size_t i = 0; i < m.count && rc == 0; i++) {
		if (i > 0)
			new_line(b, indent);
		add_key(b, m.items[i].key);
		rc = add_member(b, m.items[i].value, indent, err);
	}
	jvtext_members_release(&m);
	return rc;
}

static int
add_array(struct buf *b, jv v, size_t indent, struct err *err)
{
	int rc = 0;

	jv_array_foreach(v, i, element)
	{
		if (rc == 0) {
			if (i > 0)
				new_line(b, indent);
			buf_adds(b, "- ");
			rc = add_value(b, element, indent + 2, err);
		}
		jv_free(element);
	}
	return rc;
}

static int
add_value(struct buf *b, jv v, size_t indent, struct err *err)
{
	if (!is_container(v))
		return add_scalar(b, v, indent, err);
	return jv_get_kind(v) == JV_KIND_OBJECT ? add_object(b, v, indent, err)
						: add_array(b, v, indent, err);
}

int
yamltext_add(struct buf *b, jv value_peek, struct err *err)
{
	size_t before = b->len;

	if (add_value(b, value_peek, 0, err) != 0) {
		buf_truncate(b, before);
		return -1;
	}
	buf_addc(b, '\n');
	return 0;
}
