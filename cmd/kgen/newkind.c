#include "newkind.h"

#include "docstream.h"

static jv
set_text(jv object, const char *key, const char *text)
{
	if (text == NULL)
		return object;
	return jv_object_set(object, jv_string(key), jv_string(text));
}

static jv
set_fields(jv object, const struct newkind *k)
{
	jv fields = jv_array();

	for (int i = 0; i < k->field_count; i++)
		fields = jv_array_append(fields, jv_string(k->fields[i]));
	return jv_object_set(object, jv_string("fields"), fields);
}

static jv
set_from(jv object, const char *path, struct err *err)
{
	struct docstream d;
	jv from;

	if (docstream_load(&d, path, err) != 0) {
		jv_free(object);
		return jv_invalid();
	}
	from = docstream_values(&d, err);
	docstream_release(&d);
	if (jv_is_valid(from))
		return jv_object_set(object, jv_string("from"), from);
	jv_free(object);
	return from;
}

static int
check(const struct newkind *k, struct err *err)
{
	if (k->from == NULL)
		return 0;
	if (k->group != NULL || k->version != NULL || k->kind != NULL ||
	    k->field_count > 0)
		return err_set(err, ERR_PERMANENT,
		    "--from has the kind and the fields: leave out --group, "
		    "--kind, --api-version and fields");
	return 0;
}

jv
newkind_describe(const struct newkind *k, jv into, struct err *err)
{
	if (check(k, err) != 0) {
		jv_free(into);
		return jv_invalid();
	}
	into = set_text(into, "group", k->group);
	into = set_text(into, "version", k->version);
	into = set_text(into, "kind", k->kind);
	into = set_text(into, "scope", k->cluster_scoped ? "Cluster" : NULL);
	into = set_fields(into, k);
	return k->from == NULL ? into : set_from(into, k->from, err);
}
