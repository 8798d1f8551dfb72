/*
 * opfile: operator.yaml, the few lines about an operator that its other files
 * do not say. Keys and their defaults: kgen.1.
 */
#ifndef OPFILE_H
#define OPFILE_H

#include "base/err.h"
#include "conf/yaml.h"

/* Of NAME-operator-controller-manager, which is also a label. */
enum { OPFILE_NAME_MAX = 35 };

/* The file, read and checked; owned, yaml_tree_free(). NULL with err
 * "FILE:LINE: KEY ...". */
struct yaml *opfile_load(const char *path, struct err *err);

#endif
