#include "set/standin.h"

#include "json/json.h"
#include "record/redacted.h"

/* Down to the value, or to a list with it. */
static void
add_path(struct buf *path, struct span value)
{
	struct json_members m = json_members(value);

	if (json_type(value) != JSON_OBJECT)
		return;
	while (json_member(&m)) {
		if (!redacted_in(m.value))
			continue;
		buf_addc(path, '.');
		buf_addspan(path, m.key);
		add_path(path, m.value);
		return;
	}
}

bool
standin_find(struct buf *path, const struct item *i)
{
	bool found = redacted_in(i->text);

	if (found)
		add_path(path, i->text);
	return found;
}
