#include "lastwriter.h"

#include <string.h>

#include "json/json.h"

/* Times are all of one form, in UTC: their order is that of the text. */
static int
compare(struct span a, struct span b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int order = n > 0 ? memcmp(a.p, b.p, n) : 0;

	return order != 0 ? order : (a.n > b.n) - (a.n < b.n);
}

static struct span
latest_time(struct json_elements entries)
{
	struct span latest = SPAN_NONE;

	while (json_element(&entries)) {
		struct span time =
		    json_raw_string(json_get(entries.value, "time"));

		if (compare(time, latest) > 0)
			latest = time;
	}
	return latest;
}

void
lastwriter_add(struct buf *b, struct span managed_fields)
{
	const char *list = span_find(managed_fields, '[');
	struct span latest, last = SPAN_NONE;
	struct json_elements entries;

	if (list == NULL)
		return;
	entries = json_elements(
	    span_skip(managed_fields, (size_t)(list - managed_fields.p)));
	latest = latest_time(entries);
	while (json_element(&entries)) {
		struct span name =
		    json_raw_string(json_get(entries.value, "manager"));

		if (name.n == 0 || span_eq(name, last) ||
		    compare(json_raw_string(json_get(entries.value, "time")),
			latest) != 0)
			continue;
		buf_addf(b, "%s%.*s", last.n == 0 ? ",\"manager\":\"" : " or ",
		    SPAN_ARG(name));
		last = name;
	}
	if (last.n > 0)
		buf_addc(b, '"');
}
