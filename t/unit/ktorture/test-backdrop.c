#include "scene/backdrop.h"

#include "tap.h"
#include "values.h"

/* 2026-01-01T00:00:00Z */
#define NOW INT64_C(1767225600000000)

/*
 * A cluster with an API server in a few lines: what a step asks for is done, and
 * told to the cluster. Time passes from step to step.
 */
struct stand_in {
	struct backdrop *cluster;
	jv objects; /* {"Kind/name": object} */
	jv waiting; /* [{at, step}], in order of time */
	int64_t now_ms;
	int uids;
	jv log; /* ["create Pod/a", ...] */
};

static struct stand_in s;

static void
set_up(void)
{
	s = (struct stand_in){.cluster = backdrop_new(),
	    .objects = jv_object(),
	    .waiting = jv_array(),
	    .log = jv_array()};
}

static void
tear_down(void)
{
	backdrop_free(s.cluster);
	jv_free(s.objects);
	jv_free(s.waiting);
	jv_free(s.log);
}

static jv
key_of(jv kind, jv name)
{
	jv key = jv_string_fmt(
	    "%s/%s", jv_string_value(kind), jv_string_value(name));

	jv_free(kind);
	jv_free(name);
	return key;
}

static void
tell(const char *type, jv object)
{
	jv steps =
	    backdrop_observe(s.cluster, type, object, NOW + s.now_ms * 1000);

	jv_array_foreach(steps, i, step)
	{
		double at_ms = (double)s.now_ms +
		    jv_number_value(jvtext_peek(step, "afterMs"));

		s.waiting = jv_array_append(s.waiting,
		    JV_OBJECT(jv_string("at"), jv_number(at_ms),
			jv_string("step"), step));
	}
	jv_free(steps);
}

/* Takes object. */
static void
put(jv object)
{
	jv key = key_of(at(object, ".kind"), at(object, ".metadata.name"));
	bool is_new = !jv_object_has(jv_copy(s.objects), jv_copy(key));

	if (is_new)
		object = jv_setpath(object,
		    JV_ARRAY(jv_string("metadata"), jv_string("uid")),
		    jv_string_fmt("uid-%d", ++s.uids));
	s.objects = jv_object_set(s.objects, key, jv_copy(object));
	tell(is_new ? "ADDED" : "MODIFIED", object);
}

static void
make(const char *text)
{
	put(value(text));
}

static jv
get(const char *key)
{
	return jv_object_get(jv_copy(s.objects), jv_string(key));
}

/* A merge patch by another client. */
static void
edit(const char *key, const char *patch)
{
	jv o = get(key);

	o = jv_object_merge_recursive(o, value(patch));
	put(o);
}

static void
lose(const char *key)
{
	jv o = get(key);

	s.objects = jv_object_delete(s.objects, jv_string(key));
	tell("DELETED", o);
}

static void
note(const char *what, jv key)
{
	s.log = jv_array_append(
	    s.log, jv_string_fmt("%s %s", what, jv_string_value(key)));
	jv_free(key);
}

/* Takes step. */
static void
act(jv step)
{
	const char *what = jv_string_value(jvtext_peek(step, "do"));
	jv key, o;

	if (strcmp(what, "create") == 0) {
		o = at(step, ".object");
		key = key_of(at(o, ".kind"), at(o, ".metadata.name"));
		note("create", key);
		put(o);
		jv_free(step);
		return;
	}
	key = key_of(at(step, ".kind"), at(step, ".name"));
	o = jv_object_get(jv_copy(s.objects), jv_copy(key));
	if (!jv_is_valid(o) ||
	    !jv_equal(at(o, ".metadata.uid"), at(step, ".uid"))) {
		jv_free(o);
		jv_free(key);
	} else if (strcmp(what, "delete") == 0) {
		note("delete", jv_copy(key));
		lose(jv_string_value(key));
		jv_free(o);
		jv_free(key);
	} else {
		jv_free(key);
		put(jv_object_merge_recursive(o, at(step, ".patch")));
	}
	jv_free(step);
}

/* The step that is due first, or invalid. */
static jv
next(int64_t until)
{
	int found = -1, count = jv_array_length(jv_copy(s.waiting));
	double first = (double)until;
	jv step, rest = jv_array();

	for (int i = 0; i < count; i++) {
		jv w = jv_array_get(jv_copy(s.waiting), i);
		double at_ms = jv_number_value(jvtext_peek(w, "at"));

		if (at_ms < first || (found < 0 && at_ms <= first)) {
			first = at_ms;
			found = i;
		}
		jv_free(w);
	}
	if (found < 0) {
		jv_free(rest);
		return jv_invalid();
	}
	for (int i = 0; i < count; i++)
		if (i != found)
			rest = jv_array_append(
			    rest, jv_array_get(jv_copy(s.waiting), i));
	step = jv_array_get(s.waiting, found);
	s.waiting = rest;
	s.now_ms = (int64_t)first;
	rest = at(step, ".step");
	jv_free(step);
	return rest;
}

