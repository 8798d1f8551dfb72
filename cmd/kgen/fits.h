/*
 * fits: checks that crd.yaml and watches.yaml fit each other: each primary that
 * is not a kind of Kubernetes has a CRD; its version is served, its scope is
 * the one that is watched, and its status has a subresource where the operator
 * writes one.
 */
#ifndef FITS_H
#define FITS_H

#include "folder.h"

/* -1 with err "FILE:LINE: ...". */
int fits_check(const struct folder *f, struct err *err);

#endif
