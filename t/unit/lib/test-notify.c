#include "process/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "process/log.h"
#include "tap.h"

static struct notify n;

/* NULL: not in the environment. */
static void
set(const char *name, const char *value)
{
	if (value != NULL)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

static void
from_env(const char *address, const char *usec, const char *pid)
{
	set("NOTIFY_SOCKET", address);
	set("WATCHDOG_USEC", usec);
	set("WATCHDOG_PID", pid);
	notify_from_env(&n);
}

static uint64_t
watchdog(const char *usec, const char *pid)
{
	from_env("/run/x", usec, pid);
	return n.watchdog_ms;
}

/* A manager whose abstract name the kernel chooses. */
static int
listener(struct buf *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	socklen_t len = sizeof(sa_family_t);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	bind(fd, (struct sockaddr *)&address, len);
	len = sizeof(address);
	getsockname(fd, (struct sockaddr *)&address, &len);
	buf_addc(name, '@');
	buf_add(name, address.sun_path + 1,
	    len - offsetof(struct sockaddr_un, sun_path) - 1);
	return fd;
}

TEST(send)
{
	struct buf name = BUF_INIT;
	int fd = listener(&name);
	char got[64] = "";

	from_env(buf_str(&name), NULL, NULL);
	ok(n.len > 0, "there is a manager");
	ok(getenv("NOTIFY_SOCKET") == NULL, "no child learns its address");
	notify_send(&n, "READY=1");
	ok(recv(fd, got, sizeof(got) - 1, MSG_DONTWAIT) == 7,
	    "it gets one datagram");
	is(got, "READY=1", "... of these lines");
	close(fd);
	notify_send(&n, "STOPPING=1");
	ok(true, "a manager that is gone does no harm");
	buf_release(&name);
}

TEST(addresses)
{
	static const char *const bad[] = {
	    "", "/", "@", "x", "vsock:2:1", "./socket"};
	char text[200];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		from_env(bad[i], "1000000", NULL);
		ok(n.len == 0 && n.watchdog_ms == 0, bad[i]);
	}
	memset(text, 'x', sizeof(text));
	text[0] = '/';
	text[107] = '\0';
	from_env(text, NULL, NULL);
	ok(n.len == sizeof(struct sockaddr_un), "the longest path");
	text[107] = 'x';
	text[108] = '\0';
	from_env(text, NULL, NULL);
	ok(n.len == 0, "one that is too long");
	from_env(NULL, NULL, NULL);
	notify_send(&n, "READY=1");
	ok(n.len == 0, "no manager: nothing is sent");
}

TEST(watchdog)
{
	char pid[24];

	snprintf(pid, sizeof(pid), "%ld", (long)getpid());
	ok(watchdog("60000000", NULL) == 30000, "half of its time");
	ok(watchdog("60000000", pid) == 30000, "... for us");
	ok(watchdog("60000000", "1") == 0, "... for another process");
	ok(watchdog("60000000", "") == 0, "... for nobody");
	ok(watchdog("6x", NULL) == 0, "not a number");
	ok(watchdog("-1", NULL) == 0, "less than nothing");
	ok(watchdog(NULL, NULL) == 0, "none");
	ok(getenv("WATCHDOG_USEC") == NULL && getenv("WATCHDOG_PID") == NULL,
	    "no child is asked to feed it");
}

int
main(void)
{
	log_init("test", LOG_TEXT, LOG_ERROR);
	tap_run();
	return tap_done();
}
