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
#include "value/objref.h"

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

/* Refuses generateName: the server would make another name at each
 * evaluation. */
static int
check_generated(const char *item, jv metadata_peek, struct err *err)
{
	if (jv_is_valid(jvtext_peek(metadata_peek, "name")) ||
	    !jv_is_valid(jvtext_peek(metadata_peek, "generateName")))
		return 0;
	return err_set(err, ERR_PERMANENT,
	    "%s has metadata.generateName and no name, so it would be another "
	    "object each time: name_for(SEED) makes a name that stays",
	    item);
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
	    check_generated(item, metadata, err) != 0 ||
	    check_text(item, "metadata.name", name, NEEDED, err) != 0)
		return -1;
	if (!objref_name_fits(jvtext_span(name)))
		return err_set(err, ERR_PERMANENT, "%s has the name \"%s\": %s",
		    item, jv_string_value(name), OBJREF_NAME_RULE);
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

/* The objects that "desired: item 0" comes after, without their own marks. */
static int
check_after(const char *item, struct program_item *i, struct err *err)
{
	jv others = jv_array();
	int rc = 0;

	if (!jv_is_valid(i->after)) {
		jv_free(others);
		return 0;
	}
	if (jv_get_kind(i->after) != JV_KIND_ARRAY)
		rc = err_set(err, ERR_PERMANENT,
		    "%s is after what is not a list of objects", item);
	for (int n = 0; rc == 0 && n < jv_array_length(jv_copy(i->after));
	     n++) {
		jv other = jv_array_get(jv_copy(i->after), n);
		jv immutable = jv_invalid(), after = jv_invalid();
		struct buf about = BUF_INIT;

		itemmarks_take(&other, &immutable, &after);
		buf_addf(&about, "%s: object %d that it is after", item, n);
		rc = check_identity(buf_str(&about), other, err);
		others = jv_array_append(others, other);
		jv_free(immutable);
		jv_free(after);
		buf_release(&about);
	}
	jv_free(i->after);
	i->after = others;
	return rc;
}

/* Consumes array. */
static int
to_items(struct program *p, enum program_call call, jv array,
    struct program_items *items, struct err *err)
{
	const char *what = run_place(p, call);
	int n = jv_array_length(jv_copy(array));
	int rc = 0, others = 0;

	*items = (struct program_items){NULL, 0};
	items->items = mem_array(NULL, (size_t)n, sizeof(*items->items));
	for (int i = 0; i < n && rc == 0; i++) {
		struct program_item *item = &items->items[items->count++];
		struct buf about = BUF_INIT;

		item->object = jv_array_get(jv_copy(array), i);
		item->immutable = jv_invalid();
		item->after = jv_invalid();
		item->marks = itemmarks_take(
		    &item->object, &item->immutable, &item->after);
		buf_addf(&about, "%s: item %d", what, i);
		rc = check_identity(buf_str(&about), item->object, err);
		if (rc == 0)
			rc = check_after(buf_str(&about), item, err);
		buf_release(&about);
		if (rc == 0 && jv_is_valid(item->after))
			others += jv_array_length(jv_copy(item->after));
		if (others > PROGRAM_AFTER_MAX)
			rc = err_set(err, ERR_PERMANENT,
			    "%s: items are after more than %d others in all: "
			    "name only those next before each",
			    what, PROGRAM_AFTER_MAX);
		if (rc == 0)
			rc = itemmarks_check(what, i, item->marks,
			    call == PROGRAM_DESIRED ? 0 : ITEM_OTHERS,
			    item->object, item->immutable, err);
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
		jv_free(items->items[i].after);
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
		return to_items(p, PROGRAM_DESIRED, result, items, err);
	if (!jv_is_valid(result)) {
		jv_free(result);
		return run_fail(
		    p, PROGRAM_DESIRED, " gives no result; nothing is []", err);
	}
	return run_refuse(p, PROGRAM_DESIRED, result, "an array", err);
}

static int
take_items(
    struct program *p, jv object, struct program_items *items, struct err *err)
{
	jv value = jvtext_peek(object, "items");

	if (!jv_is_valid(value))
		return 0;
	if (jv_get_kind(value) != JV_KIND_ARRAY)
		return run_fail(
		    p, PROGRAM_FINALIZE, ": .items is not an array", err);
	return to_items(p, PROGRAM_FINALIZE, jv_copy(value), items, err);
}

static int
take_delete(struct program *p, jv object, jv *array, struct err *err)
{
	jv value = jvtext_peek(object, "delete");

	*array = jv_array();
	if (!jv_is_valid(value))
		return 0;
	if (jv_get_kind(value) != JV_KIND_ARRAY)
		return run_fail(
		    p, PROGRAM_FINALIZE, ": .delete is not an array", err);
	jv_free(*array);
	*array = jv_copy(value);
	jv_array_foreach(*array, i, element)
	{
		struct buf about = BUF_INIT;
		int rc;

		buf_addf(&about, "%s: object %d to delete",
		    run_place(p, PROGRAM_FINALIZE), i);
		rc = check_identity(buf_str(&about), element, err);
		buf_release(&about);
		jv_free(element);
		if (rc != 0)
			return -1;
	}
	return 0;
}

static int
check_finalize(struct program *p, jv object, struct err *err)
{
	if (jv_get_kind(object) != JV_KIND_OBJECT)
		return run_fail(p, PROGRAM_FINALIZE,
		    " gives no object {items, delete, done}", err);
	jv_object_foreach(object, key, value)
	{
		struct span k = jvtext_span(key);
		bool known = span_is(k, "items") || span_is(k, "delete") ||
		    span_is(k, "done");

		jv_free(key);
		jv_free(value);
		if (!known)
			return run_fail(p, PROGRAM_FINALIZE,
			    " gives more than {items, delete, done}", err);
	}
	switch (jv_get_kind(jvtext_peek(object, "done"))) {
	case JV_KIND_TRUE:
	case JV_KIND_FALSE:
		return 0;
	default:
		return run_fail(p, PROGRAM_FINALIZE,
		    ": .done is neither true nor false", err);
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
	rc = check_finalize(p, result, err);
	if (rc == 0)
		rc = take_items(p, result, &f->items, err);
	if (rc == 0)
		rc = take_delete(p, result, &f->delete_, err);
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
