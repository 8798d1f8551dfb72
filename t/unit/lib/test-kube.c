/* kube: requests and answers, against a TLS server of our own. */
#include "kube/kube.h"

#include "askkube.h"
#include "process/clock.h"

#ifdef __aarch64__
#define ARCH "arm64"
#else
#define ARCH "amd64"
#endif

TEST(requests)
{
	struct err err;
	struct got g = {0};
	struct kube *k = open_config(
	    "server: 'https://127.0.0.1:PORT/a/b/', certificate-authority: "
	    "ca.crt",
	    "token: t0, as: jane, as-groups: [g1, g2]", &err);
	struct kube_request r = {
	    .verb = KUBE_APPLY, .path = "/echo", .body = span_str("{}")};

	get(k, &g, "/who?x=1");
	is(err.message, "", "opens");
	ok(g.code == 200 && g.kind == ERR_NONE, "answers");
	ok(strstr(g.body, "\"path\": \"/a/b/who?x=1\"") != NULL,
	    "under the server's path");
	header_is(&g, "authorization", "[\"Bearer t0\"]");
	header_is(&g, "impersonate-user", "[\"jane\"]");
	header_is(&g, "impersonate-group", "[\"g1\", \"g2\"]");
	header_is(&g, "accept", "[\"application/json\"]");
	header_is(&g, "accept-encoding", NULL);
	header_is(&g, "user-agent",
	    "[\"tester/" KPIPE_VERSION " (linux/" ARCH ") kpipe\"]");
	ask(k, &g, &r);
	is(g.body,
	    "{\"method\": \"PATCH\", \"type\": "
	    "\"application/apply-patch+yaml\", \"body\": \"{}\"}",
	    "an apply");
	r.verb = KUBE_DELETE;
	r.body = SPAN_NONE;
	ask(k, &g, &r);
	is(g.body, "{\"method\": \"DELETE\", \"type\": null, \"body\": \"\"}",
	    "a delete");
	get(k, &g, "/429");
	ok(g.kind == ERR_TRANSIENT && g.retry_after_ms == 7000, "429");
	get(k, &g, "/nothing");
	ok(g.kind == ERR_GONE, "404");
	is(g.message, "404 page not found", "a text as message");
	get(k, &g, "/etag");
	is(g.etag, "\"e1\"", "an ETag");
	r = (struct kube_request){
	    .verb = KUBE_LIST, .path = "/etag", .etag = "\"e1\""};
	ask(k, &g, &r);
	ok(g.code == 304 && g.kind == ERR_NONE, "not modified");
	release(&g);
	kube_free(k);
}

TEST(plain_http)
{
	struct got g = {0};
	struct server plain = server_start(NULL, NULL, NULL), tls = server;

	server = plain;
	try("server: 'http://127.0.0.1:PORT'", "token: t", &g, "/who");
	ok(g.code == 200, "http works");
	header_is(&g, "authorization", NULL);
	release(&g);
	server_stop(&plain);
	server = tls;
}

TEST(proxy)
{
	struct got g = {0};
	struct server proxy = server_start(NULL, NULL, NULL), tls = server;
	struct buf cluster = BUF_INIT;

	setenv("no_proxy", "*", 1);
	buf_addf(&cluster, "%s, proxy-url: 'http://127.0.0.1:%d'", trusted,
	    proxy.port);
	try(buf_str(&cluster), "token: good", &g, "/good");
	ok(g.code == 200, "through proxy-url");
	server = proxy;
	try("server: 'http://127.0.0.1:PORT'", "", &g, "/proxied");
	is(g.body, "1", "really, and no_proxy has no effect");
	server = tls;
	setenv("https_proxy", "http://127.0.0.1:1", 1);
	unsetenv("no_proxy");
	try(trusted, "token: good", &g, "/good");
	ok(g.code == 200, "a loopback address needs no proxy");
	buf_reset(&cluster);
	buf_addf(&cluster, "http://127.0.0.1:%d", proxy.port);
	setenv("https_proxy", buf_str(&cluster), 1);
	try("server: 'https://127.evil.example'", "", &g, "/good");
	server = proxy;
	try("server: 'http://127.0.0.1:PORT'", "", &g, "/proxied");
	is(g.body, "2", "a name that begins like one does");
	server = tls;
	unsetenv("https_proxy");
	server_stop(&proxy);
	release(&g);
	buf_release(&cluster);
}

