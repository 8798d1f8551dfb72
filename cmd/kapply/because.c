#include "because.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "json/json.h"
#include "kube/proof.h"
#include "value/datakind.h"

enum {
	LOOKS = 10,
	LOOKS_MS = 1000,
	VALUE_MAX = 128,
	OTHERMANAGERS = 256,
	OTHERMANAGER_NAME = 256,
	REMEMBERED_MS = 15 * 60 * 1000
};

/* The name that an older line found. */
struct othermanager {
	struct lru_entry entry; /* the first member */
	uint64_t found_ms;
	char name[OTHERMANAGER_NAME]; /* cut; empty: not known */
};

/* The field in the answer to our last repair. */
enum repair_answer {
	REPAIR_UNKNOWN,
	REPAIR_RIGHT,
	REPAIR_WRONG,
	REPAIR_DROPPED /* not there, as if it had been removed */
};

struct repair {
	struct lru_entry entry; /* the first member */
	uint64_t answered_ms;
	enum repair_answer answer;
};

void
because_init(struct because *m)
{
	*m = (struct because){0};
	lru_init(&m->othermanagers, sizeof(struct othermanager), OTHERMANAGERS);
	lru_init(&m->repairs, sizeof(struct repair), OTHERMANAGERS);
}

void
because_release(struct because *m)
{
	lru_release(&m->othermanagers);
	lru_release(&m->repairs);
}

bool
because_may_look(struct because *m, uint64_t now_ms)
{
	if (m->looks == 0 || now_ms - m->since_ms >= LOOKS_MS) {
		m->since_ms = now_ms;
		m->looks = 0;
	}
	if (m->looks >= LOOKS)
		return false;
	m->looks++;
	return true;
}

void
because_found(
    const struct set *s, struct item *i, struct span object, struct span ours)
{
	struct buf owner = BUF_INIT, scratch = BUF_INIT;
	struct span path =
	    json_string(json_get(set_difference(i), "path"), &scratch);

	/* The field may be as desired again by now. */
	if (set_may_be_drift(s, i) && path.n > 0 &&
	    !fields_are_right(i->text, object, path) &&
	    fields_setter(&owner, object, path, ours) == FIELDS_OWNED) {
		free(i->by);
		i->by = buf_take(&owner);
	}
	buf_release(&owner);
	buf_release(&scratch);
}

/* The digest of the desired paths (doc/agreement.md), or that of fields that are
 * held (doc/protocol.md, "Marks"): nothing for people. */
static bool
is_digest(struct span path)
{
	return span_is(path, ".metadata.annotations[\"" PROOF_PATHS "\"]") ||
	    span_starts(path, ".metadata.annotations[\"" PROOF_PATCH);
}

/* Appends the observed and the wanted value. False: appends nothing. */
static bool
add_values(struct buf *b, const struct item *i)
{
	struct buf one = BUF_INIT, other = BUF_INIT;
	struct span first = set_difference(i);
	struct span observed = json_string(json_get(first, "observed"), &one);
	struct span wanted = json_string(json_get(first, "wanted"), &other);
	bool told = observed.n > 0 && wanted.n > 0 && observed.n <= VALUE_MAX &&
	    wanted.n <= VALUE_MAX && !datakind(i->id.group, i->id.kind);

	if (told)
		buf_addf(b, "%.*s, wanted %.*s", SPAN_ARG(observed),
		    SPAN_ARG(wanted));
	buf_release(&one);
	buf_release(&other);
	return told;
}

void
because_add_values(struct buf *b, const struct set *s, const struct item *look)
{
	const struct item *i = set_wish(s, look->key);
	struct buf values = BUF_INIT;

	/* Both paths are raw, and ireconcile wrote both. */
	if (i != NULL &&
	    span_eq(json_get(set_difference(i), "path"), look->text) &&
	    add_values(&values, i))
		buf_addf(b, " (%s)", buf_str(&values));
	buf_release(&values);
}

static void
add_event(struct buf *b, struct span event)
{
	struct arena names = ARENA_INIT;
	struct objref id = {.kind = json_raw_string(json_get(event, "kind")),
	    .namespace_ = json_name(json_get(event, "namespace"), &names),
	    .name = json_name(json_get(event, "name"), &names)};
	struct span manager = json_name(json_get(event, "manager"), &names);

	objref_split(json_raw_string(json_get(event, "apiVersion")), &id.group,
	    &id.version);
	buf_addf(b, "after %.*s ",
	    SPAN_ARG(json_raw_string(json_get(event, "type"))));
	objref_add_label(b, &id);
	if (manager.n > 0)
		buf_addf(b, " by %.*s", SPAN_ARG(manager));
	arena_release(&names);
}

