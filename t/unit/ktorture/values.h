/*
 * values: jv values in tests, as JSON with ' for ".
 */
#ifndef VALUES_H
#define VALUES_H

#include <stdlib.h>
#include <jv.h>

#include "base/buf.h"
#include "json/jvtext.h"

/* Owned. */
__attribute__((unused)) static jv
value(const char *text)
{
	struct buf b = BUF_INIT;
	jv v;

	buf_adds(&b, text);
	for (size_t i = 0; i < b.len; i++)
		if (b.data[i] == '\'')
			b.data[i] = '"';
	v = jv_parse(buf_str(&b));
	if (!jv_is_valid(v)) {
		printf("Bail out! %s\n", text);
		exit(1);
	}
	buf_release(&b);
	return v;
}

/* With ' for ", its keys sorted; takes v. Eight of them at a time. */
__attribute__((unused)) static const char *
shown(jv v)
{
	static struct buf texts[8];
	static unsigned next;
	struct buf *b = &texts[next++ % 8];

	buf_reset(b);
	if (!jv_is_valid(v))
		buf_adds(b, "invalid");
	else
		jvtext_add(b, v, NULL);
	for (size_t i = 0; i < b->len; i++)
		if (b->data[i] == '"')
			b->data[i] = '\'';
	jv_free(v);
	return buf_str(b);
}

/* The member at a path of keys and indexes, ".steps.0.do"; owned. */
__attribute__((unused)) static jv
at(jv v_peek, const char *path)
{
	struct span rest = span_str(path);
	jv v = jv_copy(v_peek);

	span_cut(&rest, '.');
	while (rest.p != NULL && jv_is_valid(v)) {
		struct span key = span_cut(&rest, '.');
		uint64_t index;

		if (jv_get_kind(v) == JV_KIND_ARRAY &&
		    span_number(key, 1000000, &index))
			v = jv_array_get(v, (int)index);
		else if (jv_get_kind(v) == JV_KIND_OBJECT)
			v = jv_object_get(
			    v, jv_string_sized(key.p, (int)key.n));
		else {
			jv_free(v);
			return jv_invalid();
		}
	}
	return v;
}

#endif
