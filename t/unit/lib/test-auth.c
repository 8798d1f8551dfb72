/* auth: trust, certificates, tokens, plugins, against a TLS server of our own. */
#include "kubeconfig/auth.h"

#include <sys/stat.h>

#include "askkube.h"

#define FOR_ANOTHER(name)                                               \
	"the certificate of https://localhost:PORT is not trusted: no " \
	"alternative certificate subject name matches target " name     \
	" 'localhost' (it was checked with the certificate-authority "  \
	"DIR/ca.crt)"

TEST(trust)
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

	try("server: 'https://localhost:PORT', certificate-authority: ca.crt",
	    "token: t", &g, "/who");
	is(g.message,
	    fill(strstr(g.message, "hostname") == NULL
		    ? FOR_ANOTHER("host name")
		    : FOR_ANOTHER("hostname")), /* libcurl 8 */
	    "a certificate for another name");

	try("server: 'https://localhost:PORT', certificate-authority: ca.crt, "
	    "tls-server-name: kube.test",
	    "token: t", &g, "/who");
	ok(g.code == 200, "tls-server-name");
	header_is(&g, "host", fill("[\"localhost:PORT\"]"));

	try("server: 'https://127.0.0.1:PORT', "
	    "insecure-skip-tls-verify: true",
	    "username: jane, password: pw", &g, "/who");
	ok(g.code == 200, "insecure-skip-tls-verify");
	header_is(&g, "authorization", "[\"Basic amFuZTpwdw==\"]");

	try("server: 'http://127.0.0.1:PORT'", "token: t", &g, "/who");
	ok(g.code == 0 && g.kind == ERR_TRANSIENT, "http to a TLS server");
	release(&g);
}

TEST(certificates)
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
TEST(new_certificate)
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

TEST(token_file)
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
	try(trusted, "tokenFile: token", &g, "/good");
	ok(g.code == 401 && g.kind == ERR_PERMANENT, "once");
	is(g.message,
	    fill("Unauthorized: https://127.0.0.1:PORT does not accept the "
		 "token in DIR/token"),
	    "then it fails");
	release(&g);

	refused(trusted, "tokenFile: nowhere",
	    "cannot read DIR/nowhere: No such file or directory");
	put_file("token", " \n");
	refused(trusted, "tokenFile: token", "DIR/token holds no token");
	put_file("token", "a\nb");
	refused(
	    trusted, "tokenFile: token", "DIR/token holds more than a token");
	try(trusted, "tokenFile: nowhere, token: good", &g, "/good");
	ok(g.code == 200, "a token beside an unreadable file");
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

#define V1 "client.authentication.k8s.io/v1"
#define EXEC                                                              \
	"exec: {apiVersion: " V1 ", command: ./plugin, interactiveMode: " \
	"Never, args: [a1], env: [{name: V, value: w}], "                 \
	"provideClusterInfo: true}"
#define CREDENTIAL(status)                                        \
	"{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\"," \
	"\"status\":{" status "}}"
/* A text in which the shell replaces variables and commands. */
#define PRINTS(text) "cat <<END\n" text "\nEND"
#define TOKEN "\"token\":\"$(cat ${0%/*}/secret)\""

TEST(plugin)
{
	struct err err;
	struct got g = {0}, h = {0};
	struct kube_request r = {.verb = KUBE_GET, .path = "/good"};
	struct kube *k;

	put_file("secret", "good");
	put_plugin(PRINTS(CREDENTIAL(TOKEN)));
	k = open_config(trusted, EXEC, &err);
	kube_start(k, &r, on_done, &h);
	get(k, &g, "/good");
	wait_for(&h);
	ok(g.code == 200 && h.code == 200, "requests wait for the plugin");
	put_file("secret", "worse");
	get(k, &g, "/good");
	ok(g.code == 200, "it runs once");
	kube_free(k);

	/* The input of the plugin. */
	put_plugin("printf '%s\\n' \"$1 $V $KUBERNETES_EXEC_INFO\" "
		   ">${0%/*}/told; cat >>${0%/*}/told; exit 3");
	try("server: 'https://127.0.0.1:PORT', tls-server-name: kube.test, "
	    "insecure-skip-tls-verify: true, extensions: [{name: "
	    "client.authentication.k8s.io/exec, extension: {aud: x}}]",
	    EXEC, &g, "/good");
	is(g.message,
	    fill("DIR/config: user \"u\": the exec plugin \"DIR/./plugin\" "
		 "failed with exit code 3"),
	    "a plugin that fails");
	ok(g.kind == ERR_PERMANENT, "and never worked: permanent");
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
	struct got g = {0};
	struct buf b = BUF_INIT;

	buf_addf(&b,
	    "DIR/config: user \"u\": the exec plugin \"DIR/./plugin\" %s",
	    want);
	put_plugin(script);
	try(trusted, EXEC, &g, "/good");
	is(g.message, fill(buf_str(&b)), want);
	release(&g);
	buf_release(&b);
}

TEST(bad_plugins)
{
	struct got g = {0};

	plugin_fails("kill -9 $$", "was killed by signal 9");
	plugin_fails("echo token", "printed no JSON");
	plugin_fails("echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1
		     "beta1\"}'",
	    "printed no ExecCredential of " V1);
	plugin_fails("echo '" CREDENTIAL("") "'",
	    "printed neither token nor client certificate");
	plugin_fails(
	    "echo '" CREDENTIAL("\"token\":\"a\","
				"\"expirationTimestamp\":\"tomorrow\"") "'",
	    "printed an expirationTimestamp that is not a time");
	plugin_fails("printf %s '" CREDENTIAL("\"token\":\"a\\r\\nb: c\"") "'",
	    "printed a token with characters that no token has");
	plugin_fails("yes", "printed more than 1048576 bytes");
	try(trusted,
	    "exec: {apiVersion: " V1
	    ", command: no-such-plugin, interactiveMode: IfAvailable, "
	    "installHint: buy it}",
	    &g, "/good");
	is(g.message,
	    fill("DIR/config: user \"u\": the exec plugin \"no-such-plugin\" "
		 "cannot be started: No such file or directory (buy it)"),
	    "a plugin that is not there");
	release(&g);
}

/* An expired credential is fetched again before it is used; with it the
 * certificate changes, and so the connections are closed. */
TEST(plugin_expiry)
{
	struct got g = {0};

	put_file("secret", "first");
	put_plugin(PRINTS(CREDENTIAL(
	    TOKEN ",\"expirationTimestamp\":\"2020-01-01T00:00:00Z\"")));
	try(trusted, EXEC, &g, "/good");
	ok(g.code == 401, "an expired one is tried, and no endless loop");
	release(&g);

	put_plugin(
	    "one() { awk '{printf \"%s\\\\n\", $0}' ${0%/*}/client.$1; "
	    "}\n" PRINTS(CREDENTIAL("\"clientCertificateData\":\"$(one crt)\","
				    "\"clientKeyData\":\"$(one key)\"")));
	try(trusted, EXEC, &g, "/who");
	ok(g.code == 200 && strstr(g.body, "\"peer\": \"tester\"") != NULL,
	    "a certificate from a plugin");
	release(&g);
}

int
main(void)
{
	begin();
	tap_run();
	return finish();
}
