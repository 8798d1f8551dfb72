/*
 * workload: the controllers of workloads. For cluster.c alone; cluster.h says
 * what they do.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stdbool.h>

#include "scene/actor.h"

/* Does what the controller of this object would do now. False: it has none. */
bool workload_play(struct cluster *c, struct actor *w);

#endif
