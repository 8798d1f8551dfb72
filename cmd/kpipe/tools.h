/*
 * tools: the tools that kpipe starts, with the options and the environment of
 * each.
 */
#ifndef TOOLS_H
#define TOOLS_H

#include "base/buf.h"
#include "base/err.h"
#include "conf/watches.h"
#include "pipeline.h"

/* Lives as long as the stages. Zeroed memory is an empty one. */
struct tools {
	const struct watches *watches; /* borrowed: set by the caller */
	char *folder;		   /* owned: folder of filters; NULL: ours */
	char **program_env;	   /* owned: for ireconcile and filters; its
				    * strings are borrowed */
	char **shadow_env;	   /* for the ireconcile of --shadow */
	bool shadow_has_variables; /* the file of --shadow has variables */
	char **writers_env;	   /* for stages behind the fence */
	char **bare_env; /* for a stage that needs no variable of the file */
	const char *instance;	  /* borrowed: our name, or NULL */
	const char *marks_secret; /* borrowed: Secret with the key of marks;
				   * NULL: kpipe */
	struct buf fence;	  /* KPIPE_FENCE for the stages */
};

/*
 * Fills in the stages of p, by options and the filters of watches. lease: the
 * name of the lease, if kelect is a stage; else NULL. fenced: the stages get
 * a fence, from our kelect or another.
 */
int tools_pipeline(struct tools *t, struct pipeline *p, const char *lease,
    bool fenced, struct err *err);

/* Reads the file of --shadow, if there is one: what no tool would accept is
 * refused while that still hurts nobody. -1 with err. */
int tools_check_shadow(
    struct tools *t, const struct watches_scope *scope, struct err *err);
/* The pair of --shadow. Neither gets a key, and only kwatch a credential. */
int tools_shadow(struct tools *t, struct stage *reader, struct stage *decider,
    struct err *err);

/*
 * kpipe-http. It gets a credential only if it must ask who may read the
 * metrics.
 */
int tools_server(struct tools *t, struct stage *s, struct err *err);

/* kview: the page, live. */
int tools_viewer(struct tools *t, struct stage *s, struct err *err);
int tools_tracer(struct tools *t, struct stage *s, struct err *err);

void tools_release(struct tools *t);

#endif
