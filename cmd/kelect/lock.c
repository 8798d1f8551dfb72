/*
 * Part of election.h: leadership for life, the way of operator-lib's leader
 * (v0.11): a ConfigMap owned by the leader's Pod, which the garbage collector
 * removes with the Pod. Nothing is renewed or released; after a restart in the
 * same Pod it still leads.
 *
 * A standby that finds the lock taken looks at its owner: a Pod that was
 * evicted or preempted is deleted; one on a node that is not Ready, too, and
 * its lock with it. Everything else is waited for, 1 s doubling to 16 s.
 *
 * Stricter than operator-lib: owners are compared by uid, not by name (another
 * Pod of that name is not the leader), deletions name the uid they mean, and
 * the leader looks at its lock every 10 s: if it is gone or not ours, the
 * leadership is over.
 */
#include "election.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"
#include "kube/kubepath.h"
#include "process/fence.h"

enum step {
	STEP_NONE,
	STEP_SELF, /* our Pod's uid */
	STEP_CREATE,
	STEP_READ, /* is it ours */
	STEP_POD,  /* the state of the owner */
	STEP_NODE,
	STEP_DELETE_POD,
	STEP_DELETE_POD_AND_LOCK,
	STEP_DELETE_LOCK
};

enum {
	FIRST_DELAY_MS = 1000,
	DELAY_MAX_MS = 16000,
	LOOK_MS = 10000,
	TIMEOUT_MS = 10000
};

struct lock {
	struct election e; /* the first member */
	const char *namespace_, *name, *pod;
	enum step step;
	uint64_t delay_ms;
	char *uid;		      /* our Pod's, owned */
	char *lock_uid;		      /* owned */
	char *owner_name, *owner_uid; /* owned */
	char *node;		      /* owned */
};

/* ---- requests ---- */

static void
send_step(
    struct lock *l, enum step step, enum kube_verb verb, const char *resource)
{
	l->step = step;
	election_send(&l->e, verb);
	buf_adds(&l->e.path, "/api/v1");
	if (strcmp(resource, "nodes") != 0) {
		buf_adds(&l->e.path, "/namespaces");
		kube_path_add(&l->e.path, span_str(l->namespace_));
	}
	kube_path_add(&l->e.path, span_str(resource));
}

static void
send_get(struct lock *l, enum step step, const char *resource, const char *name)
{
	send_step(l, step, KUBE_GET, resource);
	kube_path_add(&l->e.path, span_str(name));
}

static void
send_create(struct lock *l)
{
	struct buf *b = &l->e.body;

	send_step(l, STEP_CREATE, KUBE_CREATE, "configmaps");
	buf_adds(b,
	    "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{"
	    "\"name\":");
	json_add_str(b, l->name);
	json_add_text(b, "namespace", span_str(l->namespace_));
	buf_adds(b,
	    ",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Pod\","
	    "\"name\":");
	json_add_str(b, l->pod);
	json_add_text(b, "uid", span_str(l->uid));
	buf_adds(b, "}]}}");
}

static void
send_delete(struct lock *l, enum step step, const char *resource,
    const char *name, const char *uid)
{
	struct buf *b = &l->e.body;

	send_step(l, step, KUBE_DELETE, resource);
	kube_path_add(&l->e.path, span_str(name));
	buf_adds(b,
	    "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\","
	    "\"preconditions\":{\"uid\":");
	json_add_str(b, uid);
	buf_adds(b, "}}");
}

/* ---- the steps ---- */

static void
try_later(struct lock *l, struct instant now)
{
	if (l->delay_ms == 0)
		l->delay_ms = FIRST_DELAY_MS;
	l->step = STEP_NONE;
	election_wait(&l->e,
	    now.ns + election_jitter(&l->e, l->delay_ms * NS_PER_MS, 20));
	if (l->delay_ms < DELAY_MAX_MS)
		l->delay_ms *= 2;
}

static void
failed(struct lock *l, const char *doing, const char *name,
    const struct kube_answer *a, struct instant now)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s %s", doing, name);
	election_failed(&l->e, buf_str(&b), a);
	buf_release(&b);
	if (l->e.state != ELECTION_OVER)
		try_later(l, now);
}

static void
over(struct lock *l, const char *why)
{
	err_set(&l->e.err, ERR_TRANSIENT, "lost the lock %s/%s: %s",
	    l->namespace_, l->name, why);
	election_end(&l->e, ELECTION_OVER);
}

