#include "hide.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"
#include "json/json.h"
#include "value/objref.h"

/* The hidden fields of a kind, by watches.yaml. */
struct hidden {
	char *name; /* Kind.group */
	struct textlist paths;
};

struct hide {
	struct redact *redact;
	struct map kinds; /* struct hidden by name */
	struct buf name;
};

static void
add_kind(struct hide *h, const struct watch_kind *k)
{
	struct hidden *hidden;

	if (k->redact.count == 0)
		return;
	buf_reset(&h->name);
	watch_kind_name(k, &h->name);
	hidden = map_get(&h->kinds, buf_span(&h->name));
	if (hidden == NULL) {
		hidden = mem_zalloc(sizeof(*hidden));
		hidden->name = mem_strdup(buf_str(&h->name));
		map_put(&h->kinds, span_str(hidden->name), hidden);
	}
	for (size_t i = 0; i < k->redact.count; i++) {
		const char *path = k->redact.items[i];

		if (!textlist_has(&hidden->paths, path, strlen(path)))
			textlist_add(&hidden->paths, path, strlen(path));
	}
}

static void
add_entry(struct hide *h, const struct watch_entry *e)
{
	add_kind(h, &e->primary);
	for (size_t i = 0; i < e->dependent_count; i++)
		add_kind(h, &e->dependents[i]);
	for (size_t i = 0; i < e->related_count; i++)
		add_kind(h, &e->related[i]);
}

struct hide *
hide_new(struct redact *redact, const struct watches *w)
{
	struct hide *h = mem_zalloc(sizeof(*h));

	h->redact = redact;
	for (size_t i = 0; w != NULL && i < w->count; i++)
		add_entry(h, &w->entries[i]);
	return h;
}

void
hide_free(struct hide *h)
{
	struct hidden *hidden;
	size_t i = 0;

	if (h == NULL)
		return;
	while ((hidden = map_next(&h->kinds, &i)) != NULL) {
		textlist_release(&hidden->paths);
		free(hidden->name);
		free(hidden);
	}
	map_release(&h->kinds);
	redact_free(h->redact);
	buf_release(&h->name);
	free(h);
}

static const struct hidden *
find(struct hide *h, struct span kind, struct span group)
{
	if (h->kinds.count == 0)
		return NULL;
	buf_reset(&h->name);
	objref_add_kind(&h->name, kind, group);
	return map_get(&h->kinds, buf_span(&h->name));
}

static const char *const *
paths_of(const struct hidden *hidden)
{
	return hidden != NULL ? (const char *const *)hidden->paths.items : NULL;
}

static void
hide_alone(struct hide *h, const struct json_frame *f, struct buf *out)
{
	static const char applied[] = "last-applied-configuration";
	struct span group = objref_group(f->api_version);
	const struct hidden *hidden = find(h, f->kind, group);

	if (hidden == NULL && !(group.n == 0 && span_is(f->kind, "Secret")) &&
	    !redact_has_secret(f->object) &&
	    (f->annotations.p == NULL ||
		memmem(f->annotations.p, f->annotations.n, applied,
		    sizeof(applied) - 1) == NULL))
		buf_addspan(out, f->object);
	else
		redact_object(h->redact, group, f->kind, paths_of(hidden),
		    f->object, out);
}

static void
hide_item(struct hide *h, struct span api_version, struct span kind,
    struct span item, struct buf *out)
{
	struct json_frame f;

	json_add_comma(out);
	if (json_object_frame(item, &f) != 0) {
		buf_addspan(out, item);
		return;
	}
	if (f.kind.n == 0) {
		f.kind = kind;
		f.api_version = api_version;
	}
	hide_framed(h, &f, out);
}

/* A list: each of its items, of which those of a SecretList have no kind. */
static void
hide_list(struct hide *h, const struct json_frame *list, struct buf *out)
{
	struct span kind = span_make(list->kind.p, list->kind.n - 4);

	buf_addc(out, '{');
	for (struct json_members m = json_members(list->object);
	     json_member(&m);) {
		json_add_raw_key(out, m.key);
		if (!span_is(m.key, "items") ||
		    json_type(m.value) != JSON_ARRAY) {
			buf_addspan(out, m.value);
			continue;
		}
		buf_addc(out, '[');
		for (struct json_elements e = json_elements(m.value);
		     json_element(&e);)
			hide_item(h, list->api_version, kind, e.value, out);
		buf_addc(out, ']');
	}
	buf_addc(out, '}');
}