/* Seconds go by. */
static void
pass(int seconds)
{
	int64_t until = s.now_ms + seconds * 1000;
	jv step;

	while (jv_is_valid(step = next(until)))
		act(step);
	jv_free(step);
	s.now_ms = until;
}

/* The Pods and claims created and deleted since the last time. */
static const char *
done(void)
{
	const char *text = shown(s.log);

	s.log = jv_array();
	return text;
}

/* A part of an object. */
static const char *
part(const char *key, const char *path)
{
	jv o = get(key);
	const char *text = jv_is_valid(o) ? shown(at(o, path)) : "gone";

	jv_free(o);
	return text;
}

#define DEPLOYMENT(replicas, image)                                            \
	"{'apiVersion':'apps/v1','kind':'Deployment','metadata':{'name':'a',"  \
	"'namespace':'n','generation':1,'uid':'uid-0'},'spec':{'replicas'"     \
	":" replicas ",'template':{'metadata':{'labels':{'app':'a'}},'spec':{" \
	"'containers':[{'name':'c','image':'" image "'}]}}}}"

/* The Pods of a Deployment by their last part. */
static const char *
pods(void)
{
	static struct buf b;
	jv keys = jv_keys(jv_copy(s.objects));

	buf_reset(&b);
	jv_array_foreach(keys, i, k)
	{
		struct span key = jvtext_span(k);

		if (span_starts(key, "Pod/"))
			buf_addf(
			    &b, "%s%.*s", b.len > 0 ? " " : "", SPAN_ARG(key));
		jv_free(k);
	}
	jv_free(keys);
	return buf_str(&b);
}

static int
pod_count(void)
{
	int n = 0;

	for (const char *p = pods(); (p = strstr(p, "Pod/")) != NULL; p++)
		n++;
	return n;
}

TEST_F(pod)
{
	make("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p',"
	     "'namespace':'n'},'spec':{'containers':[{'name':'c','image':'i'"
	     "}]}}");
	is(part("Pod/p", ".status.phase"), "invalid", "a Pod");
	pass(1);
	is(part("Pod/p", ".status.phase"), "'Running'", "runs a second later");
	is(part("Pod/p", ".status.startTime"), "'2026-01-01T00:00:01Z'",
	    "... by the clock of the change");
	is(part("Pod/p", ".status.conditions.3.status"), "'True'",
	    "... and is ready");
	is(part("Pod/p", ".status.containerStatuses.0.ready"), "true",
	    "... its container, too");
	pass(600);
	is(part("Pod/p", ".status.phase"), "'Running'", "... and goes on");
}

TEST_F(pod_that_ends)
{
	make("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p',"
	     "'namespace':'n'},'spec':{'restartPolicy':'Never','containers':[{"
	     "'name':'c','image':'i','command':['sh','-c','sleep 5; exit 1']}]"
	     "}}");
	pass(6);
	is(part("Pod/p", ".status.phase"), "'Running'", "it runs");
	pass(1);
	is(part("Pod/p", ".status.phase"), "'Failed'", "... and fails");
	is(part("Pod/p", ".status.containerStatuses.0.state.terminated"),
	    "{'exitCode':1,'finishedAt':'2026-01-01T00:00:07Z','reason':"
	    "'Error','startedAt':'2026-01-01T00:00:01Z'}",
	    "... with a code");
	is(part("Pod/p", ".status.conditions.3.status"), "'False'",
	    "... and is not ready");
	make("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'q',"
	     "'namespace':'n'},'spec':{'restartPolicy':'OnFailure',"
	     "'containers':[{'name':'c','command':['false']}]}}");
	pass(2);
	is(part("Pod/q", ".status.containerStatuses.0.state.waiting.reason"),
	    "'CrashLoopBackOff'", "one that is restarted");
}