static void
lead(struct lock *l, struct span lock, struct instant now)
{
	election_seen(&l->e, json_get(lock, "metadata"));
	l->step = STEP_NONE;
	l->delay_ms = 0;
	l->e.renewals += l->e.state == ELECTION_LEADING;
	l->e.state = ELECTION_LEADING;
	l->e.until_ns = FENCE_FOREVER;
	election_set_leader(&l->e, SPAN_NONE);
	election_worked(&l->e);
	election_wait(&l->e,
	    now.ns + election_jitter(&l->e, (uint64_t)LOOK_MS * NS_PER_MS, 20));
}

/* The holder is as it should be. */
static void
stand_by(struct lock *l, struct instant now)
{
	election_worked(&l->e);
	try_later(l, now);
}

/* A standby waits, and logs once for what. */
static void
wait_for(struct lock *l, struct instant now, const char *text)
{
	l->e.failing = false;
	election_say(&l->e.problem, "waiting for the lock %s/%s: %s",
	    l->namespace_, l->name, text);
	try_later(l, now);
}

static void
self_read(struct lock *l, const struct kube_answer *a, struct instant now)
{
	(void)now;
	if (a->code == 404) {
		err_set(&l->e.err, ERR_TRANSIENT,
		    "there is no Pod %s/%s (POD_NAMESPACE, POD_NAME), "
		    "which could own the lock",
		    l->namespace_, l->pod);
		election_end(&l->e, ELECTION_OVER);
		return;
	}
	election_set_text(&l->uid, json_path(a->body, "metadata.uid"));
	send_create(l);
}

/* The only owner reference, if it is valid. */
static const char *
read_owner(struct lock *l, struct span lock)
{
	struct json_elements refs =
	    json_elements(json_path(lock, "metadata.ownerReferences"));
	size_t n = 0;
	bool pod = false;

	for (; json_element(&refs); n++) {
		election_set_text(&l->owner_name, json_get(refs.value, "name"));
		election_set_text(&l->owner_uid, json_get(refs.value, "uid"));
		pod = json_is(json_get(refs.value, "kind"), "Pod");
	}
	if (n != 1)
		return "it must have exactly one owner reference";
	return pod ? NULL : "its owner is not a Pod";
}

static void
lock_read(struct lock *l, const struct kube_answer *a, struct instant now)
{
	struct election *e = &l->e;
	const char *wrong;
	bool mine;

	if (a->code == 404 && e->state == ELECTION_LEADING) {
		over(l, "it is gone");
		return;
	}
	if (a->code == 404) { /* the lock has just gone */
		try_later(l, now);
		return;
	}
	election_set_text(&l->lock_uid, json_path(a->body, "metadata.uid"));
	wrong = read_owner(l, a->body);
	mine = wrong == NULL && strcmp(l->owner_uid, l->uid) == 0;
	e->in_contact = true;
	if (mine) {
		lead(l, a->body, now);
	} else if (e->state == ELECTION_LEADING) {
		over(l, "it is no longer ours");
	} else if (wrong != NULL) {
		wait_for(l, now, wrong);
	} else {
		election_set_leader(e, span_str(l->owner_name));
		send_get(l, STEP_POD, "pods", l->owner_name);
	}
}

static bool
is_put_out(struct span pod)
{
	struct span reason = json_path(pod, "status.reason");

	return json_is(json_path(pod, "status.phase"), "Failed") &&
	    (json_is(reason, "Evicted") || json_is(reason, "Preempting")) &&
	    json_type(json_path(pod, "metadata.deletionTimestamp")) !=
	    JSON_STRING;
}

static void
pod_read(struct lock *l, const struct kube_answer *a, struct instant now)
{
	struct span uid = json_path(a->body, "metadata.uid");

	if (a->code == 404 || !json_is(uid, l->owner_uid)) {
		wait_for(l, now,
		    "its Pod is gone, the garbage collector will follow");
		return;
	}
	election_set_text(&l->node, json_path(a->body, "spec.nodeName"));
	if (is_put_out(a->body))
		send_delete(
		    l, STEP_DELETE_POD, "pods", l->owner_name, l->owner_uid);
	else if (*l->node != '\0')
		send_get(l, STEP_NODE, "nodes", l->node);
	else
		stand_by(l, now);
}

static bool
is_ready(struct span node)
{
	struct span condition =
	    json_find(json_path(node, "status.conditions"), "type", "Ready");

	return condition.p == NULL ||
	    json_is(json_get(condition, "status"), "True");
}

static void
node_read(struct lock *l, const struct kube_answer *a, struct instant now)
{
	if (a->code == 404 || is_ready(a->body))
		stand_by(l, now);
	else
		send_delete(l, STEP_DELETE_POD_AND_LOCK, "pods", l->owner_name,
		    l->owner_uid);
}

