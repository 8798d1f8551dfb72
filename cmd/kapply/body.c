#include "body.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "json/json.h"
#include "value/base64.h"
#include "value/digest.h"

struct span
body_metadata(struct span object, const char *key)
{
	return json_raw_string(json_get(json_get(object, "metadata"), key));
}

char *
body_state(struct span object, bool dry_run)
{
	unsigned char sum[DIGEST_SIZE];
	struct buf b = BUF_INIT;

	if (dry_run) {
		digest_sha256(object, sum);
		digest_add_hex(&b, sum, DIGEST_SIZE);
	} else {
		buf_addspan(&b, body_metadata(object, "resourceVersion"));
	}
	return buf_take(&b);
}

const char *
body_result(struct span object, const char *before, bool dry_run)
{
	char *now = body_state(object, dry_run);
	bool same = before != NULL && strcmp(now, before) == 0;

	free(now);
	return same ? "unchanged" : "configured";
}

static void
add_member(struct buf *b, struct span key, struct span value)
{
	json_add_raw_key(b, key);
	buf_addspan(b, value);
}

static bool
is_servers(struct span key)
{
	static const char *const keys[] = {"uid", "resourceVersion",
	    "creationTimestamp", "generation", "selfLink", "deletionTimestamp",
	    "deletionGracePeriodSeconds"};

	for (size_t i = 0; i < COUNT(keys); i++)
		if (span_is(key, keys[i]))
			return true;
	return false;
}

static void
add_metadata(struct buf *b, struct span metadata, const struct body_edit *e)
{
	struct span labels = SPAN_NONE;

	buf_addc(b, '{');
	for (struct json_members m = json_members(metadata); json_member(&m);) {
		if (span_is(m.key, "managedFields") ||
		    (e->strip && is_servers(m.key)) ||
		    (e->name.n != 0 && span_is(m.key, "name")) ||
		    (e->uid.n != 0 && span_is(m.key, "uid")) ||
		    (e->resource_version.n != 0 &&
			span_is(m.key, "resourceVersion")))
			continue;
		if (e->label.n != 0 && span_is(m.key, "labels"))
			labels = m.value;
		else
			add_member(b, m.key, m.value);
	}
	if (e->name.n != 0)
		json_add_text(b, "name", e->name);
	if (e->uid.n != 0)
		json_add_text(b, "uid", e->uid);
	if (e->resource_version.n != 0)
		json_add_text(b, "resourceVersion", e->resource_version);
	if (e->label.n != 0) {
		json_add_key(b, "labels");
		buf_addc(b, '{');
		for (struct json_members m = json_members(labels);
		     json_member(&m);)
			if (!span_eq(m.key, e->label))
				add_member(b, m.key, m.value);
		json_add_comma(b);
		json_add_string(b, e->label);
		buf_addc(b, ':');
		json_add_string(b, e->label_value);
		buf_addc(b, '}');
	}
	buf_addc(b, '}');
}

void
body_apply(struct buf *b, struct span object, const struct body_edit *e)
{
	buf_addc(b, '{');
	for (struct json_members m = json_members(object); json_member(&m);) {
		if (e->strip_status && span_is(m.key, "status"))
			continue;
		if (!span_is(m.key, "metadata")) {
			add_member(b, m.key, m.value);
			continue;
		}
		json_add_key(b, "metadata");
		add_metadata(b, m.value, e);
	}
	buf_addc(b, '}');
}

/* ---- Secrets ---- */

/* A raw key, unescaped. */
static struct span
key_text(struct span key, struct buf *scratch)
{
	return json_string(span_make(key.p - 1, key.n + 2), scratch);
}

/* Whether two keys are equal, also if they are spelled with different
 * escapes. */
static bool
same_key(struct span x, struct span y)
{
	struct buf a = BUF_INIT, b = BUF_INIT;
	bool same = span_eq(x, y) || span_eq(key_text(x, &a), key_text(y, &b));

	buf_release(&a);
	buf_release(&b);
	return same;
}

/* Whether the map has the key, with a value. */
static bool
has_value(struct span map, struct span key)
{
	for (struct json_members m = json_members(map); json_member(&m);)
		if (same_key(m.key, key) && json_type(m.value) != JSON_NULL)
			return true;
	return false;
}

static bool
is_secret(const struct item *i)
{
	return i->id.group.n == 0 && span_is(i->id.kind, "Secret");
}

/* Whether each value is a text, or null, which says nothing. */
static bool
is_of_texts(struct span map)
{
	if (json_type(map) != JSON_OBJECT)
		return false;
	for (struct json_members m = json_members(map); json_member(&m);)
		if (json_type(m.value) != JSON_STRING &&
		    json_type(m.value) != JSON_NULL)
			return false;
	return true;
}

