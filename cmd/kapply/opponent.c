#include "opponent.h"

#include <string.h>

#include "fields.h"
#include "json.h"

/* An apply of an older line may have come between: the field is as this line
 * wants it. */
static bool
is_right(const struct set *s, const struct item *look, struct span object,
    struct span path)
{
	for (size_t n = 0; n < s->count; n++)
		if (s->items[n].op == OP_APPLY &&
		    strcmp(s->items[n].key, look->key) == 0)
			return fields_same(s->items[n].text, object, path);
	return false;
}

bool
opponent_find(struct buf *b, const struct set *s, const struct item *look,
    struct span ours, struct span object)
{
	struct buf scratch = BUF_INIT;
	struct span path = json_string(look->text, &scratch);
	enum fields_found owner = fields_owners(b, object, path, ours);
	bool known = true;

	if (owner != FIELDS_OWNED && look->found_before != NULL) {
		buf_adds(b, look->found_before);
	} else if (owner != FIELDS_OWNED && is_right(s, look, object, path)) {
		buf_adds(b, "somebody");
		known = false;
	} else if (owner == FIELDS_UNOWNED) {
		buf_adds(b, "an admission webhook or the API server");
	} else if (owner == FIELDS_ABSENT) {
		buf_adds(b, "somebody who removes it");
	}
	buf_release(&scratch);
	return known;
}

bool
opponent_was_told(const struct item *look)
{
	return look->found_before != NULL &&
	    strcmp(look->found, look->found_before) == 0;
}
