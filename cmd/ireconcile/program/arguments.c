#include "program/arguments.h"

#include <string.h>

#include "json/jvtext.h"

uint64_t
arguments_id(void)
{
	static uint64_t last;

	return ++last;
}

struct part {
	uint32_t type, n;
};

void
arguments_add(struct buf *b, enum arguments_part type, struct span bytes)
{
	struct part part = {type, (uint32_t)bytes.n};

	buf_add(b, &part, sizeof(part));
	buf_addspan(b, bytes);
}

/* ---- the worker's side ---- */

/* The input that is being built. */
struct maker {
	jv whole, primary, operator_, loops, plan; /* invalid: not there */
	jv outstanding;
	jv kinds;   /* kinds of .related or .owned */
	jv key;	    /* the kind that is read; invalid: none yet */
	jv objects; /* objects of that kind */
	struct err *err;
};

static struct maker
maker(struct err *err)
{
	return (struct maker){.whole = jv_invalid(),
	    .primary = jv_invalid(),
	    .operator_ = jv_invalid(),
	    .loops = jv_invalid(),
	    .plan = jv_invalid(),
	    .outstanding = jv_array(),
	    .kinds = jv_object(),
	    .key = jv_invalid(),
	    .objects = jv_array(),
	    .err = err};
}

static void
maker_release(struct maker *m)
{
	jv_free(m->whole);
	jv_free(m->primary);
	jv_free(m->operator_);
	jv_free(m->loops);
	jv_free(m->plan);
	jv_free(m->outstanding);
	jv_free(m->kinds);
	jv_free(m->key);
	jv_free(m->objects);
}

/* The kind whose objects came is complete. */
static void
close_kind(struct maker *m)
{
	if (!jv_is_valid(m->key))
		return;
	m->kinds = jv_object_set(m->kinds, m->key, m->objects);
	m->key = jv_invalid();
	m->objects = jv_array();
}

static jv
string(struct span s)
{
	return jv_string_sized(s.p, (int)s.n);
}

static int
set(struct maker *m, jv *to, struct span text)
{
	jv_free(*to);
	*to = jvtext_parse(text, m->err);
	return jv_is_valid(*to) ? 0 : -1;
}

static int
append(struct maker *m, jv *to, struct span text)
{
	jv value = jvtext_parse(text, m->err);

	if (!jv_is_valid(value)) {
		jv_free(value);
		return -1;
	}
	*to = jv_array_append(*to, value);
	return 0;
}

static int
take_part(struct maker *m, enum arguments_part type, struct span s)
{
	switch (type) {
	case ARGUMENTS_WHOLE:
		return set(m, &m->whole, s);
	case ARGUMENTS_PRIMARY:
		return set(m, &m->primary, s);
	case ARGUMENTS_OPERATOR:
		return set(m, &m->operator_, s);
	case ARGUMENTS_LOOPS:
		return set(m, &m->loops, s);
	case ARGUMENTS_PLAN:
		return set(m, &m->plan, s);
	case ARGUMENTS_OUTSTANDING:
		return append(m, &m->outstanding, s);
	case ARGUMENTS_OBJECT:
		return append(m, &m->objects, s);
	case ARGUMENTS_RELATED:
	case ARGUMENTS_OWNED:
		close_kind(m);
		m->key = string(s);
		return 0;
	}
	return err_set(m->err, ERR_BUG, "an unknown part of an input");
}

static int
take_parts(struct maker *m, const char *at, size_t n)
{
	const char *end = at + n;
	struct part part;

	while ((size_t)(end - at) >= sizeof(part)) {
		memcpy(&part, at, sizeof(part));
		at += sizeof(part);
		if (part.n > (size_t)(end - at))
			return err_set(m->err, ERR_BUG, "an input is cut");
		if (take_part(m, part.type, span_make(at, part.n)) != 0)
			return -1;
		at += part.n;
	}
	close_kind(m);
	return 0;
}

static jv
put(jv object, const char *key, jv value)
{
	return jv_object_set(object, jvtext_key(span_str(key)), value);
}

