/* Part of set/set.h: a watch event as its object. */
#include "set/set.h"

#include "base/buf.h"
#include "json/json.h"

/* An object of Kubernetes may have members of these names as well. Its kind
 * stands at the front, and what is asked first. */
bool
set_is_event(struct span document)
{
	return json_get(document, "kind").p == NULL &&
	    json_get(document, "apiVersion").p == NULL &&
	    json_type(json_get(document, "type")) == JSON_STRING &&
	    json_type(json_get(document, "object")) == JSON_OBJECT;
}

static int
refuse_event(struct span object, const char *why, struct err *err)
{
	struct arena names = ARENA_INIT;
	struct span metadata = json_get(object, "metadata");
	struct objref id = {.kind = json_raw_string(json_get(object, "kind")),
	    .namespace_ = json_name(json_get(metadata, "namespace"), &names),
	    .name = json_name(json_get(metadata, "name"), &names)};
	struct buf label = BUF_INIT;

	objref_add_label(&label, &id);
	err_set(err, ERR_PERMANENT, "an event says that %s %s", buf_str(&label),
	    why);
	buf_release(&label);
	arena_release(&names);
	return -1;
}

int
set_unwrap(struct span event, struct span *object, struct err *err)
{
	struct span type = json_raw_string(json_get(event, "type"));

	*object = json_get(event, "object");
	if (json_get(event, "tooLarge").p != NULL)
		return refuse_event(*object,
		    "is too large: its fields are not in it, and nothing of it "
		    "is applied",
		    err);
	if (span_is(type, "ADDED") || span_is(type, "MODIFIED"))
		return 0;
	if (span_is(type, "DELETED"))
		return refuse_event(
		    *object, "was deleted: deletions are not applied", err);
	if (!span_is(type, "BOOKMARK"))
		return err_set(err, ERR_PERMANENT,
		    "an event of the type \"%.*s\" has no object to apply",
		    SPAN_ARG(type));
	*object = SPAN_NONE;
	return 0;
}
