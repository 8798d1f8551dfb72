/*
 * jqfiles: a jq program of several files, for tools that bring jq programs of
 * their own (lib/jq).
 *
 * A file is looked for in some folders, in their order. The text is composed
 * here: `include "X";` on a line of its own before the first definition names
 * X.jq in those folders, and each file is taken once. So a program reads no
 * other file; import, and include with other metadata, are errors.
 */
#ifndef JQFILES_H
#define JQFILES_H

#include <jq.h>

#include "base/err.h"
#include "base/textlist.h"

/* The first of the folders' files of that name and ending; owned, or NULL. */
char *jqfiles_find(
    const struct textlist *dirs, const char *name, const char *ending);

/* Appends the folders of the jq library: beside the bin/ of a source tree, and
 * as installed. */
void jqfiles_library(struct textlist *dirs);

/*
 * The files NAME.jq (the list ends in NULL), then the expression, compiled.
 * Owned: jq_teardown. NULL with err "FILE:LINE: ...". libjq reads ~/.jq unless
 * HOME leads nowhere.
 */
jq_state *jqfiles_compile(const struct textlist *dirs, const char *const *names,
    const char *expression, struct err *err);

#endif
