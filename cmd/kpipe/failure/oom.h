/*
 * oom: the reaction to stages that the kernel kills because memory is out.
 *
 * Where the kernel kills one process of a container, the container goes on: for
 * Kubernetes nothing has happened. So each such end is logged with the stage's
 * peak and the limit, counted (kpipe_stage_oom_kills_total), and is the reason
 * why kpipe is not ready until the pipeline works again; the next generation
 * records an Event about the pod. A worker of ireconcile that is killed ends no
 * stage, but is told in the same ways. If it happens again and again right after the
 * start, or if the limit is too low for any pipeline, kpipe ends, and Kubernetes
 * shows why. (Where the kernel kills all processes of a container at once, which
 * is what a kubelet asks for on cgroup v2, Kubernetes shows it anyway.)
 */
#ifndef OOM_H
#define OOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "failure/memlimit.h"
#include "process/log.h"
#include "process/loop.h"
#include "child/stage.h"

/*
 * A pipeline without objects needs OOM_BASE_MIB and OOM_TOOL_MIB for each tool:
 * measured by t/bench/memory-limit.sh, and rounded down.
 */
enum {
	OOM_BASE_MIB = 2,
	OOM_TOOL_MIB = 2,
	OOM_SOON_MS = 60000, /* up to this, a kill is right after a start */
	OOM_ROW_MAX = 5	     /* number of kills in a row that is too much */
};

struct oom {
	struct memlimit limit;
	struct loop *loop;	   /* borrowed */
	const char *field_manager; /* borrowed: of Events */
	unsigned row;	   /* kills in a row, each right after a start */
	struct buf reason; /* not to be ready; empty: none */
	struct buf notice; /* a set with the Event; empty: none */
	struct timer calm;
};

/* -1: the limit is too low for so many tools (permanent). Zeroed before. */
int oom_start(struct oom *o, size_t tools, struct err *err);
void oom_release(struct oom *o);

/* The stage has ended, and was not told to: was it for memory? */
void oom_take(struct oom *o, struct stage *s);

/*
 * A worker of the stage, which goes on, was killed; these were so many in this
 * run. Whether it was for memory: then there is a new notice, and kpipe is not
 * ready for OOM_SOON_MS.
 */
bool oom_take_worker(
    struct oom *o, struct stage *s, int64_t kills, int64_t peak_kib);

/* Logs how a stage ended: for memory, which is an error, or otherwise. */
void oom_log_end(
    const struct oom *o, const struct stage *s, enum log_level level);

enum oom_verdict { OOM_GO_ON, OOM_GIVE_UP };
/* Judges a run of ran_ms that the kernel killed. OOM_GIVE_UP: the reason was
 * logged. */
enum oom_verdict oom_judge(
    struct oom *o, const struct stage *s, uint64_t ran_ms);

/* All stages are ready (again). */
void oom_ready(struct oom *o);
/* A generation that could record the Event has ended. */
void oom_recorded(struct oom *o);

/* The last words of a container, for its status: /dev/termination-log. */
void oom_last_words(const char *text);

#endif
