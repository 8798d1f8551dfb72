/* kubeconfig: merging, contexts, the service account, refusals. */
#include "kubeconfig/kubeconfig.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "scratch.h"
#include "tap.h"

static const char good[] =
    "apiVersion: v1\n"
    "kind: Config\n"
    "current-context: one\n"
    "clusters:\n"
    "- name: c1\n"
    "  cluster:\n"
    "    server: https://one:6443/prefix/\n"
    "    certificate-authority: ca/one.crt\n"
    "    tls-server-name: other\n"
    "    proxy-url: socks5://p:1\n"
    "- {name: c2, cluster: {server: 'https://two', "
    "insecure-skip-tls-verify: true}}\n"
    "users:\n"
    "- name: u1\n"
    "  user:\n"
    "    token: secret\n"
    "    tokenFile: token\n"
    "    as: jane\n"
    "    as-uid: '7'\n"
    "    as-groups: [devs, ops]\n"
    "    as-user-extra: {\"acme.com/Project\": [a, b]}\n"
    "- name: u2\n"
    "  user:\n"
    "    client-certificate-data: UEVN\n"
    "    client-key: /abs/key\n"
    "- name: u3\n"
    "  user:\n"
    "    exec:\n"
    "      apiVersion: client.authentication.k8s.io/v1\n"
    "      command: ./bin/login\n"
    "      args: [--as, 1]\n"
    "      env: [{name: A, value: b}]\n"
    "      interactiveMode: Never\n"
    "      provideClusterInfo: true\n"
    "contexts:\n"
    "- {name: one, context: {cluster: c1, user: u1, namespace: ns1}}\n"
    "- {name: two, context: {cluster: c2, user: u2}}\n"
    "- {name: three, context: {cluster: c1, user: u3}}\n"
    "- {name: nouser, context: {cluster: c1, user: nobody}}\n"
    "- {name: nocluster, context: {cluster: nowhere, user: u1}}\n"
    "- {name: empty, context: {}}\n";

static struct kubeconfig *
load(const char *file, const char *context, struct err *err)
{
	struct kube_opts o = {.kubeconfig = file, .context = context};

	*err = (struct err)ERR_INIT;
	return kubeconfig_load(&o, err);
}

TEST(contexts)
{
	struct err err;
	struct kubeconfig *c = load("good", NULL, &err);

	is(c->server, "https://one:6443/prefix", "server without last slash");
	is(c->ca_file, "ca/one.crt", "a path beside the file");
	is(c->tls_server_name, "other", "tls-server-name");
	is(c->proxy_url, "socks5://p:1", "proxy-url");
	is(c->namespace_, "ns1", "namespace of the context");
	is(c->token, "secret", "token");
	is(c->token_file, "token", "tokenFile");
	ok(c->impersonate.count == 6, "impersonation");
	is(c->impersonate.items[0], "Impersonate-User: jane", "user");
	is(c->impersonate.items[1], "Impersonate-Uid: 7", "uid");
	is(c->impersonate.items[3], "Impersonate-Group: ops", "group");
	is(c->impersonate.items[5], "Impersonate-Extra-acme.com%2FProject: b",
	    "extra");
	kubeconfig_free(c);
	c = load("good", "two", &err);
	ok(c->insecure, "insecure-skip-tls-verify");
	is(c->cert_pem, "PEM", "decoded data");
	is(c->key_file, "/abs/key", "an absolute path");
	is(c->namespace_, "default", "default namespace");
	kubeconfig_free(c);
	c = load("sub/../good", "three", &err);
	is(c->exec->command, "sub/.././bin/login", "a command beside the file");
	is(c->exec->args.items[1], "1", "arguments are texts");
	is(c->exec->env.items[0], "A=b", "environment");
	ok(c->exec->provide_cluster_info &&
		c->exec->interactive == KUBECONFIG_STDIN_NEVER,
	    "the rest of exec");
	kubeconfig_free(c);
}

