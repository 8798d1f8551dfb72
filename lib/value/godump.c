#include "value/godump.h"

#include <ctype.h>
#include <stdbool.h>

enum { SHORT_JSON = 100 }; /* bytes that are worth reading */

/* Whether text ends as the name of a type in a package: "core.Template". */
static bool
ends_in_type(struct span text)
{
	size_t n = text.n, type;

	while (n > 0 && (isalnum((unsigned char)text.p[n - 1])))
		n--;
	type = text.n - n;
	return type > 0 && isupper((unsigned char)text.p[n]) && n > 1 &&
	    text.p[n - 1] == '.' && isalnum((unsigned char)text.p[n - 2]);
}

/* The bytes until the brace that closes the one at the begin; 0: none does. */
static size_t
braces(struct span text)
{
	size_t depth = 0;
	char quote = '\0';

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (quote != '\0') {
			if (c == '\\' && quote == '"')
				i++;
			else if (c == quote)
				quote = '\0';
		} else if (c == '"' || c == '`') {
			quote = c;
		} else if (c == '{') {
			depth++;
		} else if (c == '}' && --depth == 0) {
			return i + 1;
		}
	}
	return 0;
}

/* The bytes of the value at the begin of text, behind before, that says too
 * much; 0: there is none. */
static size_t
long_value(struct span before, struct span text)
{
	static const char label[] = "Invalid value: ";
	const size_t n = sizeof(label) - 1;
	size_t bytes;

	if (*text.p != '{')
		return 0;
	if (ends_in_type(before))
		return braces(text);
	if (before.n < n || !span_is(span_skip(before, before.n - n), label))
		return 0;
	bytes = braces(text);
	return bytes > SHORT_JSON ? bytes : 0;
}

void
godump_shorten(struct buf *b, struct span text)
{
	size_t done = 0;

	for (size_t i = 0; i < text.n; i++) {
		size_t n = long_value(span_make(text.p, i), span_skip(text, i));

		if (n == 0)
			continue;
		buf_addspan(b, span_make(text.p + done, i - done));
		buf_adds(b, "{...}");
		done = i + n;
		i = done - 1;
	}
	buf_addspan(b, span_skip(text, done));
}
