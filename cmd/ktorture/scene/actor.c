#include "scene/actor.h"

#include "base/buf.h"
#include "json/jvtext.h"
#include "value/date.h"

enum { DAY_S = 24 * 60 * 60 };

/* ---- objects ---- */

struct span
actor_text(jv object_peek, const char *key)
{
	return jvtext_span(jvtext_peek(object_peek, key));
}

struct span
actor_meta(jv object_peek, const char *key)
{
	return actor_text(jvtext_peek(object_peek, "metadata"), key);
}

bool
actor_is_kind(jv object_peek, const char *kind)
{
	return span_is(actor_text(object_peek, "kind"), kind);
}

int
actor_number(jv object_peek, const char *key, int otherwise)
{
	jv v = jvtext_peek(object_peek, key);
	double n =
	    jv_get_kind(v) == JV_KIND_NUMBER ? jv_number_value(v) : otherwise;

	return n > INT32_MAX ? INT32_MAX : n < 0 ? 0 : (int)n;
}

bool
actor_is_going(jv object_peek)
{
	return actor_meta(object_peek, "deletionTimestamp").n > 0;
}

struct span
actor_phase(jv pod_peek)
{
	return actor_text(jvtext_peek(pod_peek, "status"), "phase");
}

bool
actor_is(jv object_peek, const char *type)
{
	jv conditions =
	    jvtext_peek(jvtext_peek(object_peek, "status"), "conditions");
	bool found = false;

	if (jv_get_kind(conditions) != JV_KIND_ARRAY)
		return false;
	jv_array_foreach(conditions, i, c)
	{
		if (span_is(actor_text(c, "type"), type) &&
		    span_is(actor_text(c, "status"), "True"))
			found = true;
		jv_free(c);
	}
	return found;
}

/* The array keeps what is borrowed. */
struct span
actor_controller(jv object_peek)
{
	jv owners = jvtext_peek(
	    jvtext_peek(object_peek, "metadata"), "ownerReferences");
	struct span uid = SPAN_NONE;

	if (jv_get_kind(owners) != JV_KIND_ARRAY)
		return uid;
	jv_array_foreach(owners, i, o)
	{
		if (jv_get_kind(jvtext_peek(o, "controller")) == JV_KIND_TRUE)
			uid = actor_text(o, "uid");
		jv_free(o);
	}
	return uid;
}

jv
actor_time(const struct backdrop *c, int64_t ms)
{
	int64_t seconds = (c->now_us / 1000 + ms) / 1000;
	int64_t days = seconds / DAY_S;
	int rest = (int)(seconds % DAY_S), year, month, day;
	struct buf b = BUF_INIT;
	jv text;

	date_of_days(days, &year, &month, &day);
	buf_addf(&b, "%04d-%02d-%02dT%02d:%02d:%02dZ", year, month, day,
	    rest / 3600, rest / 60 % 60, rest % 60);
	text = jv_string_sized(b.data, (int)b.len);
	buf_release(&b);
	return text;
}

/* ---- steps ---- */

static void
add_step(struct backdrop *c, const char *what, jv step, int64_t after_ms)
{
	step = jv_object_set(step, jv_string("do"), jv_string(what));
	step = jv_object_set(
	    step, jv_string("afterMs"), jv_number((double)after_ms));
	c->steps = jv_array_append(c->steps, step);
}

static jv
reference(jv object_peek)
{
	jv metadata = jvtext_peek(object_peek, "metadata");
	jv ref = JV_OBJECT(jv_string("apiVersion"),
	    jv_copy(jvtext_peek(object_peek, "apiVersion")), jv_string("kind"),
	    jv_copy(jvtext_peek(object_peek, "kind")), jv_string("namespace"),
	    jv_copy(jvtext_peek(metadata, "namespace")), jv_string("name"),
	    jv_copy(jvtext_peek(metadata, "name")));

	return jv_object_set(
	    ref, jv_string("uid"), jv_copy(jvtext_peek(metadata, "uid")));
}

void
actor_create(struct backdrop *c, jv object)
{
	add_step(c, "create", JV_OBJECT(jv_string("object"), object), 0);
}

void
actor_delete(struct backdrop *c, jv object_peek)
{
	add_step(c, "delete", reference(object_peek), 0);
}

void
actor_delete_now(struct backdrop *c, jv object_peek, int64_t after_ms)
{
	jv step = jv_object_set(reference(object_peek),
	    jv_string("gracePeriodSeconds"), jv_number(0));

	add_step(c, "delete", step, after_ms);
}

void
actor_patch(struct backdrop *c, jv object_peek, jv patch, int64_t after_ms)
{
	jv step =
	    jv_object_set(reference(object_peek), jv_string("patch"), patch);

	add_step(c, "patch", step, after_ms);
}

void
actor_patch_status(
    struct backdrop *c, jv object_peek, jv status, int64_t after_ms)
{
	jv step = jv_object_set(reference(object_peek), jv_string("patch"),
	    JV_OBJECT(jv_string("status"), status));

	step =
	    jv_object_set(step, jv_string("subresource"), jv_string("status"));
	add_step(c, "patch", step, after_ms);
}

/* ---- what was seen ---- */

struct actor *
actor_find(
    struct backdrop *c, const char *kind, struct span ns, struct span name)
{
	for (size_t i = 0; i < c->count; i++) {
		jv o = c->items[i]->object;

		if (span_eq(actor_meta(o, "name"), name) &&
		    actor_is_kind(o, kind) &&
		    span_eq(actor_meta(o, "namespace"), ns))
			return c->items[i];
	}
	return NULL;
}
