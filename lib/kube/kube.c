#include "kube/kube.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/queue.h>
#include <sys/utsname.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/textlist.h"
#include "http/http.h"
#include "kubeconfig/auth.h"
#include "process/log.h"

enum {
	TIMEOUT_MS = 40000, /* the server ends single writes after 34 s */
	LIST_TIMEOUT_MS = 600000,
	LIST_SILENCE_MS = 75000,  /* the server answers or fails within 60 s */
	SILENT_MS = 30000,	  /* then a probe is sent, as in client-go */
	PROBE_TIMEOUT_MS = 15000, /* without an answer the connection is dead */
	WARNINGS_MAX = 1000,
	ANSWERS_MAX = 64 /* further pairs of method and code are not counted */
};

/* The connections: that of lists and watches, and of all other requests. */
enum pool { SINGLE, STREAMS, POOLS };

/* How often the API server gave such an answer. */
struct answers {
	int code;	    /* HTTP; 0: no answer came */
	const char *method; /* a string constant */
	uint64_t count;
};

struct kube {
	struct loop *loop;
	struct kubeconfig *config;
	struct auth *auth;
	char *user_agent;
	struct http *http[POOLS]; /* NULL: not needed yet */
	unsigned tls_version;	  /* version of their certificates */
	struct fence *fence;	  /* borrowed; NULL: writes are free */
	LIST_HEAD(, kube_call) calls;
	struct answers answers[ANSWERS_MAX];
	size_t answer_count;
	struct map warnings; /* texts that were logged; owned, value = key */
};

struct kube_call {
	LIST_ENTRY(kube_call) among_all;
	struct kube *kube;
	struct http_call *http; /* NULL: waits for a credential */
	enum kube_verb verb;
	char *url;
	struct buf body;
	bool has_body;
	char *accept, *if_none_match;
	uint64_t timeout_ms;
	void (*on_begin)(void *arg);
	bool (*on_data)(void *arg, struct span bytes);
	kube_done_fn *done;
	void *arg;
	struct timer failed; /* delivers err from the loop */
	struct err err;
	unsigned credential;
	bool repeated, counted;
	bool in_data, cancelled;
	char *etag;
};

/* ---- verbs ---- */

static const struct verb {
	const char *method;
	const char *content_type;
	enum pool pool;
	bool reads; /* changes nothing on the server */
} verbs[] = {
    [KUBE_GET] = {"GET", NULL, SINGLE, true},
    [KUBE_LIST] = {"GET", NULL, STREAMS, true},
    [KUBE_WATCH] = {"GET", NULL, STREAMS, true},
    [KUBE_CREATE] = {"POST", "application/json", SINGLE, false},
    [KUBE_APPLY] = {"PATCH", "application/apply-patch+yaml", SINGLE, false},
    [KUBE_REPLACE] = {"PUT", "application/json", SINGLE, false},
    [KUBE_JSON_PATCH] = {"PATCH", "application/json-patch+json", SINGLE, false},
    [KUBE_MERGE_PATCH] = {"PATCH", "application/merge-patch+json", SINGLE,
	false},
    [KUBE_DELETE] = {"DELETE", "application/json", SINGLE, false},
};

/* ---- warnings ---- */

/* 299 - "text", with \" and \\ (RFC 7234, 5.5); once each. */
static void
warn(struct kube *k, struct span value)
{
	struct buf b = BUF_INIT;
	const char *p = span_find(value, '"'), *end = value.p + value.n;
	char *text;

	if (p == NULL || k->warnings.count >= WARNINGS_MAX)
		return;
	for (p++; p < end && *p != '"'; p++) {
		if (*p == '\\' && p + 1 < end)
			p++;
		buf_addc(&b, *p);
	}
	text = buf_take(&b);
	auth_hide(k->auth, &text);
	if (map_get(&k->warnings, span_str(text)) != NULL) {
		free(text);
		return;
	}
	log_warning("the server warns: %s", text);
	map_put(&k->warnings, span_str(text), text);
}

/* ---- the two connections ---- */

static char *
make_user_agent(const char *tool)
{
	struct utsname u;
	const char *arch = "unknown";
	struct buf b = BUF_INIT;

	if (uname(&u) == 0)
		arch = strcmp(u.machine, "x86_64") == 0 ? "amd64"
		    : strcmp(u.machine, "aarch64") == 0 ? "arm64"
							: u.machine;
	buf_addf(&b, "%s/%s (linux/%s) kpipe", tool, KPIPE_VERSION, arch);
	return buf_take(&b);
}

