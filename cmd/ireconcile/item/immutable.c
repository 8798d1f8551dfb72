#include "item/immutable.h"

#include "agree/agree.h"
#include "json/jvtext.h"

/* null: it is not there. */
static jv
value_at(jv object_peek, jv path_peek)
{
	jv value = jv_getpath(jv_copy(object_peek), jv_copy(path_peek));

	if (jv_is_valid(value))
		return value;
	jv_free(value);
	return jv_null();
}

/* Whether observed agrees with desired at this path. */
static bool
agrees_at(jv desired_peek, jv path_peek, jv observed_peek)
{
	jv part = jv_object();
	bool agrees;

	part = jv_object_set(part, jv_string("apiVersion"),
	    jv_copy(jvtext_peek(desired_peek, "apiVersion")));
	part = jv_object_set(part, jv_string("kind"),
	    jv_copy(jvtext_peek(desired_peek, "kind")));
	part = jv_setpath(
	    part, jv_copy(path_peek), value_at(desired_peek, path_peek));
	agrees = agree_object(part, observed_peek, NULL);
	jv_free(part);
	return agrees;
}

jv
immutable_keep(jv desired, jv paths_peek, jv observed_peek)
{
	jv_array_foreach(paths_peek, i, path)
	{
		jv value = value_at(observed_peek, path);

		if (agrees_at(desired, path, observed_peek))
			jv_free(value);
		else if (jv_get_kind(value) != JV_KIND_NULL)
			desired = jv_setpath(desired, jv_copy(path), value);
		else
			desired = jv_delpaths(desired, JV_ARRAY(jv_copy(path)));
		jv_free(path);
	}
	return desired;
}
