#include "who.h"

#include <string.h>
#include <strings.h>

int
who_parse(struct who *w, const char *kind, const char *name, struct err *err)
{
	struct span rest = span_str(name);

	*w = (struct who){.kind = span_str(kind)};
	if (span_find(w->kind, '.') != NULL) {
		struct span all = w->kind;

		w->kind = span_cut(&all, '.');
		w->group = all;
	}
	w->namespace_ = span_str("");
	if (span_find(rest, '/') != NULL)
		w->namespace_ = span_cut(&rest, '/');
	w->name = rest;
	if (w->kind.n == 0)
		return err_set(err, ERR_PERMANENT,
		    "operand \"%s\" is not a kind, as deployment.apps", kind);
	if (w->name.n == 0 || span_find(w->name, '/') != NULL)
		return err_set(err, ERR_PERMANENT,
		    "operand \"%s\" is not NAMESPACE/NAME, or NAME of an "
		    "object without a namespace",
		    name);
	return 0;
}

static bool
is_caseless(struct span a, struct span b)
{
	return a.n == b.n && strncasecmp(a.p, b.p, a.n) == 0;
}

/* Whether word is kind in the plural, as API servers make it. */
static bool
is_plural(struct span word, struct span kind)
{
	struct span stem = word;

	if (word.n < 3)
		return false;
	stem.n--;
	if ((word.p[word.n - 1] | 0x20) != 's')
		return false;
	if (is_caseless(stem, kind))
		return true;
	stem.n--;
	if ((stem.p[stem.n] | 0x20) != 'e')
		return false;
	if (is_caseless(stem, kind))
		return true;
	stem.n--;
	return (stem.p[stem.n] | 0x20) == 'i' && kind.n == stem.n + 1 &&
	    (kind.p[stem.n] | 0x20) == 'y' &&
	    strncasecmp(stem.p, kind.p, stem.n) == 0;
}

bool
who_is(const struct who *w, const struct objref *o)
{
	return span_eq(w->name, o->name) &&
	    span_eq(
		w->namespace_, span_make(o->namespace_.p, o->namespace_.n)) &&
	    (is_caseless(w->kind, o->kind) || is_plural(w->kind, o->kind)) &&
	    (w->group.p == NULL || is_caseless(w->group, o->group));
}
