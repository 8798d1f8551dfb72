#include "reply/pretty.h"

#include <string.h>

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
