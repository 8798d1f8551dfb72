#include "http/http.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "http/httpeasy.h"
#include "http/httpsession.h"
#include "process/clock.h"

enum { BODY_MAX = 64 << 20 };

/* ---- libcurl's callbacks for answers ---- */

static void
status_line(struct http_call *c, struct span line)
{
	/* A new answer begins: after 100 Continue, or that of a proxy. */
	c->session->h2 = line.n > 6 && line.p[5] == '2';
	c->status = http_parse_status(line);
	free(c->content_type);
	c->content_type = NULL;
	c->retry_after_s = -1;
}

static void
header_line(struct http_call *c, struct span name, struct span value)
{
	if (http_name_is(name, "content-type")) {
		free(c->content_type);
		c->content_type = mem_dup(value.p, value.n);
	} else if (http_name_is(name, "retry-after"))
		c->retry_after_s = http_parse_seconds(value);
	if (c->on_header != NULL)
		c->on_header(c->arg, name, value);
}

/* Trailers end here, too. */
static void
headers_end(struct http_call *c)
{
	if (c->on_begin == NULL || c->cancelled || c->status / 100 != 2)
		return;
	c->on_begin(c->arg);
	c->on_begin = NULL;
}

static size_t
on_header(char *p, size_t size, size_t n, void *arg)
{
	struct http_call *c = arg;
	struct span line = span_make(p, size * n), name, value;

	http_session_byte(c);
	if (span_starts(line, "HTTP/"))
		status_line(c, line);
	else if (line.n <= 2) /* the empty line behind the headers */
		headers_end(c);
	else if (!c->cancelled && http_split_header(line, &name, &value) == 0)
		header_line(c, name, value);
	return size * n;
}

static size_t
on_write(char *p, size_t size, size_t n, void *arg)
{
	struct http_call *c = arg;

	http_session_byte(c);
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

/* ---- calls ---- */

static void
call_unlink(struct http_call *c)
{
	if (c->prev != NULL)
		c->prev->next = c->next;
	else
		c->http->calls = c->next;
	if (c->next != NULL)
		c->next->prev = c->prev;
}

/* Removes it from libcurl and all lists; the caller frees it. */
static void
call_stop(struct http_call *c)
{
	struct http *h = c->http;

	loop_cancel(h->loop, &c->silence);
	call_unlink(c);
	if (c->session == NULL)
		return;
	http_session_remove(c->session, c);
	if (h->idle_count < HTTP_IDLE_MAX)
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
void
http_call_end(struct http_call *c, struct http_response *r)
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
	http_call_end(c, &r);
	http_sessions_reap(h);
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
	http_session_add(http_session_current(h), c);
	if (c->silence_ms != 0)
		loop_after(
		    h->loop, &c->silence, c->silence_ms, on_call_silence, c);
}

/* Work that had to wait until libcurl returned. */
void
http_calls_resume(struct http *h)
{
	struct http_call *c, *next;

	if (!h->deferred)
		return;
	h->deferred = false;
	for (c = h->calls; c != NULL; c = next) {
		next = c->next;
		if (c->cancelled) {
			call_stop(c);
			call_free(c);
		} else if (c->session == NULL) {
			call_begin(c);
		}
	}
}

void
http_call_error(struct http_call *c, CURLcode code, struct http_response *r)
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
	if (h == NULL)
		return;
	while (h->calls != NULL) {
		struct http_call *c = h->calls;

		call_stop(c);
		call_free(c);
	}
	http_sessions_free(h);
	while (h->idle_count > 0)
		curl_easy_cleanup(h->idle[--h->idle_count]);
	http_settings_release(&h->settings);
	free(h);
}

void
http_retire(struct http *h)
{
	h->retired = true;
	http_sessions_reap(h);
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
	c->next = h->calls;
	if (c->next != NULL)
		c->next->prev = c;
	h->calls = c;
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
	http_sessions_reap(h);
}
