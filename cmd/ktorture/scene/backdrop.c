#include "scene/backdrop.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "json/jvtext.h"
#include "scene/actor.h"
#include "scene/podfate.h"
#include "scene/workload.h"
#include "value/digest.h"

enum {
	JOB_SECONDS = 10, /* how long a Pod of a Job runs, if nothing says it */
	RESTARTS = 6	  /* of one in CrashLoopBackOff: a Job gives up then */
};

/* ---- Pods ---- */

/* An address that differs by name, and stays. */
static jv
address(const char *net, jv object_peek)
{
	unsigned char digest[DIGEST_SIZE];
	struct buf b = BUF_INIT;
	jv text;

	buf_addf(&b, "%.*s/%.*s",
	    SPAN_ARG(actor_meta(object_peek, "namespace")),
	    SPAN_ARG(actor_meta(object_peek, "name")));
	digest_sha256(buf_span(&b), digest);
	buf_reset(&b);
	buf_addf(&b, "%s.%u.%u", net, digest[0], digest[1]);
	text = jv_string_sized(b.data, (int)b.len);
	buf_release(&b);
	return text;
}

enum pod_state { POD_RUNS, POD_ENDED, POD_RESTARTS };

static jv
container_state(enum pod_state state, bool failed, jv since_peek, jv at_peek)
{
	jv terminated;

	if (state == POD_RUNS)
		return JV_OBJECT(jv_string("running"),
		    JV_OBJECT(jv_string("startedAt"), jv_copy(since_peek)));
	if (state == POD_RESTARTS)
		return JV_OBJECT(jv_string("waiting"),
		    JV_OBJECT(jv_string("reason"),
			jv_string("CrashLoopBackOff"), jv_string("message"),
			jv_string("back-off restarting failed container")));
	terminated = JV_OBJECT(jv_string("exitCode"), jv_number(failed ? 1 : 0),
	    jv_string("reason"), jv_string(failed ? "Error" : "Completed"),
	    jv_string("startedAt"), jv_copy(since_peek),
	    jv_string("finishedAt"), jv_copy(at_peek));
	return JV_OBJECT(jv_string("terminated"), terminated);
}

static jv
container_statuses(
    jv pod_peek, enum pod_state state, bool failed, jv since_peek, jv at_peek)
{
	jv containers =
	    jvtext_peek(jvtext_peek(pod_peek, "spec"), "containers");
	jv list = jv_array();

	if (jv_get_kind(containers) != JV_KIND_ARRAY)
		return list;
	jv_array_foreach(containers, i, c)
	{
		jv one = JV_OBJECT(jv_string("name"),
		    jv_copy(jvtext_peek(c, "name")), jv_string("image"),
		    jv_copy(jvtext_peek(c, "image")), jv_string("imageID"),
		    jv_copy(jvtext_peek(c, "image")), jv_string("ready"),
		    jv_bool(state == POD_RUNS), jv_string("started"),
		    jv_bool(state == POD_RUNS), jv_string("restartCount"),
		    jv_number(state == POD_RESTARTS ? RESTARTS : 0));

		one = jv_object_set(one, jv_string("state"),
		    container_state(state, failed, since_peek, at_peek));
		list = jv_array_append(list, one);
		jv_free(c);
	}
	return list;
}

static jv
pod_conditions(enum pod_state state, bool failed, jv since_peek, jv at_peek)
{
	static const char *const types[] = {
	    "ContainersReady", "Initialized", "PodScheduled", "Ready", NULL};
	jv list = jv_array();

	for (const char *const *t = types; *t != NULL; t++) {
		bool is_true =
		    state == POD_RUNS || (*t)[0] == 'I' || (*t)[0] == 'P';
		jv c = JV_OBJECT(jv_string("type"), jv_string(*t),
		    jv_string("status"), jv_string(is_true ? "True" : "False"),
		    jv_string("lastTransitionTime"),
		    jv_copy(is_true ? since_peek : at_peek));

		if (!is_true)
			c = jv_object_set(c, jv_string("reason"),
			    jv_string(state == POD_RESTARTS
				    ? "ContainersNotReady"
				    : failed ? "PodFailed"
					     : "PodCompleted"));
		list = jv_array_append(list, c);
	}
	return list;
}

/* Since then, and how it is at that time. Takes since, at. */
static jv
pod_status(jv pod_peek, enum pod_state state, bool failed, jv since, jv at)
{
	jv status = JV_OBJECT(jv_string("phase"),
	    jv_string(state != POD_ENDED ? "Running"
		    : failed		 ? "Failed"
					 : "Succeeded"),
	    jv_string("hostIP"), jv_string("10.127.0.1"), jv_string("podIP"),
	    address("10.128", pod_peek), jv_string("startTime"),
	    jv_copy(since));

	status = jv_object_set(status, jv_string("conditions"),
	    pod_conditions(state, failed, since, at));
	status = jv_object_set(status, jv_string("containerStatuses"),
	    container_statuses(pod_peek, state, failed, since, at));
	jv_free(since);
	jv_free(at);
	return status;
}