void
because_add(struct buf *b, const struct set *s, const struct item *i,
    const char *result)
{
	struct json_elements causes =
	    json_elements(s != NULL ? s->causes : SPAN_NONE);
	struct buf scratch = BUF_INIT;
	struct span path;

	if (strcmp(result, "unchanged") == 0)
		return;
	path = json_string(json_get(set_difference(i), "path"), &scratch);
	if (strcmp(result, "created") == 0 &&
	    json_type(json_get(i->because, "gone")) == JSON_TRUE) {
		buf_adds(b, "it was deleted");
	} else if (is_digest(path)) {
		buf_adds(b, "fields were added or are no longer desired");
	} else if (path.n > 0) {
		buf_addspan(b, path);
		buf_addc(b, ' ');
		if (!add_values(b, i))
			buf_adds(b, "differs");
	} else if (strcmp(result, "failed") != 0) {
		/* The first event; timers say little. */
		while (json_element(&causes)) {
			if (json_get(causes.value, "name").n == 0)
				continue;
			add_event(b, causes.value);
			break;
		}
	}
	if (path.n > 0 && i->by != NULL)
		buf_addf(b, "; set by %s", i->by);
	buf_release(&scratch);
}

/* ---- which manager changes an item back ---- */

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

void
because_answered(struct because *m, const struct set *s, const struct item *i,
    struct span ours, struct span object, uint64_t now_ms)
{
	struct span raw = json_get(set_difference(i), "path"), path;
	struct buf scratch = BUF_INIT, names = BUF_INIT;
	struct repair *r;

	if (raw.n == 0 || !set_is_repair(i))
		return;
	r = touch(&m->repairs, s, i->key, raw);
	path = json_string(raw, &scratch);
	if (fields_setter(&names, object, path, ours) == FIELDS_ABSENT)
		r->answer = REPAIR_DROPPED;
	else
		r->answer = fields_are_right(i->text, object, path)
		    ? REPAIR_RIGHT
		    : REPAIR_WRONG;
	r->answered_ms = now_ms;
	buf_release(&names);
	buf_release(&scratch);
}

static struct span
paths_of(struct span object)
{
	return json_get(json_path(object, "metadata.annotations"), PROOF_PATHS);
}

/* Whether the field seems to be ours: other clients hardly write by our name or
 * change the digest of paths. */
static bool
looks_like_us(const struct because_loop *l, enum repair_answer last,
    const struct item *i, struct span path, enum fields_found owner)
{
	struct buf all = BUF_INIT;
	struct span paths = paths_of(l->object);
	bool ours;

	if (owner == FIELDS_ABSENT)
		return i->partial == PARTIAL_NONE && paths.n > 0 &&
		    !span_eq(paths, paths_of(i->text));
	if (owner != FIELDS_UNOWNED || last != REPAIR_RIGHT)
		return false;
	ours = fields_setter(&all, l->object, path, SPAN_NONE) == FIELDS_OWNED;
	buf_release(&all);
	return ours;
}

/* False: the owner cannot be found out. */
static bool
find_owner(struct buf *b, const struct because_loop *l, enum repair_answer last,
    const char *before)
{
	const struct item *i = set_wish(l->set, l->item->key);
	struct buf scratch = BUF_INIT, name = BUF_INIT;
	struct span path = json_string(l->item->text, &scratch);
	bool right = i != NULL && fields_are_right(i->text, l->object, path);
	enum fields_found owner =
	    fields_setter(&name, l->object, path, l->ours);
	/* An apply of an older line came between: what it took back is not
	 * seen. */
	bool ours = right || (owner == FIELDS_ABSENT && last == REPAIR_DROPPED);
	bool taken_back = ours || (i == NULL && owner == FIELDS_UNOWNED);

	if (owner == FIELDS_OWNED && !right)
		buf_addspan(b, buf_span(&name));
	else if (taken_back && *before != '\0')
		buf_adds(b, before);
	else if (i != NULL && !ours && looks_like_us(l, last, i, path, owner))
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
	buf_release(&scratch);
	buf_release(&name);
	return !ours || *before != '\0';
}

bool
because_who_loops(struct because *m, struct buf *who,
    const struct because_loop *l, uint64_t now_ms)
{
	const char *key = l->item->key;
	struct othermanager *o =
	    touch(&m->othermanagers, l->set, key, l->item->text);
	const struct repair *r;
	char before[OTHERMANAGER_NAME] = "";
	enum repair_answer last = REPAIR_UNKNOWN;

	if (now_ms - o->found_ms <= REMEMBERED_MS)
		memcpy(before, o->name, sizeof(before));
	if (l->object.n > 0) {
		r = touch(&m->repairs, l->set, key, l->item->text);
		if (now_ms - r->answered_ms <= REMEMBERED_MS)
			last = r->answer;
		if (!find_owner(who, l, last, before))
			return false;
	} else {
		buf_adds(
		    who, l->absent ? "somebody who removes it" : "somebody");
	}
	snprintf(o->name, sizeof(o->name), "%s", buf_str(who));
	o->found_ms = now_ms;
	return strcmp(before, o->name) != 0;
}
