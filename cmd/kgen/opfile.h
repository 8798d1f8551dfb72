/*
 * opfile: operator.yaml, the few lines about an operator that its other files
 * do not say. Keys and their defaults: kgen.1.
 */
#ifndef OPFILE_H
#define OPFILE_H

#include "base/err.h"
#include "base/span.h"
#include "conf/yaml.h"

/* NAME-operator-controller-manager is a label, too. */
enum { OPFILE_NAME_MAX = 35 };

/* The file, read and checked; owned, yaml_tree_free(). NULL with err
 * "FILE:LINE: KEY ...". */
struct yaml *opfile_load(const char *path, struct err *err);

/* Checks y, which --set gives the key, or, if below, a key below that one; a
 * text becomes one that is quoted. 0, or -1 with err. */
int opfile_take(struct span key, bool below, struct yaml *y, struct err *err);

#endif
