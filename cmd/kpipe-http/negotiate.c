#include "negotiate.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool
is(struct span text, const char *word)
{
	return text.n == strlen(word) && strncasecmp(text.p, word, text.n) == 0;
}

/* Thousandths; without one: 1. What is not a weight counts as 0. */
static int
weight_of(struct span parameters)
{
	char digits[8] = "";

	while (parameters.p != NULL) {
		struct span value =
		    span_trim(span_cut(&parameters, ';'), SPAN_BLANKS);
		struct span name = span_cut(&value, '=');

		if (!is(span_trim(name, SPAN_BLANKS), "q"))
			continue;
		value = span_trim(value, SPAN_BLANKS);
		if (value.n >= sizeof(digits))
			return 0;
		memcpy(digits, value.p, value.n);
		return (int)(strtod(digits, NULL) * 1000);
	}
	return 1000;
}

bool
negotiate_openmetrics(struct span header)
{
	int open = 0, plain = 0;

	while (header.p != NULL) {
		struct span rest = span_cut(&header, ',');
		struct span type = span_trim(span_cut(&rest, ';'), SPAN_BLANKS);
		int weight = weight_of(rest);

		if (is(type, "application/openmetrics-text") && weight > open)
			open = weight;
		else if (is(type, "text/plain") && weight > plain)
			plain = weight;
	}
	return open > 0 && open >= plain;
}
