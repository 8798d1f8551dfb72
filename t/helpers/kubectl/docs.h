/*
 * docs: the objects of files, JSON or YAML.
 */
#ifndef DOCS_H
#define DOCS_H

#include "kubectl/session.h"

/* Appends the objects of the file, "-" for standard input, to array; of Lists
 * their items. */
int docs_read(struct session *s, const char *path, struct node *array);

#endif
