#include "body.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/utf8.h"
#include "json/json.h"
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
	json_add_comma(b);
	buf_addc(b, '"');
	buf_addspan(b, key);
	buf_adds(b, "\":");
	buf_addspan(b, value);
}

static void
add_text(struct buf *b, const char *key, struct span text)
{
	json_add_key(b, key);
	json_add_string(b, text);
}

static void
add_labels(struct buf *b, struct span labels, const struct body_edit *e)
{
	json_add_key(b, "labels");
	buf_addc(b, '{');
	for (struct json_members m = json_members(labels); json_member(&m);)
		if (!span_eq(m.key, e->label))
			add_member(b, m.key, m.value);
	json_add_comma(b);
	json_add_string(b, e->label);
	buf_addc(b, ':');
	json_add_string(b, e->label_value);
	buf_addc(b, '}');
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
		    (e->uid.n != 0 && span_is(m.key, "uid")) ||
		    (e->resource_version.n != 0 &&
			span_is(m.key, "resourceVersion")))
			continue;
		if (e->label.n != 0 && span_is(m.key, "labels"))
			labels = m.value;
		else
			add_member(b, m.key, m.value);
	}
	if (e->uid.n != 0)
		add_text(b, "uid", e->uid);
	if (e->resource_version.n != 0)
		add_text(b, "resourceVersion", e->resource_version);
	if (e->label.n != 0)
		add_labels(b, labels, e);
	buf_addc(b, '}');
}

static bool
is_half(const char *p, const char *end, const char *of)
{
	return end - p >= 6 && p[0] == '\\' && p[1] == 'u' &&
	    (p[2] | 0x20) == 'd' && strchr(of, p[3]) != NULL;
}

static uint32_t
hex4(const char *p)
{
	char digits[5] = {p[0], p[1], p[2], p[3], '\0'};

	return (uint32_t)strtoul(digits, NULL, 16);
}

/*
 * The API server reads an apply as YAML, which knows neither the escape of a
 * slash nor the two halves of a character beyond U+FFFF: these become what they
 * stand for. From is JSON that was checked.
 */
static void
add_for_yaml(struct buf *b, struct span from)
{
	const char *end = from.p + from.n, *at;

	for (const char *p = from.p; p < end; p = at) {
		at = memchr(p, '\\', (size_t)(end - p));
		at = at != NULL ? at : end;
		buf_add(b, p, (size_t)(at - p));
		if (is_half(at, end, "89abAB") &&
		    is_half(at + 6, end, "cdefCDEF")) {
			utf8_add(b,
			    0x10000 + ((hex4(at + 2) & 0x3ff) << 10) +
				(hex4(at + 8) & 0x3ff));
			at += 12;
		} else if (end - at >= 2) {
			buf_add(
			    b, at[1] == '/' ? "/" : at, at[1] == '/' ? 1 : 2);
			at += 2;
		}
	}
}

static void
add_edited(struct buf *b, struct span object, const struct body_edit *e)
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

void
body_apply(struct buf *b, struct span object, const struct body_edit *e)
{
	struct buf edited = BUF_INIT;

	if (span_find(object, '\\') == NULL) {
		add_edited(b, object, e);
		return;
	}
	add_edited(&edited, object, e);
	add_for_yaml(b, buf_span(&edited));
	buf_release(&edited);
}

bool
body_list(struct buf *b, struct span object, struct span field, struct span uid,
    struct span version)
{
	const char *bracket = span_find(field, '[');
	struct span value = object, name;
	size_t open = 0;

	if (bracket == NULL)
		return false;
	buf_adds(b, "{\"metadata\":{\"uid\":");
	json_add_string(b, uid);
	if (version.n > 0)
		add_text(b, "resourceVersion", version);
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

/* A raw key, with the quotes around it. */
static struct span
key_text(struct span key, struct buf *scratch)
{
	return json_string(span_make(key.p - 1, key.n + 2), scratch);
}

/* Also if they are spelled with different escapes. */
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

bool
body_trim(struct buf *b, struct span wanted, struct span live)
{
	bool binary, data;

	buf_adds(b, "{\"metadata\":{");
	add_text(b, "uid", body_metadata(live, "uid"));
	add_text(b, "resourceVersion", body_metadata(live, "resourceVersion"));
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

bool
body_unmark(struct buf *b, const struct set *s, struct span live)
{
	struct buf name = BUF_INIT;
	bool found = find_mark(&name, s, live);

	buf_adds(b, "{\"metadata\":{");
	add_text(b, "uid", body_metadata(live, "uid"));
	add_text(b, "resourceVersion", body_metadata(live, "resourceVersion"));
	json_add_key(b, "annotations");
	buf_addc(b, '{');
	json_add_key(b, buf_str(&name));
	buf_adds(b, "null}}}");
	buf_release(&name);
	return found;
}

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
			add_text(b, "resourceVersion", version);
		buf_addc(b, '}');
	}
	/* With a body the server ignores the query's dryRun. */
	if (dry_run)
		buf_adds(b, ",\"dryRun\":[\"All\"]");
	buf_addc(b, '}');
}

