/*
 * Part of program/program.h: checks the objects that desired and finalize give.
 */
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "json/jvtext.h"
#include "program/run.h"
#include "value/datakind.h"
#include "value/objref.h"

static int
fail(struct err *err, const char *what)
{
	return err_set(err, ERR_PERMANENT, "%s", what);
}

static struct span
text_of(jv object_peek, const char *key)
{
	return jvtext_span(jvtext_peek(object_peek, key));
}

enum need { OPTIONAL, NEEDED };

/* Whether the member called name of "desired: item 0" is a text. A number as
 * the namespace would mean that of the primary. */
static int
check_text(const char *item, const char *name, jv value_peek, enum need need,
    struct err *err)
{
	jv_kind kind = jv_get_kind(value_peek);
	bool lacks = kind == JV_KIND_INVALID || kind == JV_KIND_NULL ||
	    (kind == JV_KIND_STRING && jvtext_span(value_peek).n == 0);

	if (lacks && need == NEEDED)
		return err_set(err, ERR_PERMANENT, "%s has no %s", item, name);
	if (lacks || kind == JV_KIND_STRING)
		return 0;
	return err_set(err, ERR_PERMANENT,
	    "%s has %s as its %s, which has to be a text%s", item,
	    jvtext_sort(value_peek), name,
	    kind == JV_KIND_ARRAY || kind == JV_KIND_OBJECT
		? ""
		: ": tostring makes one");
}

/* Whether "desired: item 0" is an object that can be identified. */
static int
check_identity(const char *item, jv object_peek, struct err *err)
{
	jv metadata = jvtext_peek(object_peek, "metadata");
	jv version = jvtext_peek(object_peek, "apiVersion");
	jv kind = jvtext_peek(object_peek, "kind");
	jv name = jvtext_peek(metadata, "name");
	jv ns = jvtext_peek(metadata, "namespace");

	if (jv_get_kind(object_peek) != JV_KIND_OBJECT)
		return err_set(err, ERR_PERMANENT, "%s is not an object", item);
	if (check_text(item, "apiVersion", version, NEEDED, err) != 0 ||
	    check_text(item, "kind", kind, NEEDED, err) != 0 ||
	    check_text(item, "metadata.name", name, NEEDED, err) != 0)
		return -1;
	return check_text(item, "metadata.namespace", ns, OPTIONAL, err);
}

/* Kind.group/namespace/name; the group without its version. */
static void
add_identity(struct buf *b, jv object)
{
	jv metadata = jvtext_peek(object, "metadata");

	objref_add_key(b,
	    &(struct objref){.kind = text_of(object, "kind"),
		.group = objref_group(text_of(object, "apiVersion")),
		.namespace_ = text_of(metadata, "namespace"),
		.name = text_of(metadata, "name")});
}

static int
check_twice(
    const char *what, const struct program_items *items, struct err *err)
{
	struct map seen = MAP_INIT;
	struct buf *keys = mem_array(NULL, items->count, sizeof(*keys));
	int rc = 0;

	for (size_t i = 0; i < items->count; i++) {
		keys[i] = (struct buf)BUF_INIT;
		add_identity(&keys[i], items->items[i].object);
		if (rc == 0 &&
		    map_put(&seen, buf_span(&keys[i]), &keys[i]) != NULL)
			rc = err_set(err, ERR_PERMANENT, "%s gives %s twice",
			    what, buf_str(&keys[i]));
	}
	map_release(&seen);
	for (size_t i = 0; i < items->count; i++)
		buf_release(&keys[i]);
	free(keys);
	return rc;
}

/* Takes the object out of {"kpipe.dev/once": object}. */
static bool
unwrap(jv *item, const char *mark)
{
	jv inner = jvtext_peek(*item, mark);

	if (!jv_is_valid(inner) || jv_object_length(jv_copy(*item)) != 1)
		return false;
	inner = jv_copy(inner);
	jv_free(*item);
	*item = inner;
	return true;
}

/* Takes it out of {"kpipe.dev/immutable": {"object": ..., "paths": ...}}. */
static bool
unwrap_immutable(struct program_item *item)
{
	jv inner;

	if (jv_is_valid(item->immutable) ||
	    !unwrap(&item->object, "kpipe.dev/immutable"))
		return false;
	inner = item->object;
	item->object = jv_copy(jvtext_peek(inner, "object"));
	item->immutable = jv_copy(jvtext_peek(inner, "paths"));
	if (!jv_is_valid(item->immutable))
		item->immutable = jv_null();
	jv_free(inner);
	return true;
}