/* Any answer shows that the server is alive. */
static void
on_probe_done(void *arg, const struct http_response *r)
{
	(void)arg;
	(void)r;
}

static void
on_silence(void *arg)
{
	struct kube *k = arg;
	struct textlist headers;
	struct buf url = BUF_INIT;
	struct http_request r = {
	    .method = "GET", .timeout_ms = PROBE_TIMEOUT_MS, .probe = true};

	if (k->http[STREAMS] == NULL || auth_ready(k->auth, NULL) != AUTH_READY)
		return;
	textlist_init(&headers);
	/* An anonymous request would make the server close the connection. */
	auth_headers(k->auth, &headers);
	buf_addf(&url, "%s/livez", k->config->server);
	r.url = buf_str(&url);
	r.headers = (const char *const *)headers.items;
	http_start(k->http[STREAMS], &r, on_probe_done, k);
	buf_release(&url);
	textlist_release(&headers);
}

/* Borrowed, for one http_start: made when it is needed, and again when the
 * certificates change. */
static struct http *
pool_get(struct kube *k, enum pool which)
{
	struct http_opts o = {
	    .user_agent = k->user_agent, .proxy = k->config->proxy_url};

	if (auth_tls_version(k->auth) != k->tls_version) {
		for (size_t j = 0; j < POOLS; j++) {
			if (k->http[j] != NULL)
				http_retire(k->http[j]);
			k->http[j] = NULL;
		}
		k->tls_version = auth_tls_version(k->auth);
	}
	if (k->http[which] == NULL) {
		auth_tls(k->auth, &o.tls);
		if (which == STREAMS) {
			o.on_silence = on_silence;
			o.arg = k;
			o.silent_ms = SILENT_MS;
		}
		k->http[which] = http_new(k->loop, &o);
	}
	return k->http[which];
}

/* ---- opening ---- */

static void on_auth_changed(void *arg);

struct kube *
kube_open(struct loop *l, const struct kube_opts *o, const char *tool,
    struct err *err)
{
	struct kube *k = mem_zalloc(sizeof(*k));

	k->loop = l;
	k->config = kubeconfig_load(o, err);
	if (k->config != NULL)
		k->auth = auth_new(l, k->config, on_auth_changed, k, err);
	if (k->auth == NULL) {
		kube_free(k);
		return NULL;
	}
	k->user_agent = make_user_agent(tool);
	return k;
}

void
kube_free(struct kube *k)
{
	char *text;

	if (k == NULL)
		return;
	while (!LIST_EMPTY(&k->calls))
		kube_cancel(LIST_FIRST(&k->calls));
	for (size_t i = 0; i < POOLS; i++)
		http_free(k->http[i]);
	free(k->user_agent);
	auth_free(k->auth);
	if (k->config != NULL)
		kubeconfig_free(k->config);
	for (size_t i = 0; (text = map_next(&k->warnings, &i)) != NULL;)
		free(text);
	map_release(&k->warnings);
	free(k);
}

void
kube_fence(struct kube *k, struct fence *l)
{
	k->fence = l;
}

const char *
kube_namespace(const struct kube *k)
{
	return k->config->namespace_;
}

bool
kube_runs_plugin(const struct kube *k)
{
	return auth_runs_plugin(k->auth);
}

const char *
kube_server(const struct kube *k)
{
	return k->config->server;
}

/* ---- metrics ---- */

static void
count_answer(struct kube *k, const char *method, int code)
{
	struct answers *i = k->answers, *end = i + k->answer_count;

	while (i < end && (i->code != code || strcmp(i->method, method) != 0))
		i++;
	if (i == end) {
		if (k->answer_count == ANSWERS_MAX)
			return;
		k->answer_count++;
		*i = (struct answers){.code = code, .method = method};
	}
	i->count++;
}

