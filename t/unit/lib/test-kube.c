/* kube: credentials, trust, plugins, against a TLS server of our own. */
#include "kube/kube.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "json/json.h"
#include "process/clock.h"
#include "httpserver.h"
#include "tap.h"

#ifdef __aarch64__
#define ARCH "arm64"
#else
#define ARCH "amd64"
#endif

static struct loop *loop;
static struct server server;

struct got {
	int calls;
	int code;
	char *body, *message, *etag;
	enum err_kind kind;
	int64_t retry_after_ms;
};

static void
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

static void
release(struct got *g)
{
	free(g->body);
	free(g->message);
	free(g->etag);
	*g = (struct got){0};
}

static void
wait_for(const struct got *g)
{
	uint64_t end = clock_ms() + 20000;

	while (g->calls == 0 && clock_ms() < end)
		loop_once(loop, 1000);
}

static void
ask(struct kube *k, struct got *g, const struct kube_request *r)
{
	release(g);
	kube_start(k, r, on_done, g);
	ok(g->calls == 0, "done is not called from kube_start");
	wait_for(g);
}

static void
get(struct kube *k, struct got *g, const char *path)
{
	struct kube_request r = {.verb = KUBE_GET, .path = path};

	ask(k, g, &r);
}

/* PORT and DIR in a text, replaced. */
static const char *
fill(const char *text)
{
	static struct buf b;

	buf_reset(&b);
	while (*text != '\0') {
		if (strncmp(text, "PORT", 4) == 0) {
			buf_addf(&b, "%d", server.port);
			text += 4;
		} else if (strncmp(text, "DIR", 3) == 0) {
			buf_adds(&b, server_dir);
			text += 3;
		} else {
			buf_addc(&b, *text++);
		}
	}
	return buf_str(&b);
}

static void
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

static const char trusted[] =
    "server: 'https://127.0.0.1:PORT', certificate-authority: ca.crt";

static struct kube *
open_config(const char *cluster, const char *user, struct err *err)
{
	struct kube_opts o = {.kubeconfig = in_dir("config")};

	*err = (struct err)ERR_INIT;
	put_config(cluster, user);
	return kube_open(loop, &o, "tester", err);
}

static void
refused(const char *cluster, const char *user, const char *want)
{
	struct err err;
	struct kube *k = open_config(cluster, user, &err);

	is(err.message, fill(want), want);
	ok(k == NULL && err.kind == ERR_PERMANENT, "permanent");
	kube_free(k);
}

/* The value of a request header, as the server saw it. */
static void
header_is(const struct got *g, const char *name, const char *want)
{
	struct span v = json_get(json_get(span_str(g->body), "headers"), name);
	char *text = v.p != NULL ? mem_dup(v.p, v.n) : NULL;

	is(text, want, name);
	free(text);
}

static void
test_requests(void)
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

#define FOR_ANOTHER(name)                                               \
	"the certificate of https://localhost:PORT is not trusted: no " \
	"alternative certificate subject name matches target " name     \
	" 'localhost' (it was checked with the certificate-authority "  \
	"DIR/ca.crt)"

