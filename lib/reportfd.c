#include "reportfd.h"

#include <poll.h>
#include <unistd.h>

#include "json.h"

enum { PERIOD_MS = 5000 };

void
reportfd_init(struct reportfd *r, struct loop *l, const char *tool, int fd,
    reportfd_fn *fill, void *arg)
{
	*r = (struct reportfd){
	    .loop = l, .tool = tool, .fd = fd, .fill = fill, .arg = arg};
}

void
reportfd_release(struct reportfd *r)
{
	if (r->loop != NULL)
		timer_clear(r->loop, &r->timer);
	buf_release(&r->last);
}

/*
 * A pipe with room takes PIPE_BUF bytes at once, and all that is said here is
 * shorter; O_NONBLOCK would reach everybody who shares the descriptor.
 */
static void
say(struct reportfd *r, struct span text)
{
	struct pollfd p = {r->fd, POLLOUT, 0};

	if (poll(&p, 1, 0) == 1 && write(r->fd, text.p, text.n) < 0)
		r->fd = -1;
}

static void
report(void *arg)
{
	struct reportfd *r = arg;
	struct buf b = BUF_INIT;

	if (r->fd < 0)
		return;
	timer_after(r->loop, &r->timer, PERIOD_MS, report, r);
	buf_addf(&b, "{\"tool\":\"%s\",\"counters\":{", r->tool);
	r->fill(r->arg, &b);
	buf_adds(&b, "}}\n");
	if (!span_eq(buf_span(&b), buf_span(&r->last)))
		say(r, buf_span(&b));
	buf_release(&r->last);
	r->last = b;
}

void
reportfd_ready(struct reportfd *r)
{
	if (r->ready || r->fd < 0)
		return;
	r->ready = true;
	say(r, span_str("\n"));
	timer_after(r->loop, &r->timer, PERIOD_MS, report, r);
}

void
reportfd_send(struct reportfd *r)
{
	if (r->ready)
		report(r);
}

void
reportfd_count(struct buf *b, const char *name, uint64_t n)
{
	json_add_key(b, name);
	json_add_int(b, (int64_t)n);
}
