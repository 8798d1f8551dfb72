/*
 * livez: /version, /healthz, /livez, /readyz and what is below them.
 */
#ifndef LIVEZ_H
#define LIVEZ_H

#include <stdbool.h>

#include "request/request.h"

/* True: the path is one of these, and r was answered. */
bool livez_serve(struct request *r);

#endif
