#include "negotiate.h"

/* 0 or 1, and at most three digits behind a point (RFC 9110, section 12.4.2),
 * in thousandths. What is not a weight counts as 0. */
static int
read_weight(struct span text)
{
	int weight = 0;

	if (text.n == 0 || text.n > 5 || (text.n > 1 && text.p[1] != '.'))
		return 0;
	for (size_t i = 0; i < 5; i++) {
		char c = i < text.n ? text.p[i] : '0';

		if (i == 1)
			continue;
		if (c < '0' || c > '9')
			return 0;
		weight = weight * 10 + c - '0';
	}
	return weight > 1000 ? 0 : weight;
}

/* Without one: 1. */
static int
weight_of(struct span parameters)
{
	while (parameters.p != NULL) {
		struct span value =
		    span_trim(span_cut(&parameters, ';'), SPAN_BLANKS);
		struct span name = span_cut(&value, '=');

		if (span_is_caseless(span_trim(name, SPAN_BLANKS), "q"))
			return read_weight(span_trim(value, SPAN_BLANKS));
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

		if (span_is_caseless(type, "application/openmetrics-text") &&
		    weight > open)
			open = weight;
		else if (span_is_caseless(type, "text/plain") && weight > plain)
			plain = weight;
	}
	return open > 0 && open >= plain;
}
