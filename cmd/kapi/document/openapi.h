/*
 * openapi: the shapes of everything that is served, for clients: /openapi/v3
 * (an index), /openapi/v3/apis/GROUP/VERSION and /openapi/v2 (JSON), made from
 * the tables and the CRDs. openapi_serve answers.
 *
 * Built-in types have no descriptions. Of the paths, there is what clients
 * look for: actions, kinds, the parameters of writes.
 */
#ifndef OPENAPI_H
#define OPENAPI_H

#include <stdbool.h>

struct request;

/* The documents that were asked for, kept in struct api. NULL is fine. */
struct openapi;
void openapi_free(struct openapi *o);

/* True if the path is one of these: r was answered and freed. */
bool openapi_serve(struct request *r);

#endif