static void
pod_deleted(struct lock *l, const struct kube_answer *a, struct instant now)
{
	bool node = l->step == STEP_DELETE_POD_AND_LOCK;

	(void)a;
	election_say(&l->e.news,
	    "deleted Pod %s/%s, which has the lock %s and %s%s", l->namespace_,
	    l->owner_name, l->name,
	    node ? "is on a node that is not ready: " : "was put out",
	    node ? l->node : "");
	if (node)
		send_delete(
		    l, STEP_DELETE_LOCK, "configmaps", l->name, l->lock_uid);
	else
		try_later(l, now);
}

static void
created(struct lock *l, const struct kube_answer *a, struct instant now)
{
	if (a->code == 409) {
		send_get(l, STEP_READ, "configmaps", l->name);
		return;
	}
	l->e.in_contact = true;
	election_set_text(&l->lock_uid, json_path(a->body, "metadata.uid"));
	lead(l, a->body, now);
}

static void
lock_deleted(struct lock *l, const struct kube_answer *a, struct instant now)
{
	(void)a;
	try_later(l, now);
}

/* ---- the way ---- */

static void
lock_due(struct election *e, struct instant now)
{
	struct lock *l = (struct lock *)e;

	(void)now;
	if (e->sending)
		return;
	e->due_ns = ELECTION_NEVER;
	if (l->pod == NULL) { /* outside */
		e->state = ELECTION_LEADING;
		e->until_ns = FENCE_FOREVER;
		e->in_contact = true;
	} else if (e->state == ELECTION_LEADING) {
		send_get(l, STEP_READ, "configmaps", l->name);
	} else if (l->uid == NULL) {
		send_get(l, STEP_SELF, "pods", l->pod);
	} else {
		send_create(l);
	}
}

/* How each step goes on after an answer that is not a failure. */
enum { MISSING = 1, /* 404 */ CONFLICT = 2 /* 409 */ };
static const struct {
	void (*answered)(
	    struct lock *l, const struct kube_answer *a, struct instant now);
	unsigned also; /* besides success */
	const char *doing;
	size_t name; /* member of struct lock that names the object */
} steps[] = {
#define OF(member) offsetof(struct lock, member)
    [STEP_SELF] = {self_read, MISSING, "read Pod", OF(pod)},
    [STEP_CREATE] = {created, CONFLICT, "create the lock", OF(name)},
    [STEP_READ] = {lock_read, MISSING, "read the lock", OF(name)},
    [STEP_POD] = {pod_read, MISSING, "read Pod", OF(owner_name)},
    [STEP_NODE] = {node_read, MISSING, "read Node", OF(node)},
    /* CONFLICT: another client was faster, or the object has another uid. */
    [STEP_DELETE_POD] = {pod_deleted, MISSING | CONFLICT, "delete Pod",
	OF(owner_name)},
    [STEP_DELETE_POD_AND_LOCK] = {pod_deleted, MISSING | CONFLICT, "delete Pod",
	OF(owner_name)},
    [STEP_DELETE_LOCK] = {lock_deleted, MISSING | CONFLICT, "delete the lock",
	OF(name)},
#undef OF
};

static void
lock_answered(
    struct election *e, const struct kube_answer *a, struct instant now)
{
	struct lock *l = (struct lock *)e;
	enum step step = l->step;
	bool good = a->error.kind == ERR_NONE &&
	    (step >= STEP_DELETE_POD || json_check(a->body, NULL) == 0);

	if (good || (a->code == 404 && (steps[step].also & MISSING)) ||
	    (a->code == 409 && (steps[step].also & CONFLICT)))
		steps[step].answered(l, a, now);
	else
		failed(l, steps[step].doing,
		    *(char **)((char *)l + steps[step].name), a, now);
}

static void
lock_release(struct election *e, struct instant now)
{
	(void)now;
	election_end(e, ELECTION_RELEASED);
}

static void
lock_free(struct election *e)
{
	struct lock *l = (struct lock *)e;

	free(l->uid);
	free(l->lock_uid);
	free(l->owner_name);
	free(l->owner_uid);
	free(l->node);
	free(l);
}

static const struct election_way way = {
    lock_due, lock_answered, lock_release, lock_free};

struct election *
lock_new(const char *namespace_, const char *name, const char *pod)
{
	struct lock *l = mem_zalloc(sizeof(*l));

	election_init(&l->e, &way);
	l->namespace_ = namespace_;
	l->name = name;
	l->pod = pod;
	l->e.timeout_ms = TIMEOUT_MS;
	return &l->e;
}
