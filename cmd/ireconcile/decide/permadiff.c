/* Part of decide/damping.h: differences that stay although the item was
 * applied. */
#include "decide/damping.h"

#include <stdlib.h>
#include <string.h>

#include "agree/agree.h"
#include "base/hash.h"
#include "base/mem.h"
#include "decide/line.h"
#include "decide/points.h"
#include "decide/reason.h"
#include "item/itemmarks.h"
#include "json/json.h"
#include "json/jvtext.h"
#include "kube/proof.h"
#include "value/digest.h"

#define ANNOTATION "kpipe.dev/accepted"

enum { CODE_BYTES = PERMADIFF_CODE_SIZE / 2, NAME_BYTES = 16, TOLD_MAX = 3 };

/* The differences of the item; NULL: it agrees. */
static struct permadiff *
permadiff_of(const struct desired_item *i)
{
	struct damping *g = i->memory.damping;

	return g != NULL && g->permadiff.count > 0 ? &g->permadiff : NULL;
}

/* ---- the code ---- */

/* Each primary that holds fields of one object has an annotation of its own. */
static void
add_name(struct buf *b, const struct primary *p, const struct desired_item *i)
{
	unsigned char sum[DIGEST_SIZE];
	struct buf key = BUF_INIT;

	buf_adds(b, ANNOTATION);
	if (!(i->marks & ITEM_PATCH))
		return;
	cache_object_add_label(&key, p->object);
	digest_sha256(buf_span(&key), sum);
	buf_addc(b, '-');
	digest_add_hex(b, sum, NAME_BYTES);
	buf_release(&key);
}

/* The code in the annotations of o; SPAN_NONE if there is none. */
static struct span
code_of(const struct primary *p, const struct desired_item *i,
    const struct cache_object *o)
{
	struct buf name = BUF_INIT;
	struct span code;

	if (!(i->marks & ITEM_PATCH))
		return json_raw_string(cache_object_annotation(o, ANNOTATION));
	add_name(&name, p, i);
	code = json_raw_string(cache_object_annotation(o, buf_str(&name)));
	buf_release(&name);
	return code;
}

/* ---- comparing ---- */

/* The differences, as they are found. */
struct found {
	bool tell;	  /* a message is made */
	struct buf *path; /* gets the path of the first difference */
	struct buf text;
	struct buf message;
	struct reason_list list;
	bool unlisted; /* the list has one that is no reason */
	uint64_t *parts;
	size_t count;
};

static void
add_part(void *arg, struct span path, jv observed_peek)
{
	struct found *f = arg;
	size_t at = f->text.len;

	if (f->count == 0)
		buf_addspan(f->path, path);
	buf_addspan(&f->text, path);
	buf_addc(&f->text, ' ');
	if (jv_is_valid(observed_peek))
		(void)jvtext_add(&f->text, observed_peek, NULL);
	f->parts = mem_grow(f->parts, f->count, sizeof(*f->parts));
	f->parts[f->count++] =
	    hash_text(span_make(f->text.data + at, f->text.len - at));
	buf_addc(&f->text, '\n');
}

static void
add_message(
    struct found *f, struct span path, struct span observed, struct span wanted)
{
	struct buf values = BUF_INIT;

	if (f->count >= TOLD_MAX)
		return;
	buf_adds(&f->message, f->count > 0 ? ", " : "");
	buf_addspan(&f->message, path);
	if (!f->list.hide && observed.n > 0)
		buf_addf(&values, " is %.*s, wanted %.*s", SPAN_ARG(observed),
		    SPAN_ARG(wanted));
	reason_hide_texts(f->list.primary, &values);
	buf_addspan(&f->message, buf_span(&values));
	buf_release(&values);
}

/* Notes a difference. Our own annotations are left out of the list; if all
 * annotations are gone, ours are among them. */
static void
add_found(void *arg, struct span path, struct span observed, struct span wanted)
{
	struct found *f = arg;

	if (f->tell)
		add_message(f, path, observed, wanted);
	f->unlisted = f->unlisted || span_is(path, ".metadata.annotations");
	if (!span_starts(path, ".metadata.annotations[\"kpipe.dev/"))
		reason_list_add(&f->list, path, observed, wanted);
}

/* A code of the content and the differences; under the operator's key, so that
 * it tells nothing of a Secret, and nobody else can make one. */
