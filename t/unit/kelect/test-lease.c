/* lease: each step of an election by Lease, with a clock that the test sets. */
#include "election.h"

#include "ballot.h"

static const struct lease_opts opts = {.namespace_ = "ns",
    .name = "x",
    .identity = "me",
    .duration_ms = 15000,
    .renew_ms = 10000,
    .retry_ms = 2000};

#define META "{\"name\":\"x\",\"namespace\":\"ns\",\"resourceVersion\":\"7\"}"

static void
begin(void)
{
	e = lease_new(&opts);
	e->random = roll;
	dice = 0;
	now = (struct instant){5000000000, 1767323045000006};
	pass(0);
}

static void
end(void)
{
	election_free(e);
	e = NULL;
}

/* A Lease as the server answers. Static. */
static const char *
lease(const char *holder, int seconds, const char *renewed, int transitions)
{
	static char text[1024];

	snprintf(text, sizeof(text),
	    "{\"kind\":\"Lease\",\"metadata\":" META ",\"spec\":{"
	    "\"holderIdentity\":\"%s\",\"leaseDurationSeconds\":%d,"
	    "\"acquireTime\":\"2026-01-01T00:00:00.000001Z\","
	    "\"renewTime\":\"%s\",\"leaseTransitions\":%d}}",
	    holder, seconds, renewed, transitions);
	return text;
}

/* The object that the request under way writes, as the server's answer.
 * Static. */
static const char *
written(void)
{
	static char text[1024];

	snprintf(text, sizeof(text), "%s", buf_str(&e->body));
	return text;
}

static void
lead(void)
{
	begin();
	answer(404, "{}");
	answer(201, written());
}

static void
test_create(void)
{
	begin();
	is(wants(), "GET x", "it looks first");
	is(buf_str(&e->path),
	    "/apis/coordination.k8s.io/v1/namespaces/ns/leases/x",
	    "... at the Lease");
	ok(e->due_ns == ELECTION_NEVER, "... and waits for the answer");
	answer(404, "{}");
	is(both(), "standby; POST leases", "none is there: created");
	is(buf_str(&e->body),
	    "{\"kind\":\"Lease\",\"apiVersion\":\"coordination.k8s.io/v1\","
	    "\"metadata\":{\"name\":\"x\",\"namespace\":\"ns\"},\"spec\":{"
	    "\"holderIdentity\":\"me\",\"leaseDurationSeconds\":15,"
	    "\"acquireTime\":\"2026-01-02T03:04:05.000006Z\","
	    "\"renewTime\":\"2026-01-02T03:04:05.000006Z\","
	    "\"leaseTransitions\":0}}",
	    "... with client-go's record");
	now.ns += 300 * (uint64_t)NS_PER_MS;
	answer(201, written());
	is(both(), "leading; 2000 ms", "it leads, renews in a retry period");
	ok(holds() == 9700, "... counted from the start of the request");
	ok(e->in_contact && e->transitions == 0, "... and takes part");
	end();
}

static void
test_renew(void)
{
	lead();
	pass(2000);
	is(wants(), "PUT x", "renewed without a look");
	is(buf_str(&e->body),
	    "{\"kind\":\"Lease\",\"apiVersion\":\"coordination.k8s.io/v1\","
	    "\"metadata\":{\"name\":\"x\",\"namespace\":\"ns\"},\"spec\":{"
	    "\"holderIdentity\":\"me\",\"leaseDurationSeconds\":15,"
	    "\"acquireTime\":\"2026-01-02T03:04:05.000006Z\","
	    "\"renewTime\":\"2026-01-02T03:04:07.000006Z\","
	    "\"leaseTransitions\":0}}",
	    "... acquireTime and transitions stay");
	ok(e->due_ns == e->until_ns, "... asked again at the deadline");
	answer(200, written());
	ok(holds() == 10000 && e->renewals == 1, "the time moves on");
	pass(2000);
	answer(409, "{\"reason\":\"Conflict\"}");
	is(wants(), "GET x", "a conflict: a look");
	answer(200, lease("me", 15, "2026-01-02T03:04:07.000006Z", 3));
	is(e->resource_version, "7", "... remembered, for Events");
	is(wants(), "PUT x", "... still ours: written on top of that");
	ok(strstr(buf_str(&e->body),
	       "\"acquireTime\":\"2026-01-01T00:00:00.000001Z\"") != NULL &&
		strstr(buf_str(&e->body), "\"leaseTransitions\":3}") != NULL &&
		strstr(buf_str(&e->body), META) != NULL,
	    "... with what was there");
	answer(200, written());
	is(both(), "leading; 2000 ms", "... and on");
	pass(2000);
	answer(0, NULL);
	answer(404, "{}");
	is(both(), "leading; POST leases", "deleted by a user: created again");
	end();
}

