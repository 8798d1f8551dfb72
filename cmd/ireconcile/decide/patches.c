#include "decide/patches.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/mem.h"
#include "json/json.h"
#include "json/jvtext.h"
#include "state/index.h"
#include "state/marks.h"
#include "state/patchmark.h"

/* ---- what is held ---- */

static struct entry_bucket *
bucket_of(const struct primary *p)
{
	return index_bucket(p->entry, INDEX_PATCHED, primary_key(p));
}

bool
patches_any(const struct primary *p)
{
	return bucket_of(p) != NULL;
}

static int
by_kind(const void *a, const void *b)
{
	const struct cache_object *const *x = a, *const *y = b;
	int order = strcmp((*x)->kind->name, (*y)->kind->name);

	return order != 0
	    ? order
	    : span_cmp(cache_object_key(*x), cache_object_key(*y));
}

static bool
is_desired(const struct desired *set, const struct cache_object *o)
{
	for (size_t i = 0; set != NULL && i < set->count; i++)
		if ((set->items[i].marks & ITEM_PATCH) &&
		    set->items[i].kind == o->kind &&
		    span_eq(
			primary_item_key(&set->items[i]), cache_object_key(o)))
			return true;
	return false;
}

void
patches_give_back(struct decision *d, const struct desired *set)
{
	const struct entry_bucket *b = bucket_of(d->primary);
	const struct cache_object **list;

	if (b == NULL)
		return;
	list = mem_zalloc(b->count * sizeof(*list));
	for (size_t i = 0; i < b->count; i++)
		list[i] = b->links[i].object;
	qsort(list, b->count, sizeof(*list), by_kind);
	for (size_t i = 0; i < b->count; i++)
		if ((i == 0 || list[i] != list[i - 1]) &&
		    list[i]->uid_len > 0 && !is_desired(set, list[i]))
			decide_object(d, WISH_RELEASED, list[i]);
	free(list);
}

bool
patches_is_held(const struct primary *p, const struct point *pt)
{
	struct span text = primary_item_text(pt->item);
	struct buf name = BUF_INIT;
	bool held;

	patchmark_name(&name, p->object);
	held = span_eq(
	    json_get(json_path(text, "metadata.annotations"), buf_str(&name)),
	    cache_object_annotation(pt->object, buf_str(&name)));
	buf_release(&name);
	return held;
}

uint64_t
patches_state(const struct cache_object *o)
{
	struct json_members m = json_members(cache_object_text(o));
	struct buf text = BUF_INIT;
	uint64_t state;

	buf_addspan(&text, cache_object_meta(o, "labels"));
	buf_addspan(&text, cache_object_meta(o, "annotations"));
	while (json_member(&m))
		if (!span_is(m.key, "metadata") && !span_is(m.key, "status"))
			buf_addspan(&text, m.value);
	state = hash_text(buf_span(&text));
	buf_release(&text);
	return state;
}

/* ---- what may be held ---- */

static int
refuse_member(const struct desired_item *i, const char *where, struct span key,
    struct err *err)
{
	return err_set(err, ERR_PERMANENT,
	    "%s: patch_only cannot hold %s%.*s: labels, annotations, and what "
	    "is outside of metadata and status",
	    i->label, where, SPAN_ARG(key));
}

static int
refuse_marks(const struct desired_item *i, jv metadata_peek, const char *map,
    struct err *err)
{
	jv values = jvtext_peek(metadata_peek, map);
	struct jvtext_members m;
	int rc = 0;

	if (jv_get_kind(values) != JV_KIND_OBJECT)
		return 0;
	jvtext_members_init(&m, values, JVTEXT_KEPT);
	for (size_t n = 0; n < m.count && rc == 0; n++) {
		struct span rest = m.items[n].key;

		if (span_take(&rest, "kpipe.dev/"))
			rc = err_set(err, ERR_PERMANENT,
			    "%s: patch_only cannot hold %.*s, which is "
			    "kpipe's own",
			    i->label, SPAN_ARG(m.items[n].key));
	}
	jvtext_members_release(&m);
	return rc;
}

int
patches_refuse(const struct desired_item *i, jv object_peek, struct err *err)
{
	static const char *const allowed[] = {
	    "name", "namespace", "labels", "annotations"};
	jv metadata = jvtext_peek(object_peek, "metadata");
	struct jvtext_members m;
	int rc = 0;

	if (jv_is_valid(jvtext_peek(object_peek, "status")))
		return refuse_member(i, ".", span_str("status"), err);
	jvtext_members_init(&m, metadata, JVTEXT_KEPT);
	for (size_t n = 0; n < m.count && rc == 0; n++) {
		bool good = false;

		for (size_t k = 0; k < COUNT(allowed); k++)
			good = good || span_is(m.items[n].key, allowed[k]);
		if (!good)
			rc =
			    refuse_member(i, ".metadata.", m.items[n].key, err);
	}
	jvtext_members_release(&m);
	if (rc == 0)
		rc = refuse_marks(i, metadata, "labels", err);
	return rc == 0 ? refuse_marks(i, metadata, "annotations", err) : rc;
}
