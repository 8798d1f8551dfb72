#include "opponent.h"

#include <stdio.h>
#include <string.h>

#include "fields.h"
#include "json/json.h"

enum { OPPONENTS = 256, REMEMBERED_MS = 15 * 60 * 1000 };

void
opponents_init(struct lru *opponents, struct lru *repairs)
{
	lru_init(opponents, sizeof(struct opponent), OPPONENTS);
	lru_init(repairs, sizeof(struct repair), OPPONENTS);
}

/* path: raw, as a JSON string */
static void *
touch(struct lru *l, const struct set *s, const char *item, struct span path)
{
	struct buf key = BUF_INIT;
	void *entry;

	buf_addf(&key, "%s\n%s\n%.*s", s->key, item, SPAN_ARG(path));
	entry = lru_touch(l, buf_span(&key));
	buf_release(&key);
	return entry;
}

struct opponent *
opponent_before(struct lru *opponents, const struct set *s,
    const struct item *look, uint64_t now_ms)
{
	struct opponent *o = touch(opponents, s, look->key, look->text);

	if (now_ms - o->found_ms > REMEMBERED_MS)
		o->name[0] = '\0';
	return o;
}

void
opponent_answered(struct lru *repairs, const struct set *s,
    const struct item *i, struct span object, uint64_t now_ms)
{
	struct span raw = json_get(set_difference(i), "path");
	struct buf scratch = BUF_INIT;
	struct repair *r;

	if (raw.n == 0 || !set_is_repair(i))
		return;
	r = touch(repairs, s, i->key, raw);
	r->right = fields_same(i->text, object, json_string(raw, &scratch));
	r->answered_ms = now_ms;
	buf_release(&scratch);
}

bool
opponent_was_right(struct lru *repairs, const struct set *s,
    const struct item *look, uint64_t now_ms)
{
	const struct repair *r = touch(repairs, s, look->key, look->text);

	return r->right && now_ms - r->answered_ms <= REMEMBERED_MS;
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

static struct span
paths_of(struct span object)
{
	return json_get(
	    json_path(object, "metadata.annotations"), "kpipe.dev/paths");
}

/* Other clients neither write by our name nor change the digest of paths. */
static bool
is_other_instance(const struct opponent_look *l, const struct item *i,
    struct span path, enum fields_found owner)
{
	struct buf all = BUF_INIT;
	struct span paths = paths_of(l->object);
	bool ours;

	if (owner == FIELDS_ABSENT)
		return i->partial == PARTIAL_NONE && paths.n > 0 &&
		    !span_eq(paths, paths_of(i->text));
	ours = l->was_right &&
	    fields_owners(&all, l->object, path, SPAN_NONE) == FIELDS_OWNED;
	buf_release(&all);
	return ours;
}

static bool
name_unowned(struct buf *b, const struct opponent_look *l, struct span path,
    enum fields_found owner, const struct opponent *before)
{
	const struct item *i = set_wish(l->set, l->item->key);
	/* An apply of an older line may have come between: the field is as this
	 * line wants it. */
	bool right = i != NULL && fields_same(i->text, l->object, path);

	if (i != NULL && !right && is_other_instance(l, i, path, owner))
		buf_addf(b,
		    "another instance of this operator (same field manager "
		    "%.*s)",
		    SPAN_ARG(l->ours));
	else if (before->name[0] != '\0')
		buf_adds(b, before->name);
	else if (right)
		buf_adds(b, "somebody");
	else if (owner == FIELDS_UNOWNED)
		buf_adds(b, "an admission webhook or the API server");
	else
		buf_adds(b, "somebody who removes it");
	return !right || before->name[0] != '\0';
}

bool
opponent_find(
    struct buf *b, const struct opponent_look *l, const struct opponent *before)
{
	struct buf scratch = BUF_INIT;
	struct span path = json_string(l->item->text, &scratch);
	enum fields_found owner = fields_owners(b, l->object, path, l->ours);
	bool known =
	    owner == FIELDS_OWNED || name_unowned(b, l, path, owner, before);

	buf_release(&scratch);
	return known;
}
