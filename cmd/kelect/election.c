#include "election.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"
#include "process/clock.h"

void
election_init(struct election *e, const struct election_way *way)
{
	e->way = way;
	e->random = clock_jitter;
	e->state = ELECTION_STANDBY;
	e->due_ns = 0;
}

void
election_free(struct election *e)
{
	if (e == NULL)
		return;
	buf_release(&e->path);
	buf_release(&e->body);
	free(e->leader);
	free(e->uid);
	free(e->resource_version);
	free(e->problem);
	free(e->news);
	e->way->free(e);
}

void
election_due(struct election *e, struct instant now)
{
	if (e->state < ELECTION_RELEASED)
		e->way->due(e, now);
}

void
election_answered(
    struct election *e, const struct kube_answer *a, struct instant now)
{
	e->sending = false;
	if (e->state < ELECTION_RELEASED)
		e->way->answered(e, a, now);
}

void
election_release(struct election *e, struct instant now)
{
	if (e->state < ELECTION_RELEASING)
		e->way->release(e, now);
}

void
election_send(struct election *e, enum kube_verb verb)
{
	e->verb = verb;
	e->serial++;
	e->sending = true;
	buf_reset(&e->path);
	buf_reset(&e->body);
}

void
election_wait(struct election *e, uint64_t due_ns)
{
	e->sending = false;
	e->due_ns = due_ns;
}

void
election_end(struct election *e, enum election_state state)
{
	e->state = state;
	election_wait(e, ELECTION_NEVER);
}

void
election_say(char **text, const char *fmt, ...)
{
	struct buf b = BUF_INIT;
	char line[ERR_MESSAGE_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	buf_adds(&b, line);
	free(*text);
	*text = buf_take(&b);
}

void
election_failed(
    struct election *e, const char *doing, const struct kube_answer *a)
{
	struct buf reason = BUF_INIT;

	kube_error_public(&reason, &a->error, SPAN_NONE);
	e->failures++;
	e->failing = true;
	election_say(&e->problem, "cannot %s: %s", doing, buf_str(&reason));
	buf_release(&reason);
	if (e->state == ELECTION_STANDBY &&
	    (a->code == 400 || a->code == 422)) {
		err_set(&e->err, ERR_PERMANENT, "%s", e->problem);
		election_worked(e); /* said once, at the end */
		election_end(e, ELECTION_OVER);
	}
}

void
election_worked(struct election *e)
{
	free(e->problem);
	e->problem = NULL;
	e->failing = false;
}

void
election_set_leader(struct election *e, struct span leader)
{
	free(e->leader);
	e->leader = leader.n != 0 ? mem_dup(leader.p, leader.n) : NULL;
}

void
election_set_text(char **text, struct span value)
{
	struct buf b = BUF_INIT;

	json_add_decoded(&b, value);
	free(*text);
	*text = buf_take(&b);
}

void
election_seen(struct election *e, struct span metadata)
{
	election_set_text(&e->uid, json_get(metadata, "uid"));
	election_set_text(
	    &e->resource_version, json_get(metadata, "resourceVersion"));
}

uint64_t
election_jitter(struct election *e, uint64_t ns, unsigned percent)
{
	uint64_t most = ns / 100 * percent;

	return ns + (most != 0 ? e->random() % (most + 1) : 0);
}
