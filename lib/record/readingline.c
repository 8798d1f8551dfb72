/*
 * Part of record/reading.h: what a line is, and what it is about. Programs that
 * read lines of a recording, but none of its files, need no more.
 */
#include "record/reading.h"

#include "base/array.h"
#include "json/json.h"

static const struct {
	const char *name;
	enum reading_kind kind;
} kinds[] = {{"segment", READING_SEGMENT}, {"set", READING_SET},
    {"result", READING_RESULT}, {"status", READING_STATUS},
    {"state", READING_STATE}, {"gap", READING_GAP}, {"shadow", READING_SHADOW}};

int
reading_check_version(struct span version, struct err *err)
{
	int64_t n;

	if (version.p == NULL)
		return err_set(err, ERR_GONE,
		    "a segment without a version: it is not a recording of "
		    "kpipe, or it was damaged");
	if (json_int(version, &n) && n == READING_VERSION)
		return 0;
	return err_set(err, ERR_GONE,
	    "a recording of version %.*s; this program reads version %d",
	    version.n < 40 ? (int)version.n : 40, version.p, READING_VERSION);
}

int
reading_sort(struct span text, struct reading_line *line, struct err *err)
{
	struct json_members m = json_members(text);
	struct span record = SPAN_NONE, version = SPAN_NONE, object = SPAN_NONE,
		    inner = SPAN_NONE;
	bool first = true;

	line->time = line->body = SPAN_NONE;
	for (; json_member(&m); first = false) {
		if (first && span_is(m.key, "record"))
			record = json_raw_string(m.value);
		else if (first && !span_is(m.key, "type"))
			break;
		else if (span_is(m.key, "time"))
			line->time = json_raw_string(m.value);
		else if (span_is(m.key, "version"))
			version = m.value;
		else if (span_is(m.key, "object"))
			object = m.value;
		else if (span_is(m.key, "line"))
			inner = m.value;
	}
	line->kind = READING_EVENT;
	if (record.p == NULL) {
		line->body = object;
		return json_type(object) == JSON_OBJECT
		    ? 0
		    : err_set(err, ERR_PERMANENT,
			  "neither an event nor a record line");
	}
	line->kind = READING_OTHER;
	line->body = inner;
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (span_is(record, kinds[i].name))
			line->kind = kinds[i].kind;
	return line->kind == READING_SEGMENT
	    ? reading_check_version(version, err)
	    : 0;
}

struct objref
reading_ref(struct span value, struct arena *names)
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
reading_text(struct span value)
{
	return json_type(value) == JSON_NUMBER ? value : json_raw_string(value);
}
