#include "record/epoch.h"

#include "json/json.h"

void
epoch_take(struct epoch *e, struct span segment)
{
	struct span key = json_raw_string(json_get(segment, "digests"));

	if (key.n > 0 && span_eq(key, buf_span(&e->key)))
		return;
	e->number++;
	buf_reset(&e->key);
	buf_addspan(&e->key, key);
}

void
epoch_release(struct epoch *e)
{
	buf_release(&e->key);
}
