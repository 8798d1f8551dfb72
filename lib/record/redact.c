#include "record/redact.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/array.h"
#include "base/mem.h"
#include "json/json.h"
#include "record/redacted.h"
#include "value/base64.h"
#include "value/digest.h"
#include "value/objref.h"

/* A Secret has three, and one within lists of them some more. */
enum { MAX_PATHS = REDACT_PATHS_MAX + 16, NAME_SIZE = 8 };

struct redact {
	char key[REDACT_KEY_SIZE];
	char name[2 * NAME_SIZE]; /* the key's */
};

/* How values are written: in the data of a Secret by BASE64. ANNOTATIONS: a
 * map, of which those are hidden that may have a copy of the values. */
enum form { TEXT, BASE64, ANNOTATIONS };

/* Values that are hidden, decoded. */
struct values {
	struct buf *items;
	size_t count;
};

/* The rest of each path that matches so far. */
struct rest {
	const char *paths[MAX_PATHS];
	enum form form[MAX_PATHS];
	size_t count;
	const struct values *values;
};

static void
name_key(struct redact *r)
{
	unsigned char digest[DIGEST_SIZE];
	struct buf hex = BUF_INIT;

	digest_hmac(span_make(r->key, REDACT_KEY_SIZE),
	    span_str("the name of this key"), digest);
	digest_add_hex(&hex, digest, NAME_SIZE);
	memcpy(r->name, hex.data, sizeof(r->name));
	buf_release(&hex);
}

struct redact *
redact_new(struct err *err)
{
	struct redact *r = mem_zalloc(sizeof(*r));

	if (getrandom(r->key, sizeof(r->key), 0) != (ssize_t)sizeof(r->key)) {
		err_set(
		    err, ERR_TRANSIENT, "no random numbers to hide Secrets");
		free(r);
		return NULL;
	}
	name_key(r);
	return r;
}

struct redact *
redact_new_keyed(const unsigned char key[REDACT_KEY_SIZE])
{
	struct redact *r = mem_zalloc(sizeof(*r));

	memcpy(r->key, key, sizeof(r->key));
	name_key(r);
	return r;
}

void
redact_free(struct redact *r)
{
	if (r != NULL)
		explicit_bzero(r->key, sizeof(r->key));
	free(r);
}

void
redact_add_name(const struct redact *r, struct buf *b)
{
	buf_add(b, r->name, sizeof(r->name));
}

/* The text of a digest of value. One that is a digest stays. */
static void
add_text(const struct redact *r, struct span value, struct buf *out)
{
	unsigned char digest[DIGEST_SIZE];
	struct buf hex = BUF_INIT;

	if (value.n == REDACTED_SIZE && redacted_find(value).n > 0) {
		buf_addspan(out, value);
		return;
	}
	digest_hmac(span_make(r->key, REDACT_KEY_SIZE), value, digest);
	digest_add_hex(&hex, digest, 12);
	redacted_add(out, span_make(r->name, sizeof(r->name)), buf_span(&hex));
	buf_release(&hex);
}

static void
add_digest(
    const struct redact *r, enum form form, struct span value, struct buf *out)
{
	struct buf scratch = BUF_INIT, plain = BUF_INIT, digest = BUF_INIT;
	struct span text = json_string(value, &scratch);

	if (text.p == NULL)
		text = value;
	if (form == BASE64 &&
	    base64_decode(text, BASE64_LINES, &plain, NULL) == 0)
		text = buf_span(&plain);
	add_text(r, text, &digest);
	buf_addc(out, '"');
	if (form == BASE64)
		base64_add(out, buf_span(&digest));
	else
		buf_addspan(out, buf_span(&digest));
	buf_addc(out, '"');
	buf_release(&scratch);
	buf_release(&plain);
	buf_release(&digest);
}

