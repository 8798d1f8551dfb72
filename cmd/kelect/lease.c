/*
 * Part of election.h: leadership by a Lease, exactly as in client-go's
 * leaderelection (v0.36), so that it can contend with any operator written in
 * Go:
 *
 * - A candidate tries every retry period times 1 to 2.2. It waits until it has
 *   seen a record unchanged for as long as that record says, by its own clock;
 *   the times in the record are never compared with a clock.
 * - The leader replaces the record it wrote last (no GET) every retry period.
 * - It gives the Lease back by an empty holder and a duration of one second.
 *
 * Stricter than client-go in two ways: leadership ends renew_ms after the start
 * of the last renewal that worked (there it is a retry period later), and at
 * once when another holder is seen.
 */
#include "election.h"

#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"
#include "kube/kubepath.h"
#include "process/clock.h"

enum step {
	STEP_NONE,
	STEP_RENEW, /* PUT on top of what we wrote last */
	STEP_READ,
	STEP_CREATE,
	STEP_TAKE, /* PUT on top of what was read */
	STEP_READ_TO_RELEASE,
	STEP_RELEASE
};

static const char *const doings[] = {
    [STEP_RENEW] = "renew",
    [STEP_READ] = "read",
    [STEP_CREATE] = "create",
    [STEP_TAKE] = "take",
    [STEP_READ_TO_RELEASE] = "read",
    [STEP_RELEASE] = "release",
};

/* The content of a Lease. */
struct record {
	char *spec;	/* owned, as the server writes it; NULL: never seen */
	char *metadata; /* owned, the same */
	char *holder;	/* owned, never NULL once seen */
	char *acquired; /* owned or NULL */
	int64_t duration_s, transitions;
};

struct lease {
	struct election e; /* the first member */
	const struct lease_opts *o;
	enum step step;
	struct instant attempt; /* start of the attempt */
	uint64_t sent_ns;	/* the start of the newest request */
	struct record record;
	uint64_t observed_ns; /* when the record was seen to change */
	uint64_t give_up_ns;  /* RELEASING */
	bool claimed;	      /* a request of unknown outcome claimed it */
};

int
lease_check_opts(const struct lease_opts *o, struct err *err)
{
	if (o->duration_ms % 1000 != 0 || o->duration_ms == 0)
		return err_set(err, ERR_PERMANENT,
		    "option --lease-duration: whole seconds, at least 1s");
	if (o->duration_ms / 1000 > INT32_MAX)
		return err_set(err, ERR_PERMANENT,
		    "option --lease-duration: a Lease holds at most %ds",
		    INT32_MAX);
	if (o->duration_ms <= o->renew_ms)
		return err_set(err, ERR_PERMANENT,
		    "option --renew-deadline must be less than "
		    "--lease-duration");
	if (o->retry_ms == 0)
		return err_set(err, ERR_PERMANENT,
		    "option --retry-period must be more than nothing");
	if (o->renew_ms * 10 <= o->retry_ms * 12)
		return err_set(err, ERR_PERMANENT,
		    "option --renew-deadline must be more than 1.2 times "
		    "--retry-period");
	return 0;
}

/* ---- records ---- */

static void
record_release(struct record *r)
{
	free(r->spec);
	free(r->metadata);
	free(r->holder);
	free(r->acquired);
	*r = (struct record){0};
}

static char *
text_of(struct span value)
{
	struct buf scratch = BUF_INIT;
	struct span s;
	char *text = NULL;

	if (json_type(value) == JSON_STRING) {
		s = json_string(value, &scratch);
		text = mem_dup(s.p, s.n);
	}
	buf_release(&scratch);
	return text;
}

