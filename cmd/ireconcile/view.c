#include "view.h"

#include <stdlib.h>

#include "jvtext.h"
#include "primary.h"

void
view_init(struct view *v, const struct primary *p, int64_t now_us)
{
	*v = (struct view){.entry = p->entry,
	    .primary = p,
	    .now_us = now_us,
	    .base = jv_invalid(),
	    .owned = jv_invalid(),
	    .loops = jv_array()};
}

void
view_release(struct view *v)
{
	jv_free(v->base);
	jv_free(v->owned);
	jv_free(v->loops);
}

static jv
parse(const struct object *o, struct err *err)
{
	jv value = jvtext_parse(object_text(o), err);
	struct buf label = BUF_INIT;

	if (!jv_is_valid(value)) {
		object_add_label(&label, o);
		err_prefix(err, "%s", buf_str(&label));
		buf_release(&label);
	}
	return value;
}

/* {KIND: [objects]} of all uses in a role. */
static jv
parse_role(const struct view *v, enum use_role role, struct err *err)
{
	jv all = jv_object();

	for (size_t i = 0; i < v->entry->use_count; i++) {
		const struct use *u = v->entry->uses[i];
		struct object **list;
		jv objects = jv_array();

		if (u->role != role) {
			jv_free(objects);
			continue;
		}
		list = entry_objects(v->entry, v->primary, u);
		for (size_t j = 0; list[j] != NULL && jv_is_valid(objects);
		     j++) {
			jv value = parse(list[j], err);

			if (jv_is_valid(value)) {
				objects = jv_array_append(objects, value);
			} else {
				jv_free(objects);
				objects = value;
			}
		}
		free(list);
		if (!jv_is_valid(objects)) {
			jv_free(all);
			return objects;
		}
		all = jv_object_set(all, jv_string(u->name), objects);
	}
	return all;
}

static int
parse_base(struct view *v, struct err *err)
{
	jv primary = parse(v->primary->object, err), related;

	if (!jv_is_valid(primary))
		return -1;
	related = parse_role(v, USE_RELATED, err);
	if (!jv_is_valid(related)) {
		jv_free(primary);
		return -1;
	}
	v->base = jv_object_set(jv_object(), jv_string("primary"), primary);
	v->base = jv_object_set(v->base, jv_string("related"), related);
	v->base = jv_object_set(
	    v->base, jv_string("operator"), jv_copy(v->entry->operator_));
	return 0;
}

jv
view_input(
    struct view *v, unsigned what, jv outstanding, jv error, struct err *err)
{
	jv input;

	if ((!jv_is_valid(v->base) && parse_base(v, err) != 0) ||
	    ((what & VIEW_OWNED) && !jv_is_valid(v->owned) &&
		!jv_is_valid(v->owned = parse_role(v, USE_DEPENDENT, err)))) {
		jv_free(outstanding);
		jv_free(error);
		return jv_invalid();
	}
	input = jv_copy(v->base);
	if (what & VIEW_OWNED)
		input =
		    jv_object_set(input, jv_string("owned"), jv_copy(v->owned));
	if (what & VIEW_NOW)
		input = jv_object_set(
		    input, jv_string("now"), jv_number(v->now_us / 1e6));
	if (!(what & VIEW_OUTCOME)) {
		jv_free(outstanding);
		jv_free(error);
		return input;
	}
	input = jv_object_set(input, jv_string("loops"), jv_copy(v->loops));
	input = jv_object_set(input, jv_string("outstanding"), outstanding);
	return jv_object_set(input, jv_string("error"), error);
}

static uint64_t
mix(uint64_t h, uint64_t v)
{
	h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
	return h * 0xff51afd7ed558ccdu;
}

uint64_t
view_fingerprint(const struct view *v, bool owned, bool now)
{
	uint64_t h = mix(1, v->primary->object->serial);

	if (now)
		return 0;
	for (size_t i = 0; i < v->entry->use_count; i++) {
		const struct use *u = v->entry->uses[i];
		struct object **list;

		if (u->role != USE_RELATED &&
		    !(u->role == USE_DEPENDENT && owned))
			continue;
		h = mix(h, i + 1);
		list = entry_objects(v->entry, v->primary, u);
		for (size_t j = 0; list[j] != NULL; j++)
			h = mix(h, list[j]->serial);
		free(list);
	}
	return h != 0 ? h : 1;
}