static struct actor *
find_uid(struct backdrop *c, struct span uid)
{
	for (size_t i = 0; uid.n > 0 && i < c->count; i++)
		if (span_eq(actor_meta(c->items[i]->object, "uid"), uid))
			return c->items[i];
	return NULL;
}

static struct podfate
ending(struct backdrop *c, jv pod_peek)
{
	struct podfate end = podfate_of(pod_peek);
	struct actor *owner = find_uid(c, actor_controller(pod_peek));

	if (!end.ends && owner != NULL && actor_is_kind(owner->object, "Job"))
		end = (struct podfate){true, false, JOB_SECONDS};
	return end;
}

/* A Pod that is new: its whole life. */
static void
begin_pod(struct backdrop *c, jv pod_peek)
{
	struct podfate end = ending(c, pod_peek);
	struct span policy =
	    actor_text(jvtext_peek(pod_peek, "spec"), "restartPolicy");
	bool restarts = policy.n == 0 || span_is(policy, "Always") ||
	    (span_is(policy, "OnFailure") && end.failed);
	int64_t until = ACTOR_SOON_MS * 2 + (int64_t)end.seconds * 1000;

	actor_patch_status(c, pod_peek,
	    pod_status(pod_peek, POD_RUNS, false, actor_time(c, ACTOR_SOON_MS),
		jv_null()),
	    ACTOR_SOON_MS);
	if (end.ends)
		actor_patch_status(c, pod_peek,
		    pod_status(pod_peek, restarts ? POD_RESTARTS : POD_ENDED,
			end.failed, actor_time(c, ACTOR_SOON_MS),
			actor_time(c, until)),
		    until);
}

static bool
has_ended(jv pod_peek)
{
	return span_is(actor_phase(pod_peek), "Succeeded") ||
	    span_is(actor_phase(pod_peek), "Failed");
}

/* Its containers end by a signal; then the kubelet lets go of it. */
static void
kill_pod(struct backdrop *c, jv pod_peek)
{
	jv since = jvtext_peek(jvtext_peek(pod_peek, "status"), "startTime");

	if (jv_is_valid(since) && !has_ended(pod_peek))
		actor_patch_status(c, pod_peek,
		    pod_status(pod_peek, POD_ENDED, true, jv_copy(since),
			actor_time(c, ACTOR_SOON_MS)),
		    ACTOR_SOON_MS);
	if (actor_text(jvtext_peek(pod_peek, "spec"), "nodeName").n > 0)
		actor_delete_now(c, pod_peek, ACTOR_SOON_MS);
}

static void
play_pod(struct backdrop *c, struct actor *p)
{
	if (actor_is_going(p->object)) {
		if (!p->killed)
			kill_pod(c, p->object);
		p->killed = p->begun = true;
	} else if (!p->begun && !has_ended(p->object)) {
		p->begun = true;
		begin_pod(c, p->object);
	}
}

/* ---- volumes and load balancers ---- */

static void
play_claim(struct backdrop *c, struct actor *p)
{
	jv spec = jvtext_peek(p->object, "spec");
	jv status = JV_OBJECT(jv_string("phase"), jv_string("Bound"),
	    jv_string("accessModes"), jv_copy(jvtext_peek(spec, "accessModes")),
	    jv_string("capacity"),
	    jv_copy(jvtext_peek(jvtext_peek(spec, "resources"), "requests")));
	struct buf volume = BUF_INIT;

	if (actor_text(spec, "volumeName").n == 0) {
		buf_addf(&volume, "pv-%.*s-%.*s",
		    SPAN_ARG(actor_meta(p->object, "namespace")),
		    SPAN_ARG(actor_meta(p->object, "name")));
		actor_patch(c, p->object,
		    JV_OBJECT(jv_string("spec"),
			JV_OBJECT(jv_string("volumeName"),
			    jv_string(buf_str(&volume)))),
		    ACTOR_SOON_MS);
		buf_release(&volume);
	}
	actor_patch_status(c, p->object, status, ACTOR_SOON_MS);
	p->begun = true;
}

static void
play_address(struct backdrop *c, struct actor *p)
{
	jv entry = JV_OBJECT(jv_string("ip"), address("198.18", p->object));

	if (actor_is_kind(p->object, "Service"))
		entry =
		    jv_object_set(entry, jv_string("ipMode"), jv_string("VIP"));
	actor_patch_status(c, p->object,
	    JV_OBJECT(jv_string("loadBalancer"),
		JV_OBJECT(jv_string("ingress"), JV_ARRAY(entry))),
	    ACTOR_SOON_MS);
	p->begun = true;
}

