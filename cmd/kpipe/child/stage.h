/*
 * stage: one tool, or a filter of the operator, as a child process.
 *
 * A stage has a process group of its own (so that Ctrl-C reaches kpipe alone,
 * and its helpers end with it), dies if kpipe dies, and reports on descriptor
 * 3: a newline when it is ready, then lines of JSON (doc/protocol.md, Reports).
 * A filter reports nothing: it is ready as soon as it runs.
 */
#ifndef STAGE_H
#define STAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "child/inside.h"
#include "process/opt.h"

/* The descriptors of a stage; kpipe keeps these numbers taken. */
enum {
	STAGE_REPORT_FD = 3,
	STAGE_EXTRA_FD = 4,
	STAGE_EXTRA_MAX = 7,
	STAGE_LINE_MAX = 4096,
	STAGE_NICE = 19 /* for an expendable stage */
};

/* The role of a stage, which decides what kpipe gives it. */
enum stage_role {
	STAGE_READS,   /* the cluster */
	STAGE_FILTERS, /* the operator's own: adds lines */
	STAGE_DECIDES, /* decides, and waits for the gate, if any */
	/* behind the fence, if there is one; knows the key of marks */
	STAGE_APPLIES,
	STAGE_WRITES,  /* behind the fence, if there is one */
	STAGE_RECORDS, /* all that the others read and did */
	STAGE_ELECTS,  /* opens the gate, holds the fence */
	STAGE_SERVES,  /* probes and metrics */
	STAGE_SHOWS    /* the page */
};

struct stage {
	const char *name;
	enum stage_role role;
	char *path;		    /* owned */
	inside_fn *fn;		    /* called instead of path; NULL: not */
	struct opt_list args;	    /* owned: argv without argv[0] */
	char *const *env;	    /* borrowed; NULL: our own */
	const char *called;	    /* borrowed: argv[0]; NULL: name */
	const char *folder;	    /* borrowed: where it runs; NULL: here */
	int extra[STAGE_EXTRA_MAX]; /* borrowed: from STAGE_EXTRA_FD on */
	struct {
		unsigned char pipe, end; /* source of extra: see launch.h */
	} shared[STAGE_EXTRA_MAX];
	size_t extra_count;

	pid_t pid;	      /* 0: not running */
	int report_fd;	      /* -1: none, or closed by the stage */
	bool ready;	      /* since it was started */
	bool told_to_end;     /* kpipe told it to: its end is expected */
	unsigned starts;      /* how often */
	pid_t ended_pid;      /* pid of the last run, and how it ended: */
	int status;	      /* status of waitpid */
	unsigned ended_at;    /* round of ends in which it ended; 0: none */
	uint64_t peak_kib;    /* the most memory that it had */
	bool expendable;      /* the first to go without memory or time */
	bool starved;	      /* the kernel ended it because memory was out */
	unsigned oom_kills;   /* how often that was so, or so of a worker */
	int64_t worker_kills; /* number that this run reported */

	char line[STAGE_LINE_MAX]; /* the beginning of a report */
	size_t line_len;
	bool cut; /* the report is too long: left out */
};

/*
 * When stages start again: at once after a first crash, then after 1 s, doubling
 * to 60 s, up to a quarter more by chance so that many operators do not come
 * back in step; a run of 5 minutes makes the next crash a first one again.
 */
enum {
	RESTART_FIRST_MS = 1000,
	RESTART_MAX_MS = 60000,
	RESTART_GOOD_RUN_MS = 300000
};
struct restart {
	unsigned crashes; /* since the last good run; zeroed: none */
};
/* After a crash that ended a run of ran_ms; random is any number. */
uint64_t stage_restart_ms(struct restart *b, uint64_t ran_ms, uint32_t random);

/* A pipe between stages, or to one: no child inherits it but as stage_start
 * says. -1 with err: both are -1. */
int stage_pipe(int fds[2], struct err *err);

/* Appends an argument; a printf format. */
void stage_arg(struct stage *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Starts it; in, out and extra are borrowed and become its stdin, stdout and
 * what comes behind the report. The report pipe is open for reading,
 * non-blocking, in report_fd afterwards.
 */
int stage_start(struct stage *s, int in, int out, struct err *err);

/* Sends signo to the stage and what it started. */
void stage_kill(struct stage *s, int signo);

/*
 * Processes that a stage has started must end with it. Its pid, and so the name
 * of its process group, stays taken until the zombie is reaped: only before
 * that is it certain which processes the signal meets.
 */
void stage_kill_helpers(const struct stage *s);

/* Takes over a wait status: the stage is no longer running. */
void stage_ended(struct stage *s, int wait_status);
int stage_exit_code(const struct stage *s); /* 128 + signal if killed */

/* Appends its member of a state line: "NAME":{"running":true,...}. */
void stage_describe(const struct stage *s, struct buf *line);

/* A line without its newline; the one that says "ready" is empty. */
typedef void stage_line_fn(void *arg, struct stage *s, struct span line);
/* Reads what has come. false: the end, close it. */
bool stage_read_report(struct stage *s, stage_line_fn *fn, void *arg);
void stage_close_report(struct stage *s);
void stage_release(struct stage *s);

#endif
