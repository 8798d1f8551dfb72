/*
 * evaluator: runs programs in other processes.
 *
 * There are three processes: the caller, which holds objects, decides and
 * writes; a fork server, forked from the caller when all programs are compiled,
 * which never sees an object, so that each worker starts from a clean state;
 * and a worker, forked from the fork server, which runs the programs and sees
 * only the objects of its calls. A worker that ends for any reason (a failed
 * assertion of libjq, a fault, a lack of memory or stack) is replaced, and the
 * caller learns how it ended. Nothing else is lost.
 *
 * The time of a call is CPU time of the worker, so that no program fails
 * because the machine is busy. One call at a time; one evaluator in a process.
 */
#ifndef EVALUATOR_H
#define EVALUATOR_H

#include <sched.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "process/log.h"
#include "process/sandbox.h"
#include "program/arguments.h"
#include "program/run.h"
#include "program/zones.h"

#if defined(__SANITIZE_ADDRESS__)
enum { EVALUATOR_ASAN = 1 };
#else
enum { EVALUATOR_ASAN = 0 };
#endif

/* All that changes in the caller's process, besides the programs themselves. */
struct evaluator {
	struct program **programs; /* by number; NULL: gone */
	uint32_t program_count;
	struct zones zones; /* until the fork server has them */

	struct program_losses losses; /* lost calls of all evaluations */
	bool gone;		      /* no process runs programs any more */
	/* The present evaluation: lost calls before it, its primary, the number
	 * of its lines of `debug`. */
	uint64_t lost_before;
	struct log_about who;
	int debugs_said;

	/* programs known to the fork server; 0: not started */
	uint32_t started;
	pid_t forkserver;
	int control;
	int request_to, request_from; /* the worker reads request_from */
	int answer_to, answer_from;

	/* The worker. */
	pid_t worker; /* 0: none */
	clockid_t clock;
	bool fresh;    /* the worker has had no request yet */
	bool retiring; /* the worker was told to end, not to be used again */
	bool killed;   /* the worker was told to end: its time was over */
	bool told;     /* the worker was told to end, for any reason */
	uint64_t worker_us, ended_us;
	struct evaluator_kills kills;
	uint64_t kept[ARGUMENTS_TEXTS]; /* numbers of texts; 0: none */

	cpu_set_t processors; /* processors that we may run on; none: unknown */
	int cpu;	      /* the processor that we stay on; -1: any */
	unsigned calls_here;

	struct buf request, answer;
};
extern struct evaluator evaluator;

/* ---- the caller's side ---- */

/*
 * Forks the fork server, which has all programs that exist by then; a second
 * call starts a new one. Call it before the caller has a thread or a sandbox.
 * Fork server and worker enter a sandbox as mode says; the caller, which enters
 * one itself, reports why there is none. -1 with err.
 */
int evaluator_start(enum sandbox_mode mode, struct err *err);
void evaluator_stop(void);

enum evaluator_how {
	EVALUATOR_DONE,	  /* the answer is from jvwire_add; empty: no output */
	EVALUATOR_FAILED, /* the answer is a message for users */
	EVALUATOR_FAILED_SOMEWHERE, /* a message; the call can be traced */
	EVALUATOR_TIME,
	EVALUATOR_MEMORY,
	EVALUATOR_STACK,
	EVALUATOR_KILLED, /* twice, and not by us */
	EVALUATOR_CRASHED,
	EVALUATOR_GONE /* the fork server has ended */
};
struct evaluator_end {
	enum evaluator_how how;
	char why[32];	 /* EVALUATOR_CRASHED: "SIGABRT" */
	uint32_t debugs; /* bytes of debugs.h at the end of the answer */
};

struct evaluator_request {
	uint32_t program, call;
	const struct arguments *input;
	uint64_t time_limit_ms;
	bool trace; /* the call failed, and its message is to say where */
};

/*
 * answer: borrowed until the next call. A call that ends a used worker is tried
 * once more in a fresh one, so that no call fails because of damage by another
 * one.
 */
void evaluator_ask(const struct evaluator_request *q, struct span *answer,
    struct evaluator_end *end);

/* CPU time of all workers so far. */
uint64_t evaluator_cpu_us(void);

/* ---- the fork server ---- */

/* An order is one byte. */
enum forkserver_order { FORKSERVER_FORK = 'f', FORKSERVER_KILL = 'k' };

enum forkserver_says { FORKSERVER_FORKED, FORKSERVER_ENDED, FORKSERVER_FAILED };
struct forkserver_report {
	int32_t says;
	int32_t pid; /* the worker */
	/* FORKSERVER_ENDED: from waitpid; FORKSERVER_FAILED, after which the
	 * fork server ends: errno. */
	int32_t status;
	int32_t peak_kib; /* FORKSERVER_ENDED: the most memory that it had */
	int64_t cpu_us;	  /* FORKSERVER_ENDED: the CPU time that it used */
};

struct forkserver_conf {
	int control, requests, answers; /* descriptors */
	pid_t parent;
	enum sandbox_mode mode;
};

/* Runs the fork server in the present process, until the control socket
 * ends. */
_Noreturn void forkserver_run(const struct forkserver_conf *conf);

/* ---- the worker, which may crash ---- */

/* Exit codes of a worker, besides 0 at the end of its requests. */
enum {
	WORKER_NO_MEMORY = 111, /* see mem.h */
	WORKER_NO_STACK = 112,
	WORKER_NO_SANDBOX = 113 /* 114 is TRAIL_TOO_LONG (trail.h) */
};

/* The head of each answer. */
enum worker_says {
	WORKER_GIVES,
	WORKER_FAILS,
	WORKER_FAILS_SOMEWHERE /* a traced call can tell where */
};
struct worker_head {
	uint32_t says;
	uint32_t n; /* bytes that follow: a value (jvwire.h) or a message */
	uint32_t debugs; /* the last bytes of these: lines of debugs.h */
};

/* Sets limits and handlers that workers inherit. Called in the fork server,
 * before its sandbox. Returns the address space that the process has before any
 * call; 0: unknown, so there is no limit of memory. */
size_t worker_prepare(void);

/* Reads requests (see arguments.h) until they end, and answers each. space: of
 * worker_prepare. */
_Noreturn void worker_run(int requests_fd, int answers_fd, size_t space);

#endif
