#include "kubelet/podstream.h"

#include "reply/faults.h"
#include "reply/journal.h"
#include "reply/metrics.h"
#include "reply/reply.h"

bool
podstream_begin(struct request *r, int code)
{
	struct api *api = r->api;

	if (api->streams >= PODSTREAM_MAX) {
		reply_problem(r,
		    problem_make(&r->arena, 429, "TooManyRequests",
			"kapi has %d streams of Pods at most", PODSTREAM_MAX));
		return false;
	}
	if (api->faults != NULL && faults_answer(r, code))
		return false;
	if (api->journal != NULL)
		journal_write(api->journal, r, code, SPAN_NONE);
	metrics_count(r, code);
	api->streams++;
	return true;
}

void
podstream_cancel(struct request *r)
{
	r->api->streams--;
	request_free(r);
}

static void
free_stream(void *arg)
{
	struct podstream *s = arg;
	struct request *r = s->request;

	s->stop(s->owner);
	loop_cancel(r->api->loop, &s->timer);
	s->release(s->owner);
	podstream_cancel(r);
}

void
podstream_lost(struct podstream *s)
{
	s->done = true;
	s->stop(s->owner);
	loop_after(s->request->api->loop, &s->timer, 0, free_stream, s);
}

static void
too_long(void *s)
{
	podstream_end(s);
}

void
podstream_start(struct podstream *s)
{
	httpd_on_close(s->request->exchange, free_stream, s);
	loop_after(s->request->api->loop, &s->timer, PODSTREAM_MS, too_long, s);
}

void
podstream_send(struct podstream *s, struct span head, struct span bytes)
{
	if (!s->done &&
	    httpd_send_parts(s->request->exchange, head, bytes) != 0)
		podstream_lost(s);
}

void
podstream_end(struct podstream *s)
{
	if (s->done)
		return;
	httpd_end(s->request->exchange);
	podstream_lost(s);
}

void
podstream_refuse(struct request *r, int code, const char *text)
{
	reply_typed(r, code, "text/plain; charset=utf-8", span_str(text));
}
