/*
 * kapi: a Kubernetes API server in one process. Reads the options, makes the
 * parts, loads and saves objects, and runs the loop.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "access.h"
#include "cluster.h"
#include "control/snapshot.h"
#include "envtest/envtest.h"
#include "httpd/cert.h"
#include "httpd/httpd.h"
#include "process/file.h"
#include "process/harden.h"
#include "process/log.h"
#include "process/opt.h"
#include "read/watch_hub.h"
#include "reply/faults.h"
#include "reply/journal.h"
#include "report/reportfd.h"
#include "request/accounts.h"
#include "request/origins.h"
#include "request/users.h"
#include "rights/rights.h"
#include "router.h"
#include "store/store.h"
#include "text/random.h"
#include "type/api.h"

enum tls_choice { TLS_AUTO, TLS_ON, TLS_OFF };
static const char *const tls_choices[] = {"auto", "on", "off", NULL};
enum controllers_choice { CONTROLLERS_ON, CONTROLLERS_OFF };
static const char *const controllers_choices[] = {"on", "off", NULL};
enum anonymous_choice { ANONYMOUS_TRUE, ANONYMOUS_FALSE };
static const char *const anonymous_choices[] = {"true", "false", NULL};

static struct opts {
	const char *listen, *kubeconfig_out, *load, *save, *faults, *journal,
	    *token_auth_file, *client_ca_file, *tls_cert_file, *tls_key_file;
	bool envtest, journal_changes;
	int tls, controllers, anonymous;
	uint64_t bookmark_ms;
	long report_fd, seed;
} o = {
    .listen = "127.0.0.1:0", .bookmark_ms = 60000, .report_fd = -1, .seed = -1};

static const struct opt table[] = {
    {0, "listen", "ADDR", OPT_STRING, &o.listen, NULL,
	"HOST:PORT; port 0 is a free one (127.0.0.1:0)"},
    {0, "kubeconfig-out", "FILE", OPT_STRING, &o.kubeconfig_out, NULL,
	"write how to get here, once requests are served"},
    {0, "load", "FILE", OPT_STRING, &o.load, NULL,
	"start with these objects: lines of kwatch, objects, Lists"},
    {0, "save", "FILE", OPT_STRING, &o.save, NULL,
	"write all objects as lines at the end"},
    {0, "token-auth-file", "FILE", OPT_STRING, &o.token_auth_file, NULL,
	"bearer tokens: token,user,uid,\"group1,group2\""},
    {0, "client-ca-file", "FILE", OPT_STRING, &o.client_ca_file, NULL,
	"clients may show a certificate that one of these (PEM) has signed"},
    {0, "anonymous-auth", "true|false", OPT_CHOICE, &o.anonymous,
	anonymous_choices, "requests may come without a credential (true)"},
    OPT_ROWS(accounts_opt_table), OPT_ROWS(rights_opt_table),
    OPT_ROWS(origins_opt_table),
    {0, "tls", "auto|on|off", OPT_CHOICE, &o.tls, tls_choices,
	"TLS; auto: unless on loopback and without tokens (auto)"},
    {0, "tls-cert-file", "FILE", OPT_STRING, &o.tls_cert_file, NULL,
	"the certificate for TLS (PEM), instead of one generated at the start"},
    {0, "tls-private-key-file", "FILE", OPT_STRING, &o.tls_key_file, NULL,
	"the key of that certificate (PEM)"},
    {0, "controllers", "on|off", OPT_CHOICE, &o.controllers,
	controllers_choices,
	"collect garbage, furnish and empty namespaces (on)"},
    {0, "bookmark-interval", "TIME", OPT_DURATION, &o.bookmark_ms, NULL,
	"between two bookmarks of a watch; 0: only before it ends (1m)"},
    {0, "envtest", NULL, OPT_FLAG, &o.envtest, NULL,
	"print the folder for KUBEBUILDER_ASSETS of envtest and exit"},
    {0, "faults", "FILE", OPT_STRING, &o.faults, NULL,
	"what shall go wrong, as JSON lines"},
    {0, "journal", "FILE", OPT_STRING, &o.journal, NULL,
	"append each request and its answer as a JSON line"},
    {0, "journal-changes", NULL, OPT_FLAG, &o.journal_changes, NULL,
	"... and each change of an object"},
    {0, "seed", "N", OPT_INT, &o.seed, NULL,
	"uids, generated names, addresses: the same for the same requests"},
    {0, "report-fd", "N", OPT_INT, &o.report_fd, NULL,
	"write a newline when ready, then counters, to this descriptor"},
    OPT_END};

static const struct opt_tool tool = {
    "kapi", "[OPTION]...", "Serve a Kubernetes API from memory.", table};

struct run {
	struct api api;
	struct access access;
	struct buf url;
	struct reportfd report;
	bool tls, rights;
};

static void
stop(void *arg, int signo)
{
	(void)signo;
	loop_stop(arg);
}

static void
count(void *arg, struct buf *b)
{
	const struct api *a = arg;
	uint64_t objects = 0;

	for (struct collection *c = NULL;
	     (c = store_next_collection(a->store, c)) != NULL;)
		objects += store_count(c);
	reportfd_count(b, "requests", a->requests);
	reportfd_count(b, "connections", httpd_connections(a->httpd));
	reportfd_count(b, "objects", objects);
}

static int
certificate(
    const struct run *r, struct buf *pem, struct buf *key, struct err *err)
{
	if (o.tls_cert_file == NULL)
		return cert_make(
		    "kapi", buf_span(&r->access.host), pem, key, err);
	if (file_read(o.tls_cert_file, 1, pem, err) != 0)
		return -1;
	return file_read(o.tls_key_file, 1, key, err);
}

/* Clear text, and clients without a credential, are allowed on loopback
 * only. */
