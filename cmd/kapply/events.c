/*
 * Events about primaries: sent beside the work and never in its way. Few in
 * flight, a bounded queue, the same content not twice, no retries but for a
 * lost connection.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apply.h"
#include "buf.h"
#include "clock.h"
#include "json.h"
#include "log.h"
#include "mem.h"

enum {
	IN_FLIGHT_MAX = 4,
	WAITING_MAX = 1000,
	REMEMBERED = 4096,
	TRIES_MAX = 3,
	NOTE_MAX = 1024, /* events.k8s.io/v1: note */
	REASON_MAX = 128
};

struct event {
	struct event *next;
	struct events *events;
	char *path; /* owned */
	char *body; /* owned */
	unsigned tries;
};

struct events {
	struct apply *apply;
	struct event *first, **last;
	size_t waiting, in_flight;
	uint64_t seen[REMEMBERED]; /* a ring of hashes */
	size_t seen_at;
	uint64_t serial;
	char instance[128];
};

struct events *
events_new(struct apply *a)
{
	struct events *e = mem_zalloc(sizeof(*e));
	const char *pod = getenv("POD_NAME");

	e->apply = a;
	e->last = &e->first;
	if (pod != NULL && *pod != '\0')
		snprintf(e->instance, sizeof(e->instance), "%s", pod);
	else if (gethostname(e->instance, sizeof(e->instance) - 1) != 0)
		snprintf(e->instance, sizeof(e->instance), "kapply");
	return e;
}

static void
event_free(struct event *v)
{
	free(v->path);
	free(v->body);
	free(v);
}

void
events_free(struct events *e)
{
	struct event *v;

	while (e != NULL && (v = e->first) != NULL) {
		e->first = v->next;
		event_free(v);
	}
	free(e);
}

static bool
seen(struct events *e, const struct set *s, struct span text)
{
	struct buf b = BUF_INIT;
	uint64_t hash;

	buf_adds(&b, s->key);
	buf_addspan(&b, s->primary.uid);
	buf_addspan(&b, text);
	hash = map_hash(buf_span(&b)) | 1;
	buf_release(&b);
	for (size_t n = 0; n < REMEMBERED; n++)
		if (e->seen[n] == hash)
			return true;
	e->seen[e->seen_at++ % REMEMBERED] = hash;
	return false;
}

static void
add_text(struct buf *b, const char *key, struct span text)
{
	json_add_key(b, key);
	json_add_string(b, text);
}

static struct span
cut(struct span text, size_t max)
{
	if (text.n <= max)
		return text;
	while (max > 0 && ((unsigned char)text.p[max] & 0xc0) == 0x80)
		max--;
	text.n = max;
	return text;
}

static void
add_meta(struct buf *b, struct events *e, const struct identity *p,
    struct span ns, int64_t now_us)
{
	struct buf name = BUF_INIT;

	buf_addspan(&name, cut(p->name, 220));
	buf_addf(&name, ".%llx",
	    (unsigned long long)now_us * 1000 + e->serial++ % 1000);
	json_add_key(b, "metadata");
	buf_addc(b, '{');
	add_text(b, "name", buf_span(&name));
	add_text(b, "namespace", ns);
	buf_addc(b, '}');
	buf_release(&name);
}

static void
add_regarding(struct buf *b, const struct set *s)
{
	const struct identity *p = &s->primary;

	json_add_key(b, "regarding");
	buf_addc(b, '{');
	add_text(b, "apiVersion", p->api_version);
	add_text(b, "kind", p->kind);
	if (p->namespace_.n != 0)
		add_text(b, "namespace", p->namespace_);
	add_text(b, "name", p->name);
	if (p->uid.n != 0)
		add_text(b, "uid", p->uid);
	if (s->primary_version.n != 0)
		add_text(b, "resourceVersion", s->primary_version);
	buf_addc(b, '}');
}

static void
add_said(struct buf *b, struct span event, const char *key, const char *member,
    size_t max, const char *otherwise)
{
	struct buf scratch = BUF_INIT;
	struct span text = json_string(json_get(event, member), &scratch);

	add_text(b, key, text.n == 0 ? span_str(otherwise) : cut(text, max));
	buf_release(&scratch);
}

static void
add_body(struct buf *b, struct events *e, const struct set *s,
    struct span event, struct span ns)
{
	int64_t now = clock_real_us();
	char time[CLOCK_RFC3339_MAX];
	bool warning = json_is(json_get(event, "type"), "Warning");

	clock_format_us(now, time);
	buf_adds(b, "{\"apiVersion\":\"events.k8s.io/v1\",\"kind\":\"Event\"");
	add_meta(b, e, &s->primary, ns, now);
	add_text(b, "eventTime", span_str(time));
	add_text(b, "type", span_str(warning ? "Warning" : "Normal"));
	add_text(b, "action", span_str("Reconcile"));
	add_said(b, event, "reason", "reason", REASON_MAX, "Reconcile");
	add_said(b, event, "note", "message", NOTE_MAX, "");
	add_text(b, "reportingController", span_str("kpipe.dev/kapply"));
	add_text(b, "reportingInstance", span_str(e->instance));
	add_regarding(b, s);
	buf_addc(b, '}');
}

static void pump(struct events *e);

static void
sent(void *arg, const struct kube_answer *answer)
{
	struct event *v = arg;
	struct events *e = v->events;

	e->in_flight--;
	if (answer->code == 0 && ++v->tries < TRIES_MAX) {
		v->next = NULL;
		*e->last = v;
		e->last = &v->next;
		e->waiting++;
		pump(e);
		return;
	}
	if (answer->error.kind == ERR_NONE)
		e->apply->counters.events++;
	else
		log_debug("an event was not recorded: %s",
		    answer->error.message ? answer->error.message : "");
	event_free(v);
	pump(e);
}

static void
pump(struct events *e)
{
	struct event *v;

	while (e->in_flight < IN_FLIGHT_MAX && (v = e->first) != NULL) {
		e->first = v->next;
		if (e->first == NULL)
			e->last = &e->first;
		e->waiting--;
		e->in_flight++;
		kube_start(e->apply->kube,
		    &(struct kube_request){.verb = KUBE_CREATE,
			.path = v->path,
			.body = span_str(v->body)},
		    sent, v);
	}
}

static void
send_one(struct events *e, const struct set *s, struct span event)
{
	struct event *v;
	struct buf path = BUF_INIT, body = BUF_INIT;
	/* The server wants events of cluster-scoped objects in "default". */
	struct span ns = s->primary.namespace_.n != 0 ? s->primary.namespace_
						      : span_str("default");

	if (json_type(event) != JSON_OBJECT || e->waiting >= WAITING_MAX ||
	    seen(e, s, event))
		return;
	v = mem_zalloc(sizeof(*v));
	v->events = e;
	buf_adds(&path, "/apis/events.k8s.io/v1/namespaces/");
	kube_path_add(&path, ns);
	buf_adds(&path, "/events");
	add_body(&body, e, s, event, ns);
	v->path = buf_take(&path);
	v->body = buf_take(&body);
	*e->last = v;
	e->last = &v->next;
	e->waiting++;
}

bool
events_idle(const struct events *e)
{
	return e->in_flight == 0 && e->first == NULL;
}

void
events_send(struct events *e, const struct set *s)
{
	struct json_elements list = json_elements(s->events);

	if (e->apply->o->dry_run)
		return;
	while (json_element(&list))
		send_one(e, s, list.value);
	pump(e);
}
