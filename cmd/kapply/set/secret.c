#include "set/secret.h"

#include "json/json.h"
#include "value/base64.h"

static bool
is_secret(const struct item *i)
{
	return i->id.group.n == 0 && span_is(i->id.kind, "Secret");
}

/* A raw key, unescaped. */
static struct span
key_text(struct span key, struct buf *scratch)
{
	return json_string(span_make(key.p - 1, key.n + 2), scratch);
}

static bool
has_key(struct span map, struct span key)
{
	struct buf a = BUF_INIT, b = BUF_INIT;
	bool found = false;

	for (struct json_members m = json_members(map);
	     !found && json_member(&m);)
		found = json_type(m.value) != JSON_NULL &&
		    span_eq(key_text(m.key, &a), key_text(key, &b));
	buf_release(&a);
	buf_release(&b);
	return found;
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

static void
add_member(struct buf *b, struct span key, struct span value)
{
	json_add_comma(b);
	buf_addc(b, '"');
	buf_addspan(b, key);
	buf_adds(b, "\":");
	buf_addspan(b, value);
}

/* data as the server makes it of both: stringData wins. */
static void
add_data(struct buf *b, struct span data, struct span written)
{
	struct buf text = BUF_INIT, scratch = BUF_INIT;

	json_add_key(b, "data");
	buf_addc(b, '{');
	for (struct json_members m = json_members(data); json_member(&m);)
		if (!has_key(written, m.key))
			add_member(b, m.key, m.value);
	for (struct json_members m = json_members(written); json_member(&m);) {
		if (json_type(m.value) == JSON_NULL)
			continue;
		buf_reset(&text);
		buf_addc(&text, '"');
		base64_add(&text, json_string(m.value, &scratch));
		buf_addc(&text, '"');
		add_member(b, m.key, buf_span(&text));
	}
	buf_addc(b, '}');
	buf_release(&text);
	buf_release(&scratch);
}

static bool
is_convertible(struct span written, struct span data)
{
	return is_of_texts(written) &&
	    (data.n == 0 || json_type(data) == JSON_OBJECT ||
		json_type(data) == JSON_NULL);
}

void
secret_spell(struct buf *b, const struct item *i)
{
	bool secret = is_secret(i); /* most items are not, and are long */
	struct span written =
	    secret ? json_get(i->text, "stringData") : SPAN_NONE;
	struct span data = secret ? json_get(i->text, "data") : SPAN_NONE;

	if (!is_convertible(written, data)) {
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

			owned = has_key(
			    map, span_make(quoted.data + 1, quoted.len - 2));
		}
	buf_release(&name);
	buf_release(&quoted);
	buf_release(&scratch);
	return owned;
}

static void
add_head(struct buf *b, struct span live)
{
	buf_adds(b, "{\"metadata\":{");
	json_add_key(b, "uid");
	json_add_string(b, json_raw_string(json_path(live, "metadata.uid")));
	json_add_key(b, "resourceVersion");
	json_add_string(
	    b, json_raw_string(json_path(live, "metadata.resourceVersion")));
	buf_adds(b, "},\"data\":{");
}

bool
secret_trim(struct buf *b, const struct item *i, struct span live)
{
	struct span managers;
	struct json_members m;
	bool any = false;

	if (!is_secret(i) || i->partial != PARTIAL_NONE)
		return false;
	managers = json_path(live, "metadata.managedFields");
	if (json_type(managers) != JSON_ARRAY)
		return false;
	m = json_members(json_get(live, "data"));
	add_head(b, live);
	while (json_member(&m)) {
		if (is_owned(managers, m.key))
			continue;
		any = true;
		add_member(b, m.key, span_str("null"));
	}
	buf_adds(b, "}}");
	return any;
}
