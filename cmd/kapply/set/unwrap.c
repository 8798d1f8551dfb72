#include "set/unwrap.h"

#include "json/json.h"
#include "value/objref.h"

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

/* "Kind namespace/name", for a message. */
static void
add_label(struct buf *b, struct span object)
{
	struct arena names = ARENA_INIT;
	struct span metadata = json_get(object, "metadata");
	struct objref id = {.kind = json_raw_string(json_get(object, "kind")),
	    .namespace_ = json_name(json_get(metadata, "namespace"), &names),
	    .name = json_name(json_get(metadata, "name"), &names)};

	objref_add_label(b, &id);
	arena_release(&names);
}

static enum unwrap_result
refused(struct span object, const char *why, struct err *err)
{
	struct buf label = BUF_INIT;

	add_label(&label, object);
	err_set(err, ERR_PERMANENT, "an event says that %s %s", buf_str(&label),
	    why);
	buf_release(&label);
	return UNWRAP_BAD;
}

enum unwrap_result
unwrap(struct span *document, struct err *err)
{
	struct span type, object, whole = *document;

	if (!is_event(whole))
		return UNWRAP_DOCUMENT;
	type = json_raw_string(json_get(whole, "type"));
	object = json_get(whole, "object");
	*document = object;
	if (json_get(whole, "tooLarge").p != NULL)
		return refused(object,
		    "is too large: its fields are not in it, and nothing of it "
		    "is applied",
		    err);
	if (span_is(type, "ADDED") || span_is(type, "MODIFIED"))
		return UNWRAP_OBJECT;
	if (span_is(type, "BOOKMARK"))
		return UNWRAP_NOTHING;
	if (span_is(type, "DELETED"))
		return refused(
		    object, "was deleted: deletions are not applied", err);
	err_set(err, ERR_PERMANENT,
	    "an event of the type \"%.*s\" has no object to apply",
	    SPAN_ARG(type));
	return UNWRAP_BAD;
}
