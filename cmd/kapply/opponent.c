#include "opponent.h"

#include <stdio.h>
#include <string.h>

#include "fields.h"
#include "json/json.h"

enum { OPPONENTS = 256, REMEMBERED_MS = 15 * 60 * 1000 };

void
opponents_init(struct lru *opponents)
{
	lru_init(opponents, sizeof(struct opponent), OPPONENTS);
}

struct opponent *
opponent_before(struct lru *opponents, const struct set *s,
    const struct item *look, uint64_t now_ms)
{
	struct buf key = BUF_INIT;
	struct opponent *o;

	buf_addf(&key, "%s\n%s\n%.*s", s->key, look->key, SPAN_ARG(look->text));
	o = lru_touch(opponents, buf_span(&key));
	buf_release(&key);
	if (now_ms - o->found_ms > REMEMBERED_MS)
		o->name[0] = '\0';
	return o;
}

bool
opponent_is_news(struct opponent *before, const char *name, uint64_t now_ms)
{
	char old[OPPONENT_NAME];

	memcpy(old, before->name, sizeof(old));
	snprintf(before->name, sizeof(before->name), "%s", name);
	before->found_ms = now_ms;
	return strcmp(old, before->name) != 0;
}

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
    struct span ours, struct span object, const struct opponent *before)
{
	struct buf scratch = BUF_INIT;
	struct span path = json_string(look->text, &scratch);
	enum fields_found owner = fields_owners(b, object, path, ours);
	bool known = true;

	if (owner != FIELDS_OWNED && before->name[0] != '\0') {
		buf_adds(b, before->name);
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