static void
test_deadline(void)
{
	lead();
	pass(2000);
	answer(0, NULL);
	is(wants(), "GET x", "no answer to the renewal: a look");
	now.ns += 500 * (uint64_t)NS_PER_MS;
	answer(0, NULL);
	is(both(), "leading; 1500 ms", "none to that: each retry period");
	is(e->problem, "cannot read the lease ns/x: cut", "... says so");
	pass(1500);
	answer(0, NULL);
	answer(0, NULL);
	pass(2000);
	answer(0, NULL);
	answer(0, NULL);
	pass(2000);
	is(wants(), "PUT x", "... and on");
	pass(1999);
	is(both(), "leading; PUT x", "until the deadline");
	pass(1);
	is(both(), "over; nothing",
	    "... which ends it, also without an answer");
	is(e->err.message,
	    "lost the lease ns/x: not renewed within 10000 ms; "
	    "cannot read the lease ns/x: cut",
	    "... and says why");
	ok(e->err.kind == ERR_TRANSIENT, "... a new run may lead again");
	end();
	lead();
	pass(2000);
	answer(503, "{}");
	answer(200, lease("me", 15, "a", 0));
	answer(503, "{}");
	pass(2000);
	answer(503, "{}");
	answer(200, lease("me", 15, "a", 0));
	is(wants(), "PUT x", "refused again, looked at again: written again");
	pass(6000);
	ok(strstr(e->err.message,
	       "not renewed within 10000 ms; cannot take the lease ns/x: ") !=
		NULL,
	    "... without an answer: why the one before was refused");
	end();
	lead();
	pass(2000);
	now.ns += 8000 * (uint64_t)NS_PER_MS;
	answer(200, written());
	is(state(), "over", "an answer after the deadline is too late");
	end();
	lead();
	now.ns += 3600000 * (uint64_t)NS_PER_MS;
	election_due(e, now);
	is(state(), "over", "so is waking up after an hour");
	end();
}

static void
test_lost(void)
{
	lead();
	pass(2000);
	answer(409, "{}");
	answer(200, lease("other", 15, "a", 1));
	is(both(), "over; nothing", "another process holds it: over at once");
	is(e->err.message, "lost the lease ns/x: other holds it",
	    "... says who");
	end();
	lead();
	pass(2000);
	answer(409, "{}");
	answer(200, lease("", 1, "a", 1));
	is(e->err.message, "lost the lease ns/x: nobody holds it",
	    "also if it was emptied");
	end();
}

static void
test_standby(void)
{
	begin();
	answer(200, lease("other", 15, "a", 4));
	is(both(), "standby; 2000 ms", "held by another: later");
	is(e->leader, "other", "... which it names");
	dice = UINT64_MAX - UINT64_MAX % 2400000001 - 1;
	pass(2000);
	answer(200, lease("other", 15, "a", 4));
	is(wants(), "4400 ms", "... up to 2.2 times the retry period");
	dice = 0;
	pass(4400);
	answer(200, lease("other", 15, "b", 4));
	pass(8000);
	answer(200, lease("other", 15, "b", 4));
	pass(6999);
	answer(200, lease("other", 15, "b", 4));
	is(state(), "standby", "15 s after the last change it still waits");
	pass(2000);
	answer(200, lease("other", 15, "b", 4));
	is(wants(), "PUT x", "... and then takes it");
	ok(strstr(buf_str(&e->body), "\"leaseTransitions\":5}") != NULL &&
		strstr(buf_str(&e->body), META) != NULL,
	    "... on top of what it has read, one transition more");
	answer(409, "{}");
	is(both(), "standby; 2000 ms", "another client was faster: later");
	pass(2000);
	answer(200, lease("third", 3, "c", 5));
	is(e->leader, "third", "a new leader");
	pass(2999);
	answer(200, lease("third", 3, "c", 5));
	is(wants(), "2000 ms", "its own duration counts");
	pass(2000);
	answer(200, lease("third", 3, "c", 5));
	answer(200, written());
	is(state(), "leading", "... and it leads");
	ok(e->leader == NULL && e->transitions == 6,
	    "... no other process does");
	end();
}

static void
test_empty(void)
{
	begin();
	answer(200, lease("", 1, "a", 4));
	is(wants(), "PUT x", "given back: taken at once");
	end();
	begin();
	answer(200, "{\"metadata\":" META "}");
	is(wants(), "PUT x", "an empty Lease, too");
	ok(strstr(buf_str(&e->body), "\"leaseTransitions\":1}") != NULL,
	    "... with one transition");
	answer(200, written());
	is(state(), "leading", "... and it leads");
	end();
}