/* data as the server makes it of both: stringData wins. */
static void
add_data(struct buf *b, struct span data, struct span written)
{
	struct buf scratch = BUF_INIT;

	json_add_key(b, "data");
	buf_addc(b, '{');
	for (struct json_members m = json_members(data); json_member(&m);)
		if (!has_value(written, m.key))
			add_member(b, m.key, m.value);
	for (struct json_members m = json_members(written); json_member(&m);) {
		if (json_type(m.value) == JSON_NULL)
			continue;
		json_add_raw_key(b, m.key);
		buf_addc(b, '"');
		base64_add(b, json_string(m.value, &scratch));
		buf_addc(b, '"');
	}
	buf_addc(b, '}');
	buf_release(&scratch);
}

void
body_spell(struct buf *b, const struct item *i)
{
	bool secret = is_secret(i); /* most items are not, and are long */
	struct span written =
	    secret ? json_get(i->text, "stringData") : SPAN_NONE;
	struct span data = secret ? json_get(i->text, "data") : SPAN_NONE;

	if (!is_of_texts(written) ||
	    (data.n != 0 && json_type(data) != JSON_OBJECT &&
		json_type(data) != JSON_NULL)) {
		buf_addspan(b, i->text);
		return;
	}
	buf_addc(b, '{');
	for (struct json_members m = json_members(i->text); json_member(&m);)
		if (!span_is(m.key, "data") && !span_is(m.key, "stringData"))
			add_member(b, m.key, m.value);
	add_data(b, data, written);
	buf_addc(b, '}');
}

/* ---- merge patches beside an apply ---- */

/* Begins one of this version of live, in its metadata. */
static void
begin_merge(struct buf *b, struct span live)
{
	buf_adds(b, "{\"metadata\":{");
	json_add_text(b, "uid", body_metadata(live, "uid"));
	json_add_text(
	    b, "resourceVersion", body_metadata(live, "resourceVersion"));
}

/* The outermost list of object that the field leads through, as a whole. */
static bool
list_patch(struct buf *b, struct span object, struct span field,
    struct span uid, struct span version)
{
	const char *bracket = span_find(field, '[');
	struct span value = object, name;
	size_t open = 0;

	if (bracket == NULL)
		return false;
	buf_adds(b, "{\"metadata\":{");
	json_add_text(b, "uid", uid);
	if (version.n > 0)
		json_add_text(b, "resourceVersion", version);
	buf_addc(b, '}');
	for (const char *p = field.p; p < bracket; p += name.n + 1, open++) {
		struct buf key = BUF_INIT;
		const char *dot = memchr(p, '.', (size_t)(bracket - p));

		name = span_make(p, (size_t)((dot ? dot : bracket) - p));
		buf_addspan(&key, name);
		value = json_get(value, buf_str(&key));
		buf_release(&key);
		buf_addc(b, open == 0 ? ',' : '{');
		json_add_string(b, name);
		buf_addc(b, ':');
	}
	if (json_type(value) != JSON_ARRAY)
		return false;
	buf_addspan(b, value);
	for (; open > 0; open--)
		buf_addc(b, '}');
	return true;
}

bool
body_list(struct buf *b, const struct item *i, struct span uid,
    const struct kube_error *e)
{
	struct json_elements causes;

	if (uid.n == 0 || i->partial != PARTIAL_NONE || i->list_sent ||
	    e->code != 422 || e->causes == NULL)
		return false;
	causes = json_elements(span_str(e->causes));
	while (json_element(&causes)) {
		struct span field = json_get(causes.value, "field");

		if (!json_is(json_get(causes.value, "reason"),
			"FieldValueDuplicate") ||
		    json_type(field) != JSON_STRING)
			continue;
		if (list_patch(b, i->text, span_make(field.p + 1, field.n - 2),
			uid, i->version))
			return true;
		buf_reset(b);
	}
	return false;
}

/* ,"MAP":{"KEY":null, ...} for the keys that live has and wanted has not. */
static bool
add_nulls(struct buf *b, const char *map, struct span wanted, struct span live)
{
	struct span ours = json_get(wanted, map);
	struct span written = json_get(wanted, "stringData");
	struct json_members m = json_members(json_get(live, map));
	bool any = false;

	while (json_member(&m)) {
		if (has_value(ours, m.key) || has_value(written, m.key))
			continue;
		if (!any) {
			json_add_key(b, map);
			buf_addc(b, '{');
		}
		any = true;
		add_member(b, m.key, span_str("null"));
	}
	if (any)
		buf_addc(b, '}');
	return any;
}

/* Keys that live has and wanted has not. */
static bool
trim(struct buf *b, struct span wanted, struct span live)
{
	bool binary, data;

	begin_merge(b, live);
	buf_addc(b, '}');
	binary = add_nulls(b, "binaryData", wanted, live);
	data = add_nulls(b, "data", wanted, live);
	buf_addc(b, '}');
	return binary || data;
}

