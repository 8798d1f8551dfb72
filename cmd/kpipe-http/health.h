/*
 * health: /healthz, /livez and /readyz, in the words of controller-runtime's
 * healthz package (pkg/healthz/healthz.go), but with the reason where that says
 * "reason withheld": an engineer who is woken by a probe wants to read
 *
 *	[-]kwatch failed: Secret: cannot list secrets: forbidden (verb list)
 *
 * Alive means that this process answers: it ends with kpipe. Ready means that
 * the pipeline runs, every stage runs and is ready, and none has a reason not
 * to be. A standby is as ready as a leader.
 */
#ifndef HEALTH_H
#define HEALTH_H

#include "base/buf.h"
#include "base/span.h"
#include "state.h"

enum health_probe { HEALTH_ALIVE, HEALTH_READY };

/*
 * The answer for "/", "" or "/NAME" below the probe's path, with this query:
 * returns the status (200, 404, 500), appends the text to b.
 */
int health_answer(const struct state *s, enum health_probe probe,
    struct span below, struct span query, struct buf *b);

bool health_ready(const struct state *s);

#endif
