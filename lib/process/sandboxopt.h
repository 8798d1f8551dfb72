/*
 * sandboxopt: the option --sandbox, of the tools with a sandbox (sandbox.h) and
 * of kpipe, which has none and passes the option on.
 */
#ifndef SANDBOXOPT_H
#define SANDBOXOPT_H

#include "process/opt.h"

enum sandbox_mode {
	SANDBOX_AUTO,	  /* if the system has one; else a warning */
	SANDBOX_REQUIRED, /* or do not start */
	SANDBOX_UNWANTED  /* "off" */
};

/* An enum sandbox_mode, set by the table. */
extern int sandbox_opt;
/* {.type = OPT_TABLE, .value = (void *)sandbox_opt_table} */
extern const struct opt sandbox_opt_table[];

#endif