/* The value of a text; jv_invalid() with m->err. */
static jv
make(struct maker *m, enum arguments_text which, struct span text)
{
	jv value;

	if (take_parts(m, text.p, text.n) != 0)
		return jv_invalid();
	switch (which) {
	case ARGUMENTS_TEXT_OWNED:
		return jv_copy(m->kinds);
	case ARGUMENTS_TEXT_OUTCOME:
		value = put(jv_object(), "loops", jv_copy(m->loops));
		return put(value, "outstanding", jv_copy(m->outstanding));
	case ARGUMENTS_TEXT_PLAN:
		return jv_copy(m->plan);
	default:
		if (jv_is_valid(m->whole))
			return jv_copy(m->whole);
		value = put(jv_object(), "primary", jv_copy(m->primary));
		value = put(value, "related", jv_copy(m->kinds));
		return put(value, "operator", jv_copy(m->operator_));
	}
}

static void
drop(struct arguments_kept *kept, int from, int to)
{
	for (int i = from; i < to; i++) {
		jv_free(kept->values[i]);
		kept->values[i] = jv_invalid();
	}
}

static int
keep(struct arguments_kept *kept, enum arguments_text which, struct span text,
    struct err *err)
{
	struct maker m = maker(err);

	drop(kept, which,
	    which == ARGUMENTS_TEXT_BASE ? ARGUMENTS_TEXTS : which + 1);
	kept->values[which] = make(&m, which, text);
	maker_release(&m);
	return jv_is_valid(kept->values[which]) ? 0 : -1;
}

jv
arguments_make(struct arguments_kept *kept, const struct arguments_head *head,
    const char *body, struct err *err)
{
	const jv *values = kept->values;
	jv input;

	for (int i = 0; i < ARGUMENTS_TEXTS; i++) {
		if (!(head->comes & 1u << i))
			continue;
		if (keep(kept, i, span_make(body, head->n[i]), err) != 0)
			return jv_invalid();
		body += head->n[i];
	}
	input = jv_copy(values[ARGUMENTS_TEXT_BASE]);
	if (head->has & ARGUMENTS_HAS_OWNED)
		input =
		    put(input, "owned", jv_copy(values[ARGUMENTS_TEXT_OWNED]));
	if (head->has & ARGUMENTS_HAS_PLAN)
		input =
		    put(input, "plan", jv_copy(values[ARGUMENTS_TEXT_PLAN]));
	if (head->has & ARGUMENTS_HAS_NOW)
		input = put(input, "now", jv_number(head->now));
	if (head->has & ARGUMENTS_HAS_OUTCOME) {
		jv_object_foreach(values[ARGUMENTS_TEXT_OUTCOME], key, value)
		{
			input = jv_object_set(input, key, value);
		}
		input = put(input, "error",
		    head->has_error ? string(span_make(body, head->error))
				    : jv_null());
	}
	return input;
}

int
arguments_print(const struct arguments *in, struct buf *out, struct err *err)
{
	struct arguments_head head = {.has = in->has,
	    .now = in->now,
	    .comes = 1u << ARGUMENTS_TEXT_BASE,
	    .error = (uint32_t)in->error.n,
	    .has_error = in->error.p != NULL};
	struct arguments_kept kept;
	struct buf body = BUF_INIT;
	jv input;
	int rc;

	if (in->has & ARGUMENTS_HAS_OWNED)
		head.comes |= 1u << ARGUMENTS_TEXT_OWNED;
	if (in->has & ARGUMENTS_HAS_OUTCOME)
		head.comes |= 1u << ARGUMENTS_TEXT_OUTCOME;
	if (in->has & ARGUMENTS_HAS_PLAN)
		head.comes |= 1u << ARGUMENTS_TEXT_PLAN;
	for (int i = 0; i < ARGUMENTS_TEXTS; i++) {
		kept.values[i] = jv_invalid();
		if (!(head.comes & 1u << i))
			continue;
		head.n[i] = (uint32_t)in->texts[i].text.n;
		buf_addspan(&body, in->texts[i].text);
	}
	buf_addspan(&body, in->error);
	input = arguments_make(&kept, &head, buf_str(&body), err);
	rc = jv_is_valid(input) ? jvtext_add(out, input, err) : -1;
	jv_free(input);
	drop(&kept, 0, ARGUMENTS_TEXTS);
	buf_release(&body);
	return rc;
}
