/*
 * namespaces: a list of namespaces as people give it: "a, b", in
 * WATCH_NAMESPACE, after -n and in watches.yaml.
 */
#ifndef NAMESPACES_H
#define NAMESPACES_H

#include "base/err.h"
#include "base/textlist.h"

/*
 * Adds the names in text to the list, each once; blanks around them are fine,
 * and text of blanks alone has none. -1: "what: "A_b" is not a name of a
 * namespace" (ERR_PERMANENT); what names the variable, the option or the key.
 */
int namespaces_parse(
    struct textlist *to, const char *what, const char *text, struct err *err);
/* Checks a single name. */
int namespaces_name(const char *what, const char *name, struct err *err);
/* The argument of -n beside operands: at least one name. */
int namespaces_option(struct textlist *to, const char *text, struct err *err);

#endif
