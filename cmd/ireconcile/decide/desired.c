#include "decide/desired.h"

#include <stdlib.h>
#include <string.h>

#include "agree/agree.h"
#include "agree/hidden.h"
#include "base/array.h"
#include "base/mem.h"
#include "decide/damping.h"
#include "decide/itemorder.h"
#include "decide/line.h"
#include "decide/refuse.h"
#include "json/json.h"
#include "json/jvtext.h"
#include "record/redacted.h"
#include "state/marks.h"
#include "state/patchmark.h"

void
desired_drop_values(const struct desired *d)
{
	for (size_t i = 0; i < d->count; i++) {
		jv_free(d->items[i].value);
		d->items[i].value = jv_invalid();
	}
}

enum marks_life
desired_life(const struct desired_item *i)
{
	return (i->marks & ITEM_RETAIN) ? MARKS_RETAINED : MARKS_USUAL;
}

/* In another order it is another request. */
static void
add_order(struct desired_item *i)
{
	struct buf b = BUF_INIT;

	buf_add(&b, (const char *)i->digest, DIGEST_SIZE);
	buf_addf(&b, "%u %s", i->marks & ITEM_ORDER,
	    i->after == NULL ? "" : i->after);
	digest_sha256(buf_span(&b), i->digest);
	buf_release(&b);
}

/* Sets the text of i to that of object (consumed), and the members that are
 * derived from it. */
static int
set_text(
    const struct primary *p, struct desired_item *i, jv object, struct err *err)
{
	struct buf text = BUF_INIT;
	int rc;

	if (i->marks & ITEM_PATCH)
		object = patchmark_add(object, p->entry, p->object, i->label);
	else
		object = agree_mark_paths(object);
	if (!(i->marks & ITEM_ALONE))
		object = marks_sign(
		    object, p->entry, p->object, i->label, desired_life(i));
	rc = jvtext_add(&text, object, err);
	jv_free(i->value);
	i->value = object;
	if (rc != 0) {
		buf_release(&text);
		err_prefix(err, "%s", i->label);
		return -1;
	}
	digest_sha256(buf_span(&text), i->digest);
	shelf_drop(&i->kind->shelf, &i->text);
	shelf_put(&i->kind->shelf, &i->text, text.data, text.len);
	if (i->marks & ITEM_EXACTLY) /* is another request */
		digest_sha256(
		    span_make((const char *)i->digest, DIGEST_SIZE), i->digest);
	if (i->marks & ITEM_ORDER)
		add_order(i);
	return 0;
}

/* ---- immutable fields ---- */

/*
 * The API server accepts some fields only when an object is created
 * (immutable(...) of the library). If the object exists, its values there are the
 * desired ones: other values would be refused for ever.
 */

/* null: it is not there. */
static jv
value_at(jv object_peek, jv path_peek)
{
	jv value = jv_getpath(jv_copy(object_peek), jv_copy(path_peek));

	if (jv_is_valid(value))
		return value;
	jv_free(value);
	return jv_null();
}

/* Whether observed agrees with desired at this path. */
static bool
agrees_at(jv desired_peek, jv path_peek, jv observed_peek)
{
	jv part = jv_object();
	bool agrees;

	part = jv_object_set(part, jv_string("apiVersion"),
	    jv_copy(jvtext_peek(desired_peek, "apiVersion")));
	part = jv_object_set(part, jv_string("kind"),
	    jv_copy(jvtext_peek(desired_peek, "kind")));
	part = jv_setpath(
	    part, jv_copy(path_peek), value_at(desired_peek, path_peek));
	agrees = agree_object(part, observed_peek, NULL);
	jv_free(part);
	return agrees;
}

/*
 * The desired object (consumed) with the values of observed at those paths where
 * the two do not agree; returned owned. Fields that observed lacks are left out.
 */
static jv
keep_immutable(jv desired, jv paths_peek, jv observed_peek)
{
	jv_array_foreach(paths_peek, i, path)
	{
		jv value = value_at(observed_peek, path);

		if (agrees_at(desired, path, observed_peek))
			jv_free(value);
		else if (jv_get_kind(value) != JV_KIND_NULL)
			desired = jv_setpath(desired, jv_copy(path), value);
		else
			desired = jv_delpaths(desired, JV_ARRAY(jv_copy(path)));
		jv_free(path);
	}
	return desired;
}

/* Makes the text with the immutable values of observed; jv_invalid(): the text
 * for a new object. */
