/*
 * notify: tells the service manager how this process is, in the protocol of
 * sd_notify(3): lines NAME=VALUE in a datagram to the AF_UNIX socket that
 * NOTIFY_SOCKET names, a path or "@name" of the abstract namespace. Without
 * the variable nothing is sent.
 *
 *	notify_from_env(&n);
 *	notify_send(&n, "READY=1");
 */
#ifndef NOTIFY_H
#define NOTIFY_H

#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

struct notify {
	struct sockaddr_un address;
	socklen_t len;	      /* length of address; 0: there is no manager */
	uint64_t watchdog_ms; /* how often to send WATCHDOG=1; 0: never */
};

/*
 * Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID and removes them from the
 * environment, so that no child speaks for us. An address of another kind (such
 * as vsock:) is logged, and then there is no manager.
 */
void notify_from_env(struct notify *n);

/* Never waits. A failure is logged: it can only be the manager's. */
void notify_send(const struct notify *n, const char *lines);

#endif
