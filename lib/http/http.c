#include "http/http.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/buf.h"
#include "base/mem.h"
#include "http/httpeasy.h"
#include "process/clock.h"

enum { BODY_MAX = 64 << 20, IDLE_MAX = 64 };

/*
 * A libcurl multi handle: connections and the transfers over them. After
 * a timeout its connections may be dead, and libcurl would still use them: so
 * new calls get a new session, and the old one ends with its last call.
 */
struct http_session {
	struct http_session *next;
	struct http *http;
	CURLM *multi;
	struct timer timer;   /* libcurl's */
	struct timer silence; /* ours */
	uint64_t last_byte_ms;
	size_t calls;
	bool h2;
	bool connected; /* a call has made a connection */
	bool retired;
};

struct http {
	struct loop *loop;
	struct http_settings settings;
	void (*on_silence)(void *arg);
	void *arg;
	uint64_t silent_ms;
	size_t max_body;
	struct http_session *sessions; /* the first is the current one */
	LIST_HEAD(, http_call) calls;
	CURL *idle[IDLE_MAX]; /* saves making one per request */
	size_t idle_count;
	int in_curl; /* callbacks of libcurl may not call libcurl */
	int busy;    /* libcurl, or our own callbacks, are running */
	bool deferred;
	bool retired;
};

struct http_call {
	LIST_ENTRY(http_call) among_all;
	struct http *http;
	/* NULL: to be started when libcurl is left */
	struct http_session *session;
	CURL *easy;
	struct http_transfer transfer;
	char *origin;
	http_done_fn *done;
	void (*on_begin)(void *arg);
	bool (*on_data)(void *arg, struct span bytes);
	void (*on_header)(void *arg, struct span name, struct span value);
	void *arg;
	bool probe;
	bool cancelled;
	bool too_large;
	uint64_t timeout_ms, silence_ms, last_byte_ms;
	struct timer silence;
	int status;
	struct buf body;
	char *content_type;
	int64_t retry_after_s;
	char error[CURL_ERROR_SIZE];
};

/* ---- libcurl's callbacks for answers ---- */

/* A byte has come for the call: the server is not silent. */
static void
session_byte(struct http_call *c)
{
	c->last_byte_ms = clock_ms();
	c->session->last_byte_ms = c->last_byte_ms;
}

static size_t
on_header(char *p, size_t size, size_t n, void *arg)
{
	struct http_call *c = arg;
	struct span line = span_make(p, size * n), name, value;

	session_byte(c);
	if (span_starts(line, "HTTP/")) {
		/* A new answer begins: after 100 Continue, or that of a
		 * proxy. */
		c->session->h2 = line.n > 6 && line.p[5] == '2';
		c->status = http_parse_status(line);
		free(c->content_type);
		c->content_type = NULL;
		c->retry_after_s = -1;
	} else if (line.n <= 2) { /* the empty line behind the headers */
		if (c->on_begin != NULL && !c->cancelled &&
		    c->status / 100 == 2) {
			c->on_begin(c->arg);
			c->on_begin = NULL; /* trailers end here, too */
		}
	} else if (!c->cancelled &&
	    http_split_header(line, &name, &value) == 0) {
		if (span_is_caseless(name, "content-type")) {
			free(c->content_type);
			c->content_type = mem_dup(value.p, value.n);
		} else if (span_is_caseless(name, "retry-after")) {
			c->retry_after_s = http_parse_seconds(value);
		}
		if (c->on_header != NULL)
			c->on_header(c->arg, name, value);
	}
	return size * n;
}

static size_t
on_write(char *p, size_t size, size_t n, void *arg)
{
	struct http_call *c = arg;

	session_byte(c);
	if (c->cancelled)
		return 0;
	if (c->on_data != NULL && c->status / 100 == 2) {
		if (!c->on_data(c->arg, span_make(p, size * n)))
			c->cancelled = true;
		return c->cancelled ? 0 : size * n;
	}
	if (c->body.len + size * n > c->http->max_body) {
		c->too_large = true;
		return 0;
	}
	buf_add(&c->body, p, size * n);
	return size * n;
}

