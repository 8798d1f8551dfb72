#include "against/leafdiff.h"

#include <stdlib.h>

#include "agree/agree.h"
#include "agree/listkeys.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "json/jvmembers.h"
#include "json/jvtext.h"
#include "kube/proof.h"

struct job {
	struct leafdiff *found;
	struct apischema schema;
	enum leafdiff_values shown;
};

static void differ(const struct job *job, jv before, jv after,
    const struct apischema_place *place);

static bool
has_text(jv value)
{
	struct buf b = BUF_INIT;
	struct err err = ERR_INIT;
	bool has =
	    jvtext_add(&b, value, &err) != 0 || span_find(buf_span(&b), '"');

	buf_release(&b);
	return has;
}

static bool
is_hidden(jv value, enum leafdiff_values shown)
{
	return shown == LEAFDIFF_PATHS ||
	    (shown == LEAFDIFF_NO_TEXTS && jv_is_valid(value) &&
		has_text(value));
}

/* NULL: it is absent. */
static char *
spell_value(jv value)
{
	struct buf b = BUF_INIT;
	struct err err = ERR_INIT;

	if (!jv_is_valid(value))
		return NULL;
	if (jvtext_add(&b, value, &err) != 0)
		buf_adds(&b, "(a value that cannot be printed)");
	if (b.len > LEAFDIFF_LONGEST) {
		buf_truncate(&b, utf8_cut(buf_span(&b), LEAFDIFF_LONGEST));
		buf_adds(&b, "...");
	}
	return buf_take_exact(&b);
}

static void
add(const struct job *job, jv before, jv after,
    const struct apischema_place *place)
{
	struct leafdiff *d = job->found;
	struct buf path = BUF_INIT;
	struct leafdiff_field f;

	if (d->count == LEAFDIFF_MOST) {
		d->more++;
		return;
	}
	apischema_add_place(&path, place);
	f = (struct leafdiff_field){.path = buf_take_exact(&path)};
	if (!is_hidden(before, job->shown) && !is_hidden(after, job->shown)) {
		f.before = spell_value(before);
		f.after = spell_value(after);
	}
	d->fields = mem_grow(d->fields, d->count, sizeof(*d->fields));
	d->fields[d->count++] = f;
}

/* Whether a field changes only with other fields, or says nothing to people. */
static bool
is_derived(const struct apischema_place *place)
{
	const struct apischema_place *up = place->up;

	if (span_is(place->key, "lastTransitionTime"))
		return true;
	return up != NULL && up->up != NULL && up->up->up != NULL &&
	    up->up->up->up == NULL && span_is(up->up->key, "metadata") &&
	    span_is(up->key, "annotations") &&
	    (span_is(place->key, AGREE_PATHS_ANNOTATION) ||
		span_is(place->key, PROOF_MARK) ||
		span_starts(place->key, PROOF_PATCH));
}

static void
differ_member(const struct job *job, const struct jvmember *b,
    const struct jvmember *a, const struct apischema_place *place)
{
	struct apischema_place at = {
	    place, b != NULL ? b->key : a->key, SPAN_NONE, 0};

	if (!is_derived(&at))
		differ(job, b != NULL ? b->value : jv_invalid(),
		    a != NULL ? a->value : jv_invalid(), &at);
}

static void
differ_objects(const struct job *job, jv before, jv after,
    const struct apischema_place *place)
{
	struct jvmembers b, a;
	size_t i = 0, j = 0;

	jvmembers_init(&b, before, JVMEMBERS_SORTED);
	jvmembers_init(&a, after, JVMEMBERS_SORTED);
	while (i < b.count || j < a.count) {
		int order = i == b.count ? 1
		    : j == a.count	 ? -1
				   : span_cmp(b.items[i].key, a.items[j].key);

		differ_member(job, order <= 0 ? &b.items[i] : NULL,
		    order >= 0 ? &a.items[j] : NULL, place);
		i += order <= 0;
		j += order >= 0;
	}
	jvmembers_release(&b);
	jvmembers_release(&a);
}

