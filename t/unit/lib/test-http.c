/* http: answers, faults, cancelling, timeouts. */
#include "http/http.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "http/httpeasy.h"
#include "process/clock.h"
#include "httpserver.h"
#include "tap.h"

static struct loop *loop;
static struct server server;
static struct http *http;
static char url[256];

/* The result of a request. */
struct got {
	int calls; /* of done */
	int status;
	struct buf body, data;
	struct err err;
	int64_t retry_after_s;
	bool timed_out;
	int chunks_wanted; /* then false; 0: all */
	int chunks;
	struct http_call *cancel; /* from on_data */
	bool start;		  /* another, from on_data */
};

static void
on_done(void *arg, const struct http_response *r)
{
	struct got *g = arg;

	g->calls++;
	g->status = r->status;
	g->err = r->err;
	g->retry_after_s = r->retry_after_s;
	g->timed_out = r->timed_out;
	buf_addspan(&g->body, r->body);
}

static const char *
at(const char *path)
{
	snprintf(url, sizeof(url), "http://127.0.0.1:%d%s", server.port, path);
	return url;
}

static void
begin(struct got *g)
{
	*g = (struct got){0};
}

static void
end(struct got *g)
{
	buf_release(&g->body);
	buf_release(&g->data);
}

static void
wait_calls(const struct got *g, int calls)
{
	uint64_t end_ms = clock_ms() + 20000;

	while (g->calls < calls && clock_ms() < end_ms)
		loop_once(loop, 1000);
}

static bool
on_data(void *arg, struct span bytes)
{
	struct got *g = arg;
	struct http_request r = {.method = "GET"};

	buf_addspan(&g->data, bytes);
	g->chunks++;
	if (g->start) {
		r.url = at("/count");
		http_start(http, &r, on_done, g);
		g->start = false;
	}
	if (g->cancel != NULL) {
		http_cancel(g->cancel);
		g->cancel = NULL;
	}
	return g->chunks_wanted == 0 || g->chunks < g->chunks_wanted;
}

static void
ask(struct got *g, const struct http_request *r)
{
	begin(g);
	http_start(http, r, on_done, g);
	ok(g->calls == 0, "done is not called from http_start");
	wait_calls(g, 1);
}

static void
get(struct got *g, const char *path)
{
	struct http_request r = {
	    .method = "GET", .url = at(path), .timeout_ms = 10000};

	ask(g, &r);
}

TEST(answers)
{
	struct got g;
	const char *const headers[] = {"Content-Type: x/y", NULL};
	struct http_request r = {.method = "PATCH",
	    .url = at("/echo"),
	    .headers = headers,
	    .body = span_str("{\"a\":1}")};

	ask(&g, &r);
	is(buf_str(&g.body),
	    "{\"method\": \"PATCH\", \"type\": \"x/y\", \"body\": "
	    "\"{\\\"a\\\":1}\"}",
	    "method, type and body");
	end(&g);
	get(&g, "/429");
	ok(g.status == 429 && g.retry_after_s == 7, "429, retry after 7 s");
	is(buf_str(&g.body), "slow down\n", "body of an error");
	end(&g);
	get(&g, "/nothing");
	ok(g.status == 404 && g.err.kind == ERR_NONE, "404 is an answer");
	end(&g);
	r = (struct http_request){.method = "DELETE", .url = at("/echo")};
	ask(&g, &r);
	is(buf_str(&g.body),
	    "{\"method\": \"DELETE\", \"type\": null, \"body\": \"\"}",
	    "DELETE without body");
	end(&g);
}

TEST(faults)
{
	struct got g;
	char want[256];
	struct http_request r = {.method = "GET", .timeout_ms = 1000};

	get(&g, "/cut");
	ok(g.status == 0 && g.err.kind == ERR_TRANSIENT, "a cut body");
	end(&g);
	get(&g, "/close");
	ok(g.status == 0 && g.err.kind == ERR_TRANSIENT, "no answer");
	end(&g);
	r.url = at("/slow");
	ask(&g, &r);
	ok(g.timed_out && g.err.kind == ERR_TRANSIENT, "a timeout");
	snprintf(want, sizeof(want),
	    "no answer from http://127.0.0.1:%d within 1 s", server.port);
	is(g.err.message, want, "says so");
	end(&g);

	r = (struct http_request){
	    .method = "GET", .url = at("/hang"), .silence_ms = 500};
	ask(&g, &r);
	ok(g.timed_out && g.err.kind == ERR_TRANSIENT, "silence");
	end(&g);

	r = (struct http_request){.method = "GET", .url = "http://127.0.0.1:1"};
	ask(&g, &r);
	is(g.err.message,
	    "cannot connect to http://127.0.0.1:1: Connection refused",
	    "no server listens");
	ok(g.err.kind == ERR_TRANSIENT, "may be there later");
	end(&g);
}

/* How many requests the server has closed the connection for. */
static int
closed(void)
{
	struct got g;
	int n;

	get(&g, "/closed");
	n = (int)strtol(buf_str(&g.body), NULL, 10);
	end(&g);
	return n;
}

