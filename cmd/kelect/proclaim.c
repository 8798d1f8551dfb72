#include "proclaim.h"

#include "kube/recorder.h"

static void
tell(struct proclaim *p, const struct election *e, const char *what)
{
	struct buf message = BUF_INIT;

	buf_addf(&message, "%s %s", p->identity, what);
	recorder_add(p->recorder,
	    &(struct recorder_event){
		.about = {span_str(p->api_version), span_str(p->kind),
		    span_str(p->namespace_), span_str(p->name),
		    span_str(e->uid), span_str(e->resource_version)},
		.component = span_str("kelect"),
		.type = RECORDER_NORMAL,
		.reason = span_str("LeaderElection"),
		.message = buf_span(&message)});
	buf_release(&message);
}

void
proclaim_leading(struct proclaim *p, struct loop *l, struct kube *k,
    const struct election *e)
{
	if (p->kind == NULL)
		return;
	p->recorder = recorder_new(l, k);
	tell(p, e, "became leader");
}

void
proclaim_stopped(struct proclaim *p, const struct election *e)
{
	if (p->recorder != NULL && p->ends && e->state == ELECTION_LEADING)
		tell(p, e, "stopped leading");
}

void
proclaim_release(struct proclaim *p)
{
	recorder_free(p->recorder);
}
