/*
 * recipe: the object that `kubectl create TYPE NAME --OPTION...` and
 * `kubectl run` describe.
 */
#ifndef RECIPE_H
#define RECIPE_H

#include "kubectl/session.h"
#include "kubectl/target.h"

/* args: what is behind the verb. NULL: refused. Ends the process at a type that
 * is not here. */
struct node *recipe_make(struct session *s, struct words args);
struct node *recipe_pod(struct session *s, const char *name);

#endif
