#include "decide/itemorder.h"

#include <stdlib.h>

#include "base/mem.h"
#include "decide/desired.h"
#include "json/json.h"
#include "json/jvtext.h"
#include "value/objref.h"

/* How the entry uses the kind of an object, also in another version of the API;
 * NULL: not at all. */
static const struct use *
find_use(const struct entry *e, struct span version, struct span kind)
{
	struct span group = objref_group(version);

	for (size_t n = 0; n < e->use_count; n++)
		if (span_is(kind, e->uses[n]->conf->kind) &&
		    span_is(group, e->uses[n]->conf->group))
			return e->uses[n];
	return NULL;
}

static int
not_in_set(const struct desired_item *i, struct span other, struct err *err)
{
	return err_set(err, ERR_PERMANENT,
	    "%s is after %.*s, which is not in the set: desire it, too",
	    i->label, SPAN_ARG(other));
}

static int
add_label(struct buf *b, const struct primary *p, const struct desired_item *i,
    jv other_peek, struct err *err)
{
	jv metadata = jvtext_peek(other_peek, "metadata");
	struct span version =
	    jvtext_span(jvtext_peek(other_peek, "apiVersion"));
	struct span kind = jvtext_span(jvtext_peek(other_peek, "kind"));
	struct span ns = jvtext_span(jvtext_peek(metadata, "namespace"));
	struct span name = jvtext_span(jvtext_peek(metadata, "name"));
	const struct use *u = find_use(p->entry, version, kind);
	struct buf label = BUF_INIT;

	if (u != NULL && u->conf->scope == WATCH_CLUSTER)
		ns = SPAN_NONE;
	else if (ns.n == 0)
		ns = cache_object_namespace(p->object);
	objref_add_key(&label,
	    &(struct objref){.kind = kind,
		.group = objref_group(version),
		.namespace_ = ns,
		.name = name});
	json_add_comma(b);
	json_add_string(b, buf_span(&label));
	if (u == NULL)
		not_in_set(i, buf_span(&label), err);
	buf_release(&label);
	return u == NULL ? -1 : 0;
}

int
itemorder_note(const struct primary *p, struct desired_item *i, jv others_peek,
    struct err *err)
{
	struct buf b = BUF_INIT;
	int rc = 0;

	if (!jv_is_valid(others_peek) ||
	    jv_array_length(jv_copy(others_peek)) == 0)
		return 0;
	buf_addc(&b, '[');
	jv_array_foreach(others_peek, n, other)
	{
		if (rc == 0)
			rc = add_label(&b, p, i, other, err);
		jv_free(other);
	}
	buf_addc(&b, ']');
	if (rc == 0)
		i->after = buf_take_exact(&b);
	buf_release(&b);
	return rc;
}

/* The item of that label, as JSON, or NULL. */
static struct desired_item *
find(const struct desired *d, struct span label)
{
	struct buf scratch = BUF_INIT, text = BUF_INIT;
	struct desired_item *i;

	buf_addspan(&text, json_string(label, &scratch));
	i = desired_find(d, buf_str(&text));
	buf_release(&scratch);
	buf_release(&text);
	return i;
}

bool
itemorder_waits(const struct desired *d, const struct desired_item *i)
{
	struct json_elements others = json_elements(span_str(i->after));
	const struct desired_item *other;

	while (json_element(&others)) {
		other = find(d, others.value);
		if (other != NULL && other->awaited)
			return true;
	}
	return false;
}

/* ---- the order ---- */

enum place_state { NOT_MET, BELOW, PLACED };

/* A walk from items to those that they are after. */
struct walk {
	struct desired *set;
	unsigned char *states; /* enum place_state, by item */
	struct step {
		struct desired_item *item;
		struct json_elements others; /* the rest of them */
	} * steps;
	size_t depth;
	uint32_t placed;
};

static void
enter(struct walk *w, struct desired_item *i)
{
	w->states[i - w->set->items] = BELOW;
	w->steps[w->depth++] = (struct step){i,
	    json_elements(i->after == NULL ? SPAN_NONE : span_str(i->after))};
}

/* The walk has come back to i. */
static int
refuse_circle(
    const struct walk *w, const struct desired_item *i, struct err *err)
{
	enum { SHOWN = 8 };
	struct buf b = BUF_INIT;
	size_t first = w->depth - 1;

	while (w->steps[first].item != i)
		first--;
	for (size_t n = first; n < w->depth; n++) {
		if (n - first == SHOWN) {
			buf_adds(&b, ", ...");
			break;
		}
		buf_addf(&b, "%s%s is after %s", n > first ? ", " : "",
		    w->steps[n].item->label,
		    n + 1 < w->depth ? w->steps[n + 1].item->label : i->label);
	}
	err_set(err, ERR_PERMANENT,
	    "items are after one another, so none can be the first: %s",
	    buf_str(&b));
	buf_release(&b);
	return -1;
}

/* Goes to the next one that the last item of the walk is after, or back. */
static int
walk_on(struct walk *w, struct err *err)
{
	struct step *last = &w->steps[w->depth - 1];
	struct desired_item *other;
	struct buf name = BUF_INIT;
	int rc = 0;

	if (!json_element(&last->others)) {
		size_t place = (size_t)(last->item - w->set->items);

		w->states[place] = PLACED;
		w->set->order[w->placed++] = (uint32_t)place;
		w->depth--;
		return 0;
	}
	other = find(w->set, last->others.value);
	if (other == NULL)
		rc = not_in_set(
		    last->item, json_string(last->others.value, &name), err);
	else if (other->marks & ITEM_FOREIGN)
		rc = err_set(err, ERR_PERMANENT,
		    "%s is after %s, which delete_foreign deletes: deletions "
		    "come after all items",
		    last->item->label, other->label);
	else if (w->states[other - w->set->items] == BELOW)
		rc = refuse_circle(w, other, err);
	else if (w->states[other - w->set->items] == NOT_MET)
		enter(w, other);
	buf_release(&name);
	return rc;
}

int
itemorder_set(struct desired *d, struct err *err)
{
	struct walk w = {.set = d};
	bool any = false;
	int rc = 0;

	for (size_t n = 0; n < d->count && !any; n++)
		any = d->items[n].after != NULL;
	if (!any)
		return 0;
	d->order = mem_array(NULL, d->count, sizeof(*d->order));
	w.states = mem_zalloc(d->count);
	w.steps = mem_array(NULL, d->count, sizeof(*w.steps));
	for (size_t n = 0; n < d->count && rc == 0; n++) {
		if (w.states[n] == NOT_MET)
			enter(&w, &d->items[n]);
		while (w.depth > 0 && rc == 0)
			rc = walk_on(&w, err);
	}
	free(w.states);
	free(w.steps);
	return rc;
}
