#include "json/stream_scan.h"

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* One byte outside strings; true: the value ends before or (then at is moved)
 * with it. */
static bool
scan_byte(struct stream_scan *c, char byte)
{
	bool open = byte == '{' || byte == '[';
	bool close = byte == '}' || byte == ']';

	if (c->scalar &&
	    (open || close || byte == '"' || byte == ',' || byte == ':' ||
		is_space(byte)))
		return true;
	c->at++;
	c->string = byte == '"';
	if (open)
		c->depth++;
	if (close && (c->depth == 0 || --c->depth == 0))
		return true;
	if (!c->begun && !open && !c->string)
		c->scalar = true;
	c->begun = true;
	/* A lone comma or colon is a document of its own, and a bad one. */
	return c->depth == 0 && (byte == ',' || byte == ':');
}

enum scan_result
stream_scan(struct stream_scan *c, struct span text, enum scan_mode mode)
{
	while (c->at < text.n) {
		char byte = text.p[c->at];

		if (byte == '\n' && mode == SCAN_LINE)
			return SCAN_NEWLINE;
		if (!c->string) {
			if (scan_byte(c, byte))
				return SCAN_WHOLE;
			continue;
		}
		c->at++;
		if (c->escaped)
			c->escaped = false;
		else if (byte == '\\')
			c->escaped = true;
		else if (byte == '"')
			c->string = false;
		if (!c->string && c->depth == 0)
			return SCAN_WHOLE;
	}
	return SCAN_MORE;
}
