#include "kapiclient.h"

#include <stdlib.h>

#include "base/mem.h"
#include "http/http.h"
#include "process/clock.h"
#include "process/loop.h"

enum { TIMEOUT_MS = 60000, SOON_MS = 20 };

struct kapiclient {
	struct loop *loop;
	struct http *http;
	char *url;
	bool done;
	int status;
	kapiclient_fn *still, *step; /* NULL: none */
	void *arg;
	struct buf body;
	struct err err;
};

struct kapiclient *
kapiclient_new(const char *url, const char *user_agent)
{
	struct kapiclient *c = mem_zalloc(sizeof(*c));
	struct http_opts o = {.user_agent = user_agent};

	c->loop = loop_new();
	c->http = http_new(c->loop, &o);
	c->url = mem_strdup(url);
	return c;
}

void
kapiclient_free(struct kapiclient *c)
{
	http_free(c->http);
	loop_free(c->loop);
	free(c->url);
	buf_release(&c->body);
	free(c);
}

static void
on_done(void *arg, const struct http_response *r)
{
	struct kapiclient *c = arg;

	c->status = r->status;
	buf_addspan(&c->body, r->body);
	c->err = r->err;
	c->done = true;
}

void
kapiclient_on_wait(
    struct kapiclient *c, kapiclient_fn *still, kapiclient_fn *step, void *arg)
{
	c->still = still;
	c->step = step;
	c->arg = arg;
}

/* Several events make an answer: that the socket can be written to, that it can
 * be read. */
static void
read_some(struct kapiclient *c)
{
	uint64_t end = clock_ms() + SOON_MS, now;

	while (!c->done && (now = clock_ms()) < end)
		loop_once(c->loop, (int)(end - now));
}

/* An answer that does not come soon may wait for the clock. */
static void
wait(struct kapiclient *c)
{
	if (c->still == NULL) {
		loop_once(c->loop, -1);
		return;
	}
	read_some(c);
	if (c->done)
		return;
	c->still(c->arg);
	read_some(c);
	if (!c->done)
		c->step(c->arg);
}

static int
ask(struct kapiclient *c, const char *method, const char *path,
    const char *const *headers, struct span body, struct err *err)
{
	struct buf url = BUF_INIT;

	buf_addf(&url, "%s%s", c->url, path);
	buf_reset(&c->body);
	c->done = false;
	http_start(c->http,
	    &(struct http_request){.method = method,
		.url = buf_str(&url),
		.headers = headers,
		.body = body,
		.timeout_ms = TIMEOUT_MS},
	    on_done, c);
	while (!c->done)
		wait(c);
	buf_release(&url);
	if (c->status == 0)
		*err = c->err;
	return c->status;
}

int
kapiclient_ask(struct kapiclient *c, const char *method, const char *path,
    enum kapiclient_type type, struct span body, struct span *answer,
    struct err *err)
{
	static const char *const types[] = {
	    [KAPICLIENT_JSON] = "Content-Type: application/json",
	    [KAPICLIENT_MERGE_PATCH] =
		"Content-Type: application/merge-patch+json",
	    [KAPICLIENT_JSON_PATCH] =
		"Content-Type: application/json-patch+json",
	    [KAPICLIENT_APPLY] = "Content-Type: application/apply-patch+yaml"};
	const char *headers[] = {types[type], NULL};
	int status = ask(c, method, path, headers, body, err);

	if (answer != NULL)
		*answer = buf_span(&c->body);
	return status;
}

int
kapiclient_ask_as(struct kapiclient *c, const char *user_agent,
    const char *method, const char *path, const char *type, struct span body,
    struct err *err)
{
	struct buf agent = BUF_INIT, content = BUF_INIT;
	const char *headers[3] = {NULL};
	int status;

	buf_addf(&agent, "User-Agent: %s", user_agent);
	buf_addf(&content, "Content-Type: %s", type);
	headers[0] = buf_str(&agent);
	headers[1] = buf_str(&content);
	status = ask(c, method, path, headers, body, err);
	buf_release(&agent);
	buf_release(&content);
	return status;
}