static int
check_reach(struct run *r, struct err *err)
{
	bool loopback = access_is_loopback(buf_str(&r->access.host));

	/* Clients do not send tokens in clear text. */
	r->tls = o.tls == TLS_ON ||
	    (o.tls == TLS_AUTO &&
		(!loopback || r->api.users != NULL || o.tls_cert_file ||
		    o.client_ca_file));
	if (o.client_ca_file != NULL && !r->tls)
		return err_set(err, ERR_PERMANENT,
		    "option --client-ca-file: certificates need TLS");
	if (loopback && r->api.users != NULL && !r->tls)
		log_warning("option --tls: kubectl and the tools of kpipe send "
			    "no token without TLS: they are anonymous");
	if (loopback)
		return 0;
	if (r->api.users == NULL && o.client_ca_file == NULL)
		return err_set(err, ERR_PERMANENT,
		    "option --listen: %s is reached from elsewhere: that needs "
		    "--token-auth-file or --client-ca-file",
		    o.listen);
	if (!r->tls)
		return err_set(err, ERR_PERMANENT,
		    "option --listen: %s is reached from elsewhere: that needs "
		    "TLS",
		    o.listen);
	return 0;
}

/* Checks all options before anything runs. */
static int
prepare(struct run *r, struct err *err)
{
	struct api *a = &r->api;

	if (o.token_auth_file != NULL &&
	    (a->users = users_load(o.token_auth_file, err)) == NULL)
		return -1;
	if ((a->accounts = accounts_new(err)) == NULL ||
	    (a->origins = origins_new(err)) == NULL ||
	    rights_wanted(&r->rights, err) != 0)
		return -1;
	if ((o.tls_cert_file == NULL) != (o.tls_key_file == NULL))
		return err_set(err, ERR_PERMANENT,
		    "options --tls-cert-file and --tls-private-key-file: one "
		    "needs the other");
	a->bookmark_ms = o.bookmark_ms;
	a->no_anonymous = o.anonymous == ANONYMOUS_FALSE;
	a->certificates_only = o.client_ca_file != NULL && a->users == NULL;
	if (a->certificates_only && o.kubeconfig_out != NULL)
		return err_set(err, ERR_PERMANENT,
		    "option --kubeconfig-out: with --client-ca-file alone "
		    "there is no user for it: add --token-auth-file");
	if (access_host(o.listen, &r->access.host, err) != 0)
		return -1;
	a->host = buf_span(&r->access.host);
	if (check_reach(r, err) != 0)
		return -1;
	/* No client may use an old kubeconfig while kapi starts. */
	if (o.kubeconfig_out != NULL)
		access_forget(o.kubeconfig_out);
	a->faults = faults_new(a);
	if (o.faults != NULL && faults_load(a->faults, o.faults, err) != 0)
		return -1;
	if (o.journal_changes && o.journal == NULL)
		return err_set(err, ERR_PERMANENT,
		    "option --journal-changes: needs --journal");
	if (o.journal != NULL &&
	    (a->journal = journal_open(o.journal,
		 o.journal_changes ? JOURNAL_CHANGES : JOURNAL_REQUESTS,
		 err)) == NULL)
		return -1;
	if (o.seed >= 0)
		random_seed((uint64_t)o.seed);
	return 0;
}

