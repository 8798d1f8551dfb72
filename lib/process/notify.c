#include "process/notify.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/log.h"

/* The number in a variable; 0 if it is not one. */
static uint64_t
number_from_env(const char *name)
{
	const char *text = getenv(name);
	unsigned long long n;
	char *end;

	if (text == NULL || *text < '0' || *text > '9')
		return 0;
	errno = 0;
	n = strtoull(text, &end, 10);
	return errno == 0 && *end == '\0' ? n : 0;
}

/* Meant for us, and not for the process that started us. */
static bool
watchdog_is_ours(void)
{
	return getenv("WATCHDOG_PID") == NULL ||
	    number_from_env("WATCHDOG_PID") == (uint64_t)getpid();
}

/* The whole name counts in the abstract namespace, without a NUL at its end. */
static void
set_address(struct notify *n, const char *name)
{
	size_t len = strlen(name);

	if ((*name != '/' && *name != '@') || len < 2 ||
	    len >= sizeof(n->address.sun_path)) {
		log_warning("NOTIFY_SOCKET=%s: not a path and not @name", name);
		return;
	}
	n->address.sun_family = AF_UNIX;
	memcpy(n->address.sun_path, name, len);
	if (*name == '@')
		n->address.sun_path[0] = '\0';
	else
		len++;
	n->len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
}

void
notify_from_env(struct notify *n)
{
	const char *name = getenv("NOTIFY_SOCKET");

	*n = (struct notify){0};
	if (name != NULL && *name != '\0')
		set_address(n, name);
	/* Half of the time that it allows, as the manual advises. */
	if (n->len > 0 && watchdog_is_ours())
		n->watchdog_ms = number_from_env("WATCHDOG_USEC") / 2000;
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
}

void
notify_send(const struct notify *n, const char *lines)
{
	int fd;

	if (n->len == 0)
		return;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 ||
	    sendto(fd, lines, strlen(lines), MSG_DONTWAIT | MSG_NOSIGNAL,
		(const struct sockaddr *)&n->address, n->len) < 0)
		log_warning("cannot tell the service manager %s: %s", lines,
		    strerror(errno));
	if (fd >= 0)
		close(fd);
}
