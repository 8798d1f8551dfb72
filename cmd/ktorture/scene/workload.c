#include "scene/workload.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "json/jvtext.h"
#include "scene/backdrop.h"
#include "value/digest.h"

enum { HASH_DIGITS = 8, NAME_MAX_BYTES = 200, BACKOFF_LIMIT = 6 };

/* The Pods of a workload; those that are going or have ended do not count. */
struct pods {
	struct actor **items; /* owned array, borrowed items; by name */
	size_t count;
	size_t ready;
};

static jv
spec_of(const struct actor *w)
{
	return jvtext_peek(w->object, "spec");
}

static jv
template_of(const struct actor *w)
{
	return jvtext_peek(spec_of(w), "template");
}

/* ---- Pods ---- */

static bool
has_ended(const struct actor *p)
{
	return span_is(actor_phase(p->object), "Succeeded") ||
	    span_is(actor_phase(p->object), "Failed");
}

/* NAME-2 comes before NAME-10. */
static int
compare_names(const void *a, const void *b)
{
	struct span x = actor_meta((*(struct actor *const *)a)->object, "name");
	struct span y = actor_meta((*(struct actor *const *)b)->object, "name");

	return x.n != y.n ? (x.n > y.n) - (x.n < y.n) : span_cmp(x, y);
}

static bool
is_of(const struct actor *p, const struct actor *w)
{
	return actor_is_kind(p->object, "Pod") &&
	    span_eq(actor_controller(p->object), actor_meta(w->object, "uid"));
}

static struct pods
pods_of(struct backdrop *c, const struct actor *w)
{
	struct pods pods = {NULL, 0, 0};

	for (size_t i = 0; i < c->count; i++) {
		struct actor *p = c->items[i];

		if (!is_of(p, w) || actor_is_going(p->object) || has_ended(p))
			continue;
		pods.items =
		    mem_grow(pods.items, pods.count, sizeof(struct actor *));
		pods.items[pods.count++] = p;
		pods.ready += actor_is(p->object, "Ready");
	}
	if (pods.count > 0)
		qsort(
		    pods.items, pods.count, sizeof(*pods.items), compare_names);
	return pods;
}

/* The digest of the template, whatever the order of its members; owned. */
static char *
template_hash(const struct actor *w)
{
	unsigned char digest[DIGEST_SIZE];
	struct buf text = BUF_INIT, hex = BUF_INIT;

	jvtext_add(&text, template_of(w), NULL);
	digest_sha256(buf_span(&text), digest);
	digest_add_hex(&hex, digest, HASH_DIGITS / 2);
	buf_release(&text);
	return buf_take(&hex);
}

static jv
owner_of(const struct actor *w)
{
	jv metadata = jvtext_peek(w->object, "metadata");
	jv owner = JV_OBJECT(jv_string("apiVersion"),
	    jv_copy(jvtext_peek(w->object, "apiVersion")), jv_string("kind"),
	    jv_copy(jvtext_peek(w->object, "kind")), jv_string("name"),
	    jv_copy(jvtext_peek(metadata, "name")), jv_string("uid"),
	    jv_copy(jvtext_peek(metadata, "uid")), jv_string("controller"),
	    jv_true(), jv_string("blockOwnerDeletion"), jv_true());

	return JV_ARRAY(owner);
}

static jv
pod_object(const struct actor *w, const char *name)
{
	static const char *const kept[] = {
	    "labels", "annotations", "finalizers", NULL};
	jv from = jvtext_peek(template_of(w), "metadata");
	jv metadata = JV_OBJECT(jv_string("name"), jv_string(name),
	    jv_string("namespace"),
	    jv_copy(
		jvtext_peek(jvtext_peek(w->object, "metadata"), "namespace")),
	    jv_string("ownerReferences"), owner_of(w));

	for (const char *const *k = kept; *k != NULL; k++)
		if (jv_is_valid(jvtext_peek(from, *k)))
			metadata = jv_object_set(metadata, jv_string(*k),
			    jv_copy(jvtext_peek(from, *k)));
	return JV_OBJECT(jv_string("apiVersion"), jv_string("v1"),
	    jv_string("kind"), jv_string("Pod"), jv_string("metadata"),
	    metadata, jv_string("spec"),
	    jv_copy(jvtext_peek(template_of(w), "spec")));
}

static jv
set_label(jv object, const char *key, jv value)
{
	return jv_setpath(object,
	    JV_ARRAY(
		jv_string("metadata"), jv_string("labels"), jv_string(key)),
	    value);
}

