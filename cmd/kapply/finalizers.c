/* Part of body.h: the finalizers of a primary, and what is written with them. */
#include "body.h"

#include <string.h>

#include "json/json.h"

static bool
lists(struct span list, struct span value)
{
	for (struct json_elements e = json_elements(list); json_element(&e);)
		if (span_eq(e.value, value))
			return true;
	return false;
}

/* The finalizers as they should be; true if that is a change. */
static bool
new_finalizers(struct buf *b, const struct item *i, struct span present)
{
	bool adding = i->op == OP_ADD_FINALIZERS, change = false;

	buf_addc(b, '[');
	for (struct json_elements e = json_elements(present);
	     json_element(&e);) {
		if (!adding && lists(i->text, e.value)) {
			change = true;
			continue;
		}
		json_add_comma(b);
		buf_addspan(b, e.value);
	}
	for (struct json_elements e = json_elements(i->text);
	     adding && json_element(&e);) {
		if (lists(present, e.value))
			continue;
		change = true;
		json_add_comma(b);
		buf_addspan(b, e.value);
	}
	buf_addc(b, ']');
	return change;
}

/* Whether another instance has claimed the primary for one of the item's
 * finalizers that is there. */
static bool
is_anothers(const struct set *s, const struct item *i, struct span primary)
{
	struct span present = json_path(primary, "metadata.finalizers");
	struct span annotations = json_path(primary, "metadata.annotations");
	struct json_elements e = json_elements(i->text);
	bool yes = false;

	while (!yes && json_element(&e)) {
		struct buf name = BUF_INIT, scratch = BUF_INIT;
		struct span finalizer = json_string(e.value, &name);

		yes = lists(present, e.value) &&
		    !body_is_our_name(
			s, proof_claim(annotations, finalizer, &scratch));
		buf_release(&name);
		buf_release(&scratch);
	}
	return yes;
}

/* ---- annotations of the primary ---- */

/* Adds the annotation, or replaces its value; SPAN_NONE: removes it. */
static void
add_annotation(struct buf *b, const char *key, struct span value)
{
	size_t domain = strcspn(key, "/");

	/* ~1 is a slash (RFC 6901, 3). */
	buf_addf(b,
	    ",{\"op\":\"%s\",\"path\":\"/metadata/annotations/%.*s~1%s\"",
	    value.n != 0 ? "add" : "remove", (int)domain, key,
	    key + domain + 1);
	if (value.n != 0) {
		json_add_key(b, "value");
		json_add_string(b, value);
	}
	buf_addc(b, '}');
}

/* A claim comes with its finalizer, and goes with it. */
static void
add_claims(struct buf *b, const struct set *s, const struct item *i,
    struct span annotations)
{
	bool adding = i->op == OP_ADD_FINALIZERS;
	struct json_elements e = json_elements(i->text);

	while (json_element(&e)) {
		struct buf name = BUF_INIT, key = BUF_INIT;
		struct span value;

		proof_add_claim_name(&key, json_string(e.value, &name));
		value = json_get(annotations, buf_str(&key));
		buf_reset(&name);
		if (adding && s->instance.n != 0 &&
		    !span_eq(json_string(value, &name), s->instance))
			add_annotation(b, buf_str(&key), s->instance);
		else if (!adding && value.n != 0)
			add_annotation(b, buf_str(&key), SPAN_NONE);
		buf_release(&name);
		buf_release(&key);
	}
}

/* Its uid, which stays when it is restored; claims; not that of an older
 * version, which has been moved over. */
static void
add_marks(struct buf *b, const struct set *s, const struct item *i,
    struct span primary)
{
	struct span annotations = json_path(primary, "metadata.annotations");
	struct buf marks = BUF_INIT, scratch = BUF_INIT;
	struct span old = proof_old_claim(annotations, &scratch);

	if (i->op == OP_ADD_FINALIZERS && i->origin.n != 0 &&
	    proof_origin(primary).n == 0)
		add_annotation(&marks, PROOF_ORIGIN, i->origin);
	add_claims(&marks, s, i, annotations);
	if (s->instance.n != 0 && old.n != 0 && body_is_our_name(s, old))
		add_annotation(&marks, PROOF_INSTANCE, SPAN_NONE);
	if (marks.len > 0 && json_type(annotations) != JSON_OBJECT)
		buf_adds(b,
		    ",{\"op\":\"add\",\"path\":\"/metadata/annotations\","
		    "\"value\":{}}");
	buf_addspan(b, buf_span(&marks));
	buf_release(&marks);
	buf_release(&scratch);
}

enum finalizer_need
body_finalizers(struct buf *b, const struct set *s, const struct item *i,
    struct span primary)
{
	struct span uid = body_metadata(primary, "uid");
	bool going = body_metadata(primary, "deletionTimestamp").n != 0;
	bool adding = i->op == OP_ADD_FINALIZERS;
	enum finalizer_need need = FINALIZER_NOTHING;
	struct buf list = BUF_INIT, marks = BUF_INIT;
	bool change;

	if (!span_eq(uid, s->primary.uid) || is_anothers(s, i, primary))
		return FINALIZER_STALE;
	change =
	    new_finalizers(&list, i, json_path(primary, "metadata.finalizers"));
	if (change || adding)
		add_marks(&marks, s, i, primary);
	/* Adding to what is being deleted is refused (422). */
	if (change || marks.len > 0)
		need = adding && going ? FINALIZER_STALE
		    : change	       ? FINALIZER_PATCH
				       : FINALIZER_MARK;
	if (need == FINALIZER_PATCH || need == FINALIZER_MARK) {
		buf_reset(b);
		body_test(b, "/metadata/uid", uid);
		body_test(b, "/metadata/resourceVersion",
		    body_metadata(primary, "resourceVersion"));
		/* "add" on a member that exists replaces it (RFC 6902, 4.1). */
		if (change)
			buf_addf(b,
			    ",{\"op\":\"add\",\"path\":\"/metadata/"
			    "finalizers\","
			    "\"value\":%.*s}",
			    SPAN_ARG(buf_span(&list)));
		buf_addspan(b, buf_span(&marks));
		buf_addc(b, ']');
	}
	buf_release(&list);
	buf_release(&marks);
	return need;
}