static void
take_immutable(
    const struct primary *p, struct desired_item *i, jv observed_peek)
{
	struct err err = ERR_INIT;
	jv object = jvtext_parse(span_make(i->given, i->given_len), &err);
	jv paths = jvtext_parse(span_str(i->immutable), &err);

	if (jv_is_valid(observed_peek))
		object = keep_immutable(object, paths, observed_peek);
	set_text(p, i, object, &err);
	i->kept = memcmp(i->digest, i->given_digest, DIGEST_SIZE) != 0;
	jv_free(paths);
}

void
desired_is_claimed(const struct primary *p, struct desired_item *i,
    const struct cache_object *o)
{
	struct err err = ERR_INIT;
	jv observed;

	if (i->immutable == NULL)
		return;
	observed = jvtext_parse(cache_object_text(o), &err);
	take_immutable(p, i, observed);
	jv_free(observed);
}

void
desired_is_absent(const struct primary *p, struct desired_item *i)
{
	if (!i->kept)
		return;
	take_immutable(p, i, jv_invalid());
	i->memory.compared = 0;
}

static void
set_agrees(struct desired_item *i, const struct cache_object *o, char *path)
{
	i->memory.agrees = path == NULL;
	i->memory.compared = o->serial;
	i->memory.was_there = true;
	free(i->memory.path);
	i->memory.path = path;
}

void
desired_compare(const struct primary *p, struct desired_item *i,
    const struct cache_object *o, jv *observed_out)
{
	struct err err = ERR_INIT;
	struct buf path = BUF_INIT;
	jv desired, observed;
	bool agrees;

	if (observed_out != NULL)
		*observed_out = jv_invalid();
	if (i->memory.compared == o->serial)
		return;
	/* Most items that agree do so by their text alone. */
	if (i->immutable == NULL && !(i->marks & ITEM_EXACTLY) &&
	    agree_surely(primary_item_text(i), cache_object_text(o))) {
		set_agrees(i, o, permadiff_agrees(p, i, o));
		return;
	}
	observed = jvtext_parse(cache_object_text(o), &err);
	if (i->immutable != NULL)
		take_immutable(p, i, observed);
	desired = jv_is_valid(i->value)
	    ? jv_copy(i->value)
	    : jvtext_parse(primary_item_text(i), &err);
	if (p->entry->proof != NULL && p->entry->proof->replays &&
	    redacted_in(cache_object_text(o))) {
		p->entry->stats.taken -= hidden_taken(i->hidden);
		observed = hidden_lift(observed, desired, &i->hidden);
		p->entry->stats.taken += hidden_taken(i->hidden);
	}
	agrees = permadiff_compare(p, i, o, desired, observed, &path);
	set_agrees(i, o, agrees ? permadiff_agrees(p, i, o) : buf_take(&path));
	buf_release(&path);
	jv_free(desired);
	if (observed_out != NULL)
		*observed_out = observed;
	else
		jv_free(observed);
}

/* From here on an index is faster than a search. */
enum { MANY = 32 };

struct desired_item *
desired_find(const struct desired *d, const char *label)
{
	if (d->index.count > 0)
		return map_get(&d->index, span_str(label));
	for (size_t i = 0; i < d->count; i++)
		if (strcmp(d->items[i].label, label) == 0)
			return &d->items[i];
	return NULL;
}

bool
desired_has(const struct desired *set, const struct cache_object *o)
{
	struct buf label = BUF_INIT;
	const struct desired_item *i;

	if (set == NULL || set->count == 0)
		return false;
	cache_object_add_label(&label, o);
	i = desired_find(set, buf_str(&label));
	buf_release(&label);
	return i != NULL && !(i->marks & ITEM_OTHERS);
}

/* The namespace that the item will be in, set or dropped in *object. */
static int
place(const struct primary *p, const struct use *u, jv *object, char **ns,
    struct err *err)
{
	jv metadata = jvtext_peek(*object, "metadata");
	struct span given = jvtext_span(jvtext_peek(metadata, "namespace"));
	struct span name = jvtext_span(jvtext_peek(metadata, "name"));
	jv path = JV_ARRAY(jv_string("metadata"), jv_string("namespace"));

	if (u->conf->scope == WATCH_CLUSTER) {
		*ns = mem_strdup("");
		if (given.p == NULL)
			jv_free(path);
		else
			*object = jv_delpaths(*object, JV_ARRAY(path));
		return 0;
	}
	if (given.n == 0)
		given = cache_object_namespace(p->object);
	if (given.n == 0) {
		jv_free(path);
		return err_set(err, ERR_PERMANENT, "%s %.*s has no namespace",
		    u->kind->name, SPAN_ARG(name));
	}
	*ns = mem_dup(given.p, given.n);
	*object = jv_setpath(*object, path, jv_string(*ns));
	return 0;
}

static int
set_immutable(
    struct desired_item *i, jv paths_peek, jv object_peek, struct err *err)
{
	struct buf paths = BUF_INIT, given = BUF_INIT;

