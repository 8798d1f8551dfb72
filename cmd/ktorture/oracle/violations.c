#include "oracle/violations.h"

#include <stdarg.h>

#include "base/buf.h"

void
violations_add(struct violations *f, const char *invariant, struct span object,
    const char *fmt, ...)
{
	struct buf text = BUF_INIT;
	va_list ap;
	jv v;

	if (jv_array_length(jv_copy(f->list)) >= VIOLATIONS_MAX)
		return;
	va_start(ap, fmt);
	buf_addv(&text, fmt, ap);
	va_end(ap);
	v = jv_object_set(
	    jv_object(), jv_string("invariant"), jv_string(invariant));
	v = jv_object_set(v, jv_string("object"),
	    jv_string_sized(object.p != NULL ? object.p : "", (int)object.n));
	v = jv_object_set(v, jv_string("text"),
	    jv_string_sized(buf_str(&text), (int)text.len));
	f->list = jv_array_append(f->list, v);
	buf_release(&text);
}
