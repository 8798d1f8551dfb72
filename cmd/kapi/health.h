/*
 * health: /version, /healthz, /livez, /readyz and what is below them.
 */
#ifndef HEALTH_H
#define HEALTH_H

#include <stdbool.h>

#include "request.h"

/* True: the path is one of these, and r was answered. */
bool health_serve(struct request *r);

#endif
