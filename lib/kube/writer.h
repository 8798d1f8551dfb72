/*
 * writer: the common part of the tools that write what standard input says. It
 * reaches the API server, holds the leash, reads documents while there is room
 * for their work, reports readiness and counters on --report-fd, and ends some
 * time after the input did.
 *
 *	static const struct writer_tool tool = {"kapply", ...};
 *	struct writer w = {0};
 *
 *	if (writer_open(&w, &tool, report_fd, timeout_ms, arg) == 0) {
 *		...				(prepare what works on them)
 *		writer_run(&w);
 *	}
 *	err = writer_error(&w);			(NULL: all went well)
 *	...					(release what works on them)
 *	writer_release(&w);
 *
 * All functions of a tool are called from the loop.
 */
#ifndef WRITER_H
#define WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "json/stream.h"
#include "kube/discovery.h"
#include "kube/kube.h"
#include "kube/reach.h"
#include "process/leash.h"
#include "process/loop.h"
#include "report/reportfd.h"

struct writer_tool {
	const char *name;
	reportfd_fn *count;
	reportfd_metrics_fn *samples;
	/* The server has answered. */
	void (*reached)(void *arg);
	/* Is there room for another document? */
	bool (*has_room)(void *arg);
	/* Takes one; -1 with err: what is wrong with it, to be logged. */
	int (*take)(void *arg, const struct stream_doc *doc, struct err *err);
	/* A document was bad (it is logged already). */
	void (*bad_line)(void *arg);
	/* Before each wait; -1 with err ends the run. */
	int (*work)(void *arg, struct err *err);
	/* After the end of the input: whether no work is left that could still
	 * succeed. */
	bool (*settled)(void *arg);
	/* The end, or the time is over: all unfinished work has failed. */
	void (*end)(void *arg, bool settled);
};

enum writer_input { WRITER_TAKES, WRITER_WAITS, WRITER_ENDED };
/* The form of standard input: unknown before its first character. */
enum writer_form { WRITER_JSON, WRITER_YAML, WRITER_UNKNOWN };

struct writer {
	const struct writer_tool *tool; /* borrowed */
	const char *const *files; /* borrowed: read instead of the input */
	size_t file_count, next_file;
	bool file_empty;  /* so far */
	const char *file; /* that is read now; NULL: standard input */
	void *arg;
	struct loop *loop; /* owned, as the next two */
	struct kube *kube;
	struct discovery *discovery;
	struct reportfd report;
	struct stream *stream; /* owned */
	enum writer_input input;
	enum writer_form form;
	struct buf text; /* of standard input, while it is not known or YAML */
	struct reach reach;
	struct leash leash;
	uint64_t timeout_ms;
	struct timer deadline; /* from the end of the input on */
	bool ending, timed_out;
	struct err err, input_err;
};

/* The options that all have. what: the kind of lines on standard input. */
int writer_check_options(int operands, const char *first, const char *what,
    long max_in_flight, long max_writes, struct err *err);

/* -1: see writer_error. To be released in any case. */
int writer_open(struct writer *w, const struct writer_tool *tool,
    long report_fd, uint64_t timeout_ms, void *arg);
/* Before writer_run: reads these files, JSON or YAML, "-" the standard input.
 * The names are borrowed. */
void writer_files(struct writer *w, const char *const *files, size_t count);
/* Before writer_run: standard input may be YAML as well, which is read to its
 * end before anything of it is taken. */
void writer_yaml(struct writer *w);
void writer_run(struct writer *w);
/* Ends the run with this error. */
void writer_fail(struct writer *w, const struct err *err);
/* The error that ended it; NULL: none. */
const struct err *writer_error(const struct writer *w);
/* The writer may be one that was never opened. */
void writer_release(struct writer *w);

#endif
