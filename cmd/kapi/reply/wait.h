/*
 * wait: a request that goes on later: one that a fault delays, one whose
 * namespace may be on its way.
 */
#ifndef WAIT_H
#define WAIT_H

#include <stdint.h>

#include "process/loop.h"

struct request;

/*
 * Calls then(arg) in ms milliseconds, from the loop; the caller touches r no
 * more until then. If the client has gone meanwhile, then is never called: the
 * request is written down without a code, and freed.
 */
void wait_then(struct request *r, uint64_t ms, loop_fn *then, void *arg);

#endif