void
kube_metrics(const struct kube *k, struct metric_lines *m)
{
	const char *at = strstr(k->config->server, "://");
	const char *host = at != NULL ? at + 3 : k->config->server;
	char *name = mem_dup(host, strcspn(host, "/"));

	for (size_t i = 0; i < k->answer_count; i++) {
		const struct answers *a = &k->answers[i];
		struct buf code = BUF_INIT;

		/* client-go's word for no answer at all. */
		if (a->code == 0)
			buf_adds(&code, "<error>");
		else
			buf_addf(&code, "%d", a->code);
		metric_add(m, METRIC_REST_REQUESTS,
		    METRIC_LABELS(buf_str(&code), a->method, name),
		    (double)a->count);
		buf_release(&code);
	}
	free(name);
}

/* ---- calls ---- */

static void
call_free(struct kube_call *c)
{
	loop_cancel(c->kube->loop, &c->failed);
	LIST_REMOVE(c, among_all);
	free(c->url);
	buf_wipe(&c->body);
	free(c->accept);
	free(c->if_none_match);
	free(c->etag);
	free(c);
}

static void
call_end(struct kube_call *c, struct kube_answer *a)
{
	a->etag = span_str(c->etag);
	c->done(c->arg, a);
	kube_error_release(&a->error);
	call_free(c);
}

static void
on_http_begin(void *arg)
{
	struct kube_call *c = arg;

	/* A watch counts when it begins: it ends much later. */
	if (c->on_data != NULL && !c->counted) {
		count_answer(c->kube, verbs[c->verb].method, 200);
		c->counted = true;
	}
	if (c->on_begin != NULL)
		c->on_begin(c->arg);
}

static bool
on_http_data(void *arg, struct span bytes)
{
	struct kube_call *c = arg;
	bool more;

	c->in_data = true;
	more = c->on_data(c->arg, bytes);
	c->in_data = false;
	if (more && !c->cancelled)
		return true;
	call_free(c);
	return false;
}

static void
on_http_header(void *arg, struct span name, struct span value)
{
	struct kube_call *c = arg;

	if (span_is_caseless(name, "warning")) {
		warn(c->kube, value);
	} else if (span_is_caseless(name, "etag")) {
		free(c->etag);
		c->etag = mem_dup(value.p, value.n);
	}
}

static void call_send(struct kube_call *c);

static void
transport_error(
    struct kube_call *c, const struct http_response *r, struct kube_error *e)
{
	const struct kubeconfig *config = c->kube->config;
	struct buf b = BUF_INIT;

	kube_error_set(e, &r->err);
	e->timed_out = r->timed_out;
	e->too_large = r->too_large;
	if (!r->untrusted)
		return;
	auth_untrusted(c->kube->auth);
	buf_addf(&b, "%s (it was checked with %s%s)", e->message,
	    config->ca_file	 ? "the certificate-authority "
		: config->ca_pem ? "certificate-authority-data of "
				 : "the certificates of this system",
	    config->ca_file	 ? config->ca_file
		: config->ca_pem ? config->origin
				 : "");
	free(e->message);
	e->message = buf_take(&b);
}

/* "Unauthorized" alone would not tell the user where to look. */
static void
name_credential(struct kube_call *c, struct kube_error *e)
{
	struct buf who = BUF_INIT, b = BUF_INIT;

	auth_describe(c->kube->auth, &who);
	if (who.len > 0) {
		buf_addf(&b, "%s: %s does not accept %s", e->message,
		    c->kube->config->server, buf_str(&who));
		free(e->message);
		e->message = buf_take(&b);
	}
	buf_release(&who);
}

static void on_failed(void *arg);

static void
on_http_done(void *arg, const struct http_response *r)
{
	struct kube_call *c = arg;
	struct kube_answer a = {.code = r->status,
	    .body = r->body,
	    .content_type = r->content_type,
	    .error = {.retry_after_ms = -1}};

	c->http = NULL;
	if (r->held) { /* the fence's callback comes first */
		c->err = r->err;
		loop_after(c->kube->loop, &c->failed, 0, on_failed, c);
		return;
	}
	if (!c->counted)
		count_answer(c->kube, verbs[c->verb].method, r->status);
	if (r->status == 401 && !c->repeated &&
	    auth_refused(c->kube->auth, c->credential)) {
		c->repeated = true;
		call_send(c);
		return;
	}
	if (r->status == 0)
		transport_error(c, r, &a.error);
	else if (r->status / 100 != 2 && r->status != 304)
		kube_error_parse(&a.error, r->status, r->body);
	auth_hide(c->kube->auth, &a.error.message);
	if (r->status == 401)
		name_credential(c, &a.error);
	if (r->retry_after_s >= 0 &&
	    r->retry_after_s * 1000 > a.error.retry_after_ms)
		a.error.retry_after_ms = r->retry_after_s * 1000;
	call_end(c, &a);
}