static int
serve(struct run *r, struct err *err)
{
	struct api *a = &r->api;
	const struct httpd_handler handler = {.on_request = router_serve,
	    .on_too_large = router_too_large,
	    .arg = &r->api};
	struct buf pem = BUF_INIT, key = BUF_INIT, authorities = BUF_INIT;
	struct httpd_tls tls;
	int rc = 0;

	if (r->tls)
		rc = certificate(r, &pem, &key, err);
	if (rc == 0 && o.client_ca_file != NULL)
		rc = file_read(o.client_ca_file, 1, &authorities, err);
	tls = (struct httpd_tls){
	    buf_span(&pem), buf_span(&key), buf_span(&authorities)};
	if (rc == 0) {
		r->api.httpd = httpd_new(r->api.loop, o.listen,
		    r->tls ? &tls : NULL, &httpd_default_limits, &handler, err);
		rc = r->api.httpd == NULL ? -1 : 0;
	}
	if (rc == 0) {
		r->access.certificate = r->tls ? tls.certificate : SPAN_NONE;
		r->access.port = httpd_port(r->api.httpd);
		r->access.user = users_first(r->api.users);
		if (o.kubeconfig_out != NULL)
			rc = access_write(&r->access, o.kubeconfig_out, err);
	}
	buf_wipe(&key);
	buf_release(&pem);
	buf_release(&authorities);
	if (rc != 0)
		return -1;
	r->access.certificate = r->tls ? span_str("") : SPAN_NONE;
	access_url(&r->access, &r->url);
	r->api.url = buf_span(&r->url);
	log_info("listening on %s", buf_str(&r->url));
	reportfd_init(&r->report, a->loop, "kapi", (int)o.report_fd, count, a);
	reportfd_ready(&r->report);
	loop_run(a->loop);
	reportfd_send(&r->report);
	reportfd_release(&r->report);
	return o.save == NULL ? 0 : snapshot_save(a, o.save, err);
}

static void
release(struct run *r)
{
	struct api *a = &r->api;

	watch_hub_free(a->watch_hub);
	a->watch_hub = NULL; /* freeing definitions ends watches */
	httpd_free(a->httpd);
	router_release(a);
	cluster_free(a->cluster);
	journal_free(a->journal);
	faults_free(a->faults);
	accounts_free(a->accounts);
	origins_free(a->origins);
	users_free(a->users);
	buf_release(&r->access.host);
	buf_release(&r->url);
	loop_free(a->loop);
}

static int
print_assets(struct err *err)
{
	struct buf folder = BUF_INIT;
	int rc = assets_make(&folder, err);

	if (rc == 0 && (puts(buf_str(&folder)) < 0 || fflush(stdout) != 0))
		rc = err_set(err, ERR_TRANSIENT, "cannot write to stdout: %s",
		    strerror(errno));
	buf_release(&folder);
	return rc;
}

static int
run(struct err *err)
{
	struct run r = {0};
	int code;
	/* Every watch needs a descriptor: raises the limit as far as it
	 * goes. */
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur != l.rlim_max) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
	r.api.loop = loop_new();
	loop_signal(r.api.loop, SIGTERM, stop, r.api.loop);
	loop_signal(r.api.loop, SIGINT, stop, r.api.loop);
	code = prepare(&r, err);
	if (code == 0) {
		struct api *a = &r.api;
		struct cluster_options parts = {
		    o.controllers == CONTROLLERS_ON, r.rights};
		struct snapshot *s = NULL;

		if (o.load != NULL && (s = snapshot_read(o.load, err)) == NULL)
			code = -1;
		cluster_new(a, &parts);
		if (code == 0)
			code = cluster_begin(a->cluster, s, err);
		snapshot_free(s);
	}
	if (code == 0)
		code = serve(&r, err);
	release(&r);
	return code;
}

int
main(int argc, char **argv)
{
	const char *name = file_base(argc > 0 ? argv[0] : "");
	static struct apiserver server; /* argv, which options borrow */
	struct err err = ERR_INIT;
	int first, code;

	harden_process();
	if (strcmp(name, "kubectl") == 0)
		return assets_kubectl(argv);
	if (strcmp(name, "etcd") == 0)
		return etcd_run(argc, argv);
	if (strcmp(name, "kube-apiserver") == 0) {
		if (apiserver_take(&server, argc, argv, &err) != 0)
			return opt_fatal(&err);
		if (server.done)
			return 0;
		argc = server.argc;
		argv = server.argv;
	}
	code = opt_begin(&tool, argc, argv, &first);
	if (code >= 0)
		return code;
	signal(SIGPIPE, SIG_IGN);
	if (first < argc)
		err_set(&err, ERR_PERMANENT, "unexpected operand \"%s\"",
		    argv[first]);
	else
		code = o.envtest ? print_assets(&err) : run(&err);
	apiserver_release(&server);
	return code >= 0 ? code : opt_fatal(&err);
}
