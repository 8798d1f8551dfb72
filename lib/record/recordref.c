#include "record/recordref.h"

#include "json/json.h"

struct objref
recordref_of(struct span value, struct arena *names)
{
	struct span metadata = json_get(value, "metadata");
	struct span holder = metadata.p != NULL ? metadata : value;
	struct objref o = {
	    .api_version = json_raw_string(json_get(value, "apiVersion")),
	    .kind = json_raw_string(json_get(value, "kind")),
	    .namespace_ = json_name(json_get(holder, "namespace"), names),
	    .name = json_name(json_get(holder, "name"), names),
	    .uid = json_name(json_get(holder, "uid"), names)};

	objref_split(o.api_version, &o.group, &o.version);
	return o;
}

struct span
recordref_text(struct span value)
{
	return json_type(value) == JSON_NUMBER ? value : json_raw_string(value);
}
