/*
 * Part of program/natives.h. amounts: quantities of resources, and durations,
 * for programs.
 */
#include "program/natives.h"

#include <stdlib.h>

#include "base/buf.h"
#include "json/jvtext.h"
#include "value/duration.h"
#include "value/quantity.h"

#define NINETEEN_DIGITS UINT64_C(10000000000000000000)

/* -1 with err, which has no value. */
static int
read_quantity(jv x_peek, struct quantity *q, struct err *err)
{
	struct span text = jvtext_span(x_peek);
	const char *wrong =
	    text.p == NULL ? "not text or a number" : quantity_parse(text, q);

	return wrong == NULL
	    ? 0
	    : err_set(err, ERR_PERMANENT, "quantity: %s", wrong);
}

/* By way of its digits, so that it is rounded once. */
static double
as_double(const struct quantity *q)
{
	struct buf b = BUF_INIT;
	double value;

	buf_addf(&b, "%s%llu%019llue%lld", q->negative ? "-" : "",
	    (unsigned long long)(q->value / NINETEEN_DIGITS),
	    (unsigned long long)(q->value % NINETEEN_DIGITS),
	    (long long)q->scale);
	value = strtod(buf_str(&b), NULL);
	buf_release(&b);
	return value;
}

static jv
quantity(jv x)
{
	struct err err = ERR_INIT;
	struct quantity q;

	if (read_quantity(x, &q, &err) != 0)
		return natives_refuse(x, err.message);
	jv_free(x);
	return jv_number(as_double(&q));
}

/* [a, b]: -1, 0 or 1. */
static jv
quantity_compare(jv x)
{
	jv a = jv_array_get(jv_copy(x), 0);
	jv b = jv_array_get(x, 1);
	struct err err = ERR_INIT;
	struct quantity first, second;
	int rc = read_quantity(a, &first, &err), order = 0;

	if (rc == 0)
		rc = read_quantity(b, &second, &err);
	jv_free(a);
	jv_free(b);
	if (rc != 0)
		return jv_invalid_with_msg(jv_string(err.message));
	order = quantity_cmp(&first, &second);
	return jv_number((order > 0) - (order < 0));
}

static jv
duration(jv x)
{
	struct span text = jvtext_span(x);
	int64_t ns;

	if (text.p == NULL || duration_parse(text, &ns, NULL) != 0)
		return natives_refuse(
		    x, "duration: not a duration such as 1h30m (a day is 24h)");
	jv_free(x);
	return jv_number((double)ns / 1e9);
}

const struct native amounts_natives[] = {{"quantity", quantity},
    {"quantity_compare", quantity_compare}, {"duration", duration},
    {NULL, NULL}};