/* The elements i of before and j of after; -1: there is none. */
static void
differ_elements(const struct job *job, jv before, int i, jv after, int j,
    const struct apischema_place *at)
{
	jv b = i < 0 ? jv_invalid() : jv_array_get(jv_copy(before), i);
	jv a = j < 0 ? jv_invalid() : jv_array_get(jv_copy(after), j);

	differ(job, b, a, at);
	jv_free(b);
	jv_free(a);
}

static void
differ_by_index(const struct job *job, jv before, jv after,
    const struct apischema_place *place)
{
	int b = jv_array_length(jv_copy(before));
	int a = jv_array_length(jv_copy(after));

	for (int i = 0; i < b || i < a; i++) {
		struct apischema_place at = {place, SPAN_NONE, SPAN_NONE, i};

		differ_elements(
		    job, before, i < b ? i : -1, after, i < a ? i : -1, &at);
	}
}

static void
differ_by_key(const struct job *job, jv before, const struct listkeys *b,
    jv after, const struct listkeys *a, const struct apischema_place *place)
{
	for (int i = 0; i < b->count; i++) {
		struct apischema_place at = {
		    place, SPAN_NONE, listkeys_get(b, i), i};

		differ_elements(
		    job, before, i, after, listkeys_find(b, i, a), &at);
	}
	for (int j = 0; j < a->count; j++) {
		struct apischema_place at = {
		    place, SPAN_NONE, listkeys_get(a, j), j};

		if (listkeys_find(a, j, b) < 0)
			differ_elements(job, before, -1, after, j, &at);
	}
}

static void
differ_arrays(const struct job *job, jv before, jv after,
    const struct apischema_place *place)
{
	struct apischema_list how = apischema_list(&job->schema, place);
	struct listkeys b, a;

	if (how.type == LIST_PLAIN) {
		differ_by_index(job, before, after, place);
		return;
	}
	listkeys_init(&b, &how, before);
	listkeys_init(&a, &how, after);
	if (b.complete && a.complete)
		differ_by_key(job, before, &b, after, &a, place);
	else
		differ_by_index(job, before, after, place);
	listkeys_release(&b);
	listkeys_release(&a);
}

static void
differ(const struct job *job, jv before, jv after,
    const struct apischema_place *place)
{
	jv_kind b = jv_get_kind(before), a = jv_get_kind(after);

	if ((b == JV_KIND_INVALID && a == JV_KIND_INVALID) ||
	    (b != JV_KIND_INVALID && a != JV_KIND_INVALID &&
		jv_equal(jv_copy(before), jv_copy(after))))
		return;
	if (b == JV_KIND_OBJECT && a == JV_KIND_OBJECT)
		differ_objects(job, before, after, place);
	else if (b == JV_KIND_ARRAY && a == JV_KIND_ARRAY)
		differ_arrays(job, before, after, place);
	else if (!apischema_is_quantity(&job->schema, place) ||
	    !agree_quantities(before, after))
		add(job, before, after, place);
}

static struct apischema
schema_of(jv object_peek)
{
	struct span version =
	    jvtext_span(jvtext_peek(object_peek, "apiVersion"));
	struct span kind = jvtext_span(jvtext_peek(object_peek, "kind"));

	return version.p != NULL && kind.p != NULL
	    ? apischema_of(version, kind)
	    : (struct apischema){SPAN_NONE, false};
}

void
leafdiff_add(struct leafdiff *d, const char *member, jv before_peek,
    jv after_peek, enum leafdiff_values shown)
{
	const struct apischema_place top = {NULL, SPAN_NONE, SPAN_NONE, 0};
	struct job job = {.found = d, .shown = shown};
	struct apischema_place at = {&top, SPAN_NONE, SPAN_NONE, 0};

	if (member != NULL) {
		at.key = span_str(member);
		job.schema = (struct apischema){SPAN_NONE, false};
		differ(&job, before_peek, after_peek, &at);
	} else {
		job.schema = schema_of(before_peek);
		differ(&job, before_peek, after_peek, &top);
	}
}

void
leafdiff_release(struct leafdiff *d)
{
	for (size_t i = 0; i < d->count; i++) {
		free(d->fields[i].path);
		free(d->fields[i].before);
		free(d->fields[i].after);
	}
	free(d->fields);
	*d = (struct leafdiff){NULL, 0, 0};
}
