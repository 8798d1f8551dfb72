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
podstream_end(struct request *r)
{
	r->api->streams--;
	request_free(r);
}

void
podstream_refuse(struct request *r, int code, const char *text)
{
	reply_typed(r, code, "text/plain; charset=utf-8", span_str(text));
}