/* Over a connection that is used, and ends without an answer. */
TEST(sent_once)
{
	struct got g;
	struct http_request r = {.method = "PATCH", .body = span_str("{}")};
	char want[256];
	int before = closed();

	r.url = at("/close");
	ask(&g, &r);
	snprintf(want, sizeof(want),
	    "the connection to http://127.0.0.1:%d ended without an answer",
	    server.port);
	ok(g.status == 0 && g.err.kind == ERR_TRANSIENT, "a write fails");
	is(g.err.message, want, "... as it says");
	end(&g);
	ok(closed() == before + 1, "... and is not sent again");
	get(&g, "/close");
	ok(g.status == 0, "a read fails");
	end(&g);
	ok(closed() == before + 3, "... when it was sent again");
}

TEST(limit)
{
	struct http_opts o = {.user_agent = "test", .max_body = 1000};
	struct http *small = http_new(loop, &o);
	struct http_request r = {.method = "GET", .url = at("/large")};
	struct got g;
	char want[256];

	begin(&g);
	http_start(small, &r, on_done, &g);
	wait_calls(&g, 1);
	snprintf(want, sizeof(want),
	    "http://127.0.0.1:%d: an answer larger than 1000 bytes",
	    server.port);
	is(g.err.message, want, "a limit for bodies");
	ok(g.err.kind == ERR_PERMANENT, "is permanent");
	end(&g);
	/* With calls in flight, which end without done. */
	begin(&g);
	r.url = at("/slow");
	http_start(small, &r, on_done, &g);
	loop_once(loop, 100);
	http_free(small);
	ok(g.calls == 0, "a pool that is freed says nothing");
}

TEST(streams)
{
	struct http_request r = {
	    .method = "GET", .url = at("/drip"), .on_data = on_data};
	struct got g, other;

	ask(&g, &r);
	is(buf_str(&g.data),
	    "{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n"
	    "{\"n\":4}\n",
	    "a stream comes piece by piece");
	ok(g.chunks == 5 && g.body.len == 0, "in five, and not as a body");
	end(&g);

	begin(&g);
	g.chunks_wanted = 2;
	http_start(http, &r, on_done, &g);
	get(&other, "/count");
	end(&other);
	for (int i = 0; i < 10 && g.chunks < 2; i++)
		loop_once(loop, 1000);
	for (int i = 0; i < 10; i++)
		loop_once(loop, 50); /* later answers would come now */
	ok(g.chunks == 2 && g.calls == 0,
	    "false from on_data ends it without done");
	end(&g);

	r.url = at("/nothing");
	ask(&g, &r);
	ok(g.chunks == 0 && g.body.len > 0,
	    "the body of an error is not streamed");
	end(&g);
}

/* libcurl may not be called from its own callbacks: the cancel is deferred. */
TEST(from_callbacks)
{
	struct http_request r = {
	    .method = "GET", .url = at("/slow"), .on_data = on_data};
	struct got slow, g;

	begin(&slow);
	begin(&g);
	g.cancel = http_start(http, &r, on_done, &slow);
	g.start = true;
	r.url = at("/drip");
	http_start(http, &r, on_done, &g);
	wait_calls(&g, 2);
	ok(g.calls == 2 && g.body.len > 0, "started from on_data");
	ok(slow.calls == 0, "cancelled from on_data");
	end(&slow);
	end(&g);

	begin(&g);
	r.url = at("/drip");
	g.cancel = http_start(http, &r, on_done, &g);
	for (int i = 0; i < 10 && g.chunks == 0; i++)
		loop_once(loop, 1000);
	get(&slow, "/count");
	ok(g.calls == 0 && g.chunks == 1, "cancels itself from on_data");
	end(&slow);
	end(&g);
}

TEST(connections)
{
	struct http_request r = {.method = "GET", .url = at("/count")};
	struct got a, b;

	get(&a, "/count");
	get(&b, "/count");
	is(buf_str(&a.body), buf_str(&b.body), "a connection is used again");
	end(&b);
	r.url = at("/slow");
	r.timeout_ms = 300;
	ask(&b, &r);
	end(&b);
	get(&b, "/count");
	ok(strtol(buf_str(&b.body), NULL, 10) ==
		strtol(buf_str(&a.body), NULL, 10) + 1,
	    "not after a timeout");
	end(&a);
	end(&b);
}

TEST(no_memory)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		struct http_transfer t = {0};
		struct http_response r = {.err = ERR_INIT};

		http_easy_error(curl_easy_init(), CURLE_OUT_OF_MEMORY, &t,
		    "http://a", "", 0, &r);
		_exit(0);
	}
	ok(child > 0 && waitpid(child, &status, 0) == child &&
		WIFEXITED(status) && WEXITSTATUS(status) == EXIT_TRANSIENT,
	    "no memory for a request: the process ends, and does not go on");
}

int
main(void)
{
	struct http_opts o = {.user_agent = "test"};

	setenv("http_proxy", "http://127.0.0.1:1", 1);
	server_prepare();
	server = server_start(NULL, NULL, NULL);
	loop = loop_new();
	http = http_new(loop, &o);
	tap_run();
	http_free(http);
	loop_free(loop);
	server_stop(&server);
	scratch_remove();
	return tap_done();
}
