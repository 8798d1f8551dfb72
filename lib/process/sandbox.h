/*
 * sandbox: a process gives up all system calls but those that it lists
 * (seccomp, by libseccomp).
 *
 *	static const struct sandbox_rule own[] = {
 *	    SANDBOX_ALLOW("read write close"),
 *	    SANDBOX_NO_CODE("mmap mprotect"),
 *	    SANDBOX_END};
 *	static const struct sandbox_rule *const lists[] = {
 *	    sandbox_compute, own, NULL};
 *
 *	switch (sandbox_enter(lists, sandbox_mode, &err)) { ...
 *
 * Any other call is refused with EPERM: a hostile object, program or request
 * cannot reach anything, and the refusal is a visible error, which can be
 * tested. Calls of another architecture (32 bits, x32) kill.
 *
 * Everything that needs more must be open and loaded before. The filter cannot
 * be undone, holds for all threads, and is inherited: a child may enter a
 * narrower one if its parent's list has sandbox_narrower. Entering costs about
 * 0.3 ms: not for each piece of work.
 */
#ifndef SANDBOX_H
#define SANDBOX_H

#include <stdint.h>

#include "base/err.h"
#include "process/opt.h"

/* The option --sandbox, of the tools with a sandbox and of kpipe, which has none
 * and passes the option on. */
enum sandbox_mode {
	SANDBOX_AUTO,	  /* if the system has one; else a warning */
	SANDBOX_REQUIRED, /* or do not start */
	SANDBOX_UNWANTED  /* "off" */
};

/* An enum sandbox_mode, set by the table. */
extern int sandbox_opt;
/* OPT_ROWS(sandbox_opt_table) */
extern const struct opt sandbox_opt_table[];

enum sandbox_when {
	SANDBOX_IF,	/* (argument & mask) == value */
	SANDBOX_ALWAYS, /* whatever the arguments */
	SANDBOX_SELF,	/* argument 0 is 0 or the id of this process */
	SANDBOX_FORK,	/* clone: a process, nothing shared, no namespace */
	SANDBOX_THREAD, /* clone: a thread of this process */
	SANDBOX_ABSENT	/* ENOSYS: the C library takes an older one */
};

/* Several of one call: one of them is enough. */
struct sandbox_rule {
	const char *calls; /* names, with blanks between; NULL: the end */
	enum sandbox_when when;
	unsigned argument;
	uint64_t mask, value;
};

#define SANDBOX_RULE(calls, when)    \
	{                            \
		calls, when, 0, 0, 0 \
	}
#define SANDBOX_ALLOW(calls) SANDBOX_RULE(calls, SANDBOX_ALWAYS)
#define SANDBOX_WHERE(calls, argument, mask, value)      \
	{                                                \
		calls, SANDBOX_IF, argument, mask, value \
	}
/* Memory, but none that is executable (PROT_EXEC is 4 everywhere). */
#define SANDBOX_NO_CODE(calls) SANDBOX_WHERE(calls, 2, 4, 0)
#define SANDBOX_END SANDBOX_RULE(NULL, SANDBOX_ALWAYS)

/* The needs of every process: memory, time, signals to itself, exit. */
extern const struct sandbox_rule sandbox_compute[];
/* Reading, writing and waiting for open descriptors. */
extern const struct sandbox_rule sandbox_descriptors[];
/* The calls that enter another filter on top of this one. */
extern const struct sandbox_rule sandbox_narrower[];

enum sandbox_result {
	SANDBOX_ON,
	SANDBOX_OFF,   /* --sandbox=off */
	SANDBOX_NONE,  /* there is none here; err says why: warn of it, once */
	SANDBOX_FAILED /* err; it is required, or a list is wrong */
};

/*
 * lists ends with NULL, each list with SANDBOX_END. A name that does not exist
 * on this architecture is left out; one that libseccomp does not know is a bug.
 * Without memory it fails in every mode but SANDBOX_UNWANTED (transient).
 * In a build with sanitizers, which need calls of their own at exit, there is
 * none.
 */
enum sandbox_result sandbox_enter(const struct sandbox_rule *const *lists,
    enum sandbox_mode mode, struct err *err);

#endif