TEST_F(pod_that_goes)
{
	make("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p',"
	     "'namespace':'n'},'spec':{'containers':[{'name':'c'}]}}");
	pass(1);
	edit("Pod/p",
	    "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:01Z'}}");
	pass(1);
	is(part("Pod/p", ".status.phase"), "'Failed'",
	    "one that a finalizer holds is killed");
	is(done(), "[]", "... and stays");
	make("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'q',"
	     "'namespace':'n'},'spec':{'nodeName':'x','containers':[{'name':'c'"
	     "}]}}");
	pass(1);
	edit("Pod/q",
	    "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:01Z'}}");
	pass(1);
	is(done(), "['delete Pod/q']", "... with a node it is let go");
}

TEST_F(deployment)
{
	make(DEPLOYMENT("2", "i"));
	pass(0);
	ok(pod_count() == 2, "as many Pods as it asks for");
	is(part("Deployment/a", ".status.replicas"), "2", "... counted");
	is(part("Deployment/a", ".status.readyReplicas"), "null",
	    "... not ready yet");
	is(part("Deployment/a", ".status.conditions.0.status"), "'False'",
	    "... so not available");
	pass(1);
	is(part("Deployment/a", ".status.readyReplicas"), "2", "... ready");
	is(part("Deployment/a", ".status.conditions.0"),
	    "{'lastTransitionTime':'2026-01-01T00:00:01Z','lastUpdateTime':"
	    "'2026-01-01T00:00:01Z','message':'','reason':"
	    "'MinimumReplicasAvailable','status':'True','type':'Available'}",
	    "... available");
	edit("Deployment/a",
	    "{'metadata':{'generation':2},'spec':{'replicas':1}}");
	pass(1);
	ok(pod_count() == 1, "scaled down");
	is(part("Deployment/a", ".status.replicas"), "1", "... counted");
	is(part("Deployment/a", ".status.observedGeneration"), "2",
	    "... of this generation");
	is(part("Deployment/a", ".status.conditions.0.lastTransitionTime"),
	    "'2026-01-01T00:00:01Z'", "... a condition keeps its time");
	pass(600);
	ok(jv_array_length(jv_copy(s.waiting)) == 0, "then silence");
}

TEST_F(deployment_pods)
{
	static struct buf key;
	const char *name;

	make(DEPLOYMENT("1", "i"));
	pass(1);
	buf_reset(&key);
	buf_adds(&key, pods());
	name = buf_str(&key);
	is(part(name, ".metadata.labels.app"), "'a'", "its template's label");
	is(part(name, ".metadata.ownerReferences"),
	    "[{'apiVersion':'apps/v1','blockOwnerDeletion':true,'controller':"
	    "true,'kind':'Deployment','name':'a','uid':'uid-1'}]",
	    "its owner");
	ok(strlen(name) == strlen("Pod/a-12345678-0") &&
		span_ends(span_str(name), "-0"),
	    "its name has a hash and a number");
	lose(name);
	pass(1);
	is(pods(), name, "one that is lost comes back under its name");
	edit("Deployment/a",
	    "{'spec':{'template':{'spec':{'containers':[{'name':'c','image':"
	    "'j'}]}}}}");
	pass(0);
	ok(pod_count() == 2, "a new template: the old one stays until");
	pass(1);
	ok(pod_count() == 1, "... the new one is ready");
	is(part(pods(), ".spec.containers.0.image"), "'j'", "... and goes");
	is(part("Deployment/a", ".status.updatedReplicas"), "1", "... counted");
}

TEST_F(deployment_refused)
{
	jv steps = backdrop_observe(
	    s.cluster, "ADDED", value(DEPLOYMENT("1", "i")), NOW);
	jv again, step = jv_array_get(steps, 0);

	is(shown(at(step, ".do")), "'create'", "a Pod is asked for");
	steps = backdrop_observe(
	    s.cluster, "MODIFIED", value(DEPLOYMENT("1", "i")), NOW);
	is(shown(steps), "[]", "... once");
	backdrop_refused(s.cluster, step);
	again = backdrop_observe(
	    s.cluster, "MODIFIED", value(DEPLOYMENT("1", "i")), NOW);
	is(shown(at(again, ".0.do")), "'create'",
	    "... and again, if it was refused");
	jv_free(again);
	jv_free(step);
}

TEST_F(deployment_recreated)
{
	make(DEPLOYMENT("1", "i"));
	edit("Deployment/a", "{'spec':{'strategy':{'type':'Recreate'}}}");
	pass(1);
	done();
	edit("Deployment/a",
	    "{'spec':{'template':{'spec':{'containers':[{'name':'c','image':"
	    "'j'}]}}}}");
	pass(0);
	ok(span_starts(span_str(done()), "['delete Pod/a-"),
	    "Recreate: the old one goes first");
	ok(pod_count() == 1, "... then the new one comes");
}

