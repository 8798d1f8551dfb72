#include "set/standin.h"

#include "json/json.h"
#include "record/redacted.h"
#include "value/base64.h"

static bool
holds(struct span text)
{
	return redacted_find(text).n > 0;
}

/* Down to the value, or to a list with it. */
static void
add_path(struct buf *path, struct span value)
{
	struct json_members m = json_members(value);

	if (json_type(value) != JSON_OBJECT)
		return;
	while (json_member(&m)) {
		if (!holds(m.value))
			continue;
		buf_addc(path, '.');
		buf_addspan(path, m.key);
		add_path(path, m.value);
		return;
	}
}

static bool
holds_decoded(struct span value)
{
	struct buf scratch = BUF_INIT, plain = BUF_INIT;
	bool found = base64_decode(json_string(value, &scratch), BASE64_LINES,
			 &plain, NULL) == 0 &&
	    holds(buf_span(&plain));

	buf_release(&scratch);
	buf_release(&plain);
	return found;
}

static bool
find_encoded(struct buf *path, const struct item *i, const char *map)
{
	struct json_members m = json_members(json_get(i->text, map));

	while (json_member(&m)) {
		if (json_type(m.value) != JSON_STRING ||
		    !holds_decoded(m.value))
			continue;
		buf_addf(path, ".%s.%.*s", map, SPAN_ARG(m.key));
		return true;
	}
	return false;
}

bool
standin_find(struct buf *path, const struct item *i)
{
	if (holds(i->text)) {
		add_path(path, i->text);
		return true;
	}
	if (i->id.group.n > 0)
		return false;
	if (span_is(i->id.kind, "Secret"))
		return find_encoded(path, i, "data");
	return span_is(i->id.kind, "ConfigMap") &&
	    find_encoded(path, i, "binaryData");
}