/* "example-", or "example-3f7a91c2-" if there is a hash. */
static void
add_prefix(struct buf *b, const struct actor *w, const char *hash)
{
	struct span name = actor_meta(w->object, "name");

	name.n = name.n > NAME_MAX_BYTES ? NAME_MAX_BYTES : name.n;
	buf_addf(b, "%.*s-", SPAN_ARG(name));
	if (hash != NULL)
		buf_addf(b, "%s-", hash);
}

/* ... with a number behind it. */
static void
add_pod_name(struct buf *b, const struct actor *w, const char *hash, int i)
{
	buf_reset(b);
	add_prefix(b, w, hash);
	buf_addf(b, "%d", i);
}

/* Whether the Pod of that name is there, or asked for. */
static bool
is_there(struct backdrop *c, const struct actor *w, struct span name)
{
	char *key = mem_dup(name.p, name.n);
	bool asked = jv_is_valid(jvtext_peek(w->asked, key));

	free(key);
	return asked ||
	    actor_find(c, "Pod", actor_meta(w->object, "namespace"), name) !=
	    NULL;
}

/* Takes pod. */
static void
ask(struct backdrop *c, struct actor *w, jv pod)
{
	w->asked = jv_object_set(w->asked,
	    jv_copy(jvtext_peek(jvtext_peek(pod, "metadata"), "name")),
	    jv_true());
	actor_create(c, pod);
}

/* Deletes each once. */
static void
drop(struct backdrop *c, struct actor *p)
{
	if (!p->killed)
		actor_delete(c, p->object);
	p->killed = true;
}

static int
wanted_of(const struct actor *w)
{
	int n = actor_number(spec_of(w), "replicas", 1);

	return n > BACKDROP_PODS_MAX ? BACKDROP_PODS_MAX : n;
}

/* Whether its name is that of one of the first n with that hash. */
static bool
is_among(const struct actor *p, const struct actor *w, const char *hash, int n)
{
	struct span name = actor_meta(p->object, "name");
	struct buf prefix = BUF_INIT;
	uint64_t number;
	bool among;

	add_prefix(&prefix, w, hash);
	among = span_take(&name, buf_str(&prefix)) &&
	    span_number(name, INT32_MAX, &number) && number < (uint64_t)n;
	buf_release(&prefix);
	return among;
}

/* Asks for those of the n that are missing. label: of the hash, or NULL. */
static void
fill(struct backdrop *c, struct actor *w, const char *hash, const char *label,
    int n)
{
	struct buf name = BUF_INIT;

	for (int i = 0; i < n; i++) {
		jv pod;

		add_pod_name(&name, w, hash, i);
		if (is_there(c, w, buf_span(&name)))
			continue;
		pod = pod_object(w, buf_str(&name));
		ask(c, w,
		    label == NULL ? pod
				  : set_label(pod, label, jv_string(hash)));
	}
	buf_release(&name);
}

/* ---- statuses ---- */

/* A number that the server leaves out when it is 0. */
static jv
with_count(jv status, const char *key, size_t n)
{
	return jv_object_set(
	    status, jv_string(key), n > 0 ? jv_number((double)n) : jv_null());
}

static jv
with_generation(jv status, const struct actor *w)
{
	return jv_object_set(status, jv_string("observedGeneration"),
	    jv_number(actor_number(
		jvtext_peek(w->object, "metadata"), "generation", 1)));
}

/* The condition of that type that was sent last, if its status was that; its
 * times stay. */
static jv
with_times(const struct backdrop *c, const struct actor *w, jv condition,
    const char *const *keys)
{
	jv before = jvtext_peek(w->sent, "conditions"), old = jv_invalid();

	if (jv_get_kind(before) == JV_KIND_ARRAY)
		jv_array_foreach(before, i, b)
		{
			if (span_eq(actor_text(b, "type"),
				actor_text(condition, "type")) &&
			    span_eq(actor_text(b, "status"),
				actor_text(condition, "status"))) {
				jv_free(old);
				old = jv_copy(b);
			}
			jv_free(b);
		}
	for (; *keys != NULL; keys++)
		condition = jv_object_set(condition, jv_string(*keys),
		    jv_is_valid(old) ? jv_copy(jvtext_peek(old, *keys))
				     : actor_time(c, 0));
	jv_free(old);
	return condition;
}

