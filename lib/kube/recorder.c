#include "kube/recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "json/json.h"
#include "kube/eventfilter.h"
#include "kube/kubepath.h"
#include "process/clock.h"
#include "process/log.h"
#include "value/digest.h"
#include "value/dnsname.h"

enum {
	WAITING_MAX = 1000,
	TRIES_MAX = 12,
	PAUSE_MS = 10000,
	REASON_MAX = 128,
	MESSAGE_MAX = 1024
};

enum text {
	API_VERSION,
	KIND,
	NAMESPACE,
	NAME,
	UID,
	RESOURCE_VERSION,
	COMPONENT,
	REASON,
	MESSAGE,
	TEXTS
};

struct waiting {
	STAILQ_ENTRY(waiting) next;
	char *text[TEXTS]; /* owned */
	enum recorder_type type;
	struct eventfilter_verdict verdict;
	bool judged;
	bool update; /* the next request is for one that is there */
	unsigned tries;
};

struct recorder {
	struct loop *loop;
	struct kube *kube;
	struct eventfilter *filter;
	STAILQ_HEAD(, waiting) waiting;
	size_t count;
	struct kube_call *call; /* the request for the first */
	struct timer timer;
	uint64_t recorded;
	uint64_t lost;
	bool refused; /* the request before failed, too */
	char host[128];
};

struct recorder *
recorder_new(struct loop *l, struct kube *k)
{
	struct recorder *r = mem_zalloc(sizeof(*r));
	const char *pod = getenv("POD_NAME");

	r->loop = l;
	r->kube = k;
	r->filter = eventfilter_new();
	STAILQ_INIT(&r->waiting);
	if (pod != NULL && *pod != '\0')
		snprintf(r->host, sizeof(r->host), "%s", pod);
	else if (gethostname(r->host, sizeof(r->host) - 1) != 0)
		snprintf(r->host, sizeof(r->host), "unknown");
	return r;
}

static void
drop_first(struct recorder *r)
{
	struct waiting *w = STAILQ_FIRST(&r->waiting);

	STAILQ_REMOVE_HEAD(&r->waiting, next);
	r->count--;
	for (size_t i = 0; i < TEXTS; i++)
		free(w->text[i]);
	free(w);
}

void
recorder_free(struct recorder *r)
{
	if (r == NULL)
		return;
	if (r->call != NULL)
		kube_cancel(r->call);
	loop_cancel(r->loop, &r->timer);
	while (!STAILQ_EMPTY(&r->waiting))
		drop_first(r);
	eventfilter_free(r->filter);
	free(r);
}

static struct span
text(const struct waiting *w, enum text t)
{
	return span_str(w->text[t]);
}

/* The server wants Events of cluster-scoped objects in "default". */
static struct span
namespace_of(const struct waiting *w)
{
	return *w->text[NAMESPACE] != '\0' ? text(w, NAMESPACE)
					   : span_str("default");
}

/* <object>.<hex of the nanoseconds>, or digits only if that is not a name;
 * always the same one for the same Event. */
static void
add_name(struct buf *b, const struct recorder *r, const struct waiting *w)
{
	unsigned char sum[DIGEST_SIZE];

	buf_addf(b, "%s.%llx", w->text[NAME],
	    (unsigned long long)w->verdict.first_us * 1000);
	if (b->len <= DNSNAME_SUBDOMAIN_MAX &&
	    dnsname_is_subdomain(buf_span(b)))
		return;
	buf_adds(b, r->host);
	digest_sha256(buf_span(b), sum);
	buf_reset(b);
	digest_add_hex(b, sum, 16);
}

static void
add_member(struct buf *b, const char *key, struct span value)
{
	if (value.n == 0)
		return;
	json_add_key(b, key);
	json_add_string(b, value);
}

static void
add_time(struct buf *b, const char *key, int64_t us)
{
	char time[CLOCK_RFC3339_MAX];

	clock_format_s(us / 1000000, time);
	add_member(b, key, span_str(time));
}