/* 0, or -1: the answer is not a Lease. */
static int
record_read(struct record *r, struct span body)
{
	struct span spec, metadata;

	*r = (struct record){0};
	if (json_check(body, NULL) != 0)
		return -1;
	spec = json_get(body, "spec");
	metadata = json_get(body, "metadata");
	if (json_type(metadata) != JSON_OBJECT)
		return -1;
	r->spec = mem_dup(spec.p, spec.n);
	r->metadata = mem_dup(metadata.p, metadata.n);
	r->holder = text_of(json_get(spec, "holderIdentity"));
	if (r->holder == NULL)
		r->holder = mem_strdup("");
	r->acquired = text_of(json_get(spec, "acquireTime"));
	if (!json_int(json_get(spec, "leaseDurationSeconds"), &r->duration_s))
		r->duration_s = 0;
	if (!json_int(json_get(spec, "leaseTransitions"), &r->transitions))
		r->transitions = 0;
	return 0;
}

static bool
is_mine(const struct lease *l)
{
	return l->record.holder != NULL &&
	    strcmp(l->record.holder, l->o->identity) == 0;
}

static bool
is_valid(const struct lease *l, struct instant now)
{
	return l->observed_ns +
	    (uint64_t)l->record.duration_s * 1000 * NS_PER_MS >
	    now.ns;
}

/* Remembers the Lease of an answer; -1 if it has none. */
static int
observe(struct lease *l, const struct kube_answer *a, uint64_t at_ns)
{
	struct record r;

	if (record_read(&r, a->body) != 0) {
		l->e.failures++;
		l->e.failing = true;
		election_say(&l->e.problem,
		    "cannot %s the lease %s/%s: the answer is not a Lease",
		    doings[l->step], l->o->namespace_, l->o->name);
		return -1;
	}
	if (l->record.spec == NULL || strcmp(l->record.spec, r.spec) != 0)
		l->observed_ns = at_ns;
	record_release(&l->record);
	l->record = r;
	l->claimed = false;
	l->e.in_contact = true;
	election_seen(&l->e, span_str(r.metadata));
	l->e.transitions = (uint64_t)r.transitions;
	election_set_leader(&l->e, is_mine(l) ? SPAN_NONE : span_str(r.holder));
	return 0;
}

/* ---- requests ---- */

static void
add_path(struct lease *l, bool name)
{
	struct buf *b = &l->e.path;

	buf_adds(b, "/apis/coordination.k8s.io/v1/namespaces");
	kube_path_add(b, span_str(l->o->namespace_));
	buf_adds(b, "/leases");
	if (name)
		kube_path_add(b, span_str(l->o->name));
}

static void
send_get(struct lease *l, enum step step, struct instant now)
{
	l->step = step;
	l->sent_ns = now.ns;
	election_send(&l->e, KUBE_GET);
	add_path(l, true);
}

/* The members in the order of Kubernetes' type. */
static void
add_spec(struct lease *l, struct buf *b, enum step step)
{
	char time[CLOCK_RFC3339_MAX];
	bool release = step == STEP_RELEASE;
	bool keep = step != STEP_CREATE && !release && is_mine(l) &&
	    l->record.acquired != NULL;
	int64_t n = step == STEP_CREATE ? 0
	    : release || is_mine(l)	? l->record.transitions
					: l->record.transitions + 1;

	clock_format_us(l->attempt.real_us, time);
	buf_adds(b, "{\"holderIdentity\":");
	json_add_str(b, release ? "" : l->o->identity);
	json_add_key(b, "leaseDurationSeconds");
	json_add_int(b, release ? 1 : (int64_t)(l->o->duration_ms / 1000));
	json_add_text(
	    b, "acquireTime", span_str(keep ? l->record.acquired : time));
	json_add_text(b, "renewTime", span_str(time));
	json_add_key(b, "leaseTransitions");
	json_add_int(b, n);
	buf_addc(b, '}');
}

static void
send_record(struct lease *l, enum step step, struct instant now)
{
	struct buf *b = &l->e.body;

	l->step = step;
	l->sent_ns = now.ns;
	l->claimed = l->claimed || step != STEP_RELEASE;
	election_send(&l->e, step == STEP_CREATE ? KUBE_CREATE : KUBE_REPLACE);
	add_path(l, step != STEP_CREATE);
	buf_adds(b,
	    "{\"kind\":\"Lease\",\"apiVersion\":\"coordination.k8s.io/v1\","
	    "\"metadata\":");
	if (step != STEP_CREATE) { /* with its resourceVersion */
		buf_adds(b, l->record.metadata);
	} else {
		buf_adds(b, "{\"name\":");
		json_add_str(b, l->o->name);
		json_add_text(b, "namespace", span_str(l->o->namespace_));
		buf_addc(b, '}');
	}
	json_add_key(b, "spec");
	add_spec(l, b, step);
	buf_addc(b, '}');
}