static struct program_item
to_item(jv object)
{
	struct program_item item = {
	    .object = object, .immutable = jv_invalid()};
	bool more = true;

	while (more) {
		more = false;
		if (!item.once && unwrap(&item.object, "kpipe.dev/once"))
			more = item.once = true;
		if (!item.if_exists &&
		    unwrap(&item.object, "kpipe.dev/if-exists"))
			more = item.if_exists = true;
		if (!item.keep && unwrap(&item.object, "kpipe.dev/keep"))
			more = item.keep = true;
		if (!item.exactly && unwrap(&item.object, "kpipe.dev/exactly"))
			more = item.exactly = true;
		if (!item.retain && unwrap(&item.object, "kpipe.dev/retain"))
			more = item.retain = true;
		if (!item.foreign &&
		    unwrap(&item.object, "kpipe.dev/delete-foreign"))
			more = item.foreign = true;
		if (!item.patch && unwrap(&item.object, "kpipe.dev/patch"))
			more = item.patch = true;
		more = unwrap_immutable(&item) || more;
	}
	return item;
}

static bool
is_path(jv path_peek)
{
	bool good = jv_get_kind(path_peek) == JV_KIND_ARRAY &&
	    jv_array_length(jv_copy(path_peek)) > 0;

	if (!good)
		return false;
	jv_array_foreach(path_peek, i, key)
	{
		good = good && jv_get_kind(key) == JV_KIND_STRING;
		jv_free(key);
	}
	return good;
}

static bool
is_identity(jv path_peek)
{
	jv first = jv_array_get(jv_copy(path_peek), 0);
	struct span key = jvtext_span(first);
	bool yes = span_is(key, "metadata") || span_is(key, "apiVersion") ||
	    span_is(key, "kind");

	jv_free(first);
	return yes;
}

/* The error in paths, as the rest of "the paths ...", or NULL. */
static const char *
wrong_paths(jv paths_peek)
{
	const char *wrong = NULL;

	if (jv_get_kind(paths_peek) != JV_KIND_ARRAY ||
	    jv_array_length(jv_copy(paths_peek)) == 0)
		return "are not a list of paths";
	jv_array_foreach(paths_peek, i, path)
	{
		if (!is_path(path))
			wrong = "lead not by members alone";
		else if (is_identity(path))
			wrong = "lead into the identity of the object";
		jv_free(path);
	}
	return wrong;
}

/* A ConfigMap or a Secret. */
static bool
has_data(jv object_peek)
{
	struct span version = text_of(object_peek, "apiVersion");

	return datakind(objref_group(version), text_of(object_peek, "kind"));
}

/* Marks that exclude each other, and bad paths. */
static int
check_marks(
    const char *what, int n, const struct program_item *item, struct err *err)
{
	const char *alone = item->keep ? "keep"
	    : item->foreign	       ? "delete_foreign"
	    : item->patch	       ? "patch_only"
				       : NULL;
	const char *wrong;

	if (item->once && item->if_exists)
		return err_set(err, ERR_PERMANENT,
		    "%s: item %d is both once and if_exists", what, n);
	if (alone != NULL &&
	    (item->keep + item->foreign + item->patch > 1 || item->once ||
		item->if_exists || item->exactly || item->retain ||
		jv_is_valid(item->immutable)))
		return err_set(err, ERR_PERMANENT,
		    "%s: item %d is %s and something else, too", what, n,
		    alone);
	if ((item->foreign || item->patch) && strcmp(what, "desired") != 0)
		return err_set(err, ERR_PERMANENT,
		    "%s: item %d is %s, which is for desired", what, n, alone);
	if (item->exactly && !has_data(item->object))
		return err_set(err, ERR_PERMANENT,
		    "%s: item %d is exactly, which is for ConfigMaps and "
		    "Secrets",
		    what, n);
	if (!jv_is_valid(item->immutable))
		return 0;
	wrong = wrong_paths(item->immutable);
	return wrong == NULL
	    ? 0
	    : err_set(err, ERR_PERMANENT,
		  "%s: the immutable paths of item %d %s", what, n, wrong);
}

