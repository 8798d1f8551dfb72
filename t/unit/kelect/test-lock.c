/* lock: leadership for life, each step, with a clock that the test sets. */
#include "election.h"

#include "base/array.h"
#include "ballot.h"
#include "process/fence.h"

static void
begin(void)
{
	e = lock_new("ns", "l", "me");
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

/* A standby: our Pod was read, the lock exists. */
static void
stand_by(const char *lock)
{
	begin();
	answer(200, "{\"metadata\":{\"uid\":\"u1\"}}");
	answer(409, "{\"kind\":\"Status\",\"reason\":\"AlreadyExists\"}");
	answer(200, lock);
}

#define OWNED(NAME, UID)                                                       \
	"{\"metadata\":{\"uid\":\"lu\",\"ownerReferences\":[{\"kind\":\"Pod\"" \
	",\"name\":\"" NAME "\",\"uid\":\"" UID "\"}]}}"

static const char precondition[] =
    "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"preconditions\":{"
    "\"uid\":\"u2\"}}";

static void
test_lead(void)
{
	begin();
	is(wants(), "GET me", "our Pod first");
	is(buf_str(&e->path), "/api/v1/namespaces/ns/pods/me", "... by name");
	answer(200, "{\"metadata\":{\"uid\":\"u1\"}}");
	is(both(), "standby; POST configmaps", "then the lock");
	is(buf_str(&e->body),
	    "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{"
	    "\"name\":\"l\",\"namespace\":\"ns\",\"ownerReferences\":[{"
	    "\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"me\",\"uid\":"
	    "\"u1\"}]}}",
	    "... owned by our Pod");
	answer(201, "{\"metadata\":{\"uid\":\"lu\"}}");
	is(both(), "leading; 10000 ms", "it leads");
	ok(e->until_ns == FENCE_FOREVER && e->in_contact, "... for life");
	pass(10000);
	is(wants(), "GET l", "now and then it looks");
	answer(0, NULL);
	is(both(), "leading; 1000 ms", "no answer changes nothing");
	pass(1000);
	answer(200, OWNED("me", "u1"));
	is(both(), "leading; 10000 ms", "... nor does the lock as it was");
	pass(10000);
	answer(404, "{}");
	is(both(), "over; nothing", "it is gone: over");
	is(e->err.message, "lost the lock ns/l: it is gone", "... says so");
	end();
}

static void
test_restart(void)
{
	stand_by(OWNED("me", "u1"));
	is(state(), "leading", "a restart in the same Pod leads on");
	is(e->uid, "lu", "... of that lock, for Events");
	pass(10000);
	answer(200, OWNED("me", "u9"));
	is(e->err.message, "lost the lock ns/l: it is no longer ours",
	    "over when another Pod has it");
	end();
	stand_by(OWNED("me", "u2"));
	is(wants(), "GET me", "another Pod of our name is not us");
	is(e->leader, "me", "... though it is called so");
	answer(200, "{\"metadata\":{\"uid\":\"u1\"}}");
	is(both(), "standby; 1000 ms", "the lock's Pod is gone: wait");
	is(e->problem,
	    "waiting for the lock ns/l: its Pod is gone, the garbage "
	    "collector will follow",
	    "... for the collector");
	end();
}

static void
test_wait(void)
{
	static const unsigned want[] = {1000, 2000, 4000, 8000, 16000, 16000};
	bool good = true;

	stand_by(OWNED("other", "u2"));
	is(wants(), "GET other", "its owner is looked at");
	answer(200,
	    "{\"metadata\":{\"uid\":\"u2\"},\"spec\":{\"nodeName\":\"n\"},"
	    "\"status\":{\"phase\":\"Running\"}}");
	is(wants(), "GET n", "... and the node of that");
	is(buf_str(&e->path), "/api/v1/nodes/n", "... which has no namespace");
	answer(200,
	    "{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":"
	    "\"True\"}]}}");
	is(both(), "standby; 1000 ms", "all is well there: wait");
	for (size_t i = 0; i < COUNT(want); i++) {
		good = good && (e->due_ns - now.ns) / NS_PER_MS == want[i];
		pass(want[i]);
		answer(409, "{}");
		answer(200, OWNED("other", "u2"));
		answer(200, "{\"metadata\":{\"uid\":\"u2\"}}");
	}
	ok(good, "1 s doubling to 16 s");
	dice = (uint64_t)3200 * NS_PER_MS;
	pass(16000);
	answer(409, "{}");
	answer(404, "{}");
	is(wants(), "19200 ms", "... and up to a fifth more");
	end();
}

static void
put_out(const char *reason)
{
	char pod[200];

	snprintf(pod, sizeof(pod),
	    "{\"metadata\":{\"uid\":\"u2\"},\"status\":{\"phase\":\"Failed\","
	    "\"reason\":\"%s\"}}",
	    reason);
	stand_by(OWNED("other", "u2"));
	answer(200, pod);
	is(wants(), "DELETE other", reason);
	is(buf_str(&e->body), precondition, "... deleted, just that one");
	answer(200, "{}");
	is(both(), "standby; 1000 ms", "... waits for the collector");
	ok(e->news != NULL, "... says so");
	end();
}

static void
test_put_out(void)
{
	put_out("Evicted");
	put_out("Preempting");
	stand_by(OWNED("other", "u2"));
	answer(200,
	    "{\"metadata\":{\"uid\":\"u2\"},\"status\":{\"phase\":\"Failed\","
	    "\"reason\":\"OOM\"}}");
	is(wants(), "1000 ms", "failed otherwise: it may start again");
	end();
	stand_by(OWNED("other", "u2"));
	answer(200,
	    "{\"metadata\":{\"uid\":\"u2\",\"deletionTimestamp\":"
	    "\"2026-01-02T03:04:05Z\"},\"status\":{\"phase\":\"Failed\","
	    "\"reason\":\"Evicted\"}}");
	is(wants(), "1000 ms", "it is being deleted already");
	end();
	stand_by(OWNED("other", "u2"));
	answer(200,
	    "{\"metadata\":{\"uid\":\"u2\"},\"status\":{\"phase\":\"Failed\","
	    "\"reason\":\"Evicted\"}}");
	answer(403, "{\"kind\":\"Status\",\"message\":\"no\"}");
	is(e->problem, "cannot delete Pod other: no", "not allowed: said");
	is(wants(), "1000 ms", "... and tried again");
	end();
}

static void
test_node(void)
{
	stand_by(OWNED("other", "u2"));
	answer(200,
	    "{\"metadata\":{\"uid\":\"u2\"},\"spec\":{\"nodeName\":\"n\"}}");
	answer(200,
	    "{\"status\":{\"conditions\":[{\"type\":\"DiskPressure\","
	    "\"status\":\"False\"},{\"type\":\"Ready\",\"status\":"
	    "\"Unknown\"}]}}");
	is(wants(), "DELETE other", "its node is not ready: the Pod goes");
	is(buf_str(&e->body), precondition, "... just that one");
	answer(200, "{}");
	is(wants(), "DELETE l", "... and the lock");
	is(buf_str(&e->body),
	    "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\","
	    "\"preconditions\":{\"uid\":\"lu\"}}",
	    "... just the one it read");
	answer(409, "{}");
	is(wants(), "1000 ms", "another client was faster");
	pass(1000);
	answer(201, "{\"metadata\":{\"uid\":\"lv\"}}");
	is(state(), "leading", "... but not fast enough");
	end();
	stand_by(OWNED("other", "u2"));
	answer(200,
	    "{\"metadata\":{\"uid\":\"u2\"},\"spec\":{\"nodeName\":\"n\"}}");
	answer(404, "{}");
	is(wants(), "1000 ms", "an unknown node: the cluster's business");
	end();
}

static void
test_strange(void)
{
	stand_by("{\"metadata\":{\"uid\":\"lu\"}}");
	is(e->problem,
	    "waiting for the lock ns/l: it must have exactly one owner "
	    "reference",
	    "a ConfigMap of another owner");
	end();
	stand_by("{\"metadata\":{\"ownerReferences\":[{\"kind\":\"Job\","
		 "\"name\":\"j\",\"uid\":\"u1\"}]}}");
	is(e->problem, "waiting for the lock ns/l: its owner is not a Pod",
	    "owned by something else");
	is(wants(), "1000 ms", "... waited for");
	end();
	begin();
	answer(500, "{}");
	is(both(), "standby; 1000 ms", "no answer about our Pod: again");
	pass(1000);
	answer(404, "{}");
	is(both(), "over; nothing", "we have no Pod");
	is(e->err.message,
	    "there is no Pod ns/me (POD_NAMESPACE, POD_NAME), which could own "
	    "the lock",
	    "... says so");
	end();
	begin();
	answer(200, "{\"metadata\":{\"uid\":\"u1\"}}");
	answer(422, "{\"kind\":\"Status\",\"message\":\"bad name\"}");
	is(both(), "over; nothing", "an invalid name: over");
	is(e->err.message, "cannot create the lock l: bad name", "... says so");
	end();
	begin();
	election_release(e, now);
	is(both(), "released; nothing", "nothing to give back");
	end();
}

int
main(void)
{
	test_lead();
	test_restart();
	test_wait();
	test_put_out();
	test_node();
	test_strange();
	return tap_done();
}