static void
test_trust(void)
{
	struct err err;
	struct got g = {0};
	struct kube *k = open_config(
	    "server: 'https://127.0.0.1:PORT', certificate-authority: "
	    "other-ca.crt",
	    "token: t", &err);

	get(k, &g, "/who");
	is(g.message,
	    fill("the certificate of https://127.0.0.1:PORT is not trusted: "
		 "self-signed certificate in certificate chain (it was checked "
		 "with the certificate-authority DIR/other-ca.crt)"),
	    "a wrong CA");
	ok(g.kind == ERR_PERMANENT && g.code == 0, "is permanent");
	kube_free(k);

	k = open_config(
	    "server: 'https://localhost:PORT', certificate-authority: ca.crt",
	    "token: t", &err);
	get(k, &g, "/who");
	is(g.message,
	    fill(strstr(g.message, "hostname") == NULL
		    ? FOR_ANOTHER("host name")
		    : FOR_ANOTHER("hostname")), /* libcurl 8 */
	    "a certificate for another name");
	kube_free(k);

	k = open_config(
	    "server: 'https://localhost:PORT', certificate-authority: ca.crt, "
	    "tls-server-name: kube.test",
	    "token: t", &err);
	get(k, &g, "/who");
	ok(g.code == 200, "tls-server-name");
	header_is(&g, "host", fill("[\"localhost:PORT\"]"));
	kube_free(k);

	k = open_config("server: 'https://127.0.0.1:PORT', "
			"insecure-skip-tls-verify: true",
	    "username: jane, password: pw", &err);
	get(k, &g, "/who");
	ok(g.code == 200, "insecure-skip-tls-verify");
	header_is(&g, "authorization", "[\"Basic amFuZTpwdw==\"]");
	kube_free(k);

	k = open_config("server: 'http://127.0.0.1:PORT'", "token: t", &err);
	get(k, &g, "/who");
	ok(g.code == 0 && g.kind == ERR_TRANSIENT, "http to a TLS server");
	kube_free(k);
	release(&g);
}

static void
test_plain_http(void)
{
	struct err err;
	struct got g = {0};
	struct server plain = server_start(NULL, NULL, NULL), tls = server;
	struct kube *k;

	server = plain;
	k = open_config("server: 'http://127.0.0.1:PORT'", "token: t", &err);
	get(k, &g, "/who");
	ok(g.code == 200, "http works");
	header_is(&g, "authorization", NULL);
	kube_free(k);
	release(&g);
	server_stop(&plain);
	server = tls;
}

static void
test_certificates(void)
{
	struct err err;
	struct got g = {0};
	struct kube *k = open_config(trusted,
	    "client-certificate: client.crt, client-key: client.key", &err);

	get(k, &g, "/who");
	ok(strstr(g.body, "\"peer\": \"tester\"") != NULL,
	    "a client certificate");
	kube_free(k);
	release(&g);
	refused(trusted,
	    "client-certificate: expired.crt, client-key: expired.key",
	    "DIR/expired.crt: user \"u\": the client certificate expired on "
	    "2020-01-02T03:04:05Z");
	refused(trusted,
	    "client-certificate: client.crt, client-key: expired.key",
	    "DIR/client.crt: user \"u\": the client key does not belong to the "
	    "client certificate");
	refused(trusted,
	    "client-certificate: client.key, client-key: client.key",
	    "DIR/client.key: user \"u\": the client certificate is not a PEM "
	    "certificate");
	refused(trusted, "client-certificate: client.crt, client-key: ca.crt",
	    "DIR/client.crt: user \"u\": the client key is not an unencrypted "
	    "PEM "
	    "key");
	refused(trusted, "client-certificate: nothing.crt, client-key: ca.crt",
	    "cannot read DIR/nothing.crt: No such file or directory");
	refused(trusted, "client-certificate-data: aGk=, client-key: ca.key",
	    "DIR/config: user \"u\": the client certificate is not a PEM "
	    "certificate");
	refused("server: 'https://x', certificate-authority: ca.key",
	    "token: t",
	    "DIR/ca.key: certificate-authority: there is no PEM certificate");
}

static void
copy_file(const char *from, const char *to)
{
	char text[4096] = "";
	FILE *f = fopen(in_dir(from), "r");

	if (f == NULL || fread(text, 1, sizeof(text) - 1, f) == 0)
		abort();
	fclose(f);
	put_file(to, text);
}

