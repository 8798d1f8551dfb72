#include "against/told.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "value/digest.h"

struct told_object {
	enum setdiff_part part;
	char *object;			   /* owned */
	unsigned char digest[DIGEST_SIZE]; /* of its line, without the time */
};

static void
digest_of(const struct setdiff_object *o, unsigned char digest[DIGEST_SIZE])
{
	const struct telling_about about = {"", SPAN_NONE, NULL};
	struct buf text = BUF_INIT;

	telling_object(&text, TELLING_JSON, &about, o);
	digest_sha256(buf_span(&text), digest);
	buf_release(&text);
}

/* In the order of a setdiff. */
static int
compare(const struct told_object *t, const struct setdiff_object *o)
{
	return t->part != o->part ? (int)t->part - (int)o->part
				  : strcmp(t->object, o->object);
}

/* The object as it was told: moves *at there, since both are in one
 * order. NULL: it was not. */
static const struct told_object *
told_about(
    const struct told_list *t, size_t *at, const struct setdiff_object *o)
{
	while (*at < t->count && compare(&t->objects[*at], o) < 0)
		++*at;
	return *at < t->count && compare(&t->objects[*at], o) == 0
	    ? &t->objects[*at]
	    : NULL;
}

static void
tell_agreed(const struct told_list *t, const struct setdiff *s,
    enum telling_format format, const struct telling_about *about,
    struct buf *lines)
{
	size_t i = 0;

	for (size_t j = 0; j < t->count; j++) {
		const struct told_object *o = &t->objects[j];

		while (i < s->count && compare(o, &s->objects[i]) > 0)
			i++;
		if (i == s->count || compare(o, &s->objects[i]) != 0)
			telling_agrees(
			    lines, format, about, o->part, o->object);
	}
}

void
told_update(struct told_list *t, const struct setdiff *s,
    enum telling_format format, const struct telling_about *about,
    struct buf *lines)
{
	struct told_list now = {NULL, 0};
	size_t at = 0;

	if (s->count > 0)
		now.objects = mem_array(NULL, s->count, sizeof(*now.objects));
	for (size_t i = 0; i < s->count; i++) {
		const struct setdiff_object *o = &s->objects[i];
		const struct told_object *before = told_about(t, &at, o);
		struct told_object *mine = &now.objects[now.count++];

		mine->part = o->part;
		mine->object = mem_strdup(o->object);
		digest_of(o, mine->digest);
		if (before == NULL ||
		    memcmp(before->digest, mine->digest, DIGEST_SIZE) != 0)
			telling_object(lines, format, about, o);
	}
	tell_agreed(t, s, format, about, lines);
	told_release(t);
	*t = now;
}

void
told_release(struct told_list *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->objects[i].object);
	free(t->objects);
	*t = (struct told_list){NULL, 0};
}
