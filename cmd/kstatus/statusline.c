#include "statusline.h"

#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"
#include "record/redacted.h"

void
statusline_free(struct statusline *l)
{
	if (l == NULL)
		return;
	arena_release(&l->names);
	free(l->text);
	free(l);
}

static int
check(struct statusline *l, struct err *err)
{
	struct span metadata = json_get(l->object, "metadata");

	l->id.api_version = json_raw_string(json_get(l->object, "apiVersion"));
	l->id.kind = json_raw_string(json_get(l->object, "kind"));
	l->id.namespace_ =
	    json_name(json_get(metadata, "namespace"), &l->names);
	l->id.name = json_name(json_get(metadata, "name"), &l->names);
	l->id.uid = json_name(json_get(metadata, "uid"), &l->names);
	l->seen = json_raw_string(json_get(metadata, "resourceVersion"));
	l->confidential =
	    json_type(json_get(l->object, "confidential")) == JSON_TRUE;
	if (json_type(l->object) != JSON_OBJECT)
		return err_set(err, ERR_PERMANENT, "it is not an object");
	if (l->id.api_version.n == 0)
		return err_set(err, ERR_PERMANENT, "it has no apiVersion");
	if (l->id.kind.n == 0)
		return err_set(err, ERR_PERMANENT, "it has no kind");
	if (l->id.name.n == 0)
		return err_set(err, ERR_PERMANENT, "it has no metadata.name");
	if (!objref_name_fits(l->id.name))
		return err_set(err, ERR_PERMANENT,
		    "it has the name \"%.*s\": %s", SPAN_ARG(l->id.name),
		    OBJREF_NAME_RULE);
	if (json_type(json_get(l->object, "status")) != JSON_OBJECT)
		return err_set(err, ERR_PERMANENT,
		    "it has no status, or one that is not an object");
	if (redacted_in(json_get(l->object, "status")))
		return err_set(err, ERR_PERMANENT,
		    "the status of %.*s %.*s/%.*s has a digest in the place of "
		    "a hidden value, as recordings have it: it is not written",
		    SPAN_ARG(l->id.kind), SPAN_ARG(l->id.namespace_),
		    SPAN_ARG(l->id.name));
	objref_split(l->id.api_version, &l->id.group, &l->id.version);
	return 0;
}

struct statusline *
statusline_parse(struct span text, struct err *err)
{
	struct statusline *l = mem_zalloc(sizeof(*l));
	struct span copy;

	l->text = mem_dup(text.p, text.n);
	copy = span_make(l->text, text.n);
	l->object = json_value(&copy);
	if (check(l, err) == 0)
		return l;
	statusline_free(l);
	return NULL;
}
