/*
 * contest: an election with a clock and a connection: sends its requests, calls
 * it when it is due, and logs its messages.
 */
#ifndef CONTEST_H
#define CONTEST_H

#include "election.h"
#include "process/loop.h"

typedef void contest_fn(void *arg);

struct contest {
	struct loop *loop;	   /* borrowed */
	struct kube *kube;	   /* borrowed */
	struct election *election; /* borrowed */
	const char *what;	   /* "lease ns/name", borrowed */
	contest_fn *changed; /* after each step; may release the contest */
	void *arg;

	struct kube_call *call;
	unsigned serial; /* number of the request that call sends */
	struct timer timer;
	char *said_leader, *said_problem; /* logged last, owned */
	bool busy;
};

void contest_start(struct contest *c);
/* Tells the election the time, before a decision that relies on leadership. */
void contest_check(struct contest *c);
void contest_release(struct contest *c);
void contest_end(struct contest *c);

#endif
