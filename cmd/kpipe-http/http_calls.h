/*
 * http_calls: the system calls that kpipe-http keeps once it serves
 * (sandbox.h). It reads what anybody sends: an attacker who takes it over
 * starts nothing, writes no file, traces nothing and, where it asks the API
 * server nothing, connects to nobody.
 *
 * Files are opened for reading only: /proc for the metrics of processes, the
 * certificate and the token as they change, those of the resolver. Name
 * services of libraries that are not loaded yet (other than files and dns of
 * the C library) are not found, for code cannot be mapped.
 */
#ifndef HTTP_CALLS_H
#define HTTP_CALLS_H

#include "process/sandbox.h"

/* Lists for sandbox_enter: for one that only serves, */
extern const struct sandbox_rule *const http_calls_serve[];
/* and for one that also asks the API server. */
extern const struct sandbox_rule *const http_calls_ask[];

#endif
