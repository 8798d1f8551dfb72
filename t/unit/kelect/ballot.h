/*
 * ballot: drives an election with the test's clock and server.
 */
#ifndef BALLOT_H
#define BALLOT_H

#include <inttypes.h>
#include <stdlib.h>

#include "base/buf.h"
#include "election.h"
#include "process/clock.h"
#include "tap.h"

static struct election *e;
static struct instant now;
static uint64_t dice; /* the next random number */

__attribute__((unused)) static uint64_t
roll(void)
{
	return dice;
}

/* Time passes, and the election acts if it is due. */
__attribute__((unused)) static void
pass(uint64_t ms)
{
	now.ns += ms * NS_PER_MS;
	now.real_us += (int64_t)ms * 1000;
	if (now.ns >= e->due_ns)
		election_due(e, now);
}

/* Answers the request under way; code 0: the connection failed. */
__attribute__((unused)) static void
answer(int code, const char *body)
{
	struct kube_answer a = {.code = code,
	    .body = span_str(body),
	    .error = {.retry_after_ms = -1}};
	struct err lost = ERR_INIT;

	if (code == 0) {
		err_set(&lost, ERR_TRANSIENT, "cut");
		kube_error_set(&a.error, &lost);
	} else if (code >= 400) {
		kube_error_parse(&a.error, code, a.body);
	}
	election_answered(e, &a, now);
	kube_error_release(&a.error);
}

/* The next wish of the election: a request, or a call in so many ms. Static. */
__attribute__((unused)) static const char *
wants(void)
{
	static const char *const verbs[] = {
	    [KUBE_GET] = "GET",
	    [KUBE_CREATE] = "POST",
	    [KUBE_REPLACE] = "PUT",
	    [KUBE_DELETE] = "DELETE",
	};
	static char text[2048];

	if (e->sending)
		snprintf(text, sizeof(text), "%s %s", verbs[e->verb],
		    strrchr(buf_str(&e->path), '/') + 1);
	else if (e->due_ns == ELECTION_NEVER)
		snprintf(text, sizeof(text), "nothing");
	else
		snprintf(text, sizeof(text), "%" PRIu64 " ms",
		    (e->due_ns - now.ns) / NS_PER_MS);
	return text;
}

__attribute__((unused)) static const char *
state(void)
{
	static const char *const names[] = {
	    "standby", "leading", "releasing", "released", "over"};

	return names[e->state];
}

/* State and request, such as "leading; PUT x". Static. */
__attribute__((unused)) static const char *
both(void)
{
	static char text[2100];

	snprintf(text, sizeof(text), "%s; %s", state(), wants());
	return text;
}

/* How long the leadership lasts, in ms. */
__attribute__((unused)) static uint64_t
holds(void)
{
	return (e->until_ns - now.ns) / NS_PER_MS;
}

#endif