/* Every scalar below; names of members stay. */
static void
redact_all(
    const struct redact *r, enum form form, struct span value, struct buf *out)
{
	switch (json_type(value)) {
	case JSON_OBJECT:
		buf_addc(out, '{');
		for (struct json_members m = json_members(value);
		     json_member(&m);) {
			json_add_raw_key(out, m.key);
			redact_all(r, form, m.value, out);
		}
		buf_addc(out, '}');
		break;
	case JSON_ARRAY:
		buf_addc(out, '[');
		for (struct json_elements e = json_elements(value);
		     json_element(&e);) {
			json_add_comma(out);
			redact_all(r, form, e.value, out);
		}
		buf_addc(out, ']');
		break;
	case JSON_NULL:
		buf_addspan(out, value);
		break;
	default:
		add_digest(r, form, value, out);
	}
}

/* If path begins with this key, the rest behind it; else NULL. */
static const char *
behind_key(const char *path, struct span key)
{
	if (path[0] == '[' && path[1] == '"') {
		path += 2;
		if (strncmp(path, key.p, key.n) != 0 || path[key.n] != '"' ||
		    path[key.n + 1] != ']')
			return NULL;
		return path + key.n + 2;
	}
	if (*path == '.')
		path++;
	if (strncmp(path, key.p, key.n) != 0)
		return NULL;
	path += key.n;
	return *path == '\0' || *path == '.' || *path == '[' ? path : NULL;
}

static struct rest
descend(const struct rest *from, struct span key)
{
	struct rest to = {.count = 0, .values = from->values};

	for (size_t i = 0; i < from->count; i++) {
		const char *p = from->paths[i];

		if (key.p != NULL)
			p = behind_key(p, key);
		else
			p = strncmp(p, "[]", 2) == 0 ? p + 2 : NULL;
		if (p != NULL) {
			to.form[to.count] = from->form[i];
			to.paths[to.count++] = p;
		}
	}
	return to;
}

/* ---- Secrets in other objects ---- */

static size_t
before_quotes(struct span text, size_t at)
{
	while (at > 0 && strchr("\"'\\ \t\n\r", text.p[at - 1]) != NULL)
		at--;
	return at;
}

/* Whether a word begins here: behind no letter, but perhaps behind an escape of
 * a line break or a tab. */
static bool
begins_word(struct span text, size_t at)
{
	return at == 0 || !span_is_alnum(text.p[at - 1]) ||
	    (at > 1 && text.p[at - 2] == '\\' &&
		strchr("nrt", text.p[at - 1]) != NULL);
}

/* Whether name is the word at this place. */
static bool
is_word(struct span text, size_t at, const char *name)
{
	size_t end = at + strlen(name);

	return begins_word(text, at) && end <= text.n &&
	    memcmp(text.p + at, name, strlen(name)) == 0 &&
	    (end == text.n || !span_is_alnum(text.p[end]));
}

/* Whether a name ends before this place and a colon. */
static bool
is_value_of(struct span text, size_t at, const char *key)
{
	size_t n = strlen(key);

	at = before_quotes(text, at);
	if (at == 0 || text.p[at - 1] != ':')
		return false;
	at = before_quotes(text, at - 1);
	return at >= n && is_word(text, at - n, key);
}

bool
redact_has_secret(struct span text)
{
	struct span rest = text;
	const char *found;

	while ((found = memmem(rest.p, rest.n, "Secret", 6)) != NULL) {
		size_t at = (size_t)(found - text.p);

		if ((is_word(text, at, "Secret") ||
			is_word(text, at, "SecretList")) &&
		    is_value_of(text, at, "kind"))
			return true;
		rest = span_skip(text, at + 6);
	}
	return false;
}

static bool
has_member(struct span text, const char *key)
{
	struct span rest = text;
	const char *found;

	while ((found = memmem(rest.p, rest.n, key, strlen(key))) != NULL) {
		size_t at = (size_t)(found - text.p), end = at + strlen(key);

		while (end < text.n && strchr("\"'\\ ", text.p[end]) != NULL)
			end++;
		if (is_word(text, at, key) && end < text.n &&
		    text.p[end] == ':')
			return true;
		rest = span_skip(text, at + 1);
	}
	return false;
}

