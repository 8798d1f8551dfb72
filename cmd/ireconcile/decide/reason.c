#include "decide/reason.h"

#include "agree/agree.h"
#include "json/json.h"
#include "json/jvmembers.h"
#include "json/jvtext.h"
#include "kube/proof.h"
#include "value/datakind.h"
#include "state/entry.h"
#include "state/primary.h"
#include "value/objref.h"

bool
reason_is_confidential(const struct cache_kind *k)
{
	struct span group, kind;

	objref_split_kind(span_str(k->name), &kind, &group);
	return datakind(group, kind);
}

bool
reason_sees_secrets(const struct entry *e)
{
	for (size_t n = 0; n < e->use_count; n++)
		if (span_is(span_str(e->uses[n]->kind->name), "Secret"))
			return true;
	return false;
}

void
reason_hide_texts(const struct primary *p, struct buf *values)
{
	if (reason_sees_secrets(p->entry) &&
	    span_find(buf_span(values), '"') != NULL)
		buf_reset(values);
}

static void
add_text(struct buf *b, const char *key, struct span text)
{
	if (text.n == 0)
		return;
	json_add_key(b, key);
	json_add_string(b, text);
}

static void
add_true(struct buf *b, const char *key)
{
	json_add_key(b, key);
	buf_adds(b, "true");
}

/* Digests and proofs say nothing to people. */
static bool
is_ours(struct span path)
{
	return span_starts(path, ".metadata.annotations[\"kpipe.dev/");
}

/* Without the mark of fields that are held: it changes with them, and they say
 * more. */
static jv
unmarked(jv item)
{
	jv metadata = jvtext_peek(item, "metadata");
	jv notes = jv_copy(jvtext_peek(metadata, "annotations"));
	struct jvmembers m;

	if (jv_get_kind(notes) != JV_KIND_OBJECT) {
		jv_free(notes);
		return item;
	}
	jvmembers_init(&m, notes, JVMEMBERS_KEPT);
	for (size_t n = 0; n < m.count; n++)
		if (span_starts(m.items[n].key, PROOF_PATCH))
			item = jv_delpaths(item,
			    JV_ARRAY(JV_ARRAY(jv_string("metadata"),
				jv_string("annotations"),
				jv_string_sized(
				    m.items[n].key.p, (int)m.items[n].key.n))));
	jvmembers_release(&m);
	jv_free(notes);
	return item;
}

static void
add_difference(struct buf *b, const struct primary *p, const struct point *pt)
{
	struct buf path = BUF_INIT, observed = BUF_INIT, wanted = BUF_INIT;
	bool hide = reason_is_confidential(pt->item->kind);
	struct err err = ERR_INIT;
	jv was = jv_is_valid(pt->observed)
	    ? jv_copy(pt->observed)
	    : jvtext_parse(cache_object_text(pt->object), &err);
	jv wish = jv_is_valid(pt->item->value) && !pt->item->kept
	    ? jv_copy(pt->item->value)
	    : jvtext_parse(primary_item_text(pt->item), &err);
	jv bare = unmarked(jv_copy(wish));

	agree_difference(
	    bare, was, &path, hide ? NULL : &observed, hide ? NULL : &wanted);
	if (path.len == 0 && (pt->item->marks & ITEM_EXACTLY))
		agree_exactly(wish, was, &path);
	if (path.len == 0)
		agree_object(wish, was, &path);
	if (is_ours(buf_span(&path))) {
		buf_reset(&observed);
		buf_reset(&wanted);
	}
	reason_hide_texts(p, &observed);
	reason_hide_texts(p, &wanted);
	add_text(b, "path", buf_span(&path));
	add_text(b, "observed", buf_span(&observed));
	add_text(b, "wanted", buf_span(&wanted));
	if (pt->item->agreed_before)
		add_true(b, "repair");
	else
		add_text(b, "version", cache_object_version(pt->object));
	jv_free(was);
	jv_free(wish);
	jv_free(bare);
	buf_release(&path);
	buf_release(&observed);
	buf_release(&wanted);
}

/* It was compared with a member that is not there any more. */
static bool
is_gone(const struct point *pt)
{
	return pt->object == NULL && pt->item->compared != 0;
}

static bool
has_reason(const struct point *pt)
{
	if (pt->type != POINT_ITEM || pt->done)
		return false;
	return is_gone(pt) || (pt->object != NULL && !pt->object->terminating);
}

void
reason_spell(struct buf *b, const struct decision *d)
{
	bool first = true;

	for (size_t n = 0; n < d->count; n++) {
		const struct point *pt = &d->points[n];

		if (!has_reason(pt))
			continue;
		if (first) {
			json_add_key(b, "because");
			buf_addc(b, '{');
		}
		first = false;
		json_add_comma(b);
		json_add_str(b, pt->item->label);
		buf_adds(b, ":{");
		if (is_gone(pt))
			add_true(b, "gone");
		else
			add_difference(b, d->primary, pt);
		buf_addc(b, '}');
	}
	if (!first)
		buf_addc(b, '}');
}
