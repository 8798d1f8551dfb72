/*
 * alone: leadership without a lock, for --for-life outside of a cluster, where
 * no Pod could own one. As operator-lib's leader (v0.11), which skips the
 * election there. It leads at once, and as long as it likes; so does another
 * instance.
 */
#ifndef ALONE_H
#define ALONE_H

#include <stdbool.h>

#include "election.h"

/*
 * Whether this process is in no Pod: by the variables POD_NAME, which manifests
 * set, and KUBERNETES_SERVICE_HOST, which a kubelet sets.
 */
bool alone_is_outside(void);

struct election *alone_new(void);

#endif