/* Whether a text is the manifest of a Secret, or has one: in JSON, JSON in
 * JSON, or YAML. */
static bool
has_manifest(struct span text)
{
	return redact_has_secret(text) &&
	    (has_member(text, "data") || has_member(text, "stringData"));
}

static void
add_path(struct rest *rest, enum form form, const char *path)
{
	if (rest->count == MAX_PATHS)
		return;
	rest->form[rest->count] = form;
	rest->paths[rest->count++] = path;
}

/* The paths that are hidden in objects of this kind of the core group. */
static void
add_kind(struct rest *rest, struct span kind)
{
	if (span_is(kind, "Secret")) {
		add_path(rest, BASE64, "data");
		add_path(rest, TEXT, "stringData");
		add_path(rest, ANNOTATIONS, "metadata.annotations");
	} else if (span_is(kind, "SecretList")) {
		add_path(rest, BASE64, "items[].data");
		add_path(rest, TEXT, "items[].stringData");
		add_path(rest, ANNOTATIONS, "items[].metadata.annotations");
	}
}

/* The paths of from, and those of a Secret if the object's text says it is
 * one. */
static struct rest
at_object(const struct rest *from, struct span object)
{
	struct rest here = *from;
	struct span kind = json_raw_string(json_get(object, "kind"));
	struct span version = json_raw_string(json_get(object, "apiVersion"));

	if (objref_group(version).n == 0)
		add_kind(&here, kind);
	return here;
}

/* ---- copies in annotations ---- */

/* Shorter ones are found in other texts by chance. */
enum { WHOLE_MIN = 4, PART_MIN = 8 };

static void
add_value(struct values *v, enum form form, struct span value)
{
	struct buf text = BUF_INIT, plain = BUF_INIT;

	buf_addspan(&text, json_string(value, &plain));
	buf_reset(&plain);
	if (form == BASE64 &&
	    base64_decode(buf_span(&text), BASE64_LINES, &plain, NULL) == 0) {
		buf_reset(&text);
		buf_addspan(&text, buf_span(&plain));
	}
	buf_release(&plain);
	v->items = mem_grow(v->items, v->count, sizeof(*v->items));
	v->items[v->count++] = text;
}

/* The strings below value, all or those that paths lead to. */
static void
collect(struct values *v, const struct rest *rest, bool all, enum form form,
    struct span value)
{
	struct rest here;

	for (size_t i = 0; i < rest->count && !all; i++) {
		all = rest->paths[i][0] == '\0';
		form = rest->form[i];
	}
	if (all && form == ANNOTATIONS)
		return;
	if (all && json_type(value) == JSON_STRING)
		add_value(v, form, value);
	if (!all && rest->count == 0 && !redact_has_secret(value))
		return;
	here = at_object(rest, value);
	for (struct json_members m = json_members(value); json_member(&m);) {
		struct rest below = descend(&here, m.key);

		collect(v, &below, all, form, m.value);
	}
	for (struct json_elements e = json_elements(value); json_element(&e);) {
		struct rest below = descend(&here, SPAN_NONE);

		collect(v, &below, all, form, e.value);
	}
}

static bool
is_value(const struct values *v, struct span text)
{
	for (size_t i = 0; i < v->count; i++)
		if (text.n >= WHOLE_MIN &&
		    span_eq(text, buf_span(&v->items[i])))
			return true;
	return false;
}

static bool
has_value(struct span text, const void *values)
{
	const struct values *v = values;

	for (size_t i = 0; i < v->count; i++) {
		const struct buf *part = &v->items[i];

		if (part->len >= PART_MIN &&
		    memmem(text.p, text.n, part->data, part->len) != NULL)
			return true;
	}
	return false;
}

/* A manifest of the object, as those who apply it keep it: as JSON, or
 * compressed. */
static bool
is_manifest(struct span text)
{
	static const char *const members[] = {
	    "data", "stringData", "spec", "kind"};
	bool found = span_starts(text, "H4sI"); /* gzip in base64 */

	if (json_check(text, NULL) != 0 || json_type(text) != JSON_OBJECT)
		return found;
	for (size_t i = 0; i < COUNT(members); i++)
		found = found || json_get(text, members[i]).p != NULL;
	return found;
}

