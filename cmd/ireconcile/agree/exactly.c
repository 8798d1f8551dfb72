/* Part of agree/agree.h: keys of a ConfigMap or a Secret that are not ours. */
#include "agree/agree.h"

#include "agree/apischema.h"
#include "base/array.h"
#include "json/jvmembers.h"
#include "json/jvtext.h"

static bool
has_value(jv map_peek, struct span key)
{
	jv found = jv_invalid();
	bool has;

	if (jv_get_kind(map_peek) == JV_KIND_OBJECT)
		found = jv_object_get(
		    jv_copy(map_peek), jv_string_sized(key.p, (int)key.n));
	has = jv_is_valid(found) && jv_get_kind(found) != JV_KIND_NULL;
	jv_free(found);
	return has;
}

/* The first key of observed[map] that desired does not have. */
static bool
has_more(jv desired, jv observed, const char *map, struct buf *path)
{
	static const struct apischema_place top = {
	    NULL, {NULL, 0}, {NULL, 0}, 0};
	struct apischema_place in = {&top, span_str(map), SPAN_NONE, 0};
	jv ours = jvtext_peek(desired, map);
	jv written = jvtext_peek(desired, "stringData");
	struct jvmembers members;
	bool more = false;

	if (jv_get_kind(jvtext_peek(observed, map)) != JV_KIND_OBJECT)
		return false;
	jvmembers_init(&members, jvtext_peek(observed, map), JVMEMBERS_SORTED);
	for (size_t i = 0; i < members.count && !more; i++) {
		struct span key = members.items[i].key;
		struct apischema_place at = {&in, key, SPAN_NONE, 0};

		more = !has_value(ours, key) && !has_value(written, key);
		if (more && path != NULL)
			apischema_add_place(path, &at);
	}
	jvmembers_release(&members);
	return more;
}

bool
agree_exactly(jv desired_peek, jv observed_peek, struct buf *path)
{
	static const char *const maps[] = {"binaryData", "data"};

	for (size_t i = 0; i < COUNT(maps); i++)
		if (has_more(desired_peek, observed_peek, maps[i], path))
			return false;
	return true;
}
