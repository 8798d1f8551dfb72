/*
 * access_calls: the system calls of a server (process/sandbox.h).
 */
#ifndef ACCESS_CALLS_H
#define ACCESS_CALLS_H

#include "process/sandbox.h"

/* For a server that has its socket: connections. */
extern const struct sandbox_rule access_serve[];
/* To read files: /proc, the certificate and the token when they change, those
 * of the resolver. Name services from libraries that are not loaded yet (other
 * than files and dns of the C library) do not work, because code cannot be
 * mapped. */
extern const struct sandbox_rule access_read[];
/* To ask the API server: in addition to the two lists above. */
extern const struct sandbox_rule access_ask[];

#endif
