#include "contest.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "process/clock.h"
#include "process/leash.h"
#include "process/log.h"

static struct instant
now(void)
{
	return (struct instant){clock_boot_ns(), clock_real_us()};
}

/* True if the text is new; it is remembered. */
static bool
is_new(char **said, const char *text)
{
	if (text == *said || (text && *said && strcmp(text, *said) == 0))
		return false;
	free(*said);
	*said = mem_strdup(text);
	return true;
}

static void
say(struct contest *c)
{
	struct election *e = c->election;

	if (e->state == ELECTION_STANDBY &&
	    is_new(&c->said_leader, e->leader) && e->leader != NULL)
		log_info(
		    "standing by: the %s is held by %s", c->what, e->leader);
	if (is_new(&c->said_problem, e->problem) && e->problem != NULL)
		log_warning("%s", e->problem);
	if (e->news != NULL)
		log_warning("%s", e->news);
	free(e->news);
	e->news = NULL;
}

static void on_due(void *arg);
static void on_answer(void *arg, const struct kube_answer *a);

static void
do_what_it_wants(struct contest *c)
{
	struct election *e = c->election;
	struct kube_request r = {.verb = e->verb, .timeout_ms = e->timeout_ms};

	if (c->call != NULL && (!e->sending || c->serial != e->serial)) {
		kube_cancel(c->call);
		c->call = NULL;
	}
	if (e->sending && c->call == NULL) {
		r.path = buf_str(&e->path);
		if (e->body.len > 0)
			r.body = buf_span(&e->body);
		c->serial = e->serial;
		c->call = kube_start(c->kube, &r, on_answer, c);
	}
	if (e->due_ns == ELECTION_NEVER)
		loop_cancel(c->loop, &c->timer);
	else
		loop_at(c->loop, &c->timer,
		    (e->due_ns + NS_PER_MS - 1) / NS_PER_MS, on_due, c);
}

/* changed may call this again: then the outermost call does the rest. */
static void
step(struct contest *c)
{
	unsigned serial;
	enum election_state state;

	if (c->busy)
		return;
	c->busy = true;
	do {
		serial = c->election->serial;
		state = c->election->state;
		say(c);
		c->changed(c->arg);
	} while (serial != c->election->serial || state != c->election->state);
	c->busy = false;
	do_what_it_wants(c);
}

static void
on_due(void *arg)
{
	struct contest *c = arg;

	election_due(c->election, now());
	step(c);
}

static void
on_answer(void *arg, const struct kube_answer *a)
{
	struct contest *c = arg;

	c->call = NULL;
	election_answered(c->election, a, now());
	step(c);
}

void
contest_start(struct contest *c)
{
	loop_after(c->loop, &c->timer, 0, on_due, c);
}

void
contest_check(struct contest *c)
{
	struct instant t = now();

	if (t.ns >= c->election->due_ns)
		election_due(c->election, t);
	step(c);
}

void
contest_release(struct contest *c)
{
	election_release(c->election, now());
	step(c);
}

void
contest_end(struct contest *c)
{
	if (c->call != NULL)
		kube_cancel(c->call);
	c->call = NULL;
	if (c->loop != NULL)
		loop_cancel(c->loop, &c->timer);
	free(c->said_leader);
	free(c->said_problem);
}
