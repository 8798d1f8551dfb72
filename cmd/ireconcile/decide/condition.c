#include "decide/condition.h"

#include "base/quote.h"
#include "json/json.h"
#include "json/jvtext.h"
#include "process/clock.h"

struct span
condition_observed(const struct decision *d, const char *type)
{
	struct span list = json_path(
	    cache_object_text(d->primary->object), "status.conditions");

	for (struct json_elements e = json_elements(list); json_element(&e);)
		if (json_is(json_get(e.value, "type"), type) &&
		    json_is(json_get(e.value, "status"), "True"))
			return e.value;
	return SPAN_NONE;
}

static jv
since(const struct decision *d, const char *type)
{
	struct span time = json_raw_string(
	    json_get(condition_observed(d, type), "lastTransitionTime"));
	char now[CLOCK_RFC3339_MAX];

	if (time.n > 0)
		return jv_string_sized(time.p, (int)time.n);
	clock_format_s(d->now_us / 1000000, now);
	return jv_string(now);
}

/*
 * Not all schemas have the member (apps/v1 does not), and an unknown member
 * would make the whole status invalid: so the program's own conditions decide.
 */
static bool
has_generation(jv list_peek)
{
	bool has = jv_array_length(jv_copy(list_peek)) == 0;

	jv_array_foreach(list_peek, n, c)
	{
		has |= jv_get_kind(c) == JV_KIND_OBJECT &&
		    jv_object_has(jv_copy(c), jv_string("observedGeneration"));
		jv_free(c);
	}
	return has;
}

static jv
condition(const struct decision *d, jv others_peek, const char *type,
    const char *reason, const char *message)
{
	jv c = jv_object_set(jv_object(), jv_string("type"), jv_string(type));
	struct buf visible = BUF_INIT;
	int64_t generation;

	quote_text(&visible, span_str(message));
	c = jv_object_set(c, jv_string("status"), jv_string("True"));
	c = jv_object_set(c, jv_string("reason"), jv_string(reason));
	c = jv_object_set(c, jv_string("message"),
	    jv_string_sized(visible.data, (int)visible.len));
	buf_release(&visible);
	c = jv_object_set(c, jv_string("lastTransitionTime"), since(d, type));
	if (has_generation(others_peek) &&
	    json_int(cache_object_meta(d->primary->object, "generation"),
		&generation))
		c = jv_object_set(c, jv_string("observedGeneration"),
		    jv_number((double)generation));
	return c;
}

jv
condition_set(const struct decision *d, jv status, const char *type,
    const char *reason, const char *message)
{
	jv list = jvtext_peek(status, "conditions"), kept = jv_array();

	if (jv_get_kind(list) != JV_KIND_ARRAY) {
		jv_free(kept);
		return status;
	}
	jv_array_foreach(list, n, c)
	{
		if (span_is(jvtext_span(jvtext_peek(c, "type")), type))
			jv_free(c);
		else
			kept = jv_array_append(kept, c);
	}
	if (message != NULL)
		kept = jv_array_append(
		    kept, condition(d, kept, type, reason, message));
	return jv_object_set(status, jv_string("conditions"), kept);
}
