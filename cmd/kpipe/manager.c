#include "manager.h"

#include <string.h>

#include "base/buf.h"

void
manager_init(struct manager *m)
{
	*m = (struct manager){.status = ""};
	notify_from_env(&m->notify);
}

static void
feed_watchdog(void *arg)
{
	struct manager *m = arg;

	notify_send(&m->notify, "WATCHDOG=1");
	loop_after(m->loop, &m->timer, m->notify.watchdog_ms, feed_watchdog, m);
}

void
manager_start(struct manager *m, struct loop *loop)
{
	m->loop = loop;
	if (m->notify.watchdog_ms > 0)
		feed_watchdog(m);
}

void
manager_ready(const struct manager *m)
{
	notify_send(&m->notify, "READY=1");
}

void
manager_stopping(const struct manager *m)
{
	notify_send(&m->notify, "STOPPING=1");
}

void
manager_status(struct manager *m, const char *status)
{
	struct buf b = BUF_INIT;

	if (strcmp(m->status, status) == 0)
		return;
	m->status = status;
	buf_addf(&b, "STATUS=%s", status);
	notify_send(&m->notify, buf_str(&b));
	buf_release(&b);
}
