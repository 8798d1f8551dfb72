/*
 * observed: what the stages of an operator did on an API server, from a file of
 * JSON lines: kapi's journal, or an audit log of Kubernetes (its format
 * "json", any level). Equal requests are counted together.
 */
#ifndef OBSERVED_H
#define OBSERVED_H

#include <jv.h>

#include "base/err.h"

enum { OBSERVED_LINE_MAX_MIB = 64, OBSERVED_MAX = 100000 };

/*
 * [{user, agent, verb, group, resource, namespace, name, refused, count}],
 * sorted, owned. agent is the tool ("kwatch"); resource has its subresource;
 * namespace and name are "" where there is none; refused: for lack of a right.
 * Requests for paths that are not resources, and those that every user may do,
 * are left out. Invalid with err "FILE:LINE: ..." if a line is neither.
 */
jv observed_load(const char *path, struct err *err);

#endif
