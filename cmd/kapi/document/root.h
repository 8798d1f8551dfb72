/*
 * root: GET /: the list of paths that are served, besides those of objects.
 * Source: apiserver/pkg/server/routes/index.go, a recorded answer.
 */
#ifndef ROOT_H
#define ROOT_H

#include <stdbool.h>

#include "request/request.h"

/* True: the path is / or /index.html, and r was answered. */
bool root_serve(struct request *r);

#endif