/* A new certificate needs new connections. */
static void
test_new_certificate(void)
{
	struct err err;
	struct got g = {0}, slow = {0};
	struct kube_request r = {.verb = KUBE_GET, .path = "/drip"};
	struct kube *k;

	copy_file("client.crt", "mine.crt");
	copy_file("client.key", "mine.key");
	k = open_config(trusted,
	    "client-certificate: mine.crt, client-key: mine.key", &err);
	get(k, &g, "/second");
	is(g.message,
	    fill("who?: https://127.0.0.1:PORT does not accept user \"u\" of "
		 "DIR/config"),
	    "the first certificate is refused");
	kube_start(k, &r, on_done, &slow);
	copy_file("client2.crt", "mine.crt");
	copy_file("client2.key", "mine.key");
	get(k, &g, "/second");
	ok(g.code == 200, "a 401 has the files read again");
	wait_for(&slow);
	ok(slow.code == 200, "requests over the old connection end well");
	put_file("mine.crt", "half a certif");
	get(k, &g, "/nothing");
	get(k, &g, "/good");
	get(k, &g, "/second");
	ok(g.code == 200, "what cannot be read stays as it was");
	kube_free(k);
	release(&g);
	release(&slow);
}

static void
test_proxy(void)
{
	struct err err;
	struct got g = {0};
	struct server proxy = server_start(NULL, NULL, NULL), tls = server;
	struct buf cluster = BUF_INIT;
	struct kube *k;

	setenv("no_proxy", "*", 1);
	buf_addf(&cluster, "%s, proxy-url: 'http://127.0.0.1:%d'", trusted,
	    proxy.port);
	k = open_config(buf_str(&cluster), "token: good", &err);
	get(k, &g, "/good");
	ok(g.code == 200, "through proxy-url");
	kube_free(k);
	server = proxy;
	k = open_config("server: 'http://127.0.0.1:PORT'", "", &err);
	get(k, &g, "/proxied");
	is(g.body, "1", "really, and whatever no_proxy says");
	kube_free(k);
	server = tls;
	setenv("https_proxy", "http://127.0.0.1:1", 1);
	unsetenv("no_proxy");
	k = open_config(trusted, "token: good", &err);
	get(k, &g, "/good");
	ok(g.code == 200, "a loopback address needs no proxy");
	kube_free(k);
	buf_reset(&cluster);
	buf_addf(&cluster, "http://127.0.0.1:%d", proxy.port);
	setenv("https_proxy", buf_str(&cluster), 1);
	k = open_config("server: 'https://127.evil.example'", "", &err);
	get(k, &g, "/good");
	kube_free(k);
	server = proxy;
	k = open_config("server: 'http://127.0.0.1:PORT'", "", &err);
	get(k, &g, "/proxied");
	is(g.body, "2", "a name that begins like one does");
	kube_free(k);
	server = tls;
	unsetenv("https_proxy");
	server_stop(&proxy);
	release(&g);
	buf_release(&cluster);
}

static void
test_token_file(void)
{
	struct err err;
	struct got g = {0};
	struct kube *k;

	put_file("token", "  good \n");
	k = open_config(trusted, "tokenFile: token", &err);
	get(k, &g, "/good");
	ok(g.code == 200, "a token file, trimmed");
	put_file("token", "bad");
	get(k, &g, "/good");
	ok(g.code == 200, "is not read each time");
	kube_free(k);

	k = open_config(trusted, "tokenFile: token", &err);
	put_file("token", "good");
	get(k, &g, "/good");
	ok(g.code == 200, "a 401 has it read again, and the request repeated");
	put_file("token", "bad");
	kube_free(k);
	k = open_config(trusted, "tokenFile: token", &err);
	get(k, &g, "/good");
	ok(g.code == 401 && g.kind == ERR_PERMANENT, "once");
	is(g.message,
	    fill("Unauthorized: https://127.0.0.1:PORT does not accept the "
		 "token in DIR/token"),
	    "then it fails");
	kube_free(k);
	release(&g);

	refused(trusted, "tokenFile: nowhere",
	    "cannot read DIR/nowhere: No such file or directory");
	put_file("token", " \n");
	refused(trusted, "tokenFile: token", "DIR/token holds no token");
	put_file("token", "a\nb");
	refused(
	    trusted, "tokenFile: token", "DIR/token holds more than a token");
	k = open_config(trusted, "tokenFile: nowhere, token: good", &err);
	get(k, &g, "/good");
	ok(g.code == 200, "a token beside an unreadable file");
	kube_free(k);
	release(&g);
}