static jv
condition_value(const char *type, bool is_true, const char *reason)
{
	return JV_OBJECT(jv_string("type"), jv_string(type),
	    jv_string("status"), jv_string(is_true ? "True" : "False"),
	    jv_string("reason"), jv_string(reason), jv_string("message"),
	    jv_string(""));
}

/* Sends it if it is another than the last one. */
static void
send_status(struct backdrop *c, struct actor *w, jv status)
{
	if (jv_is_valid(w->sent) &&
	    jv_equal(jv_copy(w->sent), jv_copy(status))) {
		jv_free(status);
		return;
	}
	jv_free(w->sent);
	w->sent = jv_copy(status);
	actor_patch_status(c, w->object, status, 0);
}

/* ---- Deployments ---- */

static void
send_deployment(struct backdrop *c, struct actor *w, const struct pods *pods,
    size_t updated, size_t wanted)
{
	static const char *const times[] = {
	    "lastTransitionTime", "lastUpdateTime", NULL};
	bool available = pods->ready >= wanted;
	bool complete = available && updated == wanted && pods->count == wanted;
	jv conditions = jv_array(), status = with_generation(jv_object(), w);

	status = with_count(status, "replicas", pods->count);
	status = with_count(status, "updatedReplicas", updated);
	status = with_count(status, "readyReplicas", pods->ready);
	status = with_count(status, "availableReplicas", pods->ready);
	status = with_count(status, "unavailableReplicas",
	    wanted > pods->ready ? wanted - pods->ready : 0);
	conditions = jv_array_append(conditions,
	    with_times(c, w,
		condition_value("Available", available,
		    available ? "MinimumReplicasAvailable"
			      : "MinimumReplicasUnavailable"),
		times));
	conditions = jv_array_append(conditions,
	    with_times(c, w,
		condition_value("Progressing", true,
		    complete ? "NewReplicaSetAvailable" : "ReplicaSetUpdated"),
		times));
	send_status(
	    c, w, jv_object_set(status, jv_string("conditions"), conditions));
}

static void
play_deployment(struct backdrop *c, struct actor *w)
{
	struct pods pods = pods_of(c, w);
	char *hash = template_hash(w);
	int wanted = wanted_of(w);
	bool recreate =
	    span_is(actor_text(jvtext_peek(spec_of(w), "strategy"), "type"),
		"Recreate");
	size_t updated = 0, ready = 0;

	for (size_t i = 0; i < pods.count; i++)
		if (is_among(pods.items[i], w, hash, BACKDROP_PODS_MAX)) {
			updated++;
			ready += actor_is(pods.items[i]->object, "Ready");
			if (!is_among(pods.items[i], w, hash, wanted))
				drop(c, pods.items[i]);
		}
	for (size_t i = 0; i < pods.count; i++)
		if (!is_among(pods.items[i], w, hash, BACKDROP_PODS_MAX) &&
		    (recreate || ready >= (size_t)wanted))
			drop(c, pods.items[i]);
	if (!recreate || updated == pods.count)
		fill(c, w, hash, "pod-template-hash", wanted);
	send_deployment(c, w, &pods, updated, (size_t)wanted);
	free(hash);
	free(pods.items);
}

/* ---- ReplicaSets, ReplicationControllers ---- */

static void
play_set(struct backdrop *c, struct actor *w)
{
	struct pods pods = pods_of(c, w);
	int wanted = wanted_of(w);
	jv status = with_generation(jv_object(), w);

	for (size_t i = 0; i < pods.count; i++)
		if (!is_among(pods.items[i], w, NULL, wanted))
			drop(c, pods.items[i]);
	fill(c, w, NULL, NULL, wanted);
	/* The API wants this one also when it is 0. */
	status = jv_object_set(
	    status, jv_string("replicas"), jv_number((double)pods.count));
	status = with_count(status, "fullyLabeledReplicas", pods.count);
	status = with_count(status, "readyReplicas", pods.ready);
	status = with_count(status, "availableReplicas", pods.ready);
	send_status(c, w, status);
	free(pods.items);
}

/* ---- DaemonSets: one node ---- */

