#include "deed.h"

#include <string.h>

#include "json/jvtext.h"

void
deeds_init(struct deeds *t)
{
	t->lists = jv_object();
}

void
deeds_release(struct deeds *t)
{
	jv_free(t->lists);
}

void
deeds_forget(struct deeds *t)
{
	deeds_release(t);
	deeds_init(t);
}

static struct span
text(jv object, const char *key)
{
	return jvtext_span(jvtext_peek(object, key));
}

/* ---- discovery ---- */

static int
discover(
    struct deeds *t, struct kapiclient *c, struct span version, struct err *err)
{
	struct buf path = BUF_INIT;
	struct span body;
	jv list;
	int status;

	buf_addf(&path, "%s/%.*s",
	    span_find(version, '/') != NULL ? "/apis" : "/api",
	    SPAN_ARG(version));
	status = kapiclient_ask(
	    c, "GET", buf_str(&path), KAPICLIENT_JSON, SPAN_NONE, &body, err);
	buf_release(&path);
	if (status == 0)
		return -1;
	if (status != 200)
		return err_set(err, ERR_PERMANENT,
		    "the API server does not serve %.*s", SPAN_ARG(version));
	list = jvtext_parse(body, err);
	if (!jv_is_valid(list))
		return -1;
	t->lists = jv_object_set(
	    t->lists, jv_string_sized(version.p, (int)version.n), list);
	return 0;
}

/* Borrowed; invalid: there is none. */
static jv
find_resource(jv list, struct span kind, struct span plural)
{
	jv resources = jvtext_peek(list, "resources");

	jv_array_foreach(resources, i, r)
	{
		bool found = plural.n > 0 ? span_eq(text(r, "name"), plural)
					  : span_eq(text(r, "kind"), kind) &&
			span_find(text(r, "name"), '/') == NULL;

		if (found) {
			jv_free(r); /* the list has it, too */
			return r;
		}
		jv_free(r);
	}
	return jv_invalid();
}

int
deed_path(struct deeds *t, struct kapiclient *c, jv object, struct span name,
    struct span subresource, struct buf *path, struct err *err)
{
	struct span version = text(object, "apiVersion");
	struct span kind = text(object, "kind");
	struct span plural = text(object, "resource");
	struct span namespace_ = text(object, "namespace");
	jv resource, list;
	char key[256];

	if (version.n >= sizeof(key) || version.n == 0)
		return err_set(err, ERR_PERMANENT,
		    "an object without an "
		    "apiVersion");
	memcpy(key, version.p, version.n);
	key[version.n] = '\0';
	list = jvtext_peek(t->lists, key);
	if (!jv_is_valid(list)) {
		if (discover(t, c, version, err) != 0)
			return -1;
		list = jvtext_peek(t->lists, key);
	}
	resource = find_resource(list, kind, plural);
	if (!jv_is_valid(resource))
		return err_set(err, ERR_PERMANENT,
		    "the API server has no %.*s in %s", SPAN_ARG(kind), key);
	if (namespace_.p == NULL)
		namespace_ = text(jvtext_peek(object, "metadata"), "namespace");
	buf_addf(path, "%s/%s",
	    span_find(version, '/') != NULL ? "/apis" : "/api", key);
	if (jv_get_kind(jvtext_peek(resource, "namespaced")) == JV_KIND_TRUE)
		buf_addf(path, "/namespaces/%.*s",
		    SPAN_ARG(
			namespace_.n > 0 ? namespace_ : span_str("default")));
	buf_addf(path, "/%.*s", SPAN_ARG(text(resource, "name")));
	if (name.n > 0)
		buf_addf(path, "/%.*s", SPAN_ARG(name));
	if (subresource.n > 0)
		buf_addf(path, "/%.*s", SPAN_ARG(subresource));
	return 0;
}

/* ---- steps ---- */

static int
ask(struct deeds *t, struct kapiclient *c, jv where, struct span name,
    struct span subresource, const char *method, enum kapiclient_type type,
    jv body, struct span *answer, struct err *err)
{
	struct buf path = BUF_INIT, json = BUF_INIT;
	int status = 0;

	if (deed_path(t, c, where, name, subresource, &path, err) == 0 &&
	    (!jv_is_valid(body) ||
		jvtext_add_ordered(&json, body, JVTEXT_KEPT, err) == 0)) {
		if (strcmp(method, "POST") == 0 || strcmp(method, "PATCH") == 0)
			buf_adds(&path,
			    type == KAPICLIENT_APPLY
				? "?fieldManager=torture&force=true"
				: "?fieldManager=torture");
		status = kapiclient_ask(c, method, buf_str(&path), type,
		    buf_span(&json), answer, err);
	}
	buf_release(&path);
	buf_release(&json);
	return status;
}

static int
do_delete(struct deeds *t, struct kapiclient *c, jv step, struct span *answer,
    struct err *err)
{
	jv grace = jvtext_peek(step, "gracePeriodSeconds");
	jv options = jv_is_valid(grace)
	    ? JV_OBJECT(jv_string("kind"), jv_string("DeleteOptions"),
		  jv_string("apiVersion"), jv_string("v1"),
		  jv_string("gracePeriodSeconds"), jv_copy(grace))
	    : jv_invalid();
	int status = ask(t, c, step, text(step, "name"), SPAN_NONE, "DELETE",
	    KAPICLIENT_JSON, options, answer, err);

	jv_free(options);
	return status;
}

int
deed_do(struct deeds *t, struct kapiclient *c, jv step, struct span *answer,
    struct err *err)
{
	struct span what = text(step, "do"), name = text(step, "name");
	struct span sub = text(step, "subresource");
	jv object = jvtext_peek(step, "object");
	jv patch = jvtext_peek(step, "patch");
	struct span own = text(jvtext_peek(object, "metadata"), "name");

	if (span_is(what, "create"))
		return ask(t, c, object, SPAN_NONE, SPAN_NONE, "POST",
		    KAPICLIENT_JSON, object, answer, err);
	if (span_is(what, "apply"))
		return ask(t, c, object, own, SPAN_NONE, "PATCH",
		    KAPICLIENT_APPLY, object, answer, err);
	if (span_is(what, "patch"))
		return ask(t, c, step, name, sub, "PATCH",
		    jv_get_kind(patch) == JV_KIND_ARRAY
			? KAPICLIENT_JSON_PATCH
			: KAPICLIENT_MERGE_PATCH,
		    patch, answer, err);
	if (span_is(what, "delete"))
		return do_delete(t, c, step, answer, err);
	if (span_is(what, "get"))
		return ask(t, c, step, name, SPAN_NONE, "GET", KAPICLIENT_JSON,
		    jv_invalid(), answer, err);
	err_set(
	    err, ERR_PERMANENT, "a step cannot do \"%.*s\"", SPAN_ARG(what));
	return 0;
}
