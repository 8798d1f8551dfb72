/*
 * tools: the tools that kpipe starts, with the options and the environment of
 * each.
 */
#ifndef TOOLS_H
#define TOOLS_H

#include "base/buf.h"
#include "base/err.h"
#include "pipeline.h"

/* Lives as long as the stages. Zeroed memory is an empty one. */
struct tools {
	char **program_env;	  /* of ireconcile; the strings are borrowed */
	char **writers_env;	  /* of stages on a leash */
	char **server_env;	  /* of a kpipe-http without requests */
	const char *marks_secret; /* borrowed: has their key; NULL: kpipe */
	struct buf leash;	  /* KPIPE_LEASH as they get it */
};

/*
 * Fills in the stages of p, by options. lease: kelect is one of them, and this
 * is the name; or NULL. on_leash: they get one, from our kelect or another.
 */
int tools_pipeline(struct tools *t, struct pipeline *p, const char *lease,
    bool on_leash, struct err *err);

/*
 * kpipe-http. It gets a credential only if it must ask who may read the
 * metrics.
 */
int tools_server(struct tools *t, struct stage *s, struct err *err);

void tools_release(struct tools *t);

#endif
