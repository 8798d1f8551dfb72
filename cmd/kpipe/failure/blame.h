/*
 * blame: which of the stages that ended caused the others to end.
 *
 * A stage that ends takes its neighbours with it: its reader meets the end of
 * the input and may well exit with 0; its writer dies of SIGPIPE, or exits with
 * 1 or 111 because the reader is gone. No stage dies of another signal, or
 * exits with 100 or 101, because of its neighbours; and kelect has none.
 */
#ifndef BLAME_H
#define BLAME_H

#include "child/stage.h"

/*
 * Of the stages with ended_at != 0 the one that has most likely begun: by how
 * it ended, when it was seen, and where it stands.
 * NULL if none has ended, or all because we told them to.
 */
const struct stage *blame(const struct stage *stages, size_t count);

/*
 * Logs that s ended with 0. A stage behind a filter does that at the end of its
 * input: a filter that was still running then has closed its output.
 */
void blame_tell_end(const struct stage *stages, const struct stage *s);

#endif