/* ---- plugins ---- */

static void
put_plugin(const char *script)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "#!/bin/sh\n%s\n", script);
	put_file("plugin", buf_str(&b));
	buf_release(&b);
	if (chmod(in_dir("plugin"), 0700) != 0)
		abort();
}

#define EXEC                                                             \
	"exec: {apiVersion: client.authentication.k8s.io/v1, command: "  \
	"./plugin, interactiveMode: Never, args: [a1], env: [{name: V, " \
	"value: w}], provideClusterInfo: true}"

static const char prints_token[] =
    "cat <<END\n"
    "{\"apiVersion\": \"client.authentication.k8s.io/v1\",\n"
    " \"kind\": \"ExecCredential\", \"status\": {\"token\": "
    "\"$(cat ${0%/*}/secret)\"}}\n"
    "END";

static void
test_plugin(void)
{
	struct err err;
	struct got g = {0}, h = {0};
	struct kube_request r = {.verb = KUBE_GET, .path = "/good"};
	struct kube *k;

	put_file("secret", "good");
	put_plugin(prints_token);
	k = open_config(trusted, EXEC, &err);
	kube_start(k, &r, on_done, &h);
	get(k, &g, "/good");
	wait_for(&h);
	ok(g.code == 200 && h.code == 200, "requests wait for the plugin");
	put_file("secret", "worse");
	get(k, &g, "/good");
	ok(g.code == 200, "it runs once");
	kube_free(k);

	/* What it is told. */
	put_plugin("printf '%s\\n' \"$1 $V $KUBERNETES_EXEC_INFO\" "
		   ">${0%/*}/told; cat >>${0%/*}/told; exit 3");
	k = open_config(
	    "server: 'https://127.0.0.1:PORT', tls-server-name: kube.test, "
	    "insecure-skip-tls-verify: true, extensions: [{name: "
	    "client.authentication.k8s.io/exec, extension: {aud: x}}]",
	    EXEC, &err);
	get(k, &g, "/good");
	is(g.message,
	    fill("DIR/config: user \"u\": the exec plugin \"DIR/./plugin\" "
		 "failed with exit code 3"),
	    "a plugin that fails");
	ok(g.kind == ERR_PERMANENT, "and never worked: permanent");
	kube_free(k);
	release(&g);
	release(&h);
	{
		char told[1024] = "";
		FILE *f = fopen(in_dir("told"), "r");

		if (f == NULL || fread(told, 1, sizeof(told) - 1, f) == 0)
			abort();
		fclose(f);
		is(told,
		    fill("a1 w {\"kind\":\"ExecCredential\",\"apiVersion\":"
			 "\"client.authentication.k8s.io/v1\",\"spec\":{"
			 "\"interactive\":false,\"cluster\":{\"server\":"
			 "\"https://127.0.0.1:PORT\",\"tls-server-name\":"
			 "\"kube.test\",\"insecure-skip-tls-verify\":true,"
			 "\"config\":{\"aud\":\"x\"}}}}\n"),
		    "arguments, environment, cluster, no stdin");
	}
}

static void
plugin_fails(const char *script, const char *want)
{
	struct err err;
	struct got g = {0};
	struct kube *k;
	struct buf b = BUF_INIT;

	buf_addf(&b,
	    "DIR/config: user \"u\": the exec plugin \"DIR/./plugin\" %s",
	    want);
	put_plugin(script);
	k = open_config(trusted, EXEC, &err);
	get(k, &g, "/good");
	is(g.message, fill(buf_str(&b)), want);
	kube_free(k);
	release(&g);
	buf_release(&b);
}