/* A Service may become one with a load balancer later. */
static void
play_once(struct backdrop *c, struct actor *p)
{
	jv spec = jvtext_peek(p->object, "spec");

	if (p->begun || actor_is_going(p->object))
		return;
	if (actor_is_kind(p->object, "PersistentVolumeClaim"))
		play_claim(c, p);
	else if (actor_is_kind(p->object, "Ingress") ||
	    span_is(actor_text(spec, "type"), "LoadBalancer"))
		play_address(c, p);
}

/* ---- changes ---- */

static void
free_item(struct actor *p)
{
	jv_free(p->object);
	jv_free(p->sent);
	jv_free(p->asked);
	jv_free(p->ended);
	free(p);
}

static void
forget(struct backdrop *c, const struct actor *gone)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->items[i] == gone) {
			free_item(c->items[i]);
			memmove(&c->items[i], &c->items[i + 1],
			    (c->count - i - 1) * sizeof(*c->items));
			c->count--;
			return;
		}
}

static bool
is_played(jv object_peek)
{
	static const char *const kinds[] = {"Pod v1", "Service v1",
	    "PersistentVolumeClaim v1", "ReplicationController v1",
	    "Deployment apps/v1", "ReplicaSet apps/v1", "StatefulSet apps/v1",
	    "DaemonSet apps/v1", "Job batch/v1", "Ingress networking.k8s.io/v1",
	    NULL};
	struct span kind = actor_text(object_peek, "kind");
	struct span version = actor_text(object_peek, "apiVersion");

	for (const char *const *k = kinds; *k != NULL; k++) {
		struct span rest = span_str(*k), name = span_cut(&rest, ' ');

		if (span_eq(name, kind) && span_eq(rest, version))
			return true;
	}
	return false;
}

/* Takes object. */
static struct actor *
remember(struct backdrop *c, jv object)
{
	char *kind =
	    mem_dup(actor_text(object, "kind").p, actor_text(object, "kind").n);
	struct actor *p = actor_find(c, kind, actor_meta(object, "namespace"),
	    actor_meta(object, "name"));

	free(kind);
	if (p != NULL &&
	    !span_eq(actor_meta(p->object, "uid"), actor_meta(object, "uid"))) {
		forget(c, p);
		p = NULL;
	}
	if (p != NULL) {
		jv_free(p->object);
		p->object = object;
		return p;
	}
	p = mem_zalloc(sizeof(*p));
	*p = (struct actor){.object = object,
	    .sent = jv_invalid(),
	    .asked = jv_object(),
	    .ended = jv_object()};
	c->items = mem_grow(c->items, c->count, sizeof(struct actor *));
	c->items[c->count++] = p;
	return p;
}

/* The controller of a Pod sees it change. */
static void
tell_owner(struct backdrop *c, jv object_peek)
{
	struct actor *owner = find_uid(c, actor_controller(object_peek));

	if (owner == NULL)
		return;
	owner->asked = jv_object_delete(owner->asked,
	    jv_copy(jvtext_peek(jvtext_peek(object_peek, "metadata"), "name")));
	if (span_is(actor_phase(object_peek), "Succeeded") ||
	    span_is(actor_phase(object_peek), "Failed"))
		owner->ended = jv_object_set(owner->ended,
		    jv_copy(jvtext_peek(
			jvtext_peek(object_peek, "metadata"), "uid")),
		    jv_bool(span_is(actor_phase(object_peek), "Succeeded")));
	workload_play(c, owner);
}

static void
play(struct backdrop *c, struct actor *p)
{
	if (actor_is_kind(p->object, "Pod"))
		play_pod(c, p);
	else if (!workload_play(c, p))
		play_once(c, p);
}

jv
backdrop_observe(
    struct backdrop *c, const char *type, jv object, int64_t now_us)
{
	jv steps;

	if (!is_played(object)) {
		jv_free(object);
		return jv_array();
	}
	c->now_us = now_us;
	c->steps = jv_array();
	if (strcmp(type, "DELETED") == 0) {
		struct actor *p = remember(c, jv_copy(object));

		forget(c, p);
	} else
		play(c, remember(c, jv_copy(object)));
	tell_owner(c, object);
	jv_free(object);
	steps = c->steps;
	c->steps = jv_null();
	return steps;
}

void
backdrop_refused(struct backdrop *c, jv step_peek)
{
	jv object = jvtext_peek(step_peek, "object");
	struct actor *owner = find_uid(c, actor_controller(object));

	if (owner != NULL)
		owner->asked = jv_object_delete(owner->asked,
		    jv_copy(
			jvtext_peek(jvtext_peek(object, "metadata"), "name")));
}

/* ---- all of it ---- */

struct backdrop *
backdrop_new(void)
{
	struct backdrop *c = mem_zalloc(sizeof(*c));

	c->steps = jv_null();
	return c;
}

void
backdrop_free(struct backdrop *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < c->count; i++)
		free_item(c->items[i]);
	free(c->items);
	free(c);
}
