/*
 * assets: the folder that KUBEBUILDER_ASSETS names for envtest of
 * controller-runtime: links to this program under the names etcd,
 * kube-apiserver and kubectl.
 */
#ifndef ASSETS_H
#define ASSETS_H

#include "base/buf.h"
#include "base/err.h"

/*
 * Appends the folder's absolute name; it is made, or repaired, if need be, and
 * two at once do the same. It is in XDG_CACHE_HOME, ~/.cache or
 * XDG_RUNTIME_DIR, and belongs to this version at this place. -1 with err.
 */
int assets_make(struct buf *folder, struct err *err);

/* For the name kubectl: becomes the next one of PATH. Returns an exit code if
 * there is none. */
int assets_kubectl(char **argv);

#endif
