/*
 * options: the command line of kpipe.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "process/opt.h"

/* A time that was not given: 0 is one that kelect refuses. */
#define OPTIONS_NO_TIME UINT64_MAX

struct options {
	const char *watches;
	const char *namespace_;
	bool all_namespaces;
	bool dry_run;
	long prune_limit;	      /* -1: not given */
	const char *marks_key_file;   /* NULL: not given */
	const char *marks_key_secret; /* NULL: derived */
	bool accept_unproven;
	struct opt_list former; /* instances to take over */
	long max_writes;	/* -1: not given */
	bool leader_elect;
	bool for_life;
	const char *lease;	     /* NULL: derived */
	const char *lease_namespace; /* NULL: kelect knows */
	uint64_t lease_duration_ms, renew_deadline_ms,
	    retry_period_ms;	     /* or OPTIONS_NO_TIME */
	const char *metrics_address; /* NULL, "0": none */
	const char *probe_address;
	bool metrics_secure;
	const char *metrics_certificates; /* a directory, or NULL */
	const char *record;		  /* a directory, or NULL */
	const char *record_size;	  /* NULL: not given */
	const char *shadow;		  /* a watches file, or NULL */
	const char *view_address;	  /* NULL, "0": none */
	const char *otlp_endpoint;	  /* a URL, or NULL */
	long report_fd;			  /* -1: none */
};
extern struct options options;
extern const struct opt_tool options_tool;

/* Whether an address means that something is served there. */
bool options_is_address(const char *address);

/* Whether krecord runs: it writes to a directory, or to listeners, or both. */
bool options_records(void);
/* The page is not for this machine alone: over TLS, for users with the right. */
bool options_view_is_open(void);

/* Checks, after opt_parse, what opt_parse cannot. -1 with err, which names the
 * option. */
int options_check(int operands, const char *first, struct err *err);

#endif
