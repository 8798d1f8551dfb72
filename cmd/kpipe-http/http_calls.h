/*
 * http_calls: the system calls that kpipe-http keeps once it serves
 * (sandbox.h). It reads input from any client: an attacker who takes it over
 * can start no program, write no file, trace no process and, unless it asks the
 * API server, make no connection.
 */
#ifndef HTTP_CALLS_H
#define HTTP_CALLS_H

#include "process/sandbox.h"

/* Lists for sandbox_enter: for a kpipe-http that only serves, */
extern const struct sandbox_rule *const http_calls_serve[];
/* and for one that also asks the API server. */
extern const struct sandbox_rule *const http_calls_ask[];

#endif