	if (!jv_is_valid(paths_peek))
		return 0;
	if (jvtext_add(&paths, paths_peek, err) != 0 ||
	    jvtext_add(&given, object_peek, err) != 0) {
		buf_release(&paths);
		buf_release(&given);
		return err_prefix(err, "%s", i->label);
	}
	i->immutable = buf_take(&paths);
	i->given_len = given.len;
	i->given = buf_take(&given);
	return 0;
}

/* Object (consumed) without all that does not identify it; returned owned. */
static jv
identity(jv object)
{
	static const char *const keys[] = {"apiVersion", "kind"};
	static const char *const names[] = {"namespace", "name"};
	jv metadata = jvtext_peek(object, "metadata");
	jv out = jv_object(), name = jv_object();

	for (size_t k = 0; k < COUNT(keys); k++)
		out = jv_object_set(out, jv_string(keys[k]),
		    jv_copy(jvtext_peek(object, keys[k])));
	for (size_t k = 0; k < COUNT(names); k++) {
		jv value = jvtext_peek(metadata, names[k]);

		if (jv_is_valid(value))
			name = jv_object_set(
			    name, jv_string(names[k]), jv_copy(value));
	}
	jv_free(object);
	return jv_object_set(out, jv_string("metadata"), name);
}

/* Marks object, of an item that may be in a line. */
static int
mark(struct primary *p, const struct program_item *from, const struct use *u,
    struct span ns, struct desired_item *i, jv *object, struct err *err)
{
	if (i->marks & ITEM_RETAIN) {
		if (refuse_retained(p, u, i, *object, err) != 0)
			return -1;
	} else if (!marks_can_own(p->object, ns) && !p->entry->conf->marks) {
		return refuse_unowned(p, i, err);
	}
	*object = marks_add(*object, p->object, ns, i->label, desired_life(i));
	if (refuse_item(p, u, i, *object, err) != 0)
		return -1;
	return set_immutable(i, from->immutable, *object, err);
}

/* The entry of watches.yaml that allows the item; NULL with err: none. */
static struct use *
find_use(const struct primary *p, const struct desired_item *i,
    struct span version, struct span kind, struct err *err)
{
	struct entry *e = p->entry;
	struct use *u = (i->marks & ITEM_FOREIGN)
	    ? entry_deletable(e, version, kind)
	    : (i->marks & ITEM_PATCH) ? entry_patchable(e, version, kind)
				      : entry_managed(e, version, kind);

	if (u == NULL)
		refuse_kind(e, i->marks, version, kind, err);
	return u;
}

static int
prepare(struct primary *p, const struct program_item *from,
    struct desired_item *i, struct err *err)
{
	jv object = jv_copy(from->object);
	struct span kind = jvtext_span(jvtext_peek(object, "kind"));
	struct span version = jvtext_span(jvtext_peek(object, "apiVersion"));
	struct use *u = find_use(p, i, version, kind, err);
	struct buf label = BUF_INIT, key = BUF_INIT;
	struct span name;
	char *ns = NULL;
	int rc = -1;

	if (u == NULL || place(p, u, &object, &ns, err) != 0)
		goto out;
	name =
	    jvtext_span(jvtext_peek(jvtext_peek(object, "metadata"), "name"));
	i->kind = u->kind;
	cache_add_key(&key, span_str(ns), name);
	i->key_len = key.len;
	i->key = buf_take_exact(&key);
	cache_object_label(&label, u->kind, span_str(ns), name);
	i->label = buf_take_exact(&label);
	if (itemorder_note(p, i, from->after, err) != 0)
		goto out;
	if (i->marks & ITEM_NAMED) {
		object = identity(object);
		rc = refuse_primary(p, i, err);
	} else if (i->marks & ITEM_PATCH) {
		rc = refuse_patch(p, i, object, err);
	} else {
		rc = mark(p, from, u, span_str(ns), i, &object, err);
	}
	if (rc != 0)
		goto out;
	rc = set_text(p, i, jv_copy(object), err);
	memcpy(i->given_digest, i->digest, DIGEST_SIZE);
out:
	free(ns);
	jv_free(object);
	return rc;
}

int
desired_from_items(struct primary *p, const struct program_items *items,
    struct desired *d, struct err *err)
{
	*d = (struct desired){0};
	d->items = mem_zalloc(items->count * sizeof(*d->items));
	for (size_t j = 0; j < items->count; j++) {
		const struct program_item *from = &items->items[j];
		struct desired_item *i = &d->items[d->count++];

		i->marks = from->marks;
		if (prepare(p, from, i, err) != 0)
			return -1;
		if (items->count >= MANY
			? map_put(&d->index, span_str(i->label), i) != NULL
			: desired_find(d, i->label) != i)
			return err_set(err, ERR_PERMANENT,
			    "%s is desired twice", i->label);
	}
	return itemorder_set(d, err);
}