TEST_F(many)
{
	make(DEPLOYMENT("2147483647", "i"));
	pass(1);
	ok(pod_count() == BACKDROP_PODS_MAX, "not as many as it asks for");
}

TEST_F(deleted)
{
	static struct buf key;

	make(DEPLOYMENT("1", "i"));
	pass(1);
	done();
	buf_reset(&key);
	buf_adds(&key, pods());
	edit("Deployment/a",
	    "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:01Z'}}");
	lose(buf_str(&key));
	pass(1);
	is(done(), "[]", "one that is deleted makes no Pods");
	lose("Deployment/a");
	make(DEPLOYMENT("1", "i"));
	pass(1);
	ok(pod_count() == 1, "another one of its name does");
	is(part(pods(), ".metadata.ownerReferences.0.uid"), "'uid-3'",
	    "... with its own uid");
}

TEST_F(stateful_set)
{
	make("{'apiVersion':'apps/v1','kind':'StatefulSet','metadata':{'name':"
	     "'a','namespace':'n'},'spec':{'replicas':2,'template':{'spec':{"
	     "'containers':[{'name':'c','image':'i'}]}},'volumeClaimTemplates':"
	     "[{'metadata':{'name':'data'},'spec':{'accessModes':['x'],"
	     "'resources':{'requests':{'storage':'1Gi'}}}}]}}");
	pass(0);
	is(done(), "['create PersistentVolumeClaim/data-a-0','create Pod/a-0']",
	    "a claim, then its Pod");
	is(part("Pod/a-0", ".spec.volumes"),
	    "[{'name':'data','persistentVolumeClaim':{'claimName':'data-a-0'}}"
	    "]",
	    "... which has it");
	pass(1);
	is(done(), "['create PersistentVolumeClaim/data-a-1','create Pod/a-1']",
	    "the next, when the first is ready");
	is(part("PersistentVolumeClaim/data-a-0", ".status"),
	    "{'accessModes':['x'],'capacity':{'storage':'1Gi'},'phase':"
	    "'Bound'}",
	    "a claim is bound");
	is(part("PersistentVolumeClaim/data-a-0", ".spec.volumeName"),
	    "'pv-n-data-a-0'", "... to a volume");
	pass(1);
	is(part("StatefulSet/a", ".status.readyReplicas"), "2",
	    "two are ready");
	edit("StatefulSet/a",
	    "{'spec':{'template':{'spec':{'containers':[{'name':'c','image':"
	    "'j'}]}}}}");
	pass(0);
	is(done(), "['delete Pod/a-1','create Pod/a-1']",
	    "an older one: the last first");
	pass(1);
	is(done(), "['delete Pod/a-0','create Pod/a-0']", "... then the next");
	pass(1);
	is(part("StatefulSet/a", ".status.updatedReplicas"), "2",
	    "... all of them");
	edit("StatefulSet/a", "{'spec':{'replicas':0}}");
	pass(5);
	is(done(), "['delete Pod/a-1','delete Pod/a-0']",
	    "down: the last first, claims stay");
}

TEST_F(stateful_order)
{
	make("{'apiVersion':'apps/v1','kind':'StatefulSet','metadata':{'name':"
	     "'a','namespace':'n'},'spec':{'replicas':11,"
	     "'podManagementPolicy':'Parallel','template':{'spec':{"
	     "'containers':[{'name':'c','image':'i'}]}}}}");
	pass(1);
	ok(pod_count() == 11, "Parallel: all at once");
	done();
	edit("StatefulSet/a",
	    "{'spec':{'template':{'spec':{'containers':[{'name':'c','image':"
	    "'j'}]}}}}");
	pass(0);
	is(done(), "['delete Pod/a-10','create Pod/a-10']",
	    "10 comes behind 9");
}

/* Changes that come before the steps of the one before are done. */
TEST_F(late)
{
	jv pod = value("{'apiVersion':'v1','kind':'Pod','metadata':{'name':"
		       "'r-0','namespace':'n','uid':'p','ownerReferences':[{"
		       "'controller':true,'uid':'uid-0'}]}}");
	static const char set[] =
	    "{'apiVersion':'apps/v1','kind':'ReplicaSet','metadata':{'name':"
	    "'r','namespace':'n','uid':'uid-0'},'spec':{'replicas':0}}";
	jv first, second, third;

	jv_free(backdrop_observe(s.cluster, "ADDED", jv_copy(pod), NOW));
	first = backdrop_observe(s.cluster, "ADDED", value(set), NOW);
	second = backdrop_observe(s.cluster, "MODIFIED", value(set), NOW);
	is(shown(at(first, ".0.do")), "'delete'", "a Pod too much");
	is(shown(second), "[]", "... is deleted once");
	pod = jv_setpath(pod, JV_ARRAY(jv_string("metadata"), jv_string("uid")),
	    jv_string("q"));
	third = backdrop_observe(s.cluster, "ADDED", pod, NOW);
	is(shown(at(third, ".1.do")), "'delete'",
	    "... another of its name, too");
	jv_free(first);
	jv_free(third);
}