static void
make_code(char code[PERMADIFF_CODE_SIZE], const struct primary *p,
    const struct desired_item *i, struct span differences)
{
	unsigned char key[DIGEST_SIZE], sum[DIGEST_SIZE];
	struct buf text = BUF_INIT, name = BUF_INIT;

	buf_add(&text, (const char *)i->digest, DIGEST_SIZE);
	buf_addspan(&text, differences);
	if (proof_has_key(p->entry->proof)) {
		cache_object_add_label(&name, p->object);
		proof_random_key(key, p->entry->proof, buf_span(&name),
		    span_str(ANNOTATION));
		digest_hmac(span_make((const char *)key, sizeof(key)),
		    buf_span(&text), sum);
	} else {
		digest_sha256(buf_span(&text), sum);
	}
	buf_reset(&name);
	digest_add_hex(&name, sum, CODE_BYTES);
	memcpy(code, buf_str(&name), PERMADIFF_CODE_SIZE);
	buf_release(&text);
	buf_release(&name);
}

static void
find_differences(struct found *f, const struct desired_item *i, jv desired_peek,
    jv observed_peek)
{
	const struct agree_each each = {add_found, f, add_part};
	struct buf path = BUF_INIT;

	agree_differences(desired_peek, observed_peek, &each);
	if ((i->marks & ITEM_EXACTLY) &&
	    !agree_exactly(desired_peek, observed_peek, &path)) {
		if (f->tell)
			add_message(f, buf_span(&path), SPAN_NONE, SPAN_NONE);
		add_part(f, buf_span(&path), jv_invalid());
	}
	if (f->tell && f->count > TOLD_MAX)
		buf_addf(&f->message, " and %zu more", f->count - TOLD_MAX);
	buf_release(&path);
}

static bool
has_part(const struct permadiff *s, uint64_t part)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->parts[i] == part)
			return true;
	return false;
}

/* Moves the differences from f to s. */
static void
take_found(struct permadiff *s, struct found *f, bool first)
{
	for (size_t i = 0; i < f->count && !first; i++)
		s->grown = s->grown || !has_part(s, f->parts[i]);
	free(s->parts);
	s->parts = f->parts;
	s->count = f->count;
	free(s->message);
	s->message = buf_take(&f->message);
	free(s->differs);
	s->differs = buf_take(&f->list.text);
	s->differ_count = f->unlisted ? 0 : f->list.count;
}

/* Whether others have changed the object since it got the code. The apply that
 * wrote the code may itself have counted as one change. */
static bool
was_changed(const struct permadiff *s, const struct cache_object *o)
{
	int64_t now;

	return s->tried && s->generation > 0 &&
	    json_int(cache_object_meta(o, "generation"), &now) &&
	    now > s->generation + 1;
}

static void
differs(const struct primary *p, struct desired_item *i,
    const struct cache_object *o, struct found *f, struct span has)
{
	struct permadiff *s = &primary_damping(i)->permadiff;
	char code[PERMADIFF_CODE_SIZE];
	bool first = s->count == 0;

	make_code(code, p, i, buf_span(&f->text));
	take_found(s, f, first);
	if (strcmp(code, s->code) != 0) {
		memcpy(s->code, code, PERMADIFF_CODE_SIZE);
		s->tried = false;
	}
	s->tolerated = span_is(has, code);
	/* An item that agreed until now: the difference is back. */
	if ((first && i->memory.compared != 0) ||
	    (s->tolerated && was_changed(s, o)))
		s->back = i->memory.agreed_before = true;
	s->tolerated = s->tolerated && !s->back;
	s->tried = s->tried && !s->tolerated && !s->back;
	s->grown = s->grown && !s->tolerated;
}

bool
permadiff_compare(const struct primary *p, struct desired_item *i,
    const struct cache_object *o, jv desired_peek, jv observed_peek,
    struct buf *path)
{
	struct span has = code_of(p, i, o);
	struct found f = {.path = path,
	    .tell = has.n > 0}; /* only then it may be tolerated */

	reason_list_init(&f.list, p, i);
	find_differences(&f, i, desired_peek, observed_peek);
	if (f.count > 0)
		differs(p, i, o, &f, has);
	buf_release(&f.text);
	buf_release(&f.message);
	buf_release(&f.list.text);
	return f.count == 0;
}

