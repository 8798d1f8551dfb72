/*
 * manager: what the service manager (systemd) is told about kpipe: READY once
 * all stages are ready for the first time, STOPPING when it is told to end,
 * STATUS when that changes, and WATCHDOG while the loop turns.
 */
#ifndef MANAGER_H
#define MANAGER_H

#include "process/loop.h"
#include "process/notify.h"

struct manager {
	struct notify notify;
	struct loop *loop;  /* borrowed */
	struct timer timer; /* of the watchdog */
	const char *status; /* static: told last */
};

/* Takes its variables from the environment: before any child is started. */
void manager_init(struct manager *m);
void manager_start(struct manager *m, struct loop *loop);

void manager_ready(const struct manager *m);
void manager_stopping(const struct manager *m);
/* Of static text. What was told already is not told again. */
void manager_status(struct manager *m, const char *status);

#endif
