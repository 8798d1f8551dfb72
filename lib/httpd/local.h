/*
 * local: whether a server is reached from this machine only, and whether a
 * client means it. A page of another site that a browser shows can have its
 * name resolved to 127.0.0.1 (DNS rebinding): then the browser asks us, with
 * that name as the host.
 */
#ifndef LOCAL_H
#define LOCAL_H

#include <stdbool.h>

#include "base/span.h"

/* "HOST:PORT", as httpd_new listens: 127.0.0.0/8, [::1] or localhost. */
bool local_is_address(const char *address);
/* The same of a Host header, with any port or without one. */
bool local_is_host(struct span host);

#endif
