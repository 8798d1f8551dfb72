#include "report/resultfd.h"

void
resultfd_init(struct resultfd *r, struct loop *l, int fd)
{
	*r = (struct resultfd){.on = fd >= 0};
	if (r->on)
		out_init(&r->out, l, fd);
}

void
resultfd_release(struct resultfd *r)
{
	if (r->on)
		out_release(&r->out);
	r->on = false;
}

void
resultfd_line(struct resultfd *r, struct span line)
{
	if (!r->on)
		return;
	if (out_full(&r->out)) {
		r->lost = true;
		return;
	}
	if (r->lost)
		out_line(&r->out,
		    span_str("{\"record\":\"gap\",\"stream\":\"results\"}"));
	r->lost = false;
	out_line(&r->out, line);
}

void
resultfd_flush(struct resultfd *r)
{
	if (r->on)
		out_flush(&r->out);
}
