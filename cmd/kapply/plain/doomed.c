#include "plain/doomed.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "json/json.h"
#include "plain/setparent.h"

static struct span
metadata(struct span object, const char *key, struct arena *names)
{
	return json_name(json_get(json_get(object, "metadata"), key), names);
}

struct doomed *
doomed_new(const struct api_resource *r, struct span object)
{
	struct doomed *d = mem_zalloc(sizeof(*d));
	struct objref *id = &d->item.id;
	struct buf key = BUF_INIT, text = BUF_INIT;

	if (*r->group != '\0')
		buf_addf(&text, "%s/", r->group);
	buf_adds(&text, r->version);
	buf_addc(&text, ' ');
	buf_addspan(&text, object);
	d->text = buf_take(&text);
	id->api_version = span_make(d->text, strcspn(d->text, " "));
	object.p = d->text + id->api_version.n + 1;
	id->kind = span_str(r->kind);
	id->group = span_str(r->group);
	id->name = metadata(object, "name", &d->names);
	id->namespace_ = metadata(object, "namespace", &d->names);
	id->uid = metadata(object, "uid", &d->names);
	d->set = json_name(json_get(json_path(object, "metadata.labels"),
			       SETPARENT_PREFIX "id"),
	    &d->names);
	d->item.op = OP_DELETE;
	d->resource = r;
	objref_add_key(&key, id);
	d->item.key = buf_take(&key);
	return d;
}

void
doomed_free(struct doomed *d)
{
	arena_release(&d->names);
	free(d->item.key);
	free(d->text);
	free(d);
}

static bool
is_kind(const struct doomed *d, const char *group, const char *kind)
{
	return span_eq(d->item.id.group, span_str(group)) &&
	    span_eq(d->item.id.kind, span_str(kind));
}

/* The name of a definition is that of its resource, a dot and its group. */
static bool
defines(const struct doomed *d, const struct api_resource *r)
{
	struct buf name = BUF_INIT;
	bool same;

	if (r == NULL)
		return false;
	buf_addf(&name, "%s.%s", r->plural, r->group);
	same = span_eq(d->item.id.name, buf_span(&name));
	buf_release(&name);
	return same;
}

static bool
defines_any(const struct doomed *d, const struct discovery *discovery,
    const struct textset *kinds)
{
	struct span *all = textset_sorted(kinds);
	bool found = false;

	for (size_t n = 0; n < textset_count(kinds) && !found; n++) {
		struct span kind, group;

		objref_split_kind(all[n], &kind, &group);
		found = defines(d, discovery_find_kind(discovery, group, kind));
	}
	free(all);
	return found;
}

static bool
is_parent(const struct doomed *d, const struct doomed_parent *parent)
{
	return is_kind(d, parent->resource->group, parent->resource->kind) &&
	    span_eq(d->item.id.namespace_, parent->namespace_) &&
	    span_eq(d->item.id.name, parent->name);
}

const char *
doomed_stays(const struct doomed *d, const struct discovery *discovery,
    const struct textset *namespaces, const struct textset *kinds,
    const struct doomed_parent *parent)
{
	bool definition =
	    is_kind(d, "apiextensions.k8s.io", "CustomResourceDefinition");

	if (is_parent(d, parent))
		return "not deleted: it is the parent of the set";
	if (d->set.n != 0)
		return "not deleted: it is the parent of another apply set, "
		       "which would forget its objects";
	if (is_kind(d, "", "Namespace") &&
	    textset_has(namespaces, d->item.id.name))
		return "not deleted: objects of the input are in it";
	if (is_kind(d, "", "Namespace") &&
	    span_eq(d->item.id.name, parent->namespace_))
		return "not deleted: the parent of the set is in it";
	if (definition && defines_any(d, discovery, kinds))
		return "not deleted: objects of the input are of its kind";
	if (definition && defines(d, parent->resource))
		return "not deleted: the parent of the set is of its kind";
	return NULL;
}
