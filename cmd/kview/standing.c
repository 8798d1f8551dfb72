#include "standing.h"

#include "json/json.h"

enum { WORD_MAX = 128 };

static void
add_word(struct buf *b, const char *key, struct span value)
{
	if (json_type(value) != JSON_STRING || value.n > WORD_MAX)
		return;
	if (b->len == 0)
		buf_addc(b, '{');
	json_add_key(b, key);
	buf_addspan(b, value);
}

static struct span
find_condition(struct span status, const char *type)
{
	struct json_elements e = json_elements(json_get(status, "conditions"));

	while (json_element(&e))
		if (json_is(json_get(e.value, "type"), type))
			return e.value;
	return SPAN_NONE;
}

void
standing_add(struct buf *b, struct span object)
{
	struct span status = json_get(object, "status");
	struct span condition = find_condition(status, "Ready");
	struct buf own = BUF_INIT;

	if (condition.p == NULL)
		condition = find_condition(status, "Available");
	add_word(&own, "phase", json_get(status, "phase"));
	add_word(&own, "ready", json_get(condition, "status"));
	if (!json_is(json_get(condition, "status"), "True"))
		add_word(&own, "reason", json_get(condition, "reason"));
	if (own.len > 0)
		buf_addc(&own, '}');
	buf_addspan(b, buf_span(&own));
	buf_release(&own);
}
