/*
 * writer: what kapply and kstatus have in common: they write to the cluster what
 * the documents of their input say.
 *
 * A writer reaches the API server, holds the fence, reads documents while there
 * is room for their work, sends requests by a queue, prints and records results,
 * reports readiness, counters and metrics on --report-fd, and ends some time
 * after its input did.
 *
 *	struct writer w = {0};
 *
 *	if (writer_open(&w, &tool, arg, err) == 0)
 *		code = writer_run(&w, err);
 *	...				(release what works on it)
 *	writer_release(&w);
 *
 * All functions of a tool are called from the loop, with its arg.
 */
#ifndef WRITER_H
#define WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "json/stream.h"
#include "kube/denials.h"
#include "kube/discovery.h"
#include "kube/kube.h"
#include "kube/recorder.h"
#include "kube/retry.h"
#include "kube/workqueue.h"
#include "process/fence.h"
#include "process/loop.h"
#include "process/opt.h"
#include "process/out.h"
#include "report/writestat.h"
#include "report/reportfd.h"
#include "value/objref.h"

/* The options that both have. A tool's table names them where its --help has
 * them. */
struct writer_opts {
	uint64_t timeout_ms;	  /* for the work, after the end of the input */
	uint64_t failed_after_ms; /* a passing failure counts as failed */
	long max_in_flight;
	long max_writes; /* in a second; 0: no limit */
	int dry_run;	 /* 1: the server keeps nothing; there are no Events */
	long results_fd, tap_fd, report_fd; /* -1: none */
};
extern struct writer_opts writer_opts;
/* --results-fd, --tap-fd, --report-fd, and those of the server. */
extern const struct opt writer_opt_table[];
int writer_check_options(struct err *err);

struct writer_tool {
	const char *name;
	const char *lines; /* krecord's word for the documents */
	work_fn *run;
	/* Adds the tool's own counters and metrics. */
	reportfd_fn *count;
	reportfd_metrics_fn *samples;
	/* Is there room for another document? NULL: if queue and output have. */
	bool (*has_room)(void *arg);
	/* Takes one; -1 with err: what is wrong with it, to be logged. */
	int (*take)(void *arg, const struct stream_doc *doc, struct err *err);
	/* Asked after the end of the input: whether all work is done that could
	 * still succeed. */
	bool (*settled)(void *arg);
	/* The end, or the time is over: all unfinished work has failed. */
	void (*end)(void *arg, bool settled);
};

enum writer_input { WRITER_TAKES, WRITER_WAITS, WRITER_ENDED };
/* The form of standard input: unknown before its first character. */
enum writer_form { WRITER_JSON, WRITER_YAML, WRITER_UNKNOWN };

struct writer {
	const struct writer_tool *tool; /* borrowed */
	void *arg;
	struct loop *loop; /* owned, as the next three */
	struct kube *kube;
	struct discovery *discovery;
	struct recorder *recorder; /* NULL: no Events (a dry run) */
	struct reportfd report;
	struct fence fence;

	/* The work. */
	struct workqueue queue;
	struct map keys; /* objects at work; the tool's */
	struct denials denials;
	struct writestats writestats;
	struct out out;	    /* standard output */
	struct out results; /* for krecord, if records is set */
	bool records, lost; /* lost: a result, since the last one there */
	bool prints;	    /* results on standard output, too */
	uint64_t lines, bad_lines, requests, failures;
	bool failed;  /* something did, for good */
	bool reached; /* the server has answered */
	bool waits;   /* for something else than the server, before any work */
	bool ready;

	/* The input. */
	const char *const *files; /* borrowed: read instead of the input */
	size_t file_count, next_file;
	bool file_empty;       /* no document so far */
	const char *file;      /* read now; NULL: standard input */
	struct stream *stream; /* owned */
	enum writer_input input;
	enum writer_form form;
	struct buf text; /* standard input, while it is not known or YAML */

	/* The run. */
	struct timer retry; /* for the first contact with the server */
	struct kube_backoff backoff;
	bool unreached;	       /* the server's silence was logged */
	struct timer deadline; /* runs from the end of the input on */
	bool ending, timed_out;
	struct err err, input_err;
};

/* -1 with err. To be released in any case. */
int writer_open(struct writer *w, const struct writer_tool *tool, void *arg,
    struct err *err);
/* Before writer_run: reads these files, JSON or YAML, "-" the standard input.
 * The names are borrowed. */
void writer_files(struct writer *w, const char *const *files, size_t count);
/* Before writer_run: standard input may be YAML as well, which is read to its
 * end before anything of it is taken. */
void writer_yaml(struct writer *w);
/* All of it; 1: something failed; -1 with err: it could not go on. */
int writer_run(struct writer *w, struct err *err);
/* Ends the run with this error. */
void writer_fail(struct writer *w, const struct err *err);
/* Work begins when the server has answered, and `waits` is over. */
void writer_check_ready(struct writer *w);
/* The writer may be one that was never opened. */
void writer_release(struct writer *w);

/* ---- requests ---- */

/* A request has ended: the queue goes on, and it is logged that the server
 * cannot be reached, or can be again. */
void writer_answered(struct writer *w, const struct kube_answer *answer);
/* "no matches for kind ...", appended. */
void writer_add_no_kind(struct buf *b, const struct objref *id);
/* An apply of the object leaves its status as it is. */
bool writer_has_status(const struct api_resource *r);
/* Refused (422) for the uid: another object has the name by now. */
bool writer_about_uid(const struct kube_error *e);

/* ---- results ---- */

/* Somebody reads results. */
bool writer_tells(const struct writer *w);
/* Begins a line: identity (ns: its namespace, or none) and result. */
void writer_begin_result(struct buf *line, const struct objref *id,
    struct span ns, const char *result);
/* Ends the line, prints it, and releases it. */
void writer_end_result(struct writer *w, struct buf *line);

#endif
