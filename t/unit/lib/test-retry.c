#include "kube/retry.h"

#include "tap.h"

static enum retry_kind
of(enum kube_verb verb, int code, const char *body)
{
	struct kube_error e = {0};
	enum retry_kind kind;

	kube_error_parse(&e, code, span_str(body));
	kind = retry_classify(verb, &e);
	kube_error_release(&e);
	return kind;
}

TEST(classify)
{
	static const char conflict[] =
	    "{\"kind\":\"Status\",\"reason\":\"Conflict\",\"details\":{"
	    "\"causes\":[{\"reason\":\"FieldManagerConflict\",\"message\":"
	    "\"conflict with \\\"m\\\"\",\"field\":\".a\"}]}}";
	static const char terminating[] =
	    "{\"kind\":\"Status\",\"reason\":\"Forbidden\",\"details\":{"
	    "\"causes\":[{\"reason\":\"NamespaceTerminating\"}]}}";
	static const char untyped[] =
	    "{\"kind\":\"Status\",\"message\":\"failed to create typed\"}";
	static const char internal[] =
	    "{\"kind\":\"Status\",\"reason\":\"InternalError\"}";
	static const char invalid[] =
	    "{\"kind\":\"Status\",\"reason\":\"Invalid\",\"details\":{}}";
	static const char right[] =
	    "{\"kind\":\"Status\",\"reason\":\"Forbidden\",\"message\":"
	    "\"secrets \\\"s\\\" is forbidden: User \\\"u\\\" cannot patch "
	    "resource \\\"secrets\\\" in API group \\\"\\\" at the cluster "
	    "scope\"}";
	struct kube_error lost = {.kind = ERR_TRANSIENT};

	ok(of(KUBE_APPLY, 409, conflict) == RETRY_PERMANENT,
	    "a field of another manager: permanent");
	ok(of(KUBE_APPLY, 409,
	       "{\"kind\":\"Status\",\"reason\":\"Conflict\"}") == RETRY_SOON,
	    "another version: soon");
	ok(of(KUBE_APPLY, 403, terminating) == RETRY_TRANSIENT,
	    "a terminating namespace: passes");
	ok(of(KUBE_APPLY, 403, right) == RETRY_DENIED,
	    "a right is missing: permanent, but it may be given");
	ok(of(KUBE_APPLY, 403,
	       "{\"kind\":\"Status\",\"reason\":\"Forbidden\"}") ==
		RETRY_FORBIDDEN,
	    "forbidden by something else: the same, but no right");
	ok(of(KUBE_APPLY, 500, untyped) == RETRY_PERMANENT,
	    "a 500 of apply without reason: permanent");
	ok(of(KUBE_APPLY, 500, internal) == RETRY_TRANSIENT,
	    "an internal error: passes");
	ok(of(KUBE_JSON_PATCH, 422, invalid) == RETRY_SOON,
	    "a failed test of a patch: soon");
	ok(of(KUBE_APPLY, 422, invalid) == RETRY_PERMANENT,
	    "an invalid object: permanent");
	ok(of(KUBE_APPLY, 429, "slow down") == RETRY_TRANSIENT, "429: passes");
	ok(retry_classify(KUBE_APPLY, &lost) == RETRY_SOON, "no answer: soon");
}

TEST(plan)
{
	struct retry r = {0};
	uint64_t now = 1000, wait = 0;

	retry_plan(&r, RETRY_TRANSIENT, -1, now);
	ok(r.due_ms >= now + 100 && r.due_ms <= now + 200,
	    "the first retry after 100 to 200 ms");
	ok(!r.failed && !r.permanent, "... it has not failed yet");
	retry_plan(&r, RETRY_TRANSIENT, 7000, now);
	ok(r.due_ms == now + 7000, "Retry-After counts if it is longer");
	for (int i = 0; i < 20; i++)
		retry_plan(&r, RETRY_TRANSIENT, -1, now);
	wait = r.due_ms - now;
	ok(wait >= 30000 && wait <= 60000, "bounded by 30 s and jitter");
	ok(!retry_expire(&r, 30000, now + 29999), "not failed before 30 s");
	ok(retry_expire(&r, 30000, now + 30000), "failed after 30 s");
	ok(!retry_expire(&r, 30000, now + 40000), "... said once");
	ok(r.failed, "... and remembered");
	retry_plan(&r, RETRY_PERMANENT, -1, now);
	wait = r.due_ms - now;
	ok(r.permanent && wait >= 5000 && wait <= 10000,
	    "a permanent one begins at 5 s");
	for (int i = 0; i < 20; i++)
		retry_plan(&r, RETRY_PERMANENT, -1, now);
	wait = r.due_ms - now;
	ok(wait >= 600000 && wait <= 1200000, "bounded by 10 min");
	retry_plan(&r, RETRY_DENIED, -1, now);
	wait = r.due_ms - now;
	ok(wait >= 15000 && wait <= 30000, "... a denied one by 30 s");
	retry_plan(&r, RETRY_FORBIDDEN, -1, now);
	wait = r.due_ms - now;
	ok(r.permanent && wait >= 15000 && wait <= 30000,
	    "... so is a forbidden one");
	retry_reset(&r);
	ok(!r.failed && r.first_ms == 0 && r.backoff.n == 0, "reset");
	retry_plan(&r, RETRY_PERMANENT, -1, now);
	ok(r.failed, "a permanent failure counts at once");
}

TEST(backoff)
{
	struct kube_backoff back = {0};
	bool fits = true;

	for (int i = 0; i < 50; i++) {
		uint64_t d = i < 6 ? 100u << i : 5000;
		uint64_t got = kube_backoff_next(&back, 100, 5000);

		fits = fits && got >= (d > 5000 ? 5000 : d) && got <= 2 * d;
	}
	ok(fits, "back-off doubles to its limit, with jitter");
}
