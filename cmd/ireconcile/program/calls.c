#include "program/calls.h"

#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

/* Reads the time that an evaluation took in another process. */
static const struct sandbox_rule watch[] = {
    SANDBOX_ALLOW("clock_getres"), SANDBOX_END};

/* Moves to another processor, only the process itself. */
static const struct sandbox_rule move[] = {
    SANDBOX_WHERE("sched_setaffinity", 0, UINT64_C(0xffffffff), 0),
    SANDBOX_ALLOW("getcpu"), SANDBOX_END};

/* Lets krecord see what is read: lib/process/tee.h. */
static const struct sandbox_rule tap[] = {SANDBOX_ALLOW("tee"),
    SANDBOX_WHERE("ioctl", 1, UINT64_C(0xffffffff), FIONREAD), SANDBOX_END};

const struct sandbox_rule *const calls_main[] = {
    sandbox_compute, sandbox_descriptors, watch, move, tap, NULL};

/* For the zygote. Its filter is in force in the workers, too, besides their
 * own. */
static const struct sandbox_rule fork_and_wait[] = {
    SANDBOX_RULE("clone fork", SANDBOX_FORK),
    SANDBOX_RULE("clone3", SANDBOX_ABSENT),
    SANDBOX_ALLOW("wait4 kill tgkill getppid set_robust_list rseq"),
    SANDBOX_WHERE("prctl", 0, UINT64_C(0xffffffff), PR_SET_PDEATHSIG),
    SANDBOX_END};

const struct sandbox_rule *const calls_zygote[] = {sandbox_compute,
    sandbox_descriptors, sandbox_narrower, fork_and_wait, move, NULL};

static const struct sandbox_rule answers[] = {
    SANDBOX_ALLOW("read write"), SANDBOX_END};

const struct sandbox_rule *const calls_worker[] = {
    sandbox_compute, answers, move, NULL};
