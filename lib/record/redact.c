#include "record/redact.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/mem.h"
#include "json/json.h"
#include "record/redacted.h"
#include "value/base64.h"
#include "value/digest.h"

enum { MAX_PATHS = REDACT_PATHS_MAX + 3, NAME_SIZE = 8 };

struct redact {
	char key[REDACT_KEY_SIZE];
	char name[2 * NAME_SIZE]; /* of the key */
};

/* How values are written: in the data of a Secret by BASE64. */
enum form { TEXT, BASE64 };

/* The rest of each path that matches so far. */
struct rest {
	const char *paths[MAX_PATHS];
	enum form form[MAX_PATHS];
	size_t count;
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

/* The text of a digest of value. */
static void
add_text(const struct redact *r, struct span value, struct buf *out)
{
	unsigned char digest[DIGEST_SIZE];
	struct buf hex = BUF_INIT;

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
	struct rest to = {.count = 0};

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

static void
redact_paths(const struct redact *r, const struct rest *rest, struct span value,
    struct buf *out)
{
	enum json_type type = json_type(value);

	for (size_t i = 0; i < rest->count; i++) {
		if (rest->paths[i][0] == '\0') {
			redact_all(r, rest->form[i], value, out);
			return;
		}
	}
	if (rest->count == 0 || (type != JSON_OBJECT && type != JSON_ARRAY)) {
		buf_addspan(out, value);
		return;
	}
	buf_addc(out, type == JSON_OBJECT ? '{' : '[');
	if (type == JSON_OBJECT) {
		for (struct json_members m = json_members(value);
		     json_member(&m);) {
			struct rest below = descend(rest, m.key);

			json_add_raw_key(out, m.key);
			redact_paths(r, &below, m.value, out);
		}
	} else {
		struct rest below = descend(rest, SPAN_NONE);

		for (struct json_elements e = json_elements(value);
		     json_element(&e);) {
			json_add_comma(out);
			redact_paths(r, &below, e.value, out);
		}
	}
	buf_addc(out, type == JSON_OBJECT ? '}' : ']');
}

void
redact_object(const struct redact *r, struct span group, struct span kind,
    const char *const *paths, struct span object, struct buf *out)
{
	struct rest rest = {.count = 0};
	struct buf plain = BUF_INIT;

	/* Keys are compared raw. */
	if (json_plain(object, &plain))
		object = buf_span(&plain);
	rest.paths[rest.count++] =
	    "metadata.annotations"
	    "[\"kubectl.kubernetes.io/last-applied-configuration\"]";
	if (group.n == 0 && span_is(kind, "Secret")) {
		rest.form[rest.count] = BASE64;
		rest.paths[rest.count++] = "data";
		rest.paths[rest.count++] = "stringData";
	}
	for (; paths != NULL && *paths != NULL && rest.count < MAX_PATHS;
	     paths++)
		rest.paths[rest.count++] = *paths;
	redact_paths(r, &rest, object, out);
	buf_release(&plain);
}
