#include "places.h"

#include <stdlib.h>

#include "base/mem.h"

/* FNV-1a: of names that a process reads once. */
static uint64_t
add(uint64_t sum, struct span text)
{
	for (size_t i = 0; i < text.n; i++)
		sum = (sum ^ (unsigned char)text.p[i]) * 1099511628211u;
	return (sum ^ '/') * 1099511628211u;
}

static uint64_t
digest(const struct objref *o, struct span version)
{
	uint64_t sum = 14695981039346656037u;

	sum = add(sum, o->group);
	sum = add(sum, o->kind);
	sum = add(sum, o->namespace_);
	sum = add(sum, o->name);
	return add(sum, version);
}

void
places_init(struct places *p)
{
	p->table = mem_zalloc(PLACES_MAX * sizeof(*p->table));
}

void
places_release(struct places *p)
{
	free(p->table);
}

void
places_put(struct places *p, const struct objref *o, struct span version,
    size_t source, size_t line)
{
	uint64_t event = digest(o, version);

	p->table[event % PLACES_MAX] =
	    (struct places_line){event, source, line};
}

const struct places_line *
places_get(const struct places *p, const struct objref *o, struct span version)
{
	uint64_t event = digest(o, version);
	const struct places_line *at = &p->table[event % PLACES_MAX];

	return at->line > 0 && at->event == event ? at : NULL;
}