static bool
may_have_copy(const struct values *v, struct span key, struct span text)
{
	bool found = span_is(key, REDACTED_LAST_APPLIED);

	if (found || v->count == 0 || span_starts(key, "kpipe.dev/"))
		return found;
	return is_manifest(text) || is_value(v, text) ||
	    redacted_search(text, PART_MIN, has_value, v);
}

static void redact_paths(const struct redact *r, const struct rest *rest,
    struct span value, struct buf *out);

static void
redact_annotations(const struct redact *r, const struct rest *rest,
    struct span map, struct buf *out)
{
	buf_addc(out, '{');
	for (struct json_members m = json_members(map); json_member(&m);) {
		struct rest below = descend(rest, m.key);
		struct buf text = BUF_INIT;
		struct span plain = json_string(m.value, &text);

		json_add_raw_key(out, m.key);
		if (plain.p != NULL &&
		    may_have_copy(rest->values, m.key, plain))
			add_digest(r, TEXT, m.value, out);
		else
			redact_paths(r, &below, m.value, out);
		buf_release(&text);
	}
	buf_addc(out, '}');
}

/* ---- the object ---- */

static void
redact_text(const struct redact *r, struct span value, struct buf *out)
{
	struct buf scratch = BUF_INIT;
	struct span text =
	    redact_has_secret(value) ? json_string(value, &scratch) : SPAN_NONE;

	if (text.p != NULL && has_manifest(text))
		add_digest(r, TEXT, value, out);
	else
		buf_addspan(out, value);
	buf_release(&scratch);
}

static void
redact_paths(const struct redact *r, const struct rest *rest, struct span value,
    struct buf *out)
{
	enum json_type type = json_type(value);
	struct rest here, below;
	bool annotations = false;

	for (size_t i = 0; i < rest->count; i++) {
		if (rest->paths[i][0] != '\0')
			continue;
		if (rest->form[i] != ANNOTATIONS) {
			redact_all(r, rest->form[i], value, out);
			return;
		}
		annotations = true;
	}
	if (annotations && type == JSON_OBJECT) {
		redact_annotations(r, rest, value, out);
	} else if (type == JSON_STRING) {
		redact_text(r, value, out);
	} else if ((type != JSON_OBJECT && type != JSON_ARRAY) ||
	    (rest->count == 0 && !redact_has_secret(value))) {
		buf_addspan(out, value);
	} else if (type == JSON_OBJECT) {
		here = at_object(rest, value);
		buf_addc(out, '{');
		for (struct json_members m = json_members(value);
		     json_member(&m);) {
			below = descend(&here, m.key);
			json_add_raw_key(out, m.key);
			redact_paths(r, &below, m.value, out);
		}
		buf_addc(out, '}');
	} else {
		below = descend(rest, SPAN_NONE);
		buf_addc(out, '[');
		for (struct json_elements e = json_elements(value);
		     json_element(&e);) {
			json_add_comma(out);
			redact_paths(r, &below, e.value, out);
		}
		buf_addc(out, ']');
	}
}

void
redact_object(const struct redact *r, struct span group, struct span kind,
    const char *const *paths, struct span object, struct buf *out)
{
	struct values values = {NULL, 0};
	struct rest rest = {.count = 0, .values = &values};
	struct buf plain = BUF_INIT;

	/* Keys are compared raw. */
	if (json_plain(object, &plain))
		object = buf_span(&plain);
	add_path(&rest, ANNOTATIONS, "metadata.annotations");
	if (group.n == 0)
		add_kind(&rest, kind);
	for (; paths != NULL && *paths != NULL; paths++)
		add_path(&rest, TEXT, *paths);
	collect(&values, &rest, false, TEXT, object);
	redact_paths(r, &rest, object, out);
	for (size_t i = 0; i < values.count; i++)
		buf_release(&values.items[i]);
	free(values.items);
	buf_release(&plain);
}
