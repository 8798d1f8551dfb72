#include "plain/setparent.h"

#include <string.h>

#include "json/json.h"

struct span
setparent_note(struct span object, const char *key)
{
	return json_raw_string(
	    json_get(json_path(object, "metadata.annotations"), key));
}

bool
setparent_is(struct span object)
{
	return json_get(
		   json_path(object, "metadata.labels"), SETPARENT_PREFIX "id")
		   .n != 0;
}

/* Both are always written, be it as empty texts. */
static bool
forgot(struct buf *why, struct span object, const char *id)
{
	struct span notes = json_path(object, "metadata.annotations");
	bool kinds = json_get(notes, SETPARENT_KINDS).n == 0;

	if (!kinds && json_get(notes, SETPARENT_NAMESPACES).n != 0)
		return false;
	buf_addf(why,
	    ": the parent lacks its annotation %s: write it again, with the %s "
	    "of all objects that have the label " SETPARENT_PREFIX
	    "part-of=%s, as in \"%s\"",
	    kinds ? SETPARENT_KINDS : SETPARENT_NAMESPACES,
	    kinds ? "kinds" : "namespaces", id,
	    kinds ? "ConfigMap,Deployment.apps" : "one,two");
	return true;
}

bool
setparent_refuse(struct buf *why, struct span object, const char *id)
{
	struct span tooling =
	    setparent_note(object, SETPARENT_PREFIX "tooling");

	if (!json_is(json_get(json_path(object, "metadata.labels"),
			 SETPARENT_PREFIX "id"),
		id)) {
		buf_adds(why,
		    ": the parent exists, and its label " SETPARENT_PREFIX
		    "id is not that of this set");
		return true;
	}
	if (tooling.n < 6 || memcmp(tooling.p, "kpipe/", 6) != 0) {
		buf_adds(why,
		    " belongs to other tooling (annotation " SETPARENT_PREFIX
		    "tooling)");
		return true;
	}
	return forgot(why, object, id);
}

void
setparent_add(struct buf *b, const char *key, const struct textset *list,
    struct span except)
{
	struct buf text = BUF_INIT;

	textset_join(list, except, &text);
	json_add_key(b, key);
	json_add_string(b, buf_span(&text));
	buf_release(&text);
}

void
setparent_read(
    struct span object, struct textset *kinds, struct textset *namespaces)
{
	textset_split(kinds, setparent_note(object, SETPARENT_KINDS));
	textset_split(namespaces, setparent_note(object, SETPARENT_NAMESPACES));
}

bool
setparent_same(struct span one, struct span other)
{
	return span_eq(setparent_note(one, SETPARENT_KINDS),
		   setparent_note(other, SETPARENT_KINDS)) &&
	    span_eq(setparent_note(one, SETPARENT_NAMESPACES),
		setparent_note(other, SETPARENT_NAMESPACES));
}