TEST(options)
{
	struct kube_opts o = {.kubeconfig = "good",
	    .context = "two",
	    .namespace_ = "n",
	    .server = "http://x:1/",
	    .token_file = "t",
	    .certificate_authority = "ca"};
	struct err err = ERR_INIT;
	struct kubeconfig *c = kubeconfig_load(&o, &err);

	is(c->server, "http://x:1", "--server");
	is(c->namespace_, "n", "-n");
	is(c->ca_file, "ca", "--certificate-authority");
	ok(!c->insecure, "takes the place of insecure-skip-tls-verify");
	is(c->token_file, "t", "--token-file");
	ok(c->cert_pem == NULL && c->key_file == NULL,
	    "takes the place of all other credentials");
	kubeconfig_free(c);
}

TEST(merge)
{
	struct kube_opts o = {0};
	struct err err = ERR_INIT;
	struct kubeconfig *c;

	put_file("first",
	    "clusters:\n"
	    "- {name: c1, cluster: {server: 'https://first'}}\n"
	    "users: [{name: u9, user: {token: t9}}]\n"
	    "contexts: null\n");
	put_file("empty", "");
	setenv("KUBECONFIG", "missing:empty:first::first:good", 1);
	c = kubeconfig_load(&o, &err);
	is(c->server, "https://first", "the first file wins");
	ok(c->ca_file == NULL && c->tls_server_name == NULL, "whole");
	is(c->token, "secret", "the rest comes from others");
	is(c->context, "one", "so does current-context");
	kubeconfig_free(c);
}

TEST(service_account)
{
	struct kube_opts o = {.service_account_dir = "account"};
	struct err err = ERR_INIT;
	struct kubeconfig *c;

	setenv("KUBECONFIG", "missing", 1);
	ok(kubeconfig_load(&o, &err) == NULL, "nothing is known");
	is(err.message,
	    "no API server is known: $KUBECONFIG is missing, which does not "
	    "exist, and this is not a pod (KUBERNETES_SERVICE_HOST is not set)",
	    "and it says so: a file that does not exist");
	setenv("KUBECONFIG", "", 1);
	setenv("HOME", "missing", 1);
	ok(kubeconfig_load(&o, &err) == NULL, "an empty variable");
	is(err.message,
	    "no API server is known: no --kubeconfig, no $KUBECONFIG, no "
	    "~/.kube/config, and this is not a pod (KUBERNETES_SERVICE_HOST is "
	    "not set)",
	    "... counts as none");
	setenv("KUBECONFIG", "missing:empty", 1);
	put_file("account/namespace", "ns9\n");
	setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
	setenv("KUBERNETES_SERVICE_PORT", "443", 1);
	c = kubeconfig_load(&o, &err);
	is(c->server, "https://[fd00::1]:443", "IPv6 in brackets");
	is(c->token_file, "account/token", "token");
	is(c->ca_file, "account/ca.crt", "CA");
	is(c->namespace_, "ns9", "namespace file");
	kubeconfig_free(c);
	setenv("POD_NAMESPACE", "podns", 1);
	setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1", 1);
	c = kubeconfig_load(&o, &err);
	is(c->server, "https://10.0.0.1:443", "IPv4");
	is(c->namespace_, "podns", "POD_NAMESPACE first");
	kubeconfig_free(c);
	unsetenv("KUBECONFIG");
	setenv("HOME", ".", 1);
	c = kubeconfig_load(&o, &err);
	is(c->server, "https://one:6443/prefix", "~/.kube/config before it");
	kubeconfig_free(c);
	unsetenv("KUBERNETES_SERVICE_HOST");
}

static void
refused(const char *text, const char *context, const char *want)
{
	struct err err;
	struct kubeconfig *c;

	if (text != NULL)
		put_file("bad", text);
	c = load(text != NULL ? "bad" : "good", context, &err);
	is(err.message, want, want);
	ok(c == NULL && err.kind == ERR_PERMANENT, "permanent");
}

