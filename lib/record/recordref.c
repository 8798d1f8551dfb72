#include "record/recordref.h"

#include "json/json.h"

struct objref
recordref_of(struct span value)
{
	struct span metadata = json_get(value, "metadata");
	struct span names = metadata.p != NULL ? metadata : value;
	struct objref o = {
	    .api_version = json_raw_string(json_get(value, "apiVersion")),
	    .kind = json_raw_string(json_get(value, "kind")),
	    .namespace_ = json_raw_string(json_get(names, "namespace")),
	    .name = json_raw_string(json_get(names, "name")),
	    .uid = json_raw_string(json_get(names, "uid"))};

	objref_split(o.api_version, &o.group, &o.version);
	return o;
}

struct span
recordref_text(struct span value)
{
	return json_type(value) == JSON_NUMBER ? value : json_raw_string(value);
}
