#include "reply/pretty.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "json/json.h"

/* ---- indented ---- */

static void
new_line(struct buf *b, size_t depth)
{
	buf_addc(b, '\n');
	for (size_t i = 0; i < depth; i++)
		buf_adds(b, "  ");
}

/* The end of the string that starts at p. */
static const char *
string_end(const char *p, const char *end)
{
	for (p++; p < end && *p != '"'; p++)
		if (*p == '\\')
			p++;
	return p < end ? p + 1 : end;
}

void
pretty_json(struct buf *b, struct span json)
{
	const char *p = json.p, *end = json.p + json.n;
	size_t depth = 0;
	bool opened = false; /* the last thing was an opening bracket */

	while (p < end) {
		const char *next = *p == '"' ? string_end(p, end) : p + 1;

		if (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r') {
			p = next;
			continue;
		}
		if (*p == '}' || *p == ']') {
			depth -= depth > 0;
			if (!opened)
				new_line(b, depth);
		} else if (opened)
			new_line(b, depth);
		opened = *p == '{' || *p == '[';
		depth += opened;
		buf_add(b, p, (size_t)(next - p));
		if (*p == ',')
			new_line(b, depth);
		else if (*p == ':')
			buf_addc(b, ' ');
		p = next;
	}
}

bool
pretty_is_wanted(const struct request *r)
{
	if (request_param(r, "pretty").p != NULL)
		return request_flag(r, "pretty");
	return span_starts(r->user_agent, "curl") ||
	    span_starts(r->user_agent, "Wget") ||
	    span_starts(r->user_agent, "Mozilla/5.0");
}

/* ---- YAML ---- */

static void write_value(struct buf *b, struct span v, int depth, bool in_list);

static bool
is_word(struct span s)
{
	static const char *const words[] = {
	    "true", "false", "yes", "no", "on", "off", "null", "y", "n", "~"};

	for (size_t i = 0; i < COUNT(words); i++)
		if (s.n == strlen(words[i]) &&
		    strncasecmp(s.p, words[i], s.n) == 0)
			return true;
	return false;
}

/* Letters, digits and a few signs, not alike to another type: needs no
 * quotes in any version of YAML. raw is between its quotes, without escapes. */
static bool
is_plain(struct span raw)
{
	if (raw.n == 0 || is_word(raw))
		return false;
	if (!isalpha((unsigned char)raw.p[0]) && raw.p[0] != '/')
		return false;
	for (size_t i = 0; i < raw.n; i++)
		if (!isalnum((unsigned char)raw.p[i]) &&
		    strchr("-_./", raw.p[i]) == NULL)
			return false;
	return true;
}

/* A JSON string is a double-quoted scalar of YAML. */
static void
write_string(struct buf *b, struct span raw)
{
	if (is_plain(raw)) {
		buf_addspan(b, raw);
		return;
	}
	buf_addc(b, '"');
	buf_addspan(b, raw);
	buf_addc(b, '"');
}

static void
indent(struct buf *b, int depth)
{
	for (int i = 0; i < depth; i++)
		buf_adds(b, "  ");
}

static void
write_object(struct buf *b, struct span v, int depth, bool in_list)
{
	struct json_members m = json_members(v);
	bool first = true;

	while (json_member(&m)) {
		if (!first || !in_list)
			indent(b, depth);
		first = false;
		write_string(b, m.key);
		buf_addc(b, ':');
		write_value(b, m.value, depth + 1, false);
	}
}

static void
write_array(struct buf *b, struct span v, int depth)
{
	struct json_elements e = json_elements(v);

	while (json_element(&e)) {
		indent(b, depth);
		buf_addc(b, '-');
		write_value(b, e.value, depth + 1, true);
	}
}

static bool
has_content(struct span v)
{
	for (size_t i = 1; i + 1 < v.n; i++)
		if (v.p[i] != ' ' && v.p[i] != '\n' && v.p[i] != '\t')
			return true;
	return false;
}

/* Behind "key:" or "-". */
static void
write_value(struct buf *b, struct span v, int depth, bool in_list)
{
	enum json_type t = json_type(v);

	if (t == JSON_OBJECT && has_content(v)) {
		buf_adds(b, in_list ? " " : "\n");
		write_object(b, v, depth, in_list);
	} else if (t == JSON_ARRAY && has_content(v)) {
		buf_addc(b, '\n');
		/* Sequences stand below their key, not to its right. */
		write_array(b, v, in_list ? depth : depth - 1);
	} else {
		buf_addc(b, ' ');
		if (t == JSON_STRING)
			write_string(b, span_make(v.p + 1, v.n - 2));
		else
			buf_addspan(b, v);
		buf_addc(b, '\n');
	}
}

void
pretty_yaml(struct buf *b, struct span json)
{
	struct span v = json_value(&json);

	if (json_type(v) == JSON_OBJECT && has_content(v))
		write_object(b, v, 0, false);
	else
		write_value(b, v, 0, false);
}