void
hide_framed(struct hide *h, const struct json_frame *f, struct buf *out)
{
	struct json_frame list = *f;
	struct buf b = BUF_INIT;

	if (span_ends(f->kind, "List") &&
	    json_type(json_get(f->object, "items")) == JSON_ARRAY) {
		hide_list(h, f, &b);
		json_object_frame(buf_span(&b), &list);
	}
	hide_alone(h, &list, out);
	buf_release(&b);
}

static void
hide_object(struct hide *h, struct span object, struct buf *out)
{
	struct json_frame f;

	if (json_object_frame(object, &f) == 0)
		hide_framed(h, &f, out);
	else
		buf_addspan(out, object);
}

/* A status, as it is in an object of that kind. */
static void
hide_status(struct hide *h, const struct hidden *hidden, struct span kind,
    struct span group, struct span status, struct buf *out)
{
	struct buf object = BUF_INIT, shown = BUF_INIT;

	if (hidden == NULL && !redact_has_secret(status)) {
		buf_addspan(out, status);
		return;
	}
	buf_adds(&object, "{\"status\":");
	buf_addspan(&object, status);
	buf_addc(&object, '}');
	redact_object(h->redact, group, kind, paths_of(hidden),
	    buf_span(&object), &shown);
	buf_addspan(out, json_get(buf_span(&shown), "status"));
	buf_release(&object);
	buf_release(&shown);
}

/* The strings of a reason, which may have values of hidden fields. */
static void
hide_all(struct hide *h, struct span value, struct buf *out)
{
	static const char *const all[] = {"all", NULL};
	struct buf object = BUF_INIT, shown = BUF_INIT;

	buf_adds(&object, "{\"all\":");
	buf_addspan(&object, value);
	buf_addc(&object, '}');
	redact_object(h->redact, span_str(""), span_str(""), all,
	    buf_span(&object), &shown);
	buf_addspan(out, json_get(buf_span(&shown), "all"));
	buf_release(&object);
	buf_release(&shown);
}

static bool
is_value(struct span key)
{
	return span_is(key, "observed") || span_is(key, "wanted") ||
	    span_is(key, "before") || span_is(key, "after");
}

/* Of an object whose kind has hidden fields: the values in a reason, or in a
 * difference. */
static void
hide_values(struct hide *h, struct span value, struct buf *out)
{
	enum json_type type = json_type(value);

	if (type != JSON_OBJECT && type != JSON_ARRAY) {
		buf_addspan(out, value);
		return;
	}
	buf_addc(out, type == JSON_OBJECT ? '{' : '[');
	if (type == JSON_OBJECT) {
		for (struct json_members m = json_members(value);
		     json_member(&m);) {
			json_add_raw_key(out, m.key);
			if (is_value(m.key))
				hide_all(h, m.value, out);
			else
				hide_values(h, m.value, out);
		}
	} else {
		for (struct json_elements e = json_elements(value);
		     json_element(&e);) {
			json_add_comma(out);
			hide_values(h, e.value, out);
		}
	}
	buf_addc(out, type == JSON_OBJECT ? '}' : ']');
}

/* `items` of a set's `because`: {KEY: reason}. */
static void
hide_reasons(struct hide *h, struct span items, struct buf *out)
{
	if (json_type(items) != JSON_OBJECT) {
		buf_addspan(out, items);
		return;
	}
	buf_addc(out, '{');
	for (struct json_members m = json_members(items); json_member(&m);) {
		struct objref o = {0};

		json_add_raw_key(out, m.key);
		if (objref_parse_key(&o, m.key) &&
		    find(h, o.kind, o.group) != NULL)
			hide_values(h, m.value, out);
		else
			buf_addspan(out, m.value);
	}
	buf_addc(out, '}');
}

static void
hide_because(struct hide *h, struct span because, struct buf *out)
{
	if (json_type(because) != JSON_OBJECT || h->kinds.count == 0) {
		buf_addspan(out, because);
		return;
	}
	buf_addc(out, '{');
	for (struct json_members m = json_members(because); json_member(&m);) {
		json_add_raw_key(out, m.key);
		if (span_is(m.key, "items"))
			hide_reasons(h, m.value, out);
		else
			buf_addspan(out, m.value);
	}
	buf_addc(out, '}');
}

