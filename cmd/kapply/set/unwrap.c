#include "set/unwrap.h"

#include "json/json.h"

/* An object of Kubernetes may have members of these names as well. Its kind
 * stands at the front, and what is asked first. */
static bool
is_event(struct span document)
{
	return json_get(document, "kind").p == NULL &&
	    json_get(document, "apiVersion").p == NULL &&
	    json_type(json_get(document, "type")) == JSON_STRING &&
	    json_type(json_get(document, "object")) == JSON_OBJECT;
}

static struct span
text_at(struct span object, const char *path)
{
	return json_raw_string(json_path(object, path));
}

enum unwrap_result
unwrap(struct span *document, struct err *err)
{
	struct span type, object, ns;

	if (!is_event(*document))
		return UNWRAP_DOCUMENT;
	type = json_raw_string(json_get(*document, "type"));
	object = json_get(*document, "object");
	ns = text_at(object, "metadata.namespace");
	*document = object;
	if (span_is(type, "ADDED") || span_is(type, "MODIFIED"))
		return UNWRAP_OBJECT;
	if (span_is(type, "BOOKMARK"))
		return UNWRAP_NOTHING;
	if (span_is(type, "DELETED"))
		err_set(err, ERR_PERMANENT,
		    "an event says that %.*s %.*s%s%.*s was deleted: "
		    "deletions are not applied",
		    SPAN_ARG(text_at(object, "kind")), SPAN_ARG(ns),
		    ns.n > 0 ? "/" : "",
		    SPAN_ARG(text_at(object, "metadata.name")));
	else
		err_set(err, ERR_PERMANENT,
		    "an event of the type \"%.*s\" has no object to apply",
		    SPAN_ARG(type));
	return UNWRAP_BAD;
}
