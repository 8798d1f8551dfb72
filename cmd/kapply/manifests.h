/*
 * manifests: the files that a user names, and those in a folder: its .json,
 * .yaml and .yml in the order of their names, as kubectl finds them
 * (k8s.io/cli-runtime pkg/resource/visitor.go, ExpandPathsToFileVisitors).
 */
#ifndef MANIFESTS_H
#define MANIFESTS_H

#include <stdbool.h>

#include "base/err.h"
#include "process/opt.h"

/*
 * Appends copies: name itself, or the files of the folder of that name (deep:
 * and of those below it; links to folders are not followed there). "-" is
 * standard input. -1 with err: one cannot be read, or a folder has none.
 */
int manifests_add(
    struct opt_list *found, const char *name, bool deep, struct err *err);
void manifests_free(struct opt_list *found);

#endif