/* Consumes array. */
static int
to_items(
    const char *what, jv array, struct program_items *items, struct err *err)
{
	int n = jv_array_length(jv_copy(array));
	int rc = 0;

	*items = (struct program_items){NULL, 0};
	items->items = mem_array(NULL, (size_t)n, sizeof(*items->items));
	for (int i = 0; i < n && rc == 0; i++) {
		struct program_item item =
		    to_item(jv_array_get(jv_copy(array), i));

		struct buf about = BUF_INIT;

		items->items[items->count++] = item;
		buf_addf(&about, "%s: item %d", what, i);
		rc = check_identity(buf_str(&about), item.object, err);
		buf_release(&about);
		if (rc == 0)
			rc = check_marks(what, i, &item, err);
	}
	jv_free(array);
	if (rc == 0)
		rc = check_twice(what, items, err);
	if (rc != 0)
		program_items_release(items);
	return rc;
}

void
program_items_release(struct program_items *items)
{
	for (size_t i = 0; i < items->count; i++) {
		jv_free(items->items[i].object);
		jv_free(items->items[i].immutable);
	}
	free(items->items);
	*items = (struct program_items){NULL, 0};
}

int
program_desired(struct program *p, const struct arguments *input,
    const char *about, struct program_items *items, struct err *err)
{
	jv result;

	*items = (struct program_items){NULL, 0};
	if (run_program(p, PROGRAM_DESIRED, input, about, &result, err) != 0)
		return -1;
	if (jv_get_kind(result) == JV_KIND_ARRAY)
		return to_items("desired", result, items, err);
	if (!jv_is_valid(result)) {
		jv_free(result);
		return fail(err, "desired gives no result; nothing is []");
	}
	jv_free(result);
	return fail(err, "desired gives something else than an array");
}

static int
take_items(jv object, struct program_items *items, struct err *err)
{
	jv value = jvtext_peek(object, "items");

	if (!jv_is_valid(value))
		return 0;
	if (jv_get_kind(value) != JV_KIND_ARRAY)
		return fail(err, "finalize: .items is not an array");
	return to_items("finalize", jv_copy(value), items, err);
}

static int
take_delete(jv object, jv *array, struct err *err)
{
	jv value = jvtext_peek(object, "delete");

	*array = jv_array();
	if (!jv_is_valid(value))
		return 0;
	if (jv_get_kind(value) != JV_KIND_ARRAY)
		return fail(err, "finalize: .delete is not an array");
	jv_free(*array);
	*array = jv_copy(value);
	jv_array_foreach(*array, i, element)
	{
		struct buf about = BUF_INIT;
		int rc;

		buf_addf(&about, "finalize: object %d to delete", i);
		rc = check_identity(buf_str(&about), element, err);
		buf_release(&about);
		jv_free(element);
		if (rc != 0)
			return -1;
	}
	return 0;
}

static int
check_finalize(jv object, struct err *err)
{
	if (jv_get_kind(object) != JV_KIND_OBJECT)
		return fail(
		    err, "finalize gives no object {items, delete, done}");
	jv_object_foreach(object, key, value)
	{
		struct span k = jvtext_span(key);
		bool known = span_is(k, "items") || span_is(k, "delete") ||
		    span_is(k, "done");

		jv_free(key);
		jv_free(value);
		if (!known)
			return fail(err,
			    "finalize gives more than {items, delete, done}");
	}
	switch (jv_get_kind(jvtext_peek(object, "done"))) {
	case JV_KIND_TRUE:
	case JV_KIND_FALSE:
		return 0;
	default:
		return fail(err, "finalize: .done is neither true nor false");
	}
}

int
program_finalize(struct program *p, const struct arguments *input,
    const char *about, struct program_finalize *f, struct err *err)
{
	jv result;
	int rc;

	*f = (struct program_finalize){{NULL, 0}, jv_invalid(), false};
	if (run_program(p, PROGRAM_FINALIZE, input, about, &result, err) != 0)
		return -1;
	rc = check_finalize(result, err);
	if (rc == 0)
		rc = take_items(result, &f->items, err);
	if (rc == 0)
		rc = take_delete(result, &f->delete_, err);
	if (rc == 0)
		f->done =
		    jv_get_kind(jvtext_peek(result, "done")) == JV_KIND_TRUE;
	else
		program_finalize_release(f);
	jv_free(result);
	return rc;
}

void
program_finalize_release(struct program_finalize *f)
{
	program_items_release(&f->items);
	jv_free(f->delete_);
	f->delete_ = jv_invalid();
}
