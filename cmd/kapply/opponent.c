#include "opponent.h"

#include <stdio.h>
#include <string.h>

#include "fields.h"
#include "json/json.h"
#include "kube/proof.h"

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

static enum repair_answer
answer_of(const struct item *i, struct span object, struct span path,
    struct span ours)
{
	struct buf names = BUF_INIT;
	enum fields_found owner = fields_setter(&names, object, path, ours);

	buf_release(&names);
	if (owner == FIELDS_ABSENT)
		return REPAIR_DROPPED;
	return fields_are_right(i->text, object, path) ? REPAIR_RIGHT
						       : REPAIR_WRONG;
}

void
opponent_answered(struct lru *repairs, const struct set *s,
    const struct item *i, struct span ours, struct span object, uint64_t now_ms)
{
	struct span raw = json_get(set_difference(i), "path");
	struct buf scratch = BUF_INIT;
	struct repair *r;

	if (raw.n == 0 || !set_is_repair(i))
		return;
	r = touch(repairs, s, i->key, raw);
	r->answer = answer_of(i, object, json_string(raw, &scratch), ours);
	r->answered_ms = now_ms;
	buf_release(&scratch);
}

enum repair_answer
opponent_last_repair(struct lru *repairs, const struct set *s,
    const struct item *look, uint64_t now_ms)
{
	const struct repair *r = touch(repairs, s, look->key, look->text);

	return now_ms - r->answered_ms <= REMEMBERED_MS ? r->answer
							: REPAIR_UNKNOWN;
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
	return json_get(json_path(object, "metadata.annotations"), PROOF_PATHS);
}

/* Whether the field seems to be ours: other clients hardly write by our name or
 * change the digest of paths. */
static bool
looks_like_us(const struct opponent_look *l, const struct item *i,
    struct span path, enum fields_found owner)
{
	struct buf all = BUF_INIT;
	struct span paths = paths_of(l->object);
	bool ours;

	if (owner == FIELDS_ABSENT)
		return i->partial == PARTIAL_NONE && paths.n > 0 &&
		    !span_eq(paths, paths_of(i->text));
	if (owner != FIELDS_UNOWNED || l->last != REPAIR_RIGHT)
		return false;
	ours = fields_setter(&all, l->object, path, SPAN_NONE) == FIELDS_OWNED;
	buf_release(&all);
	return ours;
}

/* i: as it is desired, or NULL. ours: an apply of an older line came between.
 * What it took back is not seen. */
static void
name_unseen(struct buf *b, const struct opponent_look *l, const struct item *i,
    struct span path, bool ours, enum fields_found owner)
{
	if (i != NULL && !ours && looks_like_us(l, i, path, owner))
		buf_addf(b,
		    "the same field manager (%.*s), perhaps another instance "
		    "of this operator",
		    SPAN_ARG(l->ours));
	else if (ours || owner == FIELDS_SHARED)
		buf_adds(b, "somebody");
	else if (owner == FIELDS_UNOWNED)
		buf_adds(b,
		    "somebody without a field manager, such as an admission "
		    "webhook");
	else
		buf_adds(b, "somebody who removes it");
}

bool
opponent_find(
    struct buf *b, const struct opponent_look *l, const struct opponent *before)
{
	const struct item *i = set_wish(l->set, l->item->key);
	struct buf scratch = BUF_INIT, name = BUF_INIT;
	struct span path = json_string(l->item->text, &scratch);
	bool right = i != NULL && fields_are_right(i->text, l->object, path);
	enum fields_found owner =
	    fields_setter(&name, l->object, path, l->ours);
	bool ours =
	    right || (owner == FIELDS_ABSENT && l->last == REPAIR_DROPPED);
	bool taken_back = ours || (i == NULL && owner == FIELDS_UNOWNED);

	if (owner == FIELDS_OWNED && !right)
		buf_addspan(b, buf_span(&name));
	else if (taken_back && before->name[0] != '\0')
		buf_adds(b, before->name);
	else
		name_unseen(b, l, i, path, ours, owner);
	buf_release(&scratch);
	buf_release(&name);
	return !ours || before->name[0] != '\0';
}
