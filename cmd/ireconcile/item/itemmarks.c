#include "item/itemmarks.h"

#include <stddef.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/span.h"
#include "json/jvtext.h"
#include "value/datakind.h"
#include "value/objref.h"

static const struct {
	enum item_mark mark;
	const char *key;
	const char *function;
} table[] = {
    {ITEM_ONCE, "kpipe.dev/once", "once"},
    {ITEM_IF_EXISTS, "kpipe.dev/if-exists", "if_exists"},
    {ITEM_KEEP, "kpipe.dev/keep", "keep"},
    {ITEM_EXACTLY, "kpipe.dev/exactly", "exactly"},
    {ITEM_RETAIN, "kpipe.dev/retain", "retain"},
    {ITEM_FOREIGN, "kpipe.dev/delete-foreign", "delete_foreign"},
    {ITEM_PATCH, "kpipe.dev/patch", "patch_only"},
    {ITEM_AS_SEEN, "kpipe.dev/as-seen", "as_seen"},
    {ITEM_INDEPENDENT, "kpipe.dev/independent", "independent"},
};

/* Takes the object out of {KEY: object}. */
static bool
unwrap(jv *object, const char *key)
{
	jv inner = jvtext_peek(*object, key);

	if (!jv_is_valid(inner) || jv_object_length(jv_copy(*object)) != 1)
		return false;
	inner = jv_copy(inner);
	jv_free(*object);
	*object = inner;
	return true;
}

/* Takes the object out of {KEY: {"object": ..., MEMBER: ...}}; *value gets the
 * member, owned, or null. */
static bool
unwrap_with(jv *object, const char *key, const char *member, jv *value)
{
	jv inner;

	if (!unwrap(object, key))
		return false;
	inner = *object;
	*object = jv_copy(jvtext_peek(inner, "object"));
	*value = jv_copy(jvtext_peek(inner, member));
	if (!jv_is_valid(*value))
		*value = jv_null();
	jv_free(inner);
	return true;
}

/* The mark around the object, which is taken off; 0: none. */
static unsigned
unwrap_mark(jv *object, unsigned marks)
{
	for (size_t i = 0; i < COUNT(table); i++)
		if ((marks & table[i].mark) == 0 &&
		    unwrap(object, table[i].key))
			return table[i].mark;
	return 0;
}

/* `after` may be around an object several times: all of it counts. */
static bool
unwrap_after(jv *object, jv *after)
{
	jv others;

	if (!unwrap_with(object, "kpipe.dev/after", "others", &others))
		return false;
	if (!jv_is_valid(*after))
		*after = others;
	else if (jv_get_kind(*after) == JV_KIND_ARRAY &&
	    jv_get_kind(others) == JV_KIND_ARRAY)
		*after = jv_array_concat(*after, others);
	else {
		jv_free(*after);
		jv_free(others);
		*after = jv_null();
	}
	return true;
}

unsigned
itemmarks_take(jv *object, jv *immutable, jv *after)
{
	unsigned marks = 0, mark;
	bool more;

	do {
		mark = unwrap_mark(object, marks);
		marks |= mark;
		more = mark != 0 ||
		    (!jv_is_valid(*immutable) &&
			unwrap_with(
			    object, "kpipe.dev/immutable", "paths", immutable));
		if (!more && unwrap_after(object, after)) {
			marks |= ITEM_AFTER;
			more = true;
		}
	} while (more);
	return marks;
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
	jv version = jvtext_peek(object_peek, "apiVersion");
	jv kind = jvtext_peek(object_peek, "kind");

	return datakind(objref_group(jvtext_span(version)), jvtext_span(kind));
}

static bool
has_version(jv object_peek)
{
	jv metadata = jvtext_peek(object_peek, "metadata");

	return jvtext_span(jvtext_peek(metadata, "resourceVersion")).n > 0;
}

/* The function of the first of these marks. */
static const char *
function(unsigned marks)
{
	for (size_t i = 0; i < COUNT(table); i++)
		if (marks & table[i].mark)
			return table[i].function;
	return NULL;
}

/* wrong: the rest of a sentence that begins with the item. */
static int
check(unsigned marks, unsigned refused, jv object_peek, jv immutable_peek,
    struct err *wrong)
{
	unsigned alone = marks & ITEM_ALONE;
	/* An order may be given beside patch_only. */
	unsigned order = alone == ITEM_PATCH ? ITEM_ORDER : 0;
	bool has_paths = jv_is_valid(immutable_peek);
	const char *paths;

	if ((marks & ITEM_ONCE) && (marks & ITEM_EXISTING))
		return err_set(wrong, ERR_PERMANENT, "is both once and %s",
		    function(marks & ITEM_EXISTING));
	/* More than one such mark, or one beside other marks. */
	if (alone != 0 &&
	    ((alone & (alone - 1)) != 0 || (marks & ~order) != alone ||
		has_paths))
		return err_set(wrong, ERR_PERMANENT,
		    "is %s and something else, too", function(alone));
	if (marks & refused)
		return err_set(wrong, ERR_PERMANENT,
		    "is %s, which is for desired", function(alone));
	if ((marks & ITEM_EXACTLY) && !has_data(object_peek))
		return err_set(wrong, ERR_PERMANENT,
		    "is exactly, which is for ConfigMaps and Secrets");
	if ((marks & ITEM_AS_SEEN) && !has_version(object_peek))
		return err_set(wrong, ERR_PERMANENT,
		    "is as_seen, and has no resourceVersion that was seen");
	paths = has_paths ? wrong_paths(immutable_peek) : NULL;
	return paths == NULL ? 0
			     : err_set(wrong, ERR_PERMANENT,
				   "has immutable paths that %s", paths);
}

int
itemmarks_check(const char *what, int n, unsigned marks, unsigned refused,
    jv object_peek, jv immutable_peek, struct err *err)
{
	jv metadata;
	struct err wrong = ERR_INIT;
	struct buf label = BUF_INIT;

	if (check(marks, refused, object_peek, immutable_peek, &wrong) == 0)
		return 0;
	metadata = jvtext_peek(object_peek, "metadata");
	objref_add_label(&label,
	    &(struct objref){
		.kind = jvtext_span(jvtext_peek(object_peek, "kind")),
		.namespace_ = jvtext_span(jvtext_peek(metadata, "namespace")),
		.name = jvtext_span(jvtext_peek(metadata, "name"))});
	err_set(err, ERR_PERMANENT, "%s: item %d (%s) %s", what, n,
	    buf_str(&label), wrong.message);
	buf_release(&label);
	return -1;
}
