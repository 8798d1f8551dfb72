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

static struct told_object *
find(const struct told_list *t, const struct setdiff_object *o)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->objects[i].part == o->part &&
		    strcmp(t->objects[i].object, o->object) == 0)
			return &t->objects[i];
	return NULL;
}

/* False: it was told like this. */
static bool
remember(struct told_list *t, const struct setdiff_object *o)
{
	struct told_object *before = find(t, o);
	struct told_object now = {.part = o->part};

	digest_of(o, now.digest);
	if (before != NULL &&
	    memcmp(before->digest, now.digest, DIGEST_SIZE) == 0)
		return false;
	if (before != NULL) {
		memcpy(before->digest, now.digest, DIGEST_SIZE);
		return true;
	}
	now.object = mem_strdup(o->object);
	t->objects = mem_grow(t->objects, t->count, sizeof(*t->objects));
	t->objects[t->count++] = now;
	return true;
}

static bool
differs(const struct setdiff *s, const struct told_object *o)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->objects[i].part == o->part &&
		    strcmp(s->objects[i].object, o->object) == 0)
			return true;
	return false;
}

void
told_update(struct told_list *t, const struct setdiff *s,
    enum telling_format format, const struct telling_about *about,
    struct buf *lines)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->count; i++)
		if (remember(t, &s->objects[i]))
			telling_object(lines, format, about, &s->objects[i]);
	for (size_t i = 0; i < t->count; i++) {
		struct told_object *o = &t->objects[i];

		if (differs(s, o)) {
			t->objects[kept++] = *o;
			continue;
		}
		telling_agrees(lines, format, about, o->part, o->object);
		free(o->object);
	}
	t->count = kept;
}

void
told_release(struct told_list *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->objects[i].object);
	free(t->objects);
	*t = (struct told_list){NULL, 0};
}
