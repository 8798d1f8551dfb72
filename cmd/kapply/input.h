/*
 * input: documents as sets for the engine, taken only as fast as the engine
 * works: not while twice its limit of keys can run, or that many plain
 * objects wait for an earlier one of their name, nor while the
 * reader of our output is behind, nor (plain objects) before a Namespace or
 * CRD that came earlier is there.
 */
#ifndef INPUT_H
#define INPUT_H

#include <stdbool.h>

#include "apply.h"
#include "json/stream.h"

struct input {
	struct apply *apply; /* borrowed */
	/* If set, it gets each plain object's set instead of the engine (an
	 * apply set collects them first). */
	void (*take)(void *arg, struct set *s);
	void *take_arg;
	struct set *held; /* owned: waits behind a barrier; or NULL */
};

void input_release(struct input *in);

/* Whether another document can be taken; hands on what is held. */
bool input_has_room(struct input *in);
/* -1 with err: it is not a set. */
int input_take(struct input *in, const struct stream_doc *doc, struct err *err);

#endif
