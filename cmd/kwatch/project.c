#include "project.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/mem.h"
#include "json/fieldpath.h"
#include "json/json.h"

struct branch {
	char *key; /* raw, as in JSON text; NULL: the root, or elements */
	bool whole;
	struct branch *elements; /* branch of the elements of an array */
	struct branch **children;
	size_t count;
};

struct project {
	struct branch root;
};

static void
node_release(struct branch *n)
{
	for (size_t i = 0; i < n->count; i++) {
		node_release(n->children[i]);
		free(n->children[i]);
	}
	if (n->elements != NULL)
		node_release(n->elements);
	free(n->elements);
	free(n->children);
	free(n->key);
}

/* Keys are compared raw, so the key of the path is escaped as Go and we do
 * it. */
static struct branch *
node_child(struct branch *n, struct span key)
{
	struct buf raw = BUF_INIT;
	struct branch *child;

	json_add_string(&raw, key);
	for (size_t i = 0; i < n->count; i++) {
		if (strlen(n->children[i]->key) == raw.len - 2 &&
		    memcmp(n->children[i]->key, raw.data + 1, raw.len - 2) ==
			0) {
			buf_release(&raw);
			return n->children[i];
		}
	}
	child = mem_zalloc(sizeof(*child));
	child->key = mem_dup(raw.data + 1, raw.len - 2);
	n->children = mem_grow(n->children, n->count, sizeof(*n->children));
	n->children[n->count++] = child;
	buf_release(&raw);
	return child;
}

static struct branch *
node_elements(struct branch *n)
{
	if (n->elements == NULL)
		n->elements = mem_zalloc(sizeof(*n->elements));
	return n->elements;
}

static void
keep(struct project *p, const char *parent, const char *key)
{
	struct branch *n = node_child(&p->root, span_str("metadata"));

	if (parent != NULL)
		n = node_child(n, span_str(parent));
	node_child(n, span_str(key))->whole = true;
}

struct project *
project_new(void)
{
	static const char *const always[] = {"name", "namespace", "uid",
	    "resourceVersion", "generation", "creationTimestamp",
	    "deletionTimestamp", "ownerReferences"};
	static const char *const marks[] = {"kpipe.dev/member",
	    "kpipe.dev/proof", "kpipe.dev/retain", "kpipe.dev/instance"};
	struct project *p = mem_zalloc(sizeof(*p));

	for (size_t i = 0; i < COUNT(always); i++)
		keep(p, NULL, always[i]);
	keep(p, "labels", "kpipe.dev/part-of");
	for (size_t i = 0; i < COUNT(marks); i++)
		keep(p, "annotations", marks[i]);
	return p;
}

void
project_free(struct project *p)
{
	if (p == NULL)
		return;
	node_release(&p->root);
	free(p);
}

void
project_add_label(struct project *p, const char *key)
{
	keep(p, "labels", key);
}

static struct branch *
step(struct branch *n, const char **path, bool first)
{
	struct span key = SPAN_NONE;

	return fieldpath_step(path, first, &key) == FIELDPATH_ELEMENTS
	    ? node_elements(n)
	    : node_child(n, key);
}

int
project_add(struct project *p, const char *path, struct err *err)
{
	struct branch *n = &p->root;
	const char *s = path;

	if (fieldpath_check(path, err) != 0)
		return -1;
	for (bool first = true; *s != '\0'; first = false)
		n = step(n, &s, first);
	n->whole = true;
	return 0;
}

static const struct branch *
find(const struct branch *n, struct span key)
{
	for (size_t i = 0; i < n->count; i++)
		if (span_is(key, n->children[i]->key))
			return n->children[i];
	return NULL;
}

/* True if cut would write anything for this value. */
static bool
fits(const struct branch *n, struct span value)
{
	if (n == NULL)
		return false;
	if (n->whole)
		return true;
	switch (json_type(value)) {
	case JSON_OBJECT:
		return n->count > 0;
	case JSON_ARRAY:
		return n->elements != NULL;
	default:
		return false;
	}
}

static void cut(const struct branch *n, struct span value, struct buf *out);

static void
cut_members(const struct branch *n, struct span object, struct buf *out)
{
	for (struct json_members m = json_members(object); json_member(&m);) {
		const struct branch *child = find(n, m.key);

		if (!fits(child, m.value))
			continue;
		json_add_raw_key(out, m.key);
		cut(child, m.value, out);
	}
}

static void
cut(const struct branch *n, struct span value, struct buf *out)
{
	if (n->whole) {
		buf_addspan(out, value);
		return;
	}
	if (json_type(value) == JSON_OBJECT) {
		buf_addc(out, '{');
		cut_members(n, value, out);
		buf_addc(out, '}');
		return;
	}
	buf_addc(out, '[');
	for (struct json_elements e = json_elements(value); json_element(&e);) {
		json_add_comma(out);
		if (fits(n->elements, e.value))
			cut(n->elements, e.value, out);
		else
			buf_adds(out, "null"); /* indexes stay */
	}
	buf_addc(out, ']');
}

void
project_cut(const struct project *p, struct span api_version, struct span kind,
    struct span object, struct buf *out)
{
	buf_addc(out, '{');
	json_add_key(out, "apiVersion");
	json_add_string(out, api_version);
	json_add_key(out, "kind");
	json_add_string(out, kind);
	cut_members(&p->root, object, out);
	buf_addc(out, '}');
}