static void
test_bad_plugins(void)
{
	struct err err;
	struct got g = {0};
	struct kube *k;

	plugin_fails("kill -9 $$", "was killed by signal 9");
	plugin_fails("echo token", "printed no JSON");
	plugin_fails("echo '{\"kind\":\"ExecCredential\",\"apiVersion\":"
		     "\"client.authentication.k8s.io/v1beta1\"}'",
	    "printed no ExecCredential of client.authentication.k8s.io/v1");
	plugin_fails("echo '{\"kind\":\"ExecCredential\",\"apiVersion\":"
		     "\"client.authentication.k8s.io/v1\",\"status\":{}}'",
	    "printed neither token nor client certificate");
	plugin_fails(
	    "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":"
	    "\"client.authentication.k8s.io/v1\",\"status\":{\"token\":\"a\","
	    "\"expirationTimestamp\":\"tomorrow\"}}'",
	    "printed an expirationTimestamp that is not a time");
	plugin_fails("printf %s '{\"kind\":\"ExecCredential\",\"apiVersion\":"
		     "\"client.authentication.k8s.io/v1\",\"status\":{"
		     "\"token\":\"a\\r\\nb: c\"}}'",
	    "printed a token with characters that no token has");
	plugin_fails("yes", "printed more than 1048576 bytes");
	k = open_config(trusted,
	    "exec: {apiVersion: client.authentication.k8s.io/v1, command: "
	    "no-such-plugin, interactiveMode: IfAvailable, installHint: buy "
	    "it}",
	    &err);
	get(k, &g, "/good");
	is(g.message,
	    fill("DIR/config: user \"u\": the exec plugin \"no-such-plugin\" "
		 "cannot be started: No such file or directory (buy it)"),
	    "a plugin that is not there");
	kube_free(k);
	release(&g);
}

/* An expired credential is fetched anew before it is used; the certificate
 * changes with it, and with that the connections. */
static void
test_plugin_expiry(void)
{
	struct err err;
	struct got g = {0};
	struct kube *k;

	put_file("secret", "first");
	put_plugin("cat <<END\n"
		   "{\"apiVersion\": \"client.authentication.k8s.io/v1\",\n"
		   " \"kind\": \"ExecCredential\", \"status\": {\"token\": "
		   "\"$(cat ${0%/*}/secret)\", \"expirationTimestamp\": "
		   "\"2020-01-01T00:00:00Z\"}}\n"
		   "END");
	k = open_config(trusted, EXEC, &err);
	get(k, &g, "/good");
	kube_free(k);
	ok(g.code == 401, "an expired one is tried, and no endless loop");
	release(&g);

	put_plugin("jq=${0%/*}/client\n"
		   "one() { awk '{printf \"%s\\\\n\", $0}' $1; }\n"
		   "cat <<END\n"
		   "{\"apiVersion\": \"client.authentication.k8s.io/v1\",\n"
		   " \"kind\": \"ExecCredential\", \"status\": {"
		   "\"clientCertificateData\": \"$(one $jq.crt)\", "
		   "\"clientKeyData\": \"$(one $jq.key)\"}}\n"
		   "END");
	k = open_config(trusted, EXEC, &err);
	get(k, &g, "/who");
	ok(g.code == 200 && strstr(g.body, "\"peer\": \"tester\"") != NULL,
	    "a certificate from a plugin");
	kube_free(k);
	release(&g);
}

/* What requests of paths log. */
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

/* Each text once, whoever asks. */
static void
test_warnings(void)
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
static void
test_hidden(void)
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
	k = open_config(trusted, "username: u, password: secret-word", &err);
	get(k, &g, "/tells");
	is(g.message, "Basic (hidden), Basic (hidden)",
	    "... or name and password");
	kube_free(k);
	release(&g);
}

