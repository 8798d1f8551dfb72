#include "value/godump.h"

#include <ctype.h>
#include <stdbool.h>

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

void
godump_shorten(struct buf *b, struct span text)
{
	size_t done = 0;

	for (size_t i = 0; i < text.n; i++) {
		size_t n =
		    text.p[i] == '{' && ends_in_type(span_make(text.p, i))
		    ? braces(span_skip(text, i))
		    : 0;

		if (n == 0)
			continue;
		buf_addspan(b, span_make(text.p + done, i - done));
		buf_adds(b, "{...}");
		done = i + n;
		i = done - 1;
	}
	buf_addspan(b, span_skip(text, done));
}