static void
test_trouble(void)
{
	begin();
	answer(403,
	    "{\"kind\":\"Status\",\"reason\":\"Forbidden\",\"message\":"
	    "\"no\"}");
	is(both(), "standby; 2000 ms", "forbidden: tried again");
	is(e->problem, "cannot read the lease ns/x: no", "... says so");
	ok(!e->in_contact && e->failures == 1, "... takes no part");
	pass(2000);
	answer(200, "hello");
	is(e->problem, "cannot read the lease ns/x: the answer is not a Lease",
	    "an invalid answer");
	pass(2000);
	answer(200, "{\"metadata\":3}");
	is(wants(), "2000 ms", "... of any kind");
	pass(2000);
	answer(404, "{}");
	answer(201, written());
	ok(e->problem == NULL && e->in_contact, "all is well again");
	end();
	begin();
	answer(404, "{}");
	answer(422, "{\"kind\":\"Status\",\"message\":\"bad name\"}");
	is(both(), "over; nothing", "an invalid name: over");
	is(e->err.message, "cannot create the lease ns/x: bad name",
	    "... says so");
	ok(e->err.kind == ERR_PERMANENT, "... for good");
	end();
	lead();
	pass(2000);
	answer(422, "{}");
	answer(422, "{}");
	is(state(), "leading", "who leads already tries on");
	end();
	begin();
	answer(404, "{}");
	now.ns += 10000 * (uint64_t)NS_PER_MS;
	answer(201, written());
	is(both(), "standby; 0 ms", "taken too long ago: not leading yet");
	pass(0);
	is(wants(), "PUT x", "... but renewed at once");
	answer(200, written());
	is(state(), "leading", "... and then leading");
	end();
}

static void
test_release(void)
{
	lead();
	pass(1000);
	election_release(e, now);
	is(both(), "releasing; GET x", "given back: a look first");
	answer(200, lease("me", 15, "a", 4));
	is(wants(), "PUT x", "... ours");
	is(buf_str(&e->body),
	    "{\"kind\":\"Lease\",\"apiVersion\":\"coordination.k8s.io/v1\","
	    "\"metadata\":" META ",\"spec\":{\"holderIdentity\":\"\","
	    "\"leaseDurationSeconds\":1,"
	    "\"acquireTime\":\"2026-01-02T03:04:06.000006Z\","
	    "\"renewTime\":\"2026-01-02T03:04:06.000006Z\","
	    "\"leaseTransitions\":4}}",
	    "... emptied as client-go does");
	answer(409, "{}");
	is(both(), "releasing; 2000 ms", "a conflict: again");
	pass(2000);
	answer(200, lease("other", 15, "a", 5));
	is(both(), "released; nothing", "not ours any more: that will do");
	end();
	lead();
	pass(2000);
	election_release(e, now);
	is(wants(), "GET x", "a renewal under way is left");
	pass(9999);
	is(state(), "releasing", "no answer: waited for");
	pass(1);
	is(both(), "over; nothing", "... until the deadline");
	is(e->err.message, "the lease ns/x was not released: no answer in time",
	    "... and said");
	end();
	begin();
	answer(200, lease("other", 15, "a", 4));
	election_release(e, now);
	is(state(), "released", "a standby has nothing to give back");
	end();
	begin();
	answer(403, "{}");
	election_release(e, now);
	is(state(), "released", "nor who was refused");
	end();
	begin();
	answer(404, "{}");
	election_release(e, now);
	is(both(), "releasing; GET x", "who has just asked for it may have it");
	answer(404, "{}");
	is(state(), "released", "... or not");
	end();
	begin();
	answer(404, "{}");
	answer(0, NULL);
	election_release(e, now);
	is(both(), "releasing; GET x", "so may who had no answer");
	end();
}

static const char *
checked(uint64_t duration, uint64_t renew, uint64_t retry)
{
	static struct err err;
	struct lease_opts o = {
	    .duration_ms = duration, .renew_ms = renew, .retry_ms = retry};

	err = (struct err)ERR_INIT;
	return lease_check_opts(&o, &err) == 0 ? NULL : err.message;
}

static void
test_options(void)
{
	is(checked(15000, 10000, 2000), NULL, "the defaults are good");
	is(checked(2000, 1201, 1000), NULL, "... and what just does");
	is(checked(2000, 1200, 1000),
	    "option --renew-deadline must be more than 1.2 times "
	    "--retry-period",
	    "a renewal needs time for two attempts");
	is(checked(10000, 10000, 2000),
	    "option --renew-deadline must be less than --lease-duration",
	    "others must wait longer than we lead");
	is(checked(1500, 1000, 200),
	    "option --lease-duration: whole seconds, at least 1s",
	    "a Lease says whole seconds");
	is(checked(0, 0, 0),
	    "option --lease-duration: whole seconds, at least 1s", "none");
	is(checked(1000, 900, 0),
	    "option --retry-period must be more than nothing", "no period");
}

int
main(void)
{
	test_create();
	test_renew();
	test_deadline();
	test_lost();
	test_standby();
	test_empty();
	test_trouble();
	test_release();
	test_options();
	return tap_done();
}