static void
play_daemons(struct backdrop *c, struct actor *w)
{
	struct pods pods = pods_of(c, w);
	char *hash = template_hash(w);
	size_t updated = 0;
	jv status = with_generation(jv_object(), w);

	for (size_t i = 0; i < pods.count; i++) {
		if (is_among(pods.items[i], w, hash, 1))
			updated++;
		else
			drop(c, pods.items[i]);
	}
	if (updated == pods.count)
		fill(c, w, hash, "controller-revision-hash", 1);
	status = jv_object_set(
	    status, jv_string("desiredNumberScheduled"), jv_number(1));
	status = jv_object_set(status, jv_string("currentNumberScheduled"),
	    jv_number((double)pods.count));
	status = jv_object_set(
	    status, jv_string("numberMisscheduled"), jv_number(0));
	status = jv_object_set(
	    status, jv_string("numberReady"), jv_number((double)pods.ready));
	status = with_count(status, "numberAvailable", pods.ready);
	status = with_count(status, "updatedNumberScheduled", updated);
	send_status(c, w, status);
	free(hash);
	free(pods.items);
}

/* ---- StatefulSets ---- */

/* "data-example-0" of the claim template "data". */
static jv
claim_name(const struct actor *w, jv claim_peek, int i)
{
	struct buf b = BUF_INIT, pod = BUF_INIT;
	jv name;

	add_pod_name(&pod, w, NULL, i);
	buf_addf(&b, "%.*s-%s", SPAN_ARG(actor_meta(claim_peek, "name")),
	    buf_str(&pod));
	name = jv_string_sized(b.data, (int)b.len);
	buf_release(&b);
	buf_release(&pod);
	return name;
}

/* Makes the claims of Pod i, and returns its volumes with them. Takes both. */
static jv
add_claims(struct backdrop *c, const struct actor *w, jv volumes, int i)
{
	jv claims = jvtext_peek(spec_of(w), "volumeClaimTemplates");
	jv ns = jvtext_peek(jvtext_peek(w->object, "metadata"), "namespace");

	if (jv_get_kind(claims) != JV_KIND_ARRAY)
		return volumes;
	jv_array_foreach(claims, k, claim)
	{
		jv name = claim_name(w, claim, i);
		jv metadata = jv_copy(jvtext_peek(claim, "metadata"));

		volumes = jv_array_append(volumes,
		    JV_OBJECT(jv_string("name"),
			jv_copy(jvtext_peek(
			    jvtext_peek(claim, "metadata"), "name")),
			jv_string("persistentVolumeClaim"),
			JV_OBJECT(jv_string("claimName"), jv_copy(name))));
		if (actor_find(c, "PersistentVolumeClaim",
			actor_meta(w->object, "namespace"),
			jvtext_span(name)) == NULL) {
			metadata = jv_object_delete(
			    metadata, jv_string("creationTimestamp"));
			metadata = jv_object_set(
			    metadata, jv_string("name"), jv_copy(name));
			metadata = jv_object_set(
			    metadata, jv_string("namespace"), jv_copy(ns));
			actor_create(c,
			    JV_OBJECT(jv_string("apiVersion"), jv_string("v1"),
				jv_string("kind"),
				jv_string("PersistentVolumeClaim"),
				jv_string("metadata"), metadata,
				jv_string("spec"),
				jv_copy(jvtext_peek(claim, "spec"))));
		} else
			jv_free(metadata);
		jv_free(name);
		jv_free(claim);
	}
	return volumes;
}

static void
ask_stateful(struct backdrop *c, struct actor *w, const char *hash, int i)
{
	struct buf name = BUF_INIT;
	jv pod, volumes;

	add_pod_name(&name, w, NULL, i);
	pod = pod_object(w, buf_str(&name));
	pod = set_label(pod, "statefulset.kubernetes.io/pod-name",
	    jv_string(buf_str(&name)));
	pod = set_label(pod, "controller-revision-hash", jv_string(hash));
	volumes = jv_getpath(
	    jv_copy(pod), JV_ARRAY(jv_string("spec"), jv_string("volumes")));
	if (jv_get_kind(volumes) != JV_KIND_ARRAY) {
		jv_free(volumes);
		volumes = jv_array();
	}
	volumes = add_claims(c, w, volumes, i);
	if (jv_array_length(jv_copy(volumes)) > 0)
		pod = jv_setpath(pod,
		    JV_ARRAY(jv_string("spec"), jv_string("volumes")), volumes);
	else
		jv_free(volumes);
	ask(c, w, pod);
	buf_release(&name);
}

static bool
is_updated(const struct actor *pod, const char *hash)
{
	jv labels = jvtext_peek(jvtext_peek(pod->object, "metadata"), "labels");

	return span_is(actor_text(labels, "controller-revision-hash"), hash);
}