static void
test_cancel(void)
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

/* A leash as kelect makes it; its page is in *page. */
static void
make_leash(struct leash *l, struct leash_ends *ends, _Atomic uint64_t **page)
{
	struct buf b = BUF_INIT;
	struct err err;

	leash_make(ends, &err);
	*page = leash_map(ends->page_fd, &err);
	**page = leash_now_ns() + 60000000000u;
	leash_env(&b, ends->read_fd, ends->page_fd);
	setenv(LEASH_ENV, buf_str(&b) + sizeof(LEASH_ENV), 1);
	leash_from_env(l, &err);
	unsetenv(LEASH_ENV);
	ends->read_fd = ends->page_fd = -1; /* they are the leash's now */
	buf_release(&b);
	outs = 0;
	leash_watch(l, loop, on_out, NULL);
}

static void
test_leash(void)
{
	static const char over[] =
	    "the leadership is over: kelect has not renewed it";
	struct err err;
	struct leash leash;
	struct leash_ends ends;
	_Atomic uint64_t *page;
	struct kube *k = open_config(trusted, "token: t", &err);
	struct kube_request write = {
	    .verb = KUBE_APPLY, .path = "/who", .body = span_str("{}")};

	make_leash(&leash, &ends, &page);
	kube_hold(k, &leash);
	kube_start(k, &write, on_done, &held);
	/* It waits for its connection; kelect is stopped meanwhile. */
	*page = LEASH_OVER;
	wait_for(&held);
	is(held.message, over, "a write that waited too long is not sent");
	ok(held.kind == ERR_TRANSIENT && held.code == 0, "... it has failed");
	ok(outs == 1, "... after the leash was said to be out");
	ask(k, &held, &write);
	is(held.message, over, "a write after that is not begun");
	get(k, &held, "/who");
	ok(held.code == 200, "reading goes on");
	kube_free(k);
	leash_release(&leash);
	make_leash(&leash, &ends, &page);
	k = open_config(trusted, "token: t", &err);
	kube_hold(k, &leash);
	ask(k, &held, &write);
	ok(held.code == 200, "a write while leading is sent");
	kube_free(k);
	leash_release(&leash);
	leash_close(&ends);
	release(&held);
}

static void
test_paths(void)
{
	struct buf b = BUF_INIT;
	struct kube_backoff back = {0};
	bool fits = true;

	buf_adds(&b, "/api/v1");
	kube_path_add(&b, span_str("a b/c%:d"));
	kube_query_add(&b, "limit", span_str("5"));
	kube_query_add(&b, "fieldSelector", span_str("metadata.name=x,y!=z"));
	is(buf_str(&b),
	    "/api/v1/a%20b%2Fc%25%3Ad?limit=5&fieldSelector="
	    "metadata.name%3Dx%2Cy%21%3Dz",
	    "paths and queries are escaped");
	buf_release(&b);
	for (int i = 0; i < 50; i++) {
		uint64_t d = i < 6 ? 100u << i : 5000;
		uint64_t got = kube_backoff_next(&back, 100, 5000);

		fits = fits && got >= (d > 5000 ? 5000 : d) && got <= 2 * d;
	}
	ok(fits, "back-off doubles to its limit, with jitter");
}

int
main(void)
{
	server_prepare();
	server = server_start(
	    in_dir("server.crt"), in_dir("server.key"), in_dir("ca.crt"));
	loop = loop_new();
	test_requests();
	test_trust();
	test_plain_http();
	test_certificates();
	test_new_certificate();
	test_proxy();
	test_token_file();
	test_plugin();
	test_bad_plugins();
	test_plugin_expiry();
	test_warnings();
	test_hidden();
	test_cancel();
	test_leash();
	test_paths();
	loop_free(loop);
	server_stop(&server);
	server_remove();
	return tap_done();
}
