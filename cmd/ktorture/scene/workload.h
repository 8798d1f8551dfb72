/*
 * workload: the controllers of workloads. For cluster.c alone; backdrop.h says
 * what they do.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stdbool.h>

#include "scene/actor.h"

/* Does what the controller of this object would do now. False: it has none. */
bool workload_play(struct backdrop *c, struct actor *w);

#endif
