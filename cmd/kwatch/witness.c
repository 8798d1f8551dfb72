#include "witness.h"

#include <inttypes.h>

static void
keep(struct buf *b, struct span text)
{
	buf_reset(b);
	buf_addspan(b, text);
}

void
witness_take(struct witness *w, const struct json_frame *f, bool deleted)
{
	struct arena names = ARENA_INIT;
	struct json_frame decoded = *f;
	uint64_t version;

	if (f->uid.n == 0 || f->name.n == 0 ||
	    !span_number(f->resource_version, INT64_MAX, &version) ||
	    version < w->version)
		return;
	json_frame_names(&decoded, &names);
	keep(&w->namespace_, decoded.namespace_);
	keep(&w->name, decoded.name);
	keep(&w->uid, decoded.uid);
	w->version = version;
	w->deleted = deleted;
	arena_release(&names);
}

enum witness_question
witness_first(const struct witness *w)
{
	if (w->version == 0)
		return WITNESS_NONE;
	return w->deleted && w->version > 1 ? WITNESS_BEFORE : WITNESS_NOW;
}

void
witness_version(const struct witness *w, enum witness_question q,
    struct span reached, struct buf *out)
{
	if (q == WITNESS_BEFORE)
		buf_addf(out, "%" PRIu64, w->version - 1);
	else
		buf_addspan(out, reached);
}

void
witness_selector(const struct witness *w, struct buf *out)
{
	buf_adds(out, "metadata.name=");
	for (size_t i = 0; i < w->name.len; i++) {
		char c = w->name.data[i];

		if (c == '\\' || c == ',' || c == '=')
			buf_addc(out, '\\');
		buf_addc(out, c);
	}
}

static bool
is_number(struct span text, uint64_t n)
{
	uint64_t value;

	return span_number(text, INT64_MAX, &value) && value == n;
}

enum witness_word
witness_hear(const struct witness *w, enum witness_question q,
    const char *version, struct span list)
{
	struct span asked = json_get(list, "metadata");
	struct json_elements e = json_elements(json_get(list, "items"));
	struct json_frame f;
	bool found, same;

	/* A server that does not know exact lists says the present version. */
	if (!json_is(json_get(asked, "resourceVersion"), version))
		return WITNESS_UNKNOWN;
	found = json_element(&e);
	if (found && json_object_frame(e.value, &f) != 0)
		return WITNESS_UNKNOWN;
	same = found && span_eq(f.uid, buf_span(&w->uid));
	if (q == WITNESS_NOW && w->deleted)
		return same ? WITNESS_OTHER : WITNESS_SAME;
	if (q == WITNESS_NOW && same)
		same = is_number(f.resource_version, w->version);
	return same ? WITNESS_SAME : WITNESS_OTHER;
}

void
witness_forget(struct witness *w)
{
	w->version = 0;
	w->deleted = false;
}

void
witness_release(struct witness *w)
{
	buf_release(&w->namespace_);
	buf_release(&w->name);
	buf_release(&w->uid);
}