static void session_check(struct http *h, struct http_session *s);
static void on_silent(void *arg);

/* ---- libcurl's callbacks for sockets and timers ---- */

static void
act(struct http_session *s, curl_socket_t fd, int flags)
{
	struct http *h = s->http;
	int running;

	h->busy++;
	h->in_curl++;
	http_check_memory(
	    curl_multi_socket_action(s->multi, fd, flags, &running));
	h->in_curl--;
	session_check(h, s);
}

static void
on_socket_ready(void *arg, int fd, int events)
{
	act(arg, fd,
	    (events & LOOP_READ ? CURL_CSELECT_IN : 0) |
		(events & LOOP_WRITE ? CURL_CSELECT_OUT : 0) |
		(events & LOOP_HUP ? CURL_CSELECT_ERR : 0));
}

static int
on_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *unused)
{
	struct http_session *s = arg;
	int events = 0;

	(void)easy;
	(void)unused;
	if (what == CURL_POLL_REMOVE) {
		loop_unwatch(s->http->loop, fd);
		return 0;
	}
	if (what & CURL_POLL_IN)
		events |= LOOP_READ;
	if (what & CURL_POLL_OUT)
		events |= LOOP_WRITE;
	loop_watch(s->http->loop, fd, events, on_socket_ready, s);
	return 0;
}

static void
on_timer_due(void *arg)
{
	act(arg, CURL_SOCKET_TIMEOUT, 0);
}

static int
on_timer(CURLM *multi, long ms, void *arg)
{
	struct http_session *s = arg;

	(void)multi;
	if (ms < 0)
		loop_cancel(s->http->loop, &s->timer);
	else
		loop_after(
		    s->http->loop, &s->timer, (uint64_t)ms, on_timer_due, s);
	return 0;
}

/* ---- sessions ---- */

static void
session_free(struct http_session *s)
{
	curl_multi_cleanup(s->multi);
	loop_cancel(s->http->loop, &s->timer);
	loop_cancel(s->http->loop, &s->silence);
	free(s);
}

/* Frees unused sessions, and the pool if it is retired, unless libcurl or one of
 * our callbacks is running: after that this is called again. */
static void
sessions_reap(struct http *h)
{
	struct http_session **at = &h->sessions;

	if (h->busy > 0)
		return;
	while (*at != NULL) {
		struct http_session *s = *at;

		if ((s->retired || h->retired) && s->calls == 0) {
			*at = s->next;
			session_free(s);
		} else {
			at = &s->next;
		}
	}
	if (h->retired && LIST_EMPTY(&h->calls))
		http_free(h);
}

/* The session that new calls use. */
static struct http_session *
session_current(struct http *h)
{
	struct http_session *s = h->sessions;

	if (s != NULL && !s->retired)
		return s;
	s = mem_zalloc(sizeof(*s));
	s->http = h;
	s->multi = http_easy_multi(on_socket, on_timer, s);
	s->next = h->sessions;
	h->sessions = s;
	return s;
}

/* A call is begun over the session. */
static void
session_add(struct http_session *s, struct http_call *c)
{
	struct http *h = s->http;

	c->session = s;
	c->transfer.connected = &s->connected;
	c->last_byte_ms = clock_ms();
	if (s->calls++ == 0)
		s->last_byte_ms = c->last_byte_ms;
	if (h->silent_ms != 0 && !loop_timer_armed(&s->silence))
		loop_after(h->loop, &s->silence, h->silent_ms, on_silent, s);
	http_check_memory(curl_multi_add_handle(s->multi, c->easy));
}

/* ---- calls ---- */

/* Removes it from libcurl and all lists; the caller frees it. */
static void
call_stop(struct http_call *c)
{
	struct http *h = c->http;

	loop_cancel(h->loop, &c->silence);
	LIST_REMOVE(c, among_all);
	if (c->session == NULL)
		return;
	curl_multi_remove_handle(c->session->multi, c->easy);
	c->session->calls--;
	if (h->idle_count < IDLE_MAX)
		h->idle[h->idle_count++] = c->easy;
	else
		curl_easy_cleanup(c->easy);
	c->easy = NULL;
}

