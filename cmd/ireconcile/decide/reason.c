#include "decide/reason.h"

#include "agree/agree.h"
#include "json/json.h"
#include "json/jvtext.h"
#include "kube/proof.h"
#include "record/redact.h"
#include "value/datakind.h"
#include "state/entry.h"
#include "state/primary.h"
#include "value/objref.h"

bool
reason_is_confidential(const struct desired_item *i)
{
	struct span group, kind;

	objref_split_kind(span_str(i->kind->name), &kind, &group);
	return i->kind->hides || datakind(group, kind) ||
	    redact_has_secret(primary_item_text(i));
}

bool
reason_sees_secrets(const struct entry *e)
{
	for (size_t n = 0; n < e->use_count; n++)
		if (e->uses[n]->kind->hides ||
		    span_is(span_str(e->uses[n]->kind->name), "Secret"))
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

/* item without our annotations: digests and proofs say nothing to people, and
 * they change with fields that say more. */
static jv
unmarked(jv item)
{
	jv metadata = jvtext_peek(item, "metadata");
	jv notes = jv_copy(jvtext_peek(metadata, "annotations"));
	struct jvtext_members m;

	if (jv_get_kind(notes) != JV_KIND_OBJECT) {
		jv_free(notes);
		return item;
	}
	jvtext_members_init(&m, notes, JVTEXT_KEPT);
	for (size_t n = 0; n < m.count; n++)
		if (span_starts(m.items[n].key, "kpipe.dev/"))
			item = jv_delpaths(item,
			    JV_ARRAY(JV_ARRAY(jv_string("metadata"),
				jv_string("annotations"),
				jv_string_sized(
				    m.items[n].key.p, (int)m.items[n].key.n))));
	jvtext_members_release(&m);
	jv_free(notes);
	return item;
}

enum { DIFFERS_MAX = 8 };

void
reason_list_init(struct reason_list *l, const struct primary *p,
    const struct desired_item *i)
{
	*l = (struct reason_list){
	    .primary = p, .hide = reason_is_confidential(i)};
	buf_addc(&l->text, '[');
}

void
reason_list_add(struct reason_list *l, struct span path, struct span observed,
    struct span wanted)
{
	struct buf was = BUF_INIT, wish = BUF_INIT;

	if (l->count++ >= DIFFERS_MAX)
		return;
	if (!l->hide) {
		buf_addspan(&was, observed);
		buf_addspan(&wish, wanted);
		reason_hide_texts(l->primary, &was);
		reason_hide_texts(l->primary, &wish);
	}
	json_add_comma(&l->text);
	buf_addc(&l->text, '{');
	add_text(&l->text, "path", path);
	add_text(&l->text, "observed", buf_span(&was));
	add_text(&l->text, "wanted", buf_span(&wish));
	buf_addc(&l->text, '}');
	buf_release(&was);
	buf_release(&wish);
}

static void
take_difference(
    void *arg, struct span path, struct span observed, struct span wanted)
{
	reason_list_add(arg, path, observed, wanted);
}

/* Lists the fields that differ. Our own marks count only if no other field
 * differs. */
static void
find_differences(struct reason_list *l, jv wish, jv was, unsigned marks)
{
	const struct agree_each each = {take_difference, l, NULL};
	struct buf path = BUF_INIT;
	jv bare = unmarked(jv_copy(wish));

	agree_differences(bare, was, &each);
	if (l->count == 0 && (marks & ITEM_EXACTLY))
		agree_exactly(wish, was, &path);
	if (l->count == 0 && path.len == 0)
		agree_object(wish, was, &path);
	if (path.len > 0)
		reason_list_add(l, buf_span(&path), SPAN_NONE, SPAN_NONE);
	jv_free(bare);
	buf_release(&path);
}

/* Takes the differences that were found when the item was compared:
 * permadiff.c. */
static bool
take_found(struct reason_list *l, const struct point *pt)
{
	const struct damping *g = pt->item->memory.damping;

	if (g == NULL || g->permadiff.differ_count == 0 ||
	    pt->item->immutable != NULL ||
	    pt->item->memory.compared != pt->object->serial)
		return false;
	buf_reset(&l->text);
	buf_adds(&l->text, g->permadiff.differs);
	l->count = g->permadiff.differ_count;
	return true;
}

static void
compare_again(struct reason_list *l, const struct point *pt)
{
	struct err err = ERR_INIT;
	jv was = jv_is_valid(pt->observed)
	    ? jv_copy(pt->observed)
	    : jvtext_parse(cache_object_text(pt->object), &err);
	jv wish = jv_is_valid(pt->item->value) && !pt->item->kept
	    ? jv_copy(pt->item->value)
	    : jvtext_parse(primary_item_text(pt->item), &err);

	find_differences(l, wish, was, pt->item->marks);
	if (l->count == 0 && pt->item->memory.path != NULL)
		reason_list_add(
		    l, span_str(pt->item->memory.path), SPAN_NONE, SPAN_NONE);
	jv_free(was);
	jv_free(wish);
}

static void
add_differences(struct buf *b, const struct primary *p, const struct point *pt)
{
	struct reason_list l;

	reason_list_init(&l, p, pt->item);
	if (!take_found(&l, pt))
		compare_again(&l, pt);
	buf_addc(&l.text, ']');
	json_add_key(b, "differs");
	buf_addspan(b, buf_span(&l.text));
	if (l.count > DIFFERS_MAX) {
		json_add_key(b, "moreDiffers");
		json_add_int(b, l.count - DIFFERS_MAX);
	}
	if (pt->item->memory.agreed_before)
		add_true(b, "repair");
	else
		add_text(b, "version", cache_object_version(pt->object));
	buf_release(&l.text);
}

/* Whether it was compared with a member that is not there any more. */
static bool
is_gone(const struct point *pt)
{
	return pt->object == NULL && pt->item->memory.compared != 0;
}

static bool
has_reason(const struct point *pt)
{
	if (pt->target.type != POINT_ITEM || pt->done)
		return false;
	return is_gone(pt) || (pt->object != NULL && !pt->object->terminating);
}

static void
add_items(struct buf *b, const struct decision *d)
{
	bool first = true;

	for (size_t n = 0; n < d->count; n++) {
		const struct point *pt = &d->points[n];

		if (!has_reason(pt))
			continue;
		if (first) {
			json_add_key(b, "items");
			buf_addc(b, '{');
		}
		first = false;
		json_add_comma(b);
		json_add_str(b, pt->item->label);
		buf_adds(b, ":{");
		if (is_gone(pt))
			add_true(b, "gone");
		else
			add_differences(b, d->primary, pt);
		buf_addc(b, '}');
	}
	if (!first)
		buf_addc(b, '}');
}

static void
add_events(struct buf *b, const struct primary *p)
{
	if (p->work.triggers == 0)
		return;
	json_add_key(b, "events");
	buf_addf(b, "[%s]", p->work.trigger);
	if (p->work.triggers <= FAIRQUEUE_TRIGGERS_MAX)
		return;
	json_add_key(b, "moreEvents");
	json_add_int(b, p->work.triggers - FAIRQUEUE_TRIGGERS_MAX);
}

void
reason_add(struct buf *b, const struct primary *p, const struct decision *d)
{
	struct buf because = BUF_INIT;

	buf_addc(&because, '{');
	add_events(&because, p);
	add_items(&because, d);
	buf_addc(&because, '}');
	if (because.len > 2) {
		json_add_key(b, "because");
		buf_addspan(b, buf_span(&because));
	}
	buf_release(&because);
}
