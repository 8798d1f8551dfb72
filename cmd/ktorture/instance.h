/*
 * instance: the operator as it runs: a kpipe with its tools. A play has one, or
 * two: for the whole play, and they elect a leader; or for a while, and they do
 * not.
 *
 * Each has another machine in its User-Agent, so that it is known of every request
 * whose it is. One that ends is started again, as by a kubelet.
 */
#ifndef INSTANCE_H
#define INSTANCE_H

#include <jv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/span.h"

/* Of a Deployment: the old one ends when the new one is ready. */
enum { INSTANCES = 2, REPLACE_MS = 10000 };

struct instance {
	pid_t pid;	 /* 0: it was never started */
	int64_t died_ns; /* it is to start again; 0: it runs */
	unsigned deaths;
	bool updating; /* it was told to end, and starts again */
	bool retired;  /* it was told to end, and stays away */
	bool over;     /* it has ended, and is not started again */
	bool old;      /* of the version before */
};

struct play;

/* Starts the n-th. */
void instance_start(struct play *p, size_t n);
/* Notes those that have ended. */
void instance_look(struct play *p);
/* Starts those that are due again; whether any was. */
bool instance_restart(struct play *p);
/* When the next one is; end, if that is earlier. */
int64_t instance_due(const struct play *p, int64_t end);
/* Tells it to end: it is replaced; retired: it is not. */
void instance_update(struct play *p, size_t n);
void instance_retire(struct play *p, size_t n);
/* An instance of this version takes the place of the one that is there. */
void instance_replace(struct play *p, struct span by);
/* Ends all; the exit code of the operator. */
int instance_end_all(struct play *p);

/* The one that has sent a request of the journal. */
size_t instance_of(jv request_peek);
/* The process of the n-th instance with the name of a stage; "evaluator": one that
 * runs programs. 0: there is none. */
pid_t instance_process(const struct play *p, size_t n, struct span name);
/* The pids of all its processes; returns how many. */
size_t instance_processes(
    const struct play *p, size_t n, pid_t *pids, size_t max);

#endif
