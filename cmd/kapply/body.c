#include "body.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
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
