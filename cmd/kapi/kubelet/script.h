/*
 * script: what the containers of a Pod do, as its annotations say it. Nothing
 * of it is executed: it is text that is sent. doc/kapi.md has them all.
 *
 * An annotation playground.kpipe.dev/NAME.CONTAINER is of one container,
 * playground.kpipe.dev/NAME of those that have none of their own. Those with
 * structure are YAML (so JSON is fine).
 */
#ifndef SCRIPT_H
#define SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"
#include "tree/tree.h"

/* The text of the annotation, or SPAN_NONE. A container need not be given. */
struct span script_text(struct arena *a, const struct node *pod,
    const char *name, struct span container);

/* How a command goes. Zeroed: it ends at once, with 0. */
struct script_run {
	struct span out, err; /* printed at once, in this order */
	bool echo;	      /* prints what it reads, until that ends */
	uint64_t ms;	      /* how long it runs after that */
	int64_t exit_code;    /* 0 to 255 */
};
enum { SCRIPT_SECONDS_MAX = 3600 };

enum script_found { SCRIPT_FOUND, SCRIPT_NONE, SCRIPT_BAD };

/* The first rule of "exec" that fits the command. SCRIPT_BAD: the annotation is
 * not as it has to be, and err says why. */
enum script_found script_exec(struct arena *a, const struct node *pod,
    struct span container, const struct span *command, size_t n,
    struct script_run *run, struct err *err);
/* "attach": one rule, without a command. */
enum script_found script_attach(struct arena *a, const struct node *pod,
    struct span container, struct script_run *run, struct err *err);

/* The service on a port. */
struct script_port {
	struct span greeting; /* sent at once */
	struct span answer;   /* sent when something came; then it closes */
	bool echo;
};
/* "ports". SCRIPT_NONE: nothing listens. */
enum script_found script_port(struct arena *a, const struct node *pod,
    unsigned port, struct script_port *found, struct err *err);

#endif
