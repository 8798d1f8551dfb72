/*
 * input: standard input as sets for the engine, read only as fast as the
 * engine works: not while twice its limit of keys can run, or that many plain
 * objects wait for an earlier one of their name, nor while the
 * reader of our output is behind, nor (plain objects) before a Namespace or
 * CRD that came earlier is there.
 */
#ifndef INPUT_H
#define INPUT_H

#include <stdbool.h>

#include "apply.h"

struct input;

/* Borrows a. take, if set, is given each plain object's set instead of the
 * engine (an apply set collects them first). */
struct input *input_new(
    struct apply *a, int fd, void (*take)(void *arg, struct set *s), void *arg);
void input_free(struct input *in);

/* Takes what can be taken now; reads on when there is room. */
void input_pump(struct input *in);
bool input_ended(const struct input *in);
/* Cannot be read any more: the error, or NULL. */
const struct err *input_error(const struct input *in);

#endif
