#include "envtest/apiserver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/mem.h"
#include "envtest/goflags.h"
#include "httpd/cert.h"
#include "process/file.h"
#include "process/log.h"

/* Options of kapi with the same name and meaning. */
static const char *const same[] = {"authorization-mode", "client-ca-file",
    "cors-allowed-origins", "service-account-issuer",
    "service-account-key-file", "service-account-signing-key-file",
    "tls-cert-file", "tls-private-key-file", "token-auth-file"};

/* No effect, and nothing to warn about: what envtest and others give always,
 * and what no client could notice. */
static const char *const silent[] = {"advertise-address", "allow-privileged",
    "disable-admission-plugins", "etcd-servers", "service-cluster-ip-range",
    "v", "vmodule"};

/* The flags that are more than an option of the same name. */
struct taken {
	struct apiserver *server;
	const char *address, *port, *cert_dir, *cert_file;
	bool help, version, anonymous;
};

static bool
is_among(struct span name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (span_is(name, names[i]))
			return true;
	return false;
}

static void
add(struct apiserver *s, const char *name, const char *value)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "--%s=%s", name, value);
	s->argv = mem_grow(s->argv, (size_t)s->argc, sizeof(*s->argv));
	s->argv[s->argc++] = buf_take(&b);
}

static int
take_flag(void *arg, const struct goflag *f, struct err *err)
{
	struct taken *t = arg;

	(void)err;
	if (span_is(f->name, "help"))
		goflags_bool(f->value, &t->help);
	else if (span_is(f->name, "version"))
		t->version = strcmp(f->value, "false") != 0;
	else if (span_is(f->name, "anonymous-auth"))
		goflags_bool(f->value, &t->anonymous);
	else if (span_is(f->name, "bind-address"))
		t->address = f->value;
	else if (span_is(f->name, "secure-port"))
		t->port = f->value;
	else if (span_is(f->name, "cert-dir"))
		t->cert_dir = f->value;
	else if (is_among(f->name, same, COUNT(same))) {
		struct buf name = BUF_INIT;

		buf_addspan(&name, f->name);
		add(t->server, buf_str(&name), f->value);
		buf_release(&name);
		if (span_is(f->name, "tls-cert-file"))
			t->cert_file = f->value;
	} else if (!is_among(f->name, silent, COUNT(silent)))
		log_warning("flag --%.*s has no effect: this is kapi",
		    SPAN_ARG(f->name));
	return 0;
}

static int
write_new(const char *path, mode_t mode, struct span text, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	int rc = fd < 0 ? -1 : file_write(fd, text);

	if (rc != 0)
		err_set(err, ERR_PERMANENT, "cannot write %s: %s", path,
		    strerror(errno));
	if (fd >= 0)
		close(fd);
	return rc;
}

static int
make_pair(
    const struct taken *t, const char *crt, const char *key, struct err *err)
{
	struct buf pem = BUF_INIT, secret = BUF_INIT;
	int rc = 0;

	if (mkdir(t->cert_dir, 0755) != 0 && errno != EEXIST)
		rc = err_set(err, ERR_PERMANENT,
		    "flag --cert-dir: cannot make %s: %s", t->cert_dir,
		    strerror(errno));
	if (rc == 0)
		rc = cert_make(
		    "kube-apiserver", span_str(t->address), &pem, &secret, err);
	if (rc == 0)
		rc = write_new(key, 0600, buf_span(&secret), err);
	if (rc == 0)
		rc = write_new(crt, 0644, buf_span(&pem), err);
	buf_wipe(&secret);
	buf_release(&pem);
	return rc;
}

/* The pair in --cert-dir. Source: MaybeDefaultWithSelfSignedCerts of
 * k8s.io/apiserver/pkg/server/options. */
static int
take_cert_dir(const struct taken *t, struct err *err)
{
	struct buf crt = BUF_INIT, key = BUF_INIT;
	bool has_crt, has_key;
	int rc = 0;

	buf_addf(&crt, "%s/apiserver.crt", t->cert_dir);
	buf_addf(&key, "%s/apiserver.key", t->cert_dir);
	has_crt = access(buf_str(&crt), F_OK) == 0;
	has_key = access(buf_str(&key), F_OK) == 0;
	if (has_crt != has_key)
		rc = err_set(err, ERR_PERMANENT,
		    "flag --cert-dir: %s is there, and %s is not",
		    has_crt ? "apiserver.crt" : "apiserver.key",
		    has_crt ? "apiserver.key" : "apiserver.crt");
	else if (!has_crt)
		rc = make_pair(t, buf_str(&crt), buf_str(&key), err);
	if (rc == 0) {
		add(t->server, "tls-cert-file", buf_str(&crt));
		add(t->server, "tls-private-key-file", buf_str(&key));
	}
	buf_release(&crt);
	buf_release(&key);
	return rc;
}

static int
take_address(const struct taken *t, struct err *err)
{
	struct buf b = BUF_INIT;
	uint64_t port;

	if (!span_number(span_str(t->port), 65535, &port) || port == 0)
		return err_set(err, ERR_PERMANENT,
		    "flag --secure-port: %s is not a port between 1 and 65535",
		    t->port);
	buf_addf(&b, strchr(t->address, ':') != NULL ? "[%s]:%s" : "%s:%s",
	    t->address, t->port);
	add(t->server, "listen", buf_str(&b));
	buf_release(&b);
	return 0;
}

static int
print(const struct taken *t, struct err *err)
{
	struct buf b = BUF_INIT;
	int rc = 0;

	if (t->help) {
		buf_adds(&b,
		    "kube-apiserver, played by kapi " KPIPE_VERSION
		    " (see kapi(1)).\n\nFlags:\n");
		goflags_list(&b);
	} else
		buf_adds(&b, "Kubernetes v1.36.3\n");
	if (fwrite(b.data, 1, b.len, stdout) != b.len || fflush(stdout) != 0)
		rc = err_set(err, ERR_TRANSIENT, "cannot write to stdout: %s",
		    strerror(errno));
	buf_release(&b);
	return rc;
}

int
apiserver_take(struct apiserver *s, int argc, char **argv, struct err *err)
{
	struct taken t = {.server = s,
	    .address = "0.0.0.0",
	    .port = "6443",
	    .anonymous = true};
	int rc;

	log_init("kube-apiserver", LOG_TEXT, LOG_INFO);
	*s = (struct apiserver){0};
	s->argv = mem_grow(s->argv, 0, sizeof(*s->argv));
	s->argv[s->argc++] = mem_strdup(argv[0]);
	add(s, "tls", "on");
	add(s, "controllers", "off");
	rc = goflags_parse(argc, argv, take_flag, &t, err);
	s->done = rc == 0 && (t.help || t.version);
	if (s->done)
		rc = print(&t, err);
	else if (rc == 0) {
		add(s, "anonymous-auth", t.anonymous ? "true" : "false");
		rc = take_address(&t, err);
		if (rc == 0 && t.cert_dir != NULL && t.cert_file == NULL)
			rc = take_cert_dir(&t, err);
	}
	s->argv = mem_grow(s->argv, (size_t)s->argc, sizeof(*s->argv));
	s->argv[s->argc] = NULL;
	return rc;
}

void
apiserver_release(struct apiserver *s)
{
	for (int i = 0; i < s->argc; i++)
		free(s->argv[i]);
	free(s->argv);
}