/* The changes of an Event that happens again. */
static void
add_news(struct buf *b, const struct waiting *w)
{
	struct buf message = BUF_INIT;

	if (w->verdict.combined)
		buf_adds(&message, EVENTFILTER_COMBINED);
	buf_adds(&message, w->text[MESSAGE]);
	json_add_key(b, "count");
	json_add_int(b, w->verdict.count);
	add_time(b, "lastTimestamp", clock_real_us());
	json_add_key(b, "message");
	json_add_string(b, buf_span(&message));
	buf_release(&message);
}

static struct span
type_of(const struct waiting *w)
{
	return span_str(w->type == RECORDER_WARNING ? "Warning" : "Normal");
}

static void
add_event(struct buf *b, const struct recorder *r, const struct waiting *w)
{
	struct buf name = BUF_INIT;

	add_name(&name, r, w);
	buf_adds(b, "{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"metadata\":{");
	add_member(b, "name", buf_span(&name));
	add_member(b, "namespace", namespace_of(w));
	buf_addc(b, '}');
	json_add_key(b, "involvedObject");
	buf_addc(b, '{');
	add_member(b, "apiVersion", text(w, API_VERSION));
	add_member(b, "kind", text(w, KIND));
	add_member(b, "namespace", text(w, NAMESPACE));
	add_member(b, "name", text(w, NAME));
	add_member(b, "uid", text(w, UID));
	add_member(b, "resourceVersion", text(w, RESOURCE_VERSION));
	buf_addc(b, '}');
	add_member(b, "type", type_of(w));
	add_member(b, "reason", text(w, REASON));
	add_news(b, w);
	add_time(b, "firstTimestamp", w->verdict.first_us);
	json_add_key(b, "source");
	buf_addc(b, '{');
	add_member(b, "component", text(w, COMPONENT));
	add_member(b, "host", span_str(r->host));
	buf_addc(b, '}');
	add_member(b, "reportingComponent", text(w, COMPONENT));
	add_member(b, "reportingInstance", span_str(r->host));
	buf_addc(b, '}');
	buf_release(&name);
}

static void pump(void *arg);

static void
try_later(struct recorder *r)
{
	struct waiting *w = STAILQ_FIRST(&r->waiting);
	uint64_t pause = PAUSE_MS;

	if (++w->tries >= TRIES_MAX) {
		log_warning("an Event of %s %s was not recorded: the server "
			    "cannot be reached",
		    w->text[KIND], w->text[NAME]);
		r->lost++;
		drop_first(r);
		pump(r);
		return;
	}
	/* The first delay is random, so that not all clients come back
	 * together. */
	if (w->tries == 1)
		pause = clock_jitter() % PAUSE_MS;
	loop_after(r->loop, &r->timer, pause, pump, r);
}

static void
answered(void *arg, const struct kube_answer *answer)
{
	struct recorder *r = arg;
	struct waiting *w = STAILQ_FIRST(&r->waiting);
	const struct kube_error *e = &answer->error;
	struct buf why = BUF_INIT;

	r->call = NULL;
	if (answer->code == 0) {
		try_later(r);
		return;
	}
	if (answer->code == 404 && w->update) {
		/* Events live for an hour: a new one of that name. */
		w->update = false;
		pump(r);
		return;
	}
	if (e->kind == ERR_NONE) {
		r->recorded++;
	} else {
		r->lost++;
		kube_error_public(&why, e, SPAN_NONE);
		log_write(r->refused || answer->code == 409 ||
			    e->namespace_terminating
			? LOG_DEBUG
			: LOG_WARNING,
		    NULL, "an Event was refused: %s", buf_str(&why));
		buf_release(&why);
	}
	r->refused = e->kind != ERR_NONE;
	drop_first(r);
	pump(r);
}

