#include "http/httpsession.h"

#include <stdlib.h>

#include "base/mem.h"
#include "process/clock.h"

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
	curl_multi_socket_action(s->multi, fd, flags, &running);
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

static struct http_session *
session_new(struct http *h)
{
	struct http_session *s = mem_zalloc(sizeof(*s));

	s->http = h;
	s->multi = http_easy_multi(on_socket, on_timer, s);
	s->next = h->sessions;
	h->sessions = s;
	return s;
}

static void
session_free(struct http_session *s)
{
	curl_multi_cleanup(s->multi);
	loop_cancel(s->http->loop, &s->timer);
	loop_cancel(s->http->loop, &s->silence);
	free(s);
}

void
http_sessions_free(struct http *h)
{
	struct http_session *s;

	while ((s = h->sessions) != NULL) {
		h->sessions = s->next;
		session_free(s);
	}
}

void
http_sessions_reap(struct http *h)
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
	if (h->retired && h->calls == NULL)
		http_free(h);
}

struct http_session *
http_session_current(struct http *h)
{
	struct http_session *s = h->sessions;

	return s != NULL && !s->retired ? s : session_new(h);
}

void
http_session_byte(struct http_call *c)
{
	c->last_byte_ms = clock_ms();
	c->session->last_byte_ms = c->last_byte_ms;
}

/* ---- when it is silent, and what libcurl says ---- */

static void
session_fail(struct http_session *s, const char *why)
{
	struct http *h = s->http;
	struct http_call *c = h->calls;

	s->retired = true;
	h->busy++;
	while (c != NULL) {
		struct http_response r = {.timed_out = true};

		if (c->session != s) {
			c = c->next;
			continue;
		}
		err_set(&r.err, ERR_TRANSIENT, "%s: %s", c->origin, why);
		http_call_end(c, &r);
		/* The callback may have ended other calls, or started new
		 * ones. */
		c = h->calls;
	}
	h->busy--;
}

/* Calls that waited for a connection are told that it is there. */
static void
session_wake(struct http_session *s)
{
	s->connected = false;
	for (struct http_call *c = s->http->calls; c != NULL; c = c->next)
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
			http_call_error(c, code, &r);
		http_call_end(c, &r);
		if (probe && r.timed_out)
			session_fail(s, "the server went silent");
	}
	if (s->connected)
		session_wake(s);
	http_calls_resume(h);
	h->busy--;
	http_sessions_reap(h);
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
		http_sessions_reap(h);
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

/* A call is begun over the session. */
void
http_session_add(struct http_session *s, struct http_call *c)
{
	struct http *h = s->http;

	c->session = s;
	c->transfer.connected = &s->connected;
	c->last_byte_ms = clock_ms();
	if (s->calls++ == 0)
		s->last_byte_ms = c->last_byte_ms;
	if (h->silent_ms != 0 && !loop_timer_armed(&s->silence))
		loop_after(h->loop, &s->silence, h->silent_ms, on_silent, s);
	curl_multi_add_handle(s->multi, c->easy);
}

void
http_session_remove(struct http_session *s, struct http_call *c)
{
	curl_multi_remove_handle(s->multi, c->easy);
	s->calls--;
}
