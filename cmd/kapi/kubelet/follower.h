/*
 * follower: sends the lines that are added to the log of a container when its
 * annotation changes. Text behind what was sent already is new; if the text
 * became another one, all of it is new. The follower ends when the container
 * does not run any more, or its Pod is gone.
 */
#ifndef FOLLOWER_H
#define FOLLOWER_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/span.h"
#include "kubelet/logs.h"
#include "process/loop.h"
#include "request/request.h"
#include "store/store.h"
#include "tree/tree.h"

struct follower {
	struct request *request; /* for the log of a Pod; borrowed */
	struct span container;
	struct log_options options;
	/* Whole lines. May end the follower by follower_stop. */
	void (*on_lines)(void *arg, struct span lines);
	/* No more lines come: the follower has stopped. */
	void (*on_end)(void *arg);
	void *arg;
	/* Private. */
	struct store_hook hook;
	struct timer timer;
	struct buf told;
	bool hooked;
};

/* Members up to arg are set. on_lines is called at once for what is there
 * (options.tail and so on), later for the rest if options.follow. pod: as it is
 * now. */
void follower_start(struct follower *f, const struct node *pod);
/* A follower may be stopped several times, and in a callback. */
void follower_stop(struct follower *f);

/*
 * A container whose command is echo prints its plain text, by
 * itself or in a shell. Nothing is executed.
 */
/* The output of the container of that name, with its end of line. SPAN_NONE:
 * the command is another one, has options, or a shell would have to work
 * (variables, pipes, several commands). */
struct span follower_echoed(
    struct arena *a, const struct node *pod, struct span container);

#endif