static void
send_first(struct recorder *r)
{
	struct waiting *w = STAILQ_FIRST(&r->waiting);
	struct buf path = BUF_INIT, body = BUF_INIT, name = BUF_INIT;

	buf_adds(&path, "/api/v1/namespaces/");
	kube_path_add(&path, namespace_of(w));
	buf_adds(&path, "/events");
	if (w->update) {
		add_name(&name, r, w);
		kube_path_add(&path, buf_span(&name));
		buf_addc(&body, '{');
		add_news(&body, w);
		buf_addc(&body, '}');
	} else {
		add_event(&body, r, w);
	}
	r->call = kube_start(r->kube,
	    &(struct kube_request){
		.verb = w->update ? KUBE_MERGE_PATCH : KUBE_CREATE,
		.path = buf_str(&path),
		.body = buf_span(&body)},
	    answered, r);
	buf_release(&path);
	buf_release(&body);
	buf_release(&name);
}

static void
judge(struct recorder *r, struct waiting *w)
{
	static const enum text of_object[] = {
	    KIND, NAMESPACE, NAME, UID, API_VERSION};
	struct buf source = BUF_INIT, object = BUF_INIT;

	buf_addf(&source, "%s %s", w->text[COMPONENT], r->host);
	for (size_t i = 0; i < COUNT(of_object); i++)
		buf_addf(&object, "%s ", w->text[of_object[i]]);
	w->verdict = eventfilter_ask(r->filter,
	    &(struct eventfilter_event){.source = buf_span(&source),
		.object = buf_span(&object),
		.type = type_of(w),
		.reason = text(w, REASON),
		.message = text(w, MESSAGE)},
	    clock_real_us());
	w->judged = true;
	w->update = w->verdict.count > 1;
	buf_release(&source);
	buf_release(&object);
}

/* Sends Events in order and one at a time, so that a repetition finds its
 * Event. */
static void
pump(void *arg)
{
	struct recorder *r = arg;
	struct waiting *w;

	while ((w = STAILQ_FIRST(&r->waiting)) != NULL && r->call == NULL &&
	    !loop_timer_armed(&r->timer)) {
		if (!w->judged)
			judge(r, w);
		if (w->verdict.drop)
			drop_first(r);
		else
			send_first(r);
	}
}

static char *
cut(struct span s, size_t max)
{
	size_t n = utf8_cut(s, max);

	return n == 0 ? mem_strdup("") : mem_dup(s.p, n);
}

/* Makes text safe for terminals: kubectl prints Events as they are. */
static char *
cut_visible(struct span s, size_t max)
{
	struct buf visible = BUF_INIT;
	char *text;

	quote_text(&visible, s);
	text = cut(buf_span(&visible), max);
	buf_release(&visible);
	return text;
}

void
recorder_add(struct recorder *r, const struct recorder_event *e)
{
	struct waiting *w;

	if (r->count >= WAITING_MAX) {
		r->lost++;
		log_debug("an Event was dropped: too many are waiting");
		return;
	}
	w = mem_zalloc(sizeof(*w));
	w->text[API_VERSION] = cut(e->about.api_version, SIZE_MAX);
	w->text[KIND] = cut(e->about.kind, SIZE_MAX);
	w->text[NAMESPACE] = cut(e->about.namespace_, SIZE_MAX);
	w->text[NAME] = cut(e->about.name, SIZE_MAX);
	w->text[UID] = cut(e->about.uid, SIZE_MAX);
	w->text[RESOURCE_VERSION] = cut(e->about.resource_version, SIZE_MAX);
	w->text[COMPONENT] = cut(e->component, SIZE_MAX);
	w->text[REASON] = cut_visible(e->reason, REASON_MAX);
	w->text[MESSAGE] = cut_visible(
	    e->message, MESSAGE_MAX - (sizeof(EVENTFILTER_COMBINED) - 1));
	w->type = e->type;
	STAILQ_INSERT_TAIL(&r->waiting, w, next);
	r->count++;
	pump(r);
}

bool
recorder_idle(const struct recorder *r)
{
	return STAILQ_EMPTY(&r->waiting);
}

uint64_t
recorder_lost(const struct recorder *r)
{
	return r->lost;
}

uint64_t
recorder_count(const struct recorder *r)
{
	return r->recorded;
}