/* The mark of the set's primary: its name; whether it is there. */
static bool
find_mark(struct buf *name, const struct set *s, struct span live)
{
	proof_add_patch_name(name, span_str(s->key));
	return json_get(json_path(live, "metadata.annotations"), buf_str(name))
		   .p != NULL;
}

bool
body_is_patched(const struct set *s, struct span live)
{
	struct buf name = BUF_INIT;
	bool found = find_mark(&name, s, live);

	buf_release(&name);
	return found;
}

static bool
unmark(struct buf *b, const struct set *s, struct span live)
{
	struct buf name = BUF_INIT;
	bool found = find_mark(&name, s, live);

	begin_merge(b, live);
	json_add_key(b, "annotations");
	buf_addc(b, '{');
	json_add_key(b, buf_str(&name));
	buf_adds(b, "null}}}");
	buf_release(&name);
	return found;
}

/* Whether a manager has the key, as data or as stringData. */
static bool
is_owned(struct span managers, struct span key)
{
	static const char *const maps[] = {"f:data", "f:stringData"};
	struct buf name = BUF_INIT, quoted = BUF_INIT, scratch = BUF_INIT;
	bool owned = false;

	buf_adds(&name, "f:");
	buf_addspan(&name, key_text(key, &scratch));
	json_add_string(&quoted, buf_span(&name));
	for (struct json_elements e = json_elements(managers);
	     !owned && json_element(&e);)
		for (size_t n = 0; n < 2 && !owned; n++) {
			struct span map =
			    json_get(json_get(e.value, "fieldsV1"), maps[n]);

			owned = has_value(
			    map, span_make(quoted.data + 1, quoted.len - 2));
		}
	buf_release(&name);
	buf_release(&quoted);
	buf_release(&scratch);
	return owned;
}

/* Keys of a Secret without an owner. */
static bool
trim_secret(struct buf *b, const struct item *i, struct span live)
{
	struct span managers;
	bool any = false;

	if (!is_secret(i))
		return false;
	managers = json_path(live, "metadata.managedFields");
	if (json_type(managers) != JSON_ARRAY)
		return false;
	begin_merge(b, live);
	buf_adds(b, "},\"data\":{");
	for (struct json_members m = json_members(json_get(live, "data"));
	     json_member(&m);) {
		if (is_owned(managers, m.key))
			continue;
		any = true;
		add_member(b, m.key, span_str("null"));
	}
	buf_adds(b, "}}");
	return any;
}

bool
body_remove(
    struct buf *b, const struct set *s, const struct item *i, struct span live)
{
	bool any = i->partial == PARTIAL_RELEASE
	    ? unmark(b, s, live)
	    : i->exactly && trim(b, i->text, live);

	if (!any && !s->plain && i->partial == PARTIAL_NONE) {
		buf_reset(b);
		any = trim_secret(b, i, live);
	}
	if (!any)
		buf_reset(b);
	return any;
}

/* ---- other requests ---- */

void
body_delete(struct buf *b, struct span uid, struct span version, bool dry_run)
{
	buf_adds(b,
	    "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\","
	    "\"propagationPolicy\":\"Background\"");
	if (uid.n != 0) {
		buf_adds(b, ",\"preconditions\":{\"uid\":");
		json_add_string(b, uid);
		if (version.n != 0)
			json_add_text(b, "resourceVersion", version);
		buf_addc(b, '}');
	}
	/* With a body the server ignores the query's dryRun. */
	if (dry_run)
		buf_adds(b, ",\"dryRun\":[\"All\"]");
	buf_addc(b, '}');
}

void
body_test(struct buf *b, const char *path, struct span value)
{
	buf_addc(b, b->len == 0 ? '[' : ',');
	buf_adds(b, "{\"op\":\"test\",\"path\":");
	json_add_str(b, path);
	json_add_text(b, "value", value);
	buf_addc(b, '}');
}

bool
body_awaits(struct buf *b, struct span object)
{
	struct json_elements list =
	    json_elements(json_path(object, "metadata.finalizers"));
	const char *before = "it waits for its finalizers ";
	struct buf name = BUF_INIT;

	if (body_metadata(object, "deletionTimestamp").n == 0)
		return false;
	for (; json_element(&list); before = ", ") {
		buf_reset(&name);
		buf_adds(b, before);
		buf_addspan(b, json_string(list.value, &name));
	}
	buf_release(&name);
	return true;
}

/* ---- finalizers of a primary, and what is written with them ---- */

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
		json_add_text(b, "value", value);
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

/* The primary's uid, which stays when it is restored; claims; not the claim of an
 * older version, which has been moved over. */
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
