#include "value/objref.h"

void
objref_add_kind(struct buf *b, struct span kind, struct span group)
{
	buf_addspan(b, kind);
	if (group.n == 0)
		return;
	buf_addc(b, '.');
	buf_addspan(b, group);
}

void
objref_split_kind(struct span text, struct span *kind, struct span *group)
{
	*kind = span_cut(&text, '.');
	*group = text.p == NULL ? span_str("") : text;
}

void
objref_add_key(struct buf *b, const struct objref *o)
{
	objref_add_kind(b, o->kind, o->group);
	buf_addc(b, '/');
	buf_addspan(b, o->namespace_);
	buf_addc(b, '/');
	buf_addspan(b, o->name);
}

bool
objref_parse_key(struct objref *o, struct span text)
{
	struct span rest = text, kind = span_cut(&rest, '/');
	struct span namespace_ = span_cut(&rest, '/');

	*o = (struct objref){.kind = text};
	if (rest.p == NULL)
		return false;
	objref_split_kind(kind, &o->kind, &o->group);
	o->namespace_ = namespace_;
	o->name = rest;
	return true;
}

bool
objref_name_fits(struct span name)
{
	return !span_is(name, ".") && !span_is(name, "..") &&
	    span_find(name, '/') == NULL && span_find(name, '%') == NULL &&
	    span_find(name, '\0') == NULL;
}

void
objref_add_label(struct buf *b, const struct objref *o)
{
	objref_add_kind(b, o->kind, o->group);
	buf_addc(b, ' ');
	if (o->namespace_.n != 0) {
		buf_addspan(b, o->namespace_);
		buf_addc(b, '/');
	}
	buf_addspan(b, o->name);
}
