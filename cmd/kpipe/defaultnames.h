/*
 * defaultnames: the names that an operator has where its options give none.
 */
#ifndef DEFAULTNAMES_H
#define DEFAULTNAMES_H

#include "conf/watches.h"

/* Borrowed: OPERATOR_NAME, or the name of the first entry. */
const char *defaultnames_operator(const struct watches *w);
/* All others are owned. */
char *defaultnames_lease(const struct watches *w);
/* The Secret with the key of marks; NULL: there is no such Secret. */
char *defaultnames_secret(const struct watches *w);
/* Of Events about our pod. */
char *defaultnames_field_manager(const struct watches *w);

/* The name of this instance of the operator, if the file does not say it: by
 * its installation. Owned, or NULL: it has no name. -1 with err: a name that
 * cannot be one. */
int defaultnames_instance(char **name, struct err *err);

#endif