/* The log of requests for path and other. */
static const char *
logged(struct kube *k, struct got *g, const char *path, const char *other)
{
	static char log[1024];
	int saved = dup(2);
	size_t n;
	FILE *f;

	if (freopen(in_dir("log"), "w", stderr) == NULL)
		abort();
	get(k, g, path);
	get(k, g, other);
	dup2(saved, 2);
	close(saved);
	f = fopen(in_dir("log"), "r");
	if (f == NULL)
		abort();
	n = fread(log, 1, sizeof(log) - 1, f);
	log[n] = '\0';
	fclose(f);
	return log;
}

/* Each text once, for all callers. */
TEST(warnings)
{
	struct err err;
	struct got g = {0};
	struct kube *k = open_config(trusted, "token: t", &err);

	is(logged(k, &g, "/warn", "/warn"),
	    "kpipe: warning: the server warns: say \"hi\" once\n"
	    "kpipe: warning: the server warns: and this\n",
	    "warnings, once");
	kube_free(k);
	release(&g);
}

/* Proxies quote the headers of a request, or all of it. */
TEST(hidden)
{
	struct err err;
	struct got g = {0};
	struct kube *k = open_config(trusted, "token: secret-token", &err);

	is(logged(k, &g, "/good", "/tells"),
	    "kpipe: warning: the server warns: Bearer (hidden)\n",
	    "a warning that quotes the token");
	is(g.message, "Bearer (hidden), Bearer (hidden)",
	    "an error that quotes it");
	kube_free(k);
	try(trusted, "username: u, password: secret-word", &g, "/tells");
	is(g.message, "Basic (hidden), Basic (hidden)",
	    "... or name and password");
	release(&g);
}

TEST(cancel)
{
	struct err err;
	struct got g = {0}, h = {0};
	struct kube *k = open_config(trusted, "token: t", &err);
	struct kube_request r = {.verb = KUBE_GET, .path = "/slow"};
	struct kube_call *c = kube_start(k, &r, on_done, &g);

	kube_cancel(c);
	c = kube_start(k, &r, on_done, &g);
	get(k, &h, "/who");
	kube_cancel(c);
	get(k, &h, "/who");
	ok(g.calls == 0, "cancelled calls say nothing");
	is(h.code == 200 ? "" : h.message, "", "... and harm no other");
	kube_start(k, &r, on_done, &g);
	kube_free(k);
	ok(g.calls == 0, "nor do those of a client that is freed");
	release(&h);
}

static struct got held;
static int outs;

static void
on_out(void *arg, const struct err *err)
{
	(void)arg;
	(void)err;
	outs += held.calls == 0; /* before the request ends */
}

/* A fence as kelect makes it; its page is in *page. */
static void
make_fence(struct fence *l, struct fence_ends *ends, _Atomic uint64_t **page)
{
	struct buf b = BUF_INIT;
	struct err err;

	fence_make(ends, &err);
	*page = fence_map(ends->page_fd, &err);
	**page = clock_boot_ns() + 60000000000u;
	fence_env(&b, FENCE_ENV, ends->read_fd, ends->page_fd);
	setenv(FENCE_ENV, buf_str(&b) + sizeof(FENCE_ENV), 1);
	fence_from_env(l, &err);
	unsetenv(FENCE_ENV);
	ends->read_fd = ends->page_fd = -1; /* the fence owns them now */
	buf_release(&b);
	outs = 0;
	fence_watch(l, loop, on_out, NULL);
}

TEST(fence)
{
	static const char over[] =
	    "the leadership is over: kelect has not renewed it";
	struct err err;
	struct fence fence;
	struct fence_ends ends;
	_Atomic uint64_t *page;
	struct kube *k = open_config(trusted, "token: t", &err);
	struct kube_request write = {
	    .verb = KUBE_APPLY, .path = "/who", .body = span_str("{}")};

	make_fence(&fence, &ends, &page);
	kube_fence(k, &fence);
	kube_start(k, &write, on_done, &held);
	/* It waits for its connection; kelect is stopped meanwhile. */
	*page = FENCE_OVER;
	wait_for(&held);
	is(held.message, over, "a write that waited too long is not sent");
	ok(held.kind == ERR_TRANSIENT && held.code == 0, "... it has failed");
	ok(outs == 1, "... after the fence was said to be closed");
	ask(k, &held, &write);
	is(held.message, over, "a write after that is not begun");
	get(k, &held, "/who");
	ok(held.code == 200, "reading goes on");
	kube_free(k);
	fence_release(&fence);
	make_fence(&fence, &ends, &page);
	k = open_config(trusted, "token: t", &err);
	kube_fence(k, &fence);
	ask(k, &held, &write);
	ok(held.code == 200, "a write while leading is sent");
	kube_free(k);
	fence_release(&fence);
	fence_close(&ends);
	release(&held);
}

int
main(void)
{
	begin();
	tap_run();
	return finish();
}
