/*
 * accept: the Accept header taken apart, as
 * k8s.io/apiserver/pkg/endpoints/handlers/negotiation reads it. All spans
 * borrow from the header.
 */
#ifndef ACCEPT_H
#define ACCEPT_H

#include <stdbool.h>

#include "base/span.h"

/* The media type of the next clause of *rest, and its parameters, for
 * accept_param. */
struct span accept_clause(struct span *rest, struct span *params);
/* The next "KEY=VALUE" of *params; a KEY alone has an empty value. False:
 * there is none. */
bool accept_param(struct span *params, struct span *key, struct span *value);

#endif