static void
on_failed(void *arg)
{
	struct kube_call *c = arg;
	struct kube_answer a = {0};

	kube_error_set(&a.error, &c->err);
	call_end(c, &a);
}

static void
add_header(struct textlist *headers, const char *name, const char *value)
{
	struct buf b = BUF_INIT;

	if (value == NULL)
		return;
	buf_addf(&b, "%s: %s", name, value);
	textlist_add(headers, b.data, b.len);
	buf_release(&b);
}

static int
on_http_send(void *arg, struct err *err)
{
	struct kube_call *c = arg;

	return fence_check(c->kube->fence, err);
}

static void
call_start(struct kube_call *c)
{
	struct kube *k = c->kube;
	struct textlist headers;
	struct http_request r = {.method = verbs[c->verb].method,
	    .url = c->url,
	    .timeout_ms = c->timeout_ms,
	    .on_begin = on_http_begin,
	    .on_data = c->on_data != NULL ? on_http_data : NULL,
	    .on_header = on_http_header,
	    .on_send = k->fence != NULL && !verbs[c->verb].reads ? on_http_send
								 : NULL};

	if (c->has_body)
		r.body = buf_span(&c->body);
	if (c->verb == KUBE_LIST)
		r.silence_ms = LIST_SILENCE_MS;
	textlist_init(&headers);
	add_header(
	    &headers, "Accept", c->accept ? c->accept : "application/json");
	add_header(&headers, "If-None-Match", c->if_none_match);
	if (c->has_body)
		add_header(
		    &headers, "Content-Type", verbs[c->verb].content_type);
	auth_headers(k->auth, &headers);
	c->credential = auth_version(k->auth);
	r.headers = (const char *const *)headers.items;
	c->http =
	    http_start(pool_get(k, verbs[c->verb].pool), &r, on_http_done, c);
	for (size_t i = 0; i < headers.count; i++)
		explicit_bzero(headers.items[i], strlen(headers.items[i]));
	textlist_release(&headers);
}

static void
call_send(struct kube_call *c)
{
	switch (auth_ready(c->kube->auth, &c->err)) {
	case AUTH_READY:
		call_start(c);
		break;
	case AUTH_WAIT:
		break;
	case AUTH_FAILED:
		loop_after(c->kube->loop, &c->failed, 0, on_failed, c);
		break;
	}
}

static void
on_auth_changed(void *arg)
{
	struct kube *k = arg;
	struct kube_call *c;

	/* No callback runs in here, so the list does not change meanwhile. */
	LIST_FOREACH (c, &k->calls, among_all)
		if (c->http == NULL && !loop_timer_armed(&c->failed))
			call_send(c);
}

struct kube_call *
kube_start(
    struct kube *k, const struct kube_request *r, kube_done_fn *done, void *arg)
{
	struct kube_call *c = mem_zalloc(sizeof(*c));
	struct buf url = BUF_INIT;

	c->kube = k;
	c->verb = r->verb;
	buf_addf(&url, "%s%s", k->config->server, r->path);
	c->url = buf_take(&url);
	c->has_body = r->body.p != NULL;
	if (r->verb == KUBE_APPLY)
		quote_yaml(&c->body, r->body);
	else
		buf_addspan(&c->body, r->body);
	c->accept = mem_strdup(r->accept);
	c->if_none_match = mem_strdup(r->etag);
	c->timeout_ms = r->timeout_ms;
	if (c->timeout_ms == 0 && r->verb != KUBE_WATCH)
		c->timeout_ms =
		    r->verb == KUBE_LIST ? LIST_TIMEOUT_MS : TIMEOUT_MS;
	c->on_begin = r->on_begin;
	c->on_data = r->on_data;
	c->done = done;
	c->arg = arg;
	LIST_INSERT_HEAD(&k->calls, c, among_all);
	call_send(c);
	return c;
}

void
kube_cancel(struct kube_call *c)
{
	if (c->in_data) {
		c->cancelled = true; /* on_http_data ends it */
		return;
	}
	if (c->http != NULL)
		http_cancel(c->http);
	call_free(c);
}
