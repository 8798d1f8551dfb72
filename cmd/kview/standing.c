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

void
standing_add(struct buf *b, struct span object)
{
	struct span status = json_get(object, "status");
	struct span conditions = json_get(status, "conditions");
	struct span condition = json_find(conditions, "type", "Ready");
	struct buf own = BUF_INIT;

	if (condition.p == NULL)
		condition = json_find(conditions, "type", "Available");
	add_word(&own, "phase", json_get(status, "phase"));
	add_word(&own, "ready", json_get(condition, "status"));
	if (!json_is(json_get(condition, "status"), "True"))
		add_word(&own, "reason", json_get(condition, "reason"));
	if (own.len > 0)
		buf_addc(&own, '}');
	buf_addspan(b, buf_span(&own));
	buf_release(&own);
}
