/*
 * status: status lines become server-side applies on /status, in order per
 * key, the newest wins. The rest of kstatus is in kube/writer.h.
 */
#ifndef STATUS_H
#define STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/lru.h"
#include "base/map.h"
#include "kube/denials.h"
#include "kube/discovery.h"
#include "kube/kube.h"
#include "kube/recorder.h"
#include "kube/workqueue.h"
#include "process/loop.h"
#include "process/out.h"
#include "report/effort.h"
#include "report/resultfd.h"

enum status_output { STATUS_RESULT, STATUS_SILENT };

struct status_opts {
	const char *field_manager; /* NULL: kpipe-<kind>.<group> */
	int output; /* enum status_output; -1: by what stdout is */
	uint64_t timeout_ms;
	uint64_t failed_after_ms;
	long max_in_flight;
	long max_writes;		    /* in a second; 0: no limit */
	long report_fd, results_fd, tap_fd; /* -1: none */
};

struct status_counters {
	uint64_t lines, bad_lines, requests, written, failures, gone;
};

struct status_writer {
	const struct status_opts *o;
	struct loop *loop; /* borrowed, as the next two */
	struct kube *kube;
	struct recorder *recorder; /* owned; of failures */
	struct discovery *discovery;
	struct workqueue queue;
	struct map keys; /* of struct status_key, owned */
	struct status_counters counters;
	struct efforts efforts;
	struct denials denials;
	struct lru phases;	 /* see phase.h */
	struct out out;		 /* of results */
	struct resultfd results; /* the same, for krecord */
	bool failed; /* a line was bad, or a status is lost for good */
};

/* text was checked by json_check; it is copied. -1 with what the line lacks. */
int status_take(struct status_writer *w, struct span text, struct err *err);
void status_run(void *arg, struct work *work); /* a work_fn */
/* Only statuses that have failed for good are left. */
bool status_settled(const struct status_writer *w);
/* The time is over: logs that the rest has failed. */
void status_give_up(struct status_writer *w);
void status_free(struct status_writer *w);

#endif