TEST_F(sets)
{
	make("{'apiVersion':'apps/v1','kind':'ReplicaSet','metadata':{'name':"
	     "'r','namespace':'n'},'spec':{'replicas':2,'template':{}}}");
	make("{'apiVersion':'apps/v1','kind':'DaemonSet','metadata':{'name':"
	     "'d','namespace':'n'},'spec':{'template':{}}}");
	pass(1);
	ok(pod_count() == 3, "a ReplicaSet, and a DaemonSet on one node");
	ok(strstr(pods(), "Pod/r-0 Pod/r-1") != NULL, "the names");
	is(part("ReplicaSet/r", ".status.readyReplicas"), "2", "its status");
	is(part("DaemonSet/d", ".status.numberReady"), "1", "... and its");
}

#define JOB(spec, command)                                              \
	"{'apiVersion':'batch/v1','kind':'Job','metadata':{'name':'j'," \
	"'namespace':'n'},'spec':{" spec "'template':{'spec':{"         \
	"'restartPolicy':'Never','containers':[{'name':'c'" command "}]}}}}"

TEST_F(job)
{
	make(JOB("", ",'command':['sleep','5']"));
	pass(1);
	is(done(), "['create Pod/j-0']", "a Pod");
	is(part("Job/j", ".status.active"), "1", "... active");
	pass(10);
	is(part("Job/j", ".status.succeeded"), "1", "... succeeds");
	is(part("Job/j", ".status.conditions.1.type"), "'Complete'",
	    "complete");
	is(part("Job/j", ".status.completionTime"), "'2026-01-01T00:00:07Z'",
	    "... since then");
	lose("Pod/j-0");
	pass(60);
	is(done(), "[]", "... once and for all");
}

TEST_F(job_unknown)
{
	make(JOB("'completions':3,'parallelism':2,", ""));
	pass(5);
	is(done(), "['create Pod/j-0','create Pod/j-1']", "two at once");
	pass(30);
	is(done(), "['create Pod/j-2']", "... of three");
	is(part("Job/j", ".status.succeeded"), "3",
	    "Pods of which nothing is known succeed");
	is(part("Job/j", ".status.conditions.1.type"), "'Complete'",
	    "complete");
}

TEST_F(job_that_fails)
{
	make(JOB("'backoffLimit':1,", ",'command':['false']"));
	pass(60);
	is(done(), "['create Pod/j-0','create Pod/j-1']", "it tries again");
	is(part("Job/j", ".status.conditions.1.type"), "'Failed'", "... fails");
	is(part("Job/j", ".status.failed"), "2", "... twice");
}

TEST_F(job_suspended)
{
	make(JOB("'suspend':true,", ""));
	pass(60);
	is(done(), "[]", "suspended");
	edit("Job/j", "{'spec':{'suspend':false}}");
	pass(1);
	is(done(), "['create Pod/j-0']", "... and resumed");
}

TEST_F(addresses)
{
	make("{'apiVersion':'v1','kind':'Service','metadata':{'name':'s',"
	     "'namespace':'n'},'spec':{'type':'ClusterIP'}}");
	pass(1);
	is(part("Service/s", ".status"), "invalid", "a Service has none");
	edit("Service/s", "{'spec':{'type':'LoadBalancer'}}");
	pass(1);
	is(part("Service/s", ".status.loadBalancer.ingress.0.ipMode"), "'VIP'",
	    "a load balancer has one");
	make("{'apiVersion':'networking.k8s.io/v1','kind':'Ingress','metadata':"
	     "{'name':'i','namespace':'n'},'spec':{}}");
	pass(1);
	ok(span_starts(
	       span_str(part("Ingress/i", ".status.loadBalancer.ingress.0.ip")),
	       "'198.18."),
	    "an Ingress, too");
}

TEST_F(others)
{
	make("{'apiVersion':'example.com/v1','kind':'Deployment','metadata':{"
	     "'name':'a'},'spec':{'replicas':3}}");
	make("{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'a'}}");
	pass(1);
	is(done(), "[]", "other kinds are left alone");
}