/* ---- attempts ---- */

static void
lost(struct lease *l, const char *why)
{
	struct election *e = &l->e;

	err_set(&e->err, ERR_TRANSIENT, "lost the lease %s/%s: %s",
	    l->o->namespace_, l->o->name, why);
	election_end(e, ELECTION_OVER);
}

/*
 * The only place that ends a leadership by time. It comes first in every step,
 * so that a process that was stopped, or suspended with its machine, does not
 * go on as leader.
 */
static bool
too_late(struct lease *l, struct instant now)
{
	struct election *e = &l->e;
	char why[ERR_MESSAGE_MAX];

	if (e->state != ELECTION_LEADING || now.ns < e->until_ns)
		return false;
	snprintf(why, sizeof(why), "not renewed within %llu ms%s%s",
	    (unsigned long long)l->o->renew_ms, e->problem != NULL ? "; " : "",
	    e->problem != NULL ? e->problem : "");
	lost(l, why);
	return true;
}

static void
attempt(struct lease *l, struct instant now)
{
	l->attempt = now;
	l->e.outrun = false;
	if (is_mine(l) && is_valid(l, now))
		send_record(l, STEP_RENEW, now);
	else
		send_get(l, STEP_READ, now);
	l->e.due_ns =
	    l->e.state == ELECTION_LEADING ? l->e.until_ns : ELECTION_NEVER;
}

static void
attempt_later(struct lease *l, struct instant now)
{
	struct election *e = &l->e;
	uint64_t retry = l->o->retry_ms * NS_PER_MS;
	uint64_t due = l->attempt.ns + retry;

	l->step = STEP_NONE;
	if (e->state == ELECTION_STANDBY)
		due = now.ns + election_jitter(e, retry, 120);
	else if (due < now.ns)
		due = now.ns;
	if (e->state == ELECTION_LEADING && due > e->until_ns)
		due = e->until_ns;
	election_wait(e, due);
}

/* We hold it since the request was sent, at the latest. */
static void
held(struct lease *l, struct instant now)
{
	struct election *e = &l->e;
	uint64_t until = l->sent_ns + l->o->renew_ms * NS_PER_MS;

	l->step = STEP_NONE;
	l->observed_ns = l->sent_ns;
	election_worked(e);
	if (now.ns >= until) { /* the answer came too late */
		election_wait(e, now.ns);
		return;
	}
	e->renewals += e->state == ELECTION_LEADING;
	e->state = ELECTION_LEADING;
	e->until_ns = until;
	/* Counted from the answer, as in client-go. */
	election_wait(e, now.ns + l->o->retry_ms * NS_PER_MS);
	if (e->due_ns > until)
		e->due_ns = until;
}

static void
attempt_failed(struct lease *l, const struct kube_answer *a, struct instant now)
{
	struct buf b = BUF_INIT;

	if (a->code >= 400 && a->code < 500) /* surely not written */
		l->claimed = false;
	buf_addf(&b, "%s the lease %s/%s", doings[l->step], l->o->namespace_,
	    l->o->name);
	election_failed(&l->e, buf_str(&b), a);
	l->e.outrun = a->code == 409;
	buf_release(&b);
	if (l->e.state != ELECTION_OVER)
		attempt_later(l, now);
}

/* Decides by the Lease that was read: another holder's, or free. */
static void
after_read(struct lease *l, struct instant now)
{
	struct election *e = &l->e;
	bool held_by = *l->record.holder != '\0';
	char why[ERR_MESSAGE_MAX];

	if (e->state == ELECTION_LEADING && !is_mine(l)) {
		snprintf(why, sizeof(why), "%s holds it",
		    held_by ? l->record.holder : "nobody");
		lost(l, why);
	} else if (!is_mine(l) && held_by && is_valid(l, now)) {
		election_worked(e);
		attempt_later(l, now);
	} else { /* a refusal of the last write stands until one succeeds */
		send_record(l, STEP_TAKE, now);
	}
}