TEST(refusals)
{
	static const struct {
		const char *text, *context, *want; /* text NULL: the good one */
	} cases[] = {
	    {"a: [\n", NULL,
		"bad:2: did not find expected node content while parsing a "
		"flow node"},
	    {"text\n", NULL, "bad:1: not a kubeconfig: a mapping is expected"},
	    {NULL, "four", "good: there is no context named \"four\""},
	    {NULL, "nouser", "good:38: there is no user named \"nobody\""},
	    {NULL, "nocluster",
		"good:39: there is no cluster named \"nowhere\""},
	    {NULL, "empty",
		"good: the context \"empty\" has no cluster with a server"},
	    {"clusters: []\n", NULL,
		"bad: there is no current-context, and --context names none"},
	    {"current-context: [x]\n", NULL,
		"bad:1: current-context must be a text"},
	    {"current-context: x\ncontexts: {}\n", NULL,
		"bad:2: contexts must be a list"},
	    {"current-context: x\ncontexts: [{name: x, context: 1}]\n", NULL,
		"bad:2: context must be a mapping"},
	};
	struct err err;

	ok(kubeconfig_load(
	       &(struct kube_opts){.kubeconfig = "good", .server = "hello"},
	       &err) == NULL,
	    "an option that is wrong, beside a file");
	is(err.message,
	    "option --server: the server \"hello\" must start with https:// or "
	    "http://",
	    "... is named itself");
	load("missing", NULL, &err);
	is(err.message, "cannot read missing: No such file or directory",
	    "a missing file");
	for (size_t i = 0; i < COUNT(cases); i++)
		refused(cases[i].text, cases[i].context, cases[i].want);
}

/* Fields of the cluster, or of the user, which begin in line 5. */
TEST(refused_fields)
{
	static const struct {
		const char *cluster, *user, *want;
	} cases[] = {
	    {"server: 'x:1'", "",
		": the server \"x:1\" must start with https:// or http://"},
	    {"server: 'https://u:p@x:1'", "",
		": the server's address must hold no user and password"},
	    {"server: 'https://x',\ninsecure-skip-tls-verify: maybe", "",
		":4: insecure-skip-tls-verify must be true or false"},
	    {"\ncertificate-authority-data: '***'", "",
		":4: certificate-authority-data is not base64"},
	    {"\ncertificate-authority: f, insecure-skip-tls-verify: true", "",
		":3: insecure-skip-tls-verify and certificate-authority are "
		"both given"},
	    {NULL, "client-key: k, client-key-data: aGk=",
		":5: client-key and client-key-data are both given"},
	    {NULL, "client-key: k",
		":4: client-key is given without client-certificate"},
	    {NULL, "token: t, username: u",
		":4: token and username are both given"},
	    {NULL, "as-groups: [g]",
		":4: as-uid, as-groups and as-user-extra need \"as\""},
	    {NULL, "as: \"a\\r\\nb: c\"",
		":5: a line break is not allowed here"},
	    {NULL, "as: {}", ":5: a text is expected"},
	    {NULL, "auth-provider: {name: gcp}",
		":5: auth-provider is no longer supported, use exec"},
	    {NULL, "exec: {apiVersion: client.authentication.k8s.io/v1}",
		":5: exec needs a command"},
	    {NULL, "exec: {command: c, apiVersion: v1}",
		":5: exec needs apiVersion client.authentication.k8s.io/v1 or "
		"v1beta1"},
	    {NULL,
		"exec: {command: c, "
		"apiVersion: client.authentication.k8s.io/v1}",
		":5: exec needs interactiveMode: Never, IfAvailable or "
		"Always"},
	};
	struct buf b = BUF_INIT, want = BUF_INIT;

	for (size_t i = 0; i < COUNT(cases); i++) {
		buf_reset(&b);
		buf_reset(&want);
		buf_addf(&b,
		    "current-context: x\n"
		    "contexts: [{name: x, context: {cluster: c%s}}]\n"
		    "clusters: [{name: c, cluster: {%s}}]\n"
		    "users: [{name: u, user: {\n%s}}]\n",
		    cases[i].cluster == NULL ? ", user: u" : "",
		    cases[i].cluster == NULL ? "server: 'https://x'"
					     : cases[i].cluster,
		    cases[i].user);
		buf_addf(&want, "bad%s", cases[i].want);
		refused(buf_str(&b), NULL, buf_str(&want));
	}
	buf_release(&b);
	buf_release(&want);
}

int
main(void)
{
	unsetenv("KUBERNETES_SERVICE_HOST");
	unsetenv("POD_NAMESPACE");
	setenv("HOME", "/nowhere", 1);
	scratch_make();
	if (chdir(scratch) != 0 || system("mkdir account sub .kube") != 0)
		return 1;
	put_file("good", good);
	put_file(".kube/config", good);
	tap_run();
	scratch_remove();
	return tap_done();
}