/* Keeps what is known about unchanged items. */
static void
carry_over(struct desired *to, struct desired *from)
{
	for (size_t i = 0; i < to->count; i++) {
		struct desired_item *t = &to->items[i];
		struct desired_item *f = desired_find(from, t->label);

		if (f != NULL) {
			t->hidden = f->hidden;
			f->hidden = NULL;
		}
		t->memory.was_there = f != NULL && f->memory.was_there;
		if (f == NULL ||
		    memcmp(t->given_digest, f->given_digest, DIGEST_SIZE) != 0)
			continue;
		if (f->kept) { /* the object's values of immutable fields */
			shelf_drop(&t->kind->shelf, &t->text);
			shelf_move(&t->kind->shelf, &t->text, &f->text);
			memcpy(t->digest, f->digest, DIGEST_SIZE);
			t->kept = true;
		}
		t->memory = f->memory;
		f->memory = (struct item_memory){0};
	}
}

/* ---- the plan ---- */

/* The parts of the input that `plan` and `desired` get: VIEW_... */
static unsigned
inputs(const struct entry *e)
{
	return (e->conf->reads_owned ? VIEW_OWNED : 0) |
	    (e->conf->reads_now ? VIEW_NOW : 0);
}

/* A number that changes with the input of `plan` and `desired`; 0 if the input
 * has the time. */
static uint64_t
fingerprint(const struct view *v)
{
	if (v->entry->conf->reads_now)
		return 0;
	return view_fingerprint(v, 1u << PROGRAM_DESIRED | 1u << PROGRAM_PLAN);
}

static int
update_plan(struct primary *p, struct view *v, uint64_t input, struct err *err)
{
	struct buf text = BUF_INIT, about = BUF_INIT;

	if (!program_defines(p->entry->program, PROGRAM_PLAN))
		return 0;
	if (input == 0 || input != p->plan.input) {
		primary_release_plan(&p->plan);
		cache_object_add_label(&about, p->object);
		if (program_plan(p->entry->program,
			view_input(v, inputs(p->entry), SPAN_NONE, NULL),
			buf_str(&about), &text, err) != 0)
			p->plan.error = mem_strdup(err->message);
		arguments_add(&p->plan.text, ARGUMENTS_PLAN,
		    p->plan.error == NULL ? buf_span(&text) : span_str("null"));
		p->plan.id = arguments_id();
		p->plan.input = input;
		p->plan.fresh = true;
		buf_release(&about);
		buf_release(&text);
	}
	return p->plan.error == NULL
	    ? 0
	    : err_set(err, ERR_PERMANENT, "%s", p->plan.error);
}

int
desired_plan(struct primary *p, struct view *v, struct err *err)
{
	return update_plan(p, v, fingerprint(v), err);
}

/*
 * The requests of the last line are not observed yet, so a program that counts
 * its objects would count wrongly. A new spec does not wait; nor does a program
 * that reads the time.
 */
static bool
must_wait(const struct primary *p, const struct view *v)
{
	const struct watch_entry *conf = p->entry->conf;

	return conf->reads_owned && !conf->reads_now && !p->said.renewed &&
	    p->desired.input != 0 &&
	    p->desired.generation == cache_object_generation(p->object) &&
	    line_is_awaited(p, v->now_us);
}

bool
desired_update(struct primary *p, struct view *v)
{
	uint64_t input = fingerprint(v);
	struct program_items items = {NULL, 0};
	struct desired fresh = {0};
	struct buf about = BUF_INIT;
	struct err err = ERR_INIT;
	int rc;

	if ((input != 0 && input == p->desired.input) || must_wait(p, v))
		return false;
	cache_object_add_label(&about, p->object);
	rc = update_plan(p, v, input, &err);
	if (rc == 0)
		rc = program_desired(p->entry->program,
		    view_input(
			v, inputs(p->entry) | VIEW_PLAN, SPAN_NONE, NULL),
		    buf_str(&about), &items, &err);
	if (rc == 0)
		rc = desired_from_items(p, &items, &fresh, &err);
	program_items_release(&items);
	buf_release(&about);
	if (rc != 0) {
		primary_release_desired(&fresh);
		fresh.failed = true;
		fresh.error = mem_strdup(err.message);
	}
	fresh.input = input;
	fresh.generation = cache_object_generation(p->object);
	carry_over(&fresh, &p->desired);
	primary_release_desired(&p->desired);
	p->desired = fresh;
	return true;
}