static bool
lists(struct span list, struct span value)
{
	for (struct json_elements e = json_elements(list); json_element(&e);)
		if (span_eq(e.value, value))
			return true;
	return false;
}

void
body_test(struct buf *b, const char *path, struct span value)
{
	buf_addc(b, b->len == 0 ? '[' : ',');
	buf_adds(b, "{\"op\":\"test\",\"path\":");
	json_add_str(b, path);
	json_add_key(b, "value");
	json_add_string(b, value);
	buf_addc(b, '}');
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

/* Marks of the primary, written with its finalizer; empty: none. */
struct primary_marks {
	struct span origin;   /* its uid, which stays when it is restored */
	struct span instance; /* of the operator: the claim */
};

static void
add_annotation(struct buf *b, const char *name, struct span value)
{
	if (value.n == 0)
		return;
	/* ~1 is a slash (RFC 6901, 3). */
	buf_addf(b,
	    ",{\"op\":\"add\",\"path\":\"/metadata/annotations/"
	    "kpipe.dev~1%s\",\"value\":",
	    name);
	json_add_string(b, value);
	buf_addc(b, '}');
}

static void
add_marks(struct buf *b, struct span primary, const struct primary_marks *m)
{
	if (json_type(json_path(primary, "metadata.annotations")) !=
	    JSON_OBJECT)
		buf_adds(b,
		    ",{\"op\":\"add\",\"path\":\"/metadata/annotations\","
		    "\"value\":{}}");
	add_annotation(b, "origin", m->origin);
	add_annotation(b, "instance", m->instance);
}

static struct primary_marks
missing_marks(const struct set *s, const struct item *i, struct span primary)
{
	struct primary_marks m = {SPAN_NONE, SPAN_NONE};
	struct buf name = BUF_INIT;

	if (i->op != OP_ADD_FINALIZERS)
		return m;
	if (proof_origin(primary).n == 0)
		m.origin = i->origin;
	if (!span_eq(body_instance(primary, &name), s->instance))
		m.instance = s->instance;
	buf_release(&name);
	return m;
}

enum finalizer_need
body_finalizers(struct buf *b, const struct set *s, const struct item *i,
    struct span primary)
{
	struct span present = json_path(primary, "metadata.finalizers");
	struct span uid = body_metadata(primary, "uid");
	bool adding = i->op == OP_ADD_FINALIZERS;
	struct primary_marks marks = missing_marks(s, i, primary);
	bool marking = marks.origin.n != 0 || marks.instance.n != 0;
	struct buf list = BUF_INIT;
	bool change;

	if (!span_eq(uid, s->primary.uid))
		return FINALIZER_STALE;
	change = new_finalizers(&list, i, present);
	/* It has claimed the primary: its finalizer, which is ours, is there. */
	if (!change && adding && !body_is_ours(s, primary)) {
		buf_release(&list);
		return FINALIZER_STALE;
	}
	/* Adding to what is being deleted is refused (422). */
	if ((change || marking) && adding &&
	    body_metadata(primary, "deletionTimestamp").n != 0) {
		buf_release(&list);
		return FINALIZER_STALE;
	}
	if (!change && !marking) {
		buf_release(&list);
		return FINALIZER_NOTHING;
	}
	buf_reset(b);
	body_test(b, "/metadata/uid", uid);
	body_test(b, "/metadata/resourceVersion",
	    body_metadata(primary, "resourceVersion"));
	/* "add" on a member that exists replaces it (RFC 6902, 4.1). */
	if (change) {
		buf_adds(b,
		    ",{\"op\":\"add\",\"path\":\"/metadata/finalizers\","
		    "\"value\":");
		buf_addspan(b, buf_span(&list));
		buf_addc(b, '}');
	}
	if (marking)
		add_marks(b, primary, &marks);
	buf_addc(b, ']');
	buf_release(&list);
	return FINALIZER_PATCH;
}