bool
permadiff_is_tolerated(const struct desired_item *i)
{
	return i->memory.damping != NULL &&
	    i->memory.damping->permadiff.tolerated;
}

char *
permadiff_agrees(const struct primary *p, struct desired_item *i,
    const struct cache_object *o)
{
	struct buf path = BUF_INIT, name = BUF_INIT;

	primary_forget_permadiff(i);
	i->memory.agreed_before = true;
	if (code_of(p, i, o).n == 0)
		return NULL;
	add_name(&name, p, i);
	buf_adds(&path, ".metadata.annotations");
	jvtext_add_key(&path, buf_span(&name));
	buf_release(&name);
	return buf_take(&path);
}

void
permadiff_try(struct primary *p, const struct decision *d)
{
	for (size_t n = 0; n < d->count; n++) {
		const struct point *pt = &d->points[n];
		struct permadiff *s = pt->target.type == POINT_ITEM
		    ? permadiff_of(pt->item)
		    : NULL;

		if (s == NULL || pt->done || pt->object == NULL ||
		    s->tolerated || !line_is_asked(p, pt))
			continue;
		s->tried = true;
		s->back = false;
		if (!json_int(cache_object_meta(pt->object, "generation"),
			&s->generation))
			s->generation = 0;
	}
}

/* The code that the apply writes into the object; SPAN_NONE: none. After the
 * deadline that is the code of the differences. Before it the object keeps the
 * code that it has, while other fields are repaired; but an old difference that
 * is back is repaired without a code. */
static struct span
wanted_code(const struct primary *p, const struct point *pt)
{
	const struct permadiff *s = permadiff_of(pt->item);

	if (s == NULL || pt->object == NULL || pt->done)
		return SPAN_NONE;
	if (s->tried)
		return span_str(s->code);
	return s->back ? SPAN_NONE : code_of(p, pt->item, pt->object);
}

void
permadiff_add(struct buf *b, const struct primary *p, const struct point *pt)
{
	struct span code = wanted_code(p, pt);
	struct err err = ERR_INIT;
	struct buf name = BUF_INIT;
	jv item;

	if (code.n == 0) {
		buf_addspan(b, primary_item_text(pt->item));
		return;
	}
	add_name(&name, p, pt->item);
	item = jvtext_parse(primary_item_text(pt->item), &err);
	item = jv_setpath(item,
	    JV_ARRAY(jv_string("metadata"), jv_string("annotations"),
		jv_string(buf_str(&name))),
	    jv_string_sized(code.p, (int)code.n));
	jvtext_add(b, item, &err);
	jv_free(item);
	buf_release(&name);
}

/* ---- telling ---- */

/* Each item of the set with differences that are tolerated, or that were until
 * something else differs, too. */
static struct desired_item *
next_permadiff(const struct decision *d, size_t *n)
{
	while (d->set != NULL && *n < d->set->count) {
		struct desired_item *i = &d->set->items[(*n)++];

		if (permadiff_of(i) != NULL &&
		    (permadiff_of(i)->tolerated ||
			permadiff_of(i)->told != NULL))
			return i;
	}
	return NULL;
}

size_t
permadiff_tell(const struct decision *d, struct buf *what)
{
	struct desired_item *i;
	size_t count = 0;

	for (size_t n = 0; (i = next_permadiff(d, &n)) != NULL;) {
		struct permadiff *s = permadiff_of(i);

		if (!s->tolerated ||
		    (s->told != NULL && strcmp(s->told, s->message) == 0))
			continue;
		free(s->told);
		s->told = mem_strdup(s->message);
		count++;
		buf_addf(what, "%s%s: %s", what->len > 0 ? "\n" : "", i->label,
		    s->message);
	}
	return count;
}

void
permadiff_note(struct decision *d)
{
	const struct desired_item *i;

	for (size_t n = 0; (i = next_permadiff(d, &n)) != NULL;) {
		const struct permadiff *s = permadiff_of(i);
		struct buf text = BUF_INIT;

		buf_addf(&text,
		    "%s: %s: the difference stays after it was applied and is "
		    "tolerated",
		    i->label, s->tolerated ? s->message : s->told);
		points_note(d, NOTICE_STAYS, buf_str(&text));
		buf_release(&text);
	}
}
