#include "agree/hidden.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "json/jvtext.h"
#include "record/redacted.h"
#include "value/base64.h"

enum { DEPTH_MAX = 64 };

/* A digest, and the desired value that it stands for. */
struct pair {
	uint64_t path;
	char digest[REDACTED_SIZE];
	uint64_t desired;
};

struct hidden_values {
	struct pair *pairs;
	size_t count;
};

void
hidden_free(struct hidden_values *memory)
{
	if (memory != NULL)
		free(memory->pairs);
	free(memory);
}

size_t
hidden_taken(const struct hidden_values *memory)
{
	return memory != NULL ? memory->count : 0;
}

/* Whether digest stands for this desired value; learns a new pair. */
static bool
stands_for(struct hidden_values *h, uint64_t path, struct span digest,
    uint64_t desired)
{
	struct pair *p = NULL;
	bool same_digest, same_value;

	for (size_t i = 0; i < h->count && p == NULL; i++)
		if (h->pairs[i].path == path)
			p = &h->pairs[i];
	if (p == NULL) {
		h->pairs = mem_grow(h->pairs, h->count, sizeof(*h->pairs));
		p = &h->pairs[h->count++];
		*p = (struct pair){.path = path};
	}
	same_digest = memcmp(p->digest, digest.p, REDACTED_SIZE) == 0;
	same_value = p->desired == desired;
	if (redacted_compare(span_make(p->digest, REDACTED_SIZE), digest) &&
	    same_digest != same_value)
		return false;
	memcpy(p->digest, digest.p, REDACTED_SIZE);
	p->desired = desired;
	return true;
}

/* Returns observed or, if that is a digest of the desired value, wish: the
 * desired value as the server has it. Both are consumed. */
static jv
lift_text(struct hidden_values *h, uint64_t path, jv observed, jv wish)
{
	struct buf scratch = BUF_INIT, other = BUF_INIT;
	struct span digest = redacted_of(jvtext_span(observed), &scratch);
	struct span text = jvtext_span(wish);
	bool lift = digest.n > 0 && text.p != NULL &&
	    !redacted_compare(digest, redacted_of(text, &other)) &&
	    stands_for(h, path, digest, hash_text(text));

	buf_release(&scratch);
	buf_release(&other);
	jv_free(lift ? observed : wish);
	return lift ? wish : observed;
}

static uint64_t
step(uint64_t path, struct span key)
{
	return (path ^ hash_text(key)) * UINT64_C(0x100000001b3);
}

static jv lift(
    struct hidden_values *h, uint64_t path, jv observed, jv desired, int depth);

static jv
lift_object(
    struct hidden_values *h, uint64_t path, jv observed, jv desired, int depth)
{
	jv_object_foreach(desired, key, value)
	{
		jv there = jv_object_get(jv_copy(observed), jv_copy(key));

		if (jv_is_valid(there))
			observed = jv_object_set(observed, jv_copy(key),
			    lift(h, step(path, jvtext_span(key)), there, value,
				depth));
		else
			jv_free(there);
		jv_free(key);
		jv_free(value);
	}
	return observed;
}

static jv
lift_array(
    struct hidden_values *h, uint64_t path, jv observed, jv desired, int depth)
{
	int n = jv_array_length(jv_copy(observed));

	jv_array_foreach(desired, i, value)
	{
		if (i < n)
			observed = jv_array_set(observed, i,
			    lift(h,
				step(path, span_make((char *)&i, sizeof(i))),
				jv_array_get(jv_copy(observed), i), value,
				depth));
		jv_free(value);
	}
	return observed;
}

/* observed is consumed, desired borrowed. */
static jv
lift(struct hidden_values *h, uint64_t path, jv observed, jv desired, int depth)
{
	jv_kind kind = jv_get_kind(observed);

	if (kind != jv_get_kind(desired) || depth == 0)
		return observed;
	if (kind == JV_KIND_OBJECT)
		return lift_object(h, path, observed, desired, depth - 1);
	if (kind == JV_KIND_ARRAY)
		return lift_array(h, path, observed, desired, depth - 1);
	if (kind == JV_KIND_STRING)
		return lift_text(h, path, observed, jv_copy(desired));
	return observed;
}

/* A Secret (consumed) with the data that the API server makes of its
 * stringData. */
static jv
as_stored(jv secret)
{
	jv data = jv_copy(jvtext_peek(secret, "data"));

	if (jv_get_kind(data) != JV_KIND_OBJECT) {
		jv_free(data);
		data = jv_object();
	}
	jv_object_foreach(jvtext_peek(secret, "stringData"), key, value)
	{
		struct buf text = BUF_INIT;

		base64_add(&text, jvtext_span(value));
		if (jv_get_kind(value) == JV_KIND_STRING)
			data = jv_object_set(data, jv_copy(key),
			    jv_string_sized(buf_str(&text), (int)text.len));
		buf_release(&text);
		jv_free(key);
		jv_free(value);
	}
	return jv_object_set(secret, jv_string("data"), data);
}

jv
hidden_lift(jv observed, jv desired_peek, struct hidden_values **memory)
{
	jv desired = jv_copy(desired_peek);

	if (*memory == NULL)
		*memory = mem_zalloc(sizeof(**memory));
	if (jv_get_kind(jvtext_peek(desired, "stringData")) == JV_KIND_OBJECT)
		desired = as_stored(desired);
	observed = lift(*memory, 0, observed, desired, DEPTH_MAX);
	jv_free(desired);
	return observed;
}