static void
hide_reconcile(struct hide *h, struct span reconcile, struct buf *out)
{
	struct span primary = json_get(reconcile, "primary");
	struct span kind = json_raw_string(json_get(primary, "kind"));
	struct span group =
	    objref_group(json_raw_string(json_get(primary, "apiVersion")));
	const struct hidden *hidden = find(h, kind, group);

	buf_addc(out, '{');
	for (struct json_members m = json_members(reconcile);
	     json_member(&m);) {
		json_add_raw_key(out, m.key);
		if (span_is(m.key, "status") || span_is(m.key, "onError"))
			hide_status(h, hidden, kind, group, m.value, out);
		else if (span_is(m.key, "because"))
			hide_because(h, m.value, out);
		else
			buf_addspan(out, m.value);
	}
	buf_addc(out, '}');
}

static void
hide_items(struct hide *h, struct span items, struct buf *out)
{
	buf_addc(out, '[');
	for (struct json_elements e = json_elements(items); json_element(&e);) {
		json_add_comma(out);
		hide_object(h, e.value, out);
	}
	buf_addc(out, ']');
}

static void
hide_set(struct hide *h, struct span set, struct buf *out)
{
	if (json_type(set) != JSON_OBJECT) {
		buf_addspan(out, set);
		return;
	}
	buf_addc(out, '{');
	for (struct json_members m = json_members(set); json_member(&m);) {
		json_add_raw_key(out, m.key);
		if (span_is(m.key, "items"))
			hide_items(h, m.value, out);
		else if (span_is(m.key, "reconcile"))
			hide_reconcile(h, m.value, out);
		else
			buf_addspan(out, m.value);
	}
	buf_addc(out, '}');
}

/* The text that says why, of a kind with hidden fields; and its status. */
static void
hide_result(struct hide *h, struct span result, struct buf *out)
{
	struct span kind = json_raw_string(json_get(result, "kind"));
	struct span group =
	    objref_group(json_raw_string(json_get(result, "apiVersion")));
	const struct hidden *hidden = find(h, kind, group);

	if (hidden == NULL) {
		hide_object(h, result, out);
		return;
	}
	buf_addc(out, '{');
	for (struct json_members m = json_members(result); json_member(&m);) {
		json_add_raw_key(out, m.key);
		if (span_is(m.key, "because") || span_is(m.key, "message"))
			hide_all(h, m.value, out);
		else if (span_is(m.key, "status"))
			hide_status(h, hidden, kind, group, m.value, out);
		else
			buf_addspan(out, m.value);
	}
	buf_addc(out, '}');
}

/* A line of ireconcile --against. */
static void
hide_difference(struct hide *h, struct span line, struct buf *out)
{
	struct objref o = {0};
	struct arena names = ARENA_INIT;
	struct span key = json_name(json_get(line, "object"), &names);

	if (key.p != NULL && objref_parse_key(&o, key) &&
	    find(h, o.kind, o.group) != NULL)
		hide_values(h, line, out);
	else
		buf_addspan(out, line);
	arena_release(&names);
}

bool
hide_is_needless(const struct hide *h, struct span text)
{
	return h->kinds.count == 0 && !span_has(text, "Secret") &&
	    !span_has(text, "/last-applied-configuration");
}

/* Secrets anywhere else in the line, as in a reason. */
static void
hide_rest(struct hide *h, struct span line, struct buf *out)
{
	if (redact_has_secret(line))
		redact_object(
		    h->redact, span_str(""), span_str(""), NULL, line, out);
	else
		buf_addspan(out, line);
}

void
hide_body(
    struct hide *h, enum reading_kind kind, struct span body, struct buf *out)
{
	struct buf line = BUF_INIT;

	if (hide_is_needless(h, body)) {
		buf_addspan(out, body);
		return;
	}
	switch (kind) {
	case READING_EVENT:
	case READING_STATUS:
		hide_object(h, body, out);
		break;
	case READING_SET:
		hide_set(h, body, &line);
		break;
	case READING_RESULT:
		hide_result(h, body, &line);
		break;
	case READING_SHADOW:
		hide_difference(h, body, &line);
		break;
	default:
		buf_addspan(out, body);
	}
	hide_rest(h, buf_span(&line), out);
	buf_release(&line);
}
