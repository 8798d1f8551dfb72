/*
 * blame: which of the stages that ended is the reason that the others did.
 *
 * A stage that ends takes its neighbours with it: who reads gets to the end of
 * the input and may well end with 0, who writes dies of SIGPIPE or ends with 1
 * or 111 because the reader is gone. What nobody does because of others is to
 * die of another signal, or to end with 100 or 101; and kelect has no
 * neighbours.
 */
#ifndef BLAME_H
#define BLAME_H

#include "stage.h"

/*
 * Of the stages with ended_at != 0 the one that has most likely begun: by how
 * it ended, when it was seen, and where it stands.
 * NULL if none has ended, or all because they were told to.
 */
const struct stage *blame(const struct stage *stages, size_t count);

#endif