/* One after another: the next, once those before are ready. */
static void
fill_stateful(struct backdrop *c, struct actor *w, const char *hash, int wanted)
{
	bool parallel =
	    span_is(actor_text(spec_of(w), "podManagementPolicy"), "Parallel");
	struct buf name = BUF_INIT;

	for (int i = 0; i < wanted; i++) {
		struct actor *p;

		add_pod_name(&name, w, NULL, i);
		p = actor_find(c, "Pod", actor_meta(w->object, "namespace"),
		    buf_span(&name));
		if (!is_there(c, w, buf_span(&name)))
			ask_stateful(c, w, hash, i);
		if (!parallel && (p == NULL || !actor_is(p->object, "Ready")))
			break;
	}
	buf_release(&name);
}

static void
send_stateful(struct backdrop *c, struct actor *w, const struct pods *pods,
    size_t updated, const char *hash)
{
	struct span name = actor_meta(w->object, "name");
	struct buf revision = BUF_INIT;
	jv status = with_generation(jv_object(), w);
	bool complete = updated == pods->count;

	buf_addf(&revision, "%.*s-%s", SPAN_ARG(name), hash);
	status = jv_object_set(
	    status, jv_string("replicas"), jv_number((double)pods->count));
	status = with_count(status, "readyReplicas", pods->ready);
	status = jv_object_set(status, jv_string("availableReplicas"),
	    jv_number((double)pods->ready));
	status = with_count(status, "currentReplicas",
	    complete ? pods->count : pods->count - updated);
	status = with_count(status, "updatedReplicas", updated);
	status = jv_object_set(
	    status, jv_string("updateRevision"), jv_string(buf_str(&revision)));
	if (complete)
		status = jv_object_set(status, jv_string("currentRevision"),
		    jv_string(buf_str(&revision)));
	else if (jv_is_valid(jvtext_peek(w->sent, "currentRevision")))
		status = jv_object_set(status, jv_string("currentRevision"),
		    jv_copy(jvtext_peek(w->sent, "currentRevision")));
	buf_release(&revision);
	send_status(c, w, status);
}

static void
play_stateful(struct backdrop *c, struct actor *w)
{
	struct pods pods = pods_of(c, w);
	char *hash = template_hash(w);
	size_t wanted = (size_t)wanted_of(w), updated = 0;
	struct actor *outdated = NULL, *surplus = NULL;

	for (size_t i = 0; i < pods.count; i++) {
		if (!is_among(pods.items[i], w, NULL, (int)wanted))
			surplus = pods.items[i];
		else if (!is_updated(pods.items[i], hash))
			outdated = pods.items[i];
		updated += is_updated(pods.items[i], hash);
	}
	/* The last one first, one at a time. */
	if (surplus != NULL)
		drop(c, surplus);
	else if (outdated != NULL && pods.ready >= wanted &&
	    !span_is(
		actor_text(jvtext_peek(spec_of(w), "updateStrategy"), "type"),
		"OnDelete"))
		drop(c, outdated);
	fill_stateful(c, w, hash, (int)wanted);
	send_stateful(c, w, &pods, updated, hash);
	free(hash);
	free(pods.items);
}

/* ---- Jobs ---- */

struct tally {
	int succeeded, failed, completions, limit;
	bool restarts; /* a container was restarted too often */
};

/* Of all Pods that were ever seen to end. */
static struct tally
tally_of(const struct actor *w, const struct pods *pods)
{
	struct tally t = {0, 0, actor_number(spec_of(w), "completions", 1),
	    actor_number(spec_of(w), "backoffLimit", BACKOFF_LIMIT), false};
	struct jvtext_members m;

	jvtext_members_init(&m, w->ended, JVTEXT_KEPT);
	for (size_t i = 0; i < m.count; i++) {
		bool ok = jv_get_kind(m.items[i].value) == JV_KIND_TRUE;

		t.succeeded += ok;
		t.failed += !ok;
	}
	jvtext_members_release(&m);
	for (size_t i = 0; i < pods->count; i++) {
		jv statuses =
		    jvtext_peek(jvtext_peek(pods->items[i]->object, "status"),
			"containerStatuses");

		if (jv_get_kind(statuses) != JV_KIND_ARRAY)
			continue;
		jv_array_foreach(statuses, k, s)
		{
			t.restarts = t.restarts ||
			    actor_number(s, "restartCount", 0) >=
				(t.limit > 1 ? t.limit : 1);
			jv_free(s);
		}
	}
	return t;
}

