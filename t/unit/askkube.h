/*
 * askkube: shared by the tests of kube.h and of its credentials: a TLS server
 * of our own (httpserver.h), and synchronous requests to it.
 */
#ifndef ASKKUBE_H
#define ASKKUBE_H

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "kube/kube.h"
#include "process/clock.h"
#include "httpserver.h"
#include "tap.h"

static struct loop *loop;
static struct server server;

struct got {
	int calls;
	int code;
	char *body, *message, *etag;
	enum err_kind kind;
	int64_t retry_after_ms;
};

__attribute__((unused)) static void
on_done(void *arg, const struct kube_answer *a)
{
	struct got *g = arg;

	g->calls++;
	g->code = a->code;
	g->body = mem_dup(a->body.p, a->body.n);
	g->message = mem_strdup(a->error.message);
	g->etag = mem_dup(a->etag.p, a->etag.n);
	g->kind = a->error.kind;
	g->retry_after_ms = a->error.retry_after_ms;
}

__attribute__((unused)) static void
release(struct got *g)
{
	free(g->body);
	free(g->message);
	free(g->etag);
	*g = (struct got){0};
}

__attribute__((unused)) static void
wait_for(const struct got *g)
{
	uint64_t end = clock_ms() + 20000;

	while (g->calls == 0 && clock_ms() < end)
		loop_once(loop, 1000);
}

__attribute__((unused)) static void
ask(struct kube *k, struct got *g, const struct kube_request *r)
{
	release(g);
	kube_start(k, r, on_done, g);
	ok(g->calls == 0, "done is not called from kube_start");
	wait_for(g);
}

__attribute__((unused)) static void
get(struct kube *k, struct got *g, const char *path)
{
	struct kube_request r = {.verb = KUBE_GET, .path = path};

	ask(k, g, &r);
}

/* The text with PORT and DIR replaced. */
__attribute__((unused)) static const char *
fill(const char *text)
{
	static struct buf b;

	buf_reset(&b);
	while (*text != '\0') {
		if (strncmp(text, "PORT", 4) == 0) {
			buf_addf(&b, "%d", server.port);
			text += 4;
		} else if (strncmp(text, "DIR", 3) == 0) {
			buf_adds(&b, scratch);
			text += 3;
		} else {
			buf_addc(&b, *text++);
		}
	}
	return buf_str(&b);
}

__attribute__((unused)) static void
put_config(const char *cluster, const char *user)
{
	struct buf b = BUF_INIT;

	buf_addf(&b,
	    "current-context: x\n"
	    "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
	    "clusters: [{name: c, cluster: {%s}}]\n"
	    "users: [{name: u, user: {%s}}]\n",
	    cluster, user);
	put_file("config", fill(buf_str(&b)));
	buf_release(&b);
}

__attribute__((unused)) static const char trusted[] =
    "server: 'https://127.0.0.1:PORT', certificate-authority: ca.crt";

__attribute__((unused)) static struct kube *
open_config(const char *cluster, const char *user, struct err *err)
{
	struct kube_opts o = {.kubeconfig = in_dir("config")};

	*err = (struct err)ERR_INIT;
	put_config(cluster, user);
	return kube_open(loop, &o, "tester", err);
}

/* A request with this configuration. */
__attribute__((unused)) static void
try(const char *cluster, const char *user, struct got *g, const char *path)
{
	struct err err;
	struct kube *k = open_config(cluster, user, &err);

	get(k, g, path);
	kube_free(k);
}

__attribute__((unused)) static void
refused(const char *cluster, const char *user, const char *want)
{
	struct err err;
	struct kube *k = open_config(cluster, user, &err);

	is(err.message, fill(want), want);
	ok(k == NULL && err.kind == ERR_PERMANENT, "permanent");
	kube_free(k);
}

/* The value of a request header, as the server saw it. */
__attribute__((unused)) static void
header_is(const struct got *g, const char *name, const char *want)
{
	struct span v = json_get(json_get(span_str(g->body), "headers"), name);
	char *text = v.p != NULL ? mem_dup(v.p, v.n) : NULL;

	is(text, want, name);
	free(text);
}

__attribute__((unused)) static void
begin(void)
{
	server_prepare();
	server = server_start(
	    in_dir("server.crt"), in_dir("server.key"), in_dir("ca.crt"));
	loop = loop_new();
}

/* Returns the exit code of main. */
__attribute__((unused)) static int
finish(void)
{
	loop_free(loop);
	server_stop(&server);
	scratch_remove();
	return tap_done();
}

#endif
