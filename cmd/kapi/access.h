/*
 * access: where kapi listens and how clients get there: the address of
 * --listen, and the kubeconfig of --kubeconfig-out.
 */
#ifndef ACCESS_H
#define ACCESS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "request/users.h"

struct access {
	struct buf host; /* from --listen, no brackets; "" is every address */
	int port;
	struct span certificate; /* PEM; none: clear text */
	const struct user *user; /* the user's token, or none */
};

/* The host of HOST:PORT. */
int access_host(const char *listen, struct buf *host, struct err *err);
/* Whether all addresses of host are reached only from this machine. */
bool access_is_loopback(const char *host);

/* "https://127.0.0.1:6443", appended. */
void access_url(const struct access *a, struct buf *b);
/* Removes an old kubeconfig, so that no client uses it. */
void access_forget(const char *file);
/* Writes the kubeconfig to a temporary file and renames it: a reader never sees
 * half of it. Mode 0600. */
int access_write(const struct access *a, const char *file, struct err *err);

#endif