/* Appends the condition with its early one, as the API demands it. */
static jv
with_outcome(
    const struct backdrop *c, const struct actor *w, jv conditions, bool failed)
{
	static const char *const times[] = {
	    "lastTransitionTime", "lastProbeTime", NULL};
	const char *reason =
	    failed ? "BackoffLimitExceeded" : "CompletionsReached";

	conditions = jv_array_append(conditions,
	    with_times(c, w,
		condition_value(failed ? "FailureTarget" : "SuccessCriteriaMet",
		    true, reason),
		times));
	return jv_array_append(conditions,
	    with_times(c, w,
		condition_value(failed ? "Failed" : "Complete", true, reason),
		times));
}

/* The next n names that no Pod has had. */
static void
ask_job(struct backdrop *c, struct actor *w, int n)
{
	struct buf name = BUF_INIT;

	for (int i = 0; n > 0 && i < 10000; i++) {
		add_pod_name(&name, w, NULL, i);
		if (is_there(c, w, buf_span(&name)))
			continue;
		ask(c, w, pod_object(w, buf_str(&name)));
		n--;
	}
	buf_release(&name);
}

static bool
is_over(const struct actor *w)
{
	jv sent = JV_OBJECT(jv_string("status"),
	    jv_is_valid(w->sent) ? jv_copy(w->sent) : jv_null());
	bool over = actor_is(sent, "Complete") || actor_is(sent, "Failed") ||
	    actor_is(w->object, "Complete") || actor_is(w->object, "Failed");

	jv_free(sent);
	return over;
}

/* Takes conditions. */
static void
send_job(struct backdrop *c, struct actor *w, const struct pods *pods,
    const struct tally *t, jv conditions)
{
	jv started = jvtext_peek(w->sent, "startTime");
	jv status = JV_OBJECT(jv_string("startTime"),
	    jv_is_valid(started) ? jv_copy(started) : actor_time(c, 0),
	    jv_string("uncountedTerminatedPods"), jv_object());

	status = with_count(status, "active", pods->count);
	status = jv_object_set(
	    status, jv_string("ready"), jv_number((double)pods->ready));
	status = with_count(status, "succeeded", (size_t)t->succeeded);
	status = with_count(status, "failed", (size_t)t->failed);
	if (jv_array_length(jv_copy(conditions)) > 0) {
		if (t->succeeded >= t->completions)
			status = jv_object_set(status,
			    jv_string("completionTime"), actor_time(c, 0));
		status =
		    jv_object_set(status, jv_string("conditions"), conditions);
	} else
		jv_free(conditions);
	send_status(c, w, status);
}

static void
play_job(struct backdrop *c, struct actor *w)
{
	struct pods pods = pods_of(c, w);
	struct tally t = tally_of(w, &pods);
	bool suspended =
	    jv_get_kind(jvtext_peek(spec_of(w), "suspend")) == JV_KIND_TRUE;
	bool done = t.succeeded >= t.completions;
	bool failed = !done && (t.failed > t.limit || t.restarts);
	int wanted = actor_number(spec_of(w), "parallelism", 1);
	int asked = jv_object_length(jv_copy(w->asked));

	if (is_over(w)) {
		free(pods.items);
		return;
	}
	if (wanted > t.completions - t.succeeded)
		wanted = t.completions - t.succeeded;
	if (suspended || done || failed)
		wanted = 0;
	wanted = wanted > BACKDROP_PODS_MAX ? BACKDROP_PODS_MAX : wanted;
	for (size_t i = (size_t)wanted; i < pods.count; i++)
		drop(c, pods.items[i]);
	ask_job(c, w, wanted - (int)pods.count - asked);
	/* No Pod may be left when it is said that a Job has ended. */
	if ((done || failed) && pods.count == 0)
		send_job(
		    c, w, &pods, &t, with_outcome(c, w, jv_array(), failed));
	else if (!suspended || jv_is_valid(w->sent))
		send_job(c, w, &pods, &t, jv_array());
	free(pods.items);
}

/* ---- all of them ---- */

bool
workload_play(struct backdrop *c, struct actor *w)
{
	static const struct {
		const char *kind;
		void (*play)(struct backdrop *, struct actor *);
	} controllers[] = {{"Deployment", play_deployment},
	    {"ReplicaSet", play_set}, {"ReplicationController", play_set},
	    {"StatefulSet", play_stateful}, {"DaemonSet", play_daemons},
	    {"Job", play_job}};

	for (size_t i = 0; i < sizeof(controllers) / sizeof(*controllers); i++)
		if (actor_is_kind(w->object, controllers[i].kind)) {
			if (!actor_is_going(w->object))
				controllers[i].play(c, w);
			return true;
		}
	return false;
}
