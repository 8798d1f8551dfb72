/*
 * instancename: the name of an instance of an operator (doc/protocol.md,
 * "Instances"). It is text of an annotation, and part of proofs.
 */
#ifndef INSTANCENAME_H
#define INSTANCENAME_H

#include <stdbool.h>

#include "base/err.h"
#include "base/span.h"
#include "process/opt.h"

/*
 * A name is 1 to 253 letters, digits, and "-", "_", ".", "/", ":" or "@". -1
 * with err, which begins with `what`.
 */
int instancename_check(const char *what, const char *name, struct err *err);
/* Checks each name of --take-over-instance by the same rule. */
int instancename_check_former(const struct opt_list *names, struct err *err);

/* Whether text from an annotation is a name: any client may write another
 * text. */
bool instancename_is(struct span name);

#endif