static void
answered_attempt(
    struct lease *l, const struct kube_answer *a, struct instant now)
{
	bool bad = a->error.kind != ERR_NONE;

	if (l->step == STEP_RENEW && bad) {
		/* Another client wrote it, or the answer got lost: read it. */
		send_get(l, STEP_READ, now);
	} else if (l->step == STEP_READ && a->code == 404) {
		election_set_leader(&l->e, SPAN_NONE);
		send_record(l, STEP_CREATE, now);
	} else if (bad) {
		attempt_failed(l, a, now);
	} else if (observe(l, a, now.ns) != 0) {
		attempt_later(l, now);
	} else if (l->step == STEP_READ) {
		after_read(l, now);
	} else {
		held(l, now);
	}
}

/* ---- giving it back ---- */

static void
answered_release(
    struct lease *l, const struct kube_answer *a, struct instant now)
{
	struct election *e = &l->e;
	bool gone = a->code == 404;

	if (!gone && a->error.kind != ERR_NONE) {
		attempt_failed(l, a, now);
	} else if (gone || l->step == STEP_RELEASE) {
		election_end(e, ELECTION_RELEASED);
	} else if (observe(l, a, now.ns) != 0) {
		attempt_later(l, now);
	} else if (!is_mine(l)) {
		election_end(e, ELECTION_RELEASED);
	} else {
		l->attempt = now;
		send_record(l, STEP_RELEASE, now);
	}
	if (e->state == ELECTION_RELEASING && e->due_ns > l->give_up_ns)
		e->due_ns = l->give_up_ns;
}

static void
due_release(struct lease *l, struct instant now)
{
	struct election *e = &l->e;

	if (now.ns >= l->give_up_ns) {
		err_set(&e->err, ERR_TRANSIENT,
		    "the lease %s/%s was not released: %s", l->o->namespace_,
		    l->o->name,
		    e->problem != NULL ? e->problem : "no answer in time");
		election_end(e, ELECTION_OVER);
		return;
	}
	if (e->sending)
		return;
	l->attempt = now;
	send_get(l, STEP_READ_TO_RELEASE, now);
	e->due_ns = l->give_up_ns;
}

/* ---- the way ---- */

static void
lease_due(struct election *e, struct instant now)
{
	struct lease *l = (struct lease *)e;

	if (e->state == ELECTION_RELEASING)
		due_release(l, now);
	else if (!too_late(l, now) && !e->sending)
		attempt(l, now);
}

static void
lease_answered(
    struct election *e, const struct kube_answer *a, struct instant now)
{
	struct lease *l = (struct lease *)e;

	if (e->state == ELECTION_RELEASING)
		answered_release(l, a, now);
	else if (!too_late(l, now))
		answered_attempt(l, a, now);
}

static void
lease_release(struct election *e, struct instant now)
{
	struct lease *l = (struct lease *)e;

	if (!is_mine(l) && !l->claimed) {
		election_end(e, ELECTION_RELEASED);
		return;
	}
	e->state = ELECTION_RELEASING;
	e->sending = false;
	l->give_up_ns = now.ns + l->o->renew_ms * NS_PER_MS;
	due_release(l, now);
}

static void
lease_free(struct election *e)
{
	struct lease *l = (struct lease *)e;

	record_release(&l->record);
	free(l);
}

static const struct election_way way = {
    lease_due, lease_answered, lease_release, lease_free};

struct election *
lease_new(const struct lease_opts *o)
{
	struct lease *l = mem_zalloc(sizeof(*l));

	election_init(&l->e, &way);
	l->o = o;
	/* A dead connection leaves time for another, as in
	 * controller-runtime. */
	l->e.timeout_ms = o->renew_ms / 2;
	return &l->e;
}
