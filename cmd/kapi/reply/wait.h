/*
 * wait: goes on with a request later: a fault delays it, or its namespace may
 * be created at the same time.
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