static void
call_free(struct http_call *c)
{
	http_transfer_release(&c->transfer);
	free(c->origin);
	free(c->content_type);
	buf_release(&c->body);
	free(c);
}

/* Ends a call that has its result or was cancelled. */
static void
call_end(struct http_call *c, struct http_response *r)
{
	struct http *h = c->http;

	r->retry_after_s = c->retry_after_s;
	r->content_type = span_str(c->content_type);
	r->body = buf_span(&c->body);
	call_stop(c);
	h->busy++;
	if (!c->cancelled)
		c->done(c->arg, r);
	h->busy--;
	call_free(c);
}

static void
on_call_silence(void *arg)
{
	struct http_call *c = arg;
	struct http *h = c->http;
	struct http_response r = {.timed_out = true};
	uint64_t due = c->last_byte_ms + c->silence_ms;

	if (clock_ms() < due) {
		loop_at(h->loop, &c->silence, due, on_call_silence, c);
		return;
	}
	c->session->retired = true;
	err_set(&r.err, ERR_TRANSIENT, "%s: no byte for %llu s", c->origin,
	    (unsigned long long)c->silence_ms / 1000);
	call_end(c, &r);
	sessions_reap(h);
}

static void
call_begin(struct http_call *c)
{
	struct http *h = c->http;

	c->easy =
	    h->idle_count > 0 ? h->idle[--h->idle_count] : curl_easy_init();
	if (c->easy == NULL)
		http_no_memory();
	curl_easy_reset(c->easy);
	http_easy_setup(c->easy, &h->settings, &c->transfer);
	curl_easy_setopt(c->easy, CURLOPT_PRIVATE, c);
	curl_easy_setopt(c->easy, CURLOPT_ERRORBUFFER, c->error);
	curl_easy_setopt(c->easy, CURLOPT_TIMEOUT_MS, (long)c->timeout_ms);
	curl_easy_setopt(c->easy, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(c->easy, CURLOPT_HEADERDATA, c);
	curl_easy_setopt(c->easy, CURLOPT_WRITEFUNCTION, on_write);
	curl_easy_setopt(c->easy, CURLOPT_WRITEDATA, c);
	session_add(session_current(h), c);
	if (c->silence_ms != 0)
		loop_after(
		    h->loop, &c->silence, c->silence_ms, on_call_silence, c);
}

/* Work that had to wait until libcurl returned. */
static void
calls_resume(struct http *h)
{
	struct http_call *c, *next;

	if (!h->deferred)
		return;
	h->deferred = false;
	for (c = LIST_FIRST(&h->calls); c != NULL; c = next) {
		next = LIST_NEXT(c, among_all);
		if (c->cancelled) {
			call_stop(c);
			call_free(c);
		} else if (c->session == NULL) {
			call_begin(c);
		}
	}
}

static void
call_error(struct http_call *c, CURLcode code, struct http_response *r)
{
	if ((r->too_large = c->too_large)) {
		err_set(&r->err, ERR_PERMANENT,
		    "%s: an answer larger than %zu bytes", c->origin,
		    c->http->max_body);
		return;
	}
	if (http_easy_error(c->easy, code, &c->transfer, c->origin, c->error,
		c->timeout_ms, r) &&
	    r->timed_out)
		c->session->retired = true;
}

/* ---- when it is silent, and what libcurl says ---- */

static void
session_fail(struct http_session *s, const char *why)
{
	struct http *h = s->http;
	struct http_call *c = LIST_FIRST(&h->calls);

	s->retired = true;
	h->busy++;
	while (c != NULL) {
		struct http_response r = {.timed_out = true};

		if (c->session != s) {
			c = LIST_NEXT(c, among_all);
			continue;
		}
		err_set(&r.err, ERR_TRANSIENT, "%s: %s", c->origin, why);
		call_end(c, &r);
		/* The callback may have ended other calls, or started new
		 * ones. */
		c = LIST_FIRST(&h->calls);
	}
	h->busy--;
}

/* Calls that waited for a connection are told that it is there. */
static void
session_wake(struct http_session *s)
{
	struct http_call *c;

	s->connected = false;
	LIST_FOREACH (c, &s->http->calls, among_all)
		if (c->session == s)
			http_easy_wake(s->multi, &c->transfer);
}

/* Handles libcurl's messages, then the delayed work. Ends what act began. */
static void
session_check(struct http *h, struct http_session *s)
{
	CURLMsg *m;
	int left;

	while ((m = curl_multi_info_read(s->multi, &left)) != NULL) {
		struct http_response r = {0};
		struct http_call *c;
		CURLcode code = m->data.result;
		char *private = NULL;
		bool probe;

		if (m->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &private);
		c = (struct http_call *)(void *)private;
		probe = c->probe;
		if (http_easy_answered(code, c->status))
			r.status = c->status;
		else
			call_error(c, code, &r);
		call_end(c, &r);
		if (probe && r.timed_out)
			session_fail(s, "the server went silent");
	}
	if (s->connected)
		session_wake(s);
	calls_resume(h);
	h->busy--;
	sessions_reap(h);
}

static void
on_silent(void *arg)
{
	struct http_session *s = arg;
	struct http *h = s->http;
	uint64_t now = clock_ms(), due = s->last_byte_ms + h->silent_ms;

	if (s->calls == 0)
		return; /* the next call sets the timer */
	/* No new request goes over it, so none can probe it. */
	if ((s->retired || h->retired) && s->h2 &&
	    now >= due + h->silent_ms / 2) {
		session_fail(s, "the server went silent");
		sessions_reap(h);
		return;
	}
	if (now < due) {
		loop_at(h->loop, &s->silence, due, on_silent, s);
		return;
	}
	loop_after(h->loop, &s->silence, h->silent_ms, on_silent, s);
	if (s->h2 && !s->retired && !h->retired)
		h->on_silence(h->arg);
}

/* ---- the interface ---- */

struct http *
http_new(struct loop *l, const struct http_opts *o)
{
	struct http *h = mem_zalloc(sizeof(*h));

	curl_global_init(CURL_GLOBAL_DEFAULT);
	h->loop = l;
	h->on_silence = o->on_silence;
	h->arg = o->arg;
	h->silent_ms = o->on_silence != NULL ? o->silent_ms : 0;
	h->max_body = o->max_body != 0 ? o->max_body : BODY_MAX;
	http_settings_init(&h->settings, o);
	return h;
}

void
http_free(struct http *h)
{
	struct http_call *c;

	if (h == NULL)
		return;
	while ((c = LIST_FIRST(&h->calls)) != NULL) {
		call_stop(c);
		call_free(c);
	}
	while (h->sessions != NULL) {
		struct http_session *s = h->sessions;

		h->sessions = s->next;
		session_free(s);
	}
	while (h->idle_count > 0)
		curl_easy_cleanup(h->idle[--h->idle_count]);
	http_settings_release(&h->settings);
	free(h);
}

void
http_retire(struct http *h)
{
	h->retired = true;
	sessions_reap(h);
}

struct http_call *
http_start(
    struct http *h, const struct http_request *r, http_done_fn *done, void *arg)
{
	struct http_call *c = mem_zalloc(sizeof(*c));

	*c = (struct http_call){.http = h,
	    .done = done,
	    .arg = arg,
	    .on_begin = r->on_begin,
	    .on_data = r->on_data,
	    .on_header = r->on_header,
	    .probe = r->probe,
	    .timeout_ms = r->timeout_ms,
	    .silence_ms = r->silence_ms,
	    .retry_after_s = -1};
	c->origin = http_origin(r->url);
	http_transfer_init(&c->transfer, &h->settings, r, arg);
	LIST_INSERT_HEAD(&h->calls, c, among_all);
	if (h->in_curl > 0)
		h->deferred = true;
	else
		call_begin(c);
	return c;
}

void
http_cancel(struct http_call *c)
{
	struct http *h = c->http;

	if (h->in_curl > 0) {
		c->cancelled = true;
		h->deferred = true;
		return;
	}
	call_stop(c);
	call_free(c);
	sessions_reap(h);
}
