/*
 * evaluator: where programs run, seen from the process that asks.
 *
 * Three processes: the one that holds objects, decides and writes, and calls
 * these functions; a zygote, forked from it when all programs are compiled
 * (zygote.h); and a worker, forked from that, which runs the programs
 * (worker.h). A worker that ends, whatever the reason, is replaced, and who
 * asked learns how it ended. Nothing else is lost.
 *
 * The time of a call is CPU time of the worker, so a busy machine makes no
 * program fail. One call at a time; one evaluator in a process.
 */
#ifndef EVALUATOR_H
#define EVALUATOR_H

#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "process/sandbox.h"
#include "program/arguments.h"

/*
 * Forks the zygote, which keeps the programs that there are; once more: anew.
 * Before any thread or sandbox of the caller. Both processes enter a sandbox as
 * mode says; the caller, which enters one itself, reports why there is none. -1
 * with err.
 */
int evaluator_start(enum sandbox_mode mode, struct err *err);
void evaluator_stop(void);
/* How many programs the zygote has; 0: it was not started. */
uint32_t evaluator_programs(void);

enum evaluator_how {
	EVALUATOR_DONE,	  /* the answer is of jvwire.h; empty: no output */
	EVALUATOR_FAILED, /* the answer is a message for users */
	EVALUATOR_TIME,
	EVALUATOR_MEMORY,
	EVALUATOR_STACK,
	EVALUATOR_CRASHED,
	EVALUATOR_GONE /* there is no zygote any more */
};
struct evaluator_end {
	enum evaluator_how how;
	char why[32]; /* EVALUATOR_CRASHED: "SIGABRT" */
};

struct evaluator_request {
	uint32_t program, call;
	const struct arguments *input;
	uint64_t time_limit_ms;
};

/*
 * answer: borrowed until the next call. What ends a worker that was at work
 * before is tried once more in a fresh one, so that no call pays for damage
 * that another did.
 */
void evaluator_ask(const struct evaluator_request *q, struct span *answer,
    struct evaluator_end *end);

/* Before a wait: the process that ends it may wake us on any processor. Calls
 * in a row stay on one. */
void evaluator_roam(void);

/* CPU time that all workers used so far. */
uint64_t evaluator_cpu_us(void);

/* Readable when something happened while nobody asked; then evaluator_look,
 * which returns false once the zygote is gone: there is no going on. */
int evaluator_fd(void);
bool evaluator_look(void);

#endif
