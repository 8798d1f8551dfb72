/*
 * goflags: the command line of kube-apiserver, as pflag reads it: --name=value,
 * --name value, --name of a boolean, -v2, "--" before operands; _ in a name is
 * a -. Which flags there are is in flags.txt, recorded from --help of the real
 * one.
 * Source: github.com/spf13/pflag, and WordSepNormalizeFunc of
 * k8s.io/component-base/cli/flag.
 */
#ifndef GOFLAGS_H
#define GOFLAGS_H

#include "base/buf.h"
#include "base/err.h"

struct goflag {
	struct span name;  /* the name in flags.txt */
	const char *value; /* "true" for a boolean without one */
};

/*
 * Calls fn for each flag, in order, until it fails. -1 with err: that of fn,
 * or about a flag that kube-apiserver does not have, a value that is missing or
 * not a boolean, or an operand.
 */
typedef int goflags_fn(void *arg, const struct goflag *f, struct err *err);
int goflags_parse(
    int argc, char **argv, goflags_fn *fn, void *arg, struct err *err);

/* Whether strconv.ParseBool takes it, into *value. */
bool goflags_bool(const char *text, bool *value);

/* Appends all flags, a line each, as --help has them. */
void goflags_list(struct buf *b);

#endif
