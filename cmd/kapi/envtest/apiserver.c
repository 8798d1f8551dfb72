/* Part of envtest/envtest.h: the command line of kube-apiserver. */
#include "envtest/envtest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "httpd/cert.h"
#include "process/file.h"
#include "process/log.h"
#include "type/tables.h"

/* ---- flags ---- */

/*
 * The command line of kube-apiserver, as pflag reads it: --name=value,
 * --name value, --name of a boolean, -v2, "--" before operands; _ in a name is
 * a -. Which flags there are is in flags.txt, recorded from --help of the real
 * one.
 * Source: github.com/spf13/pflag, and WordSepNormalizeFunc of
 * k8s.io/component-base/cli/flag.
 */

struct goflag {
	struct span name;  /* the name in flags.txt */
	const char *value; /* "true" for a boolean without one */
};

/*
 * Called for each flag, in order, until it fails. -1 with err: that of fn, or
 * about a flag that kube-apiserver does not have, a value that is missing or
 * not a boolean, or an operand.
 */
typedef int goflags_fn(void *arg, const struct goflag *f, struct err *err);

/* Assembled where make runs: at the top of the repository. */
__asm__(".section .rodata\n"
	".global apiserver_flags, apiserver_flags_end\n"
	"apiserver_flags: .incbin \"cmd/kapi/envtest/flags.txt\"\n"
	"apiserver_flags_end: .byte 0\n"
	".previous\n");

extern const char apiserver_flags[], apiserver_flags_end[];

static struct span
all_flags(void)
{
	return span_make(
	    apiserver_flags, (size_t)(apiserver_flags_end - apiserver_flags));
}

/* Whether it is name, in which _ stands for - too. */
static bool
is_named(struct span flag, struct span name)
{
	if (flag.n != name.n)
		return false;
	for (size_t i = 0; i < name.n; i++)
		if (flag.p[i] != (name.p[i] == '_' ? '-' : name.p[i]))
			return false;
	return true;
}

/* False: there is none of that name. */
static bool
find(struct span name, struct goflag *f, bool *is_bool)
{
	struct span rest = all_flags(), line;

	while ((line = tables_line(&rest)).p != NULL) {
		f->name = tables_cell(&line);
		if (!is_named(f->name, name))
			continue;
		*is_bool = line.n == 0 || span_is(f->name, "version");
		return true;
	}
	return false;
}

static int
unknown(struct span name, struct err *err)
{
	struct span rest = all_flags(), line;
	struct nearest near;

	nearest_init(&near, name);
	while ((line = tables_line(&rest)).p != NULL)
		nearest_offer(&near, tables_cell(&line), 0);
	if (near.name.n > 0)
		return err_set(err, ERR_PERMANENT,
		    "unknown flag: --%.*s (did you mean --%.*s?)",
		    SPAN_ARG(name), SPAN_ARG(near.name));
	return err_set(
	    err, ERR_PERMANENT, "unknown flag: --%.*s", SPAN_ARG(name));
}

static bool
goflags_bool(const char *text, bool *value)
{
	static const char *const words[] = {"0", "f", "F", "false", "False",
	    "FALSE", "1", "t", "T", "true", "True", "TRUE"};

	for (size_t i = 0; i < COUNT(words); i++)
		if (strcmp(text, words[i]) == 0) {
			*value = i >= COUNT(words) / 2;
			return true;
		}
	return false;
}

static int
check_bool(const struct goflag *f, struct err *err)
{
	bool value;

	if (span_is(f->name, "version") || goflags_bool(f->value, &value))
		return 0;
	return err_set(err, ERR_PERMANENT,
	    "invalid argument \"%s\" for \"--%.*s\" flag: want true or false",
	    f->value, SPAN_ARG(f->name));
}

/* The flag of argv[*i], which moves to its last word. */
static int
take_long(char **argv, int *i, struct goflag *f, struct err *err)
{
	const char *word = argv[*i] + 2;
	size_t n = strcspn(word, "=");
	bool is_bool;

	if (n == 0 || word[0] == '-')
		return err_set(
		    err, ERR_PERMANENT, "bad flag syntax: %s", argv[*i]);
	if (!find(span_make(word, n), f, &is_bool))
		return unknown(span_make(word, n), err);
	if (word[n] == '=')
		f->value = word + n + 1;
	else if (is_bool)
		f->value = "true";
	else if (argv[*i + 1] != NULL)
		f->value = argv[++*i];
	else
		return err_set(
		    err, ERR_PERMANENT, "flag needs an argument: %s", argv[*i]);
	return is_bool ? check_bool(f, err) : 0;
}

/* Takes -h or -v, the only short flags. */
static int
take_short(char **argv, int *i, struct goflag *f, struct err *err)
{
	const char *word = argv[*i];

	if (strcmp(word, "-h") == 0) {
		*f = (struct goflag){span_str("help"), "true"};
		return 0;
	}
	if (word[1] != 'v')
		return err_set(err, ERR_PERMANENT,
		    "unknown shorthand flag: '%c' in %s", word[1], word);
	f->name = span_str("v");
	f->value = word + 2;
	if (f->value[0] == '=')
		f->value++;
	else if (f->value[0] == '\0' && argv[*i + 1] != NULL)
		f->value = argv[++*i];
	if (f->value[0] != '\0')
		return 0;
	return err_set(
	    err, ERR_PERMANENT, "flag needs an argument: 'v' in %s", word);
}

static int
goflags_parse(int argc, char **argv, goflags_fn *fn, void *arg, struct err *err)
{
	int rc = 0, i = 1;

	for (; rc == 0 && i < argc && argv[i][0] == '-' && argv[i][1] != '\0';
	     i++) {
		struct goflag f = {SPAN_NONE, NULL};

		if (strcmp(argv[i], "--") == 0) {
			i++;
			break;
		}
		rc = argv[i][1] == '-' ? take_long(argv, &i, &f, err)
				       : take_short(argv, &i, &f, err);
		if (rc == 0)
			rc = fn(arg, &f, err);
	}
	if (rc == 0 && i < argc)
		rc = err_set(err, ERR_PERMANENT,
		    "it takes flags only, not \"%s\"", argv[i]);
	return rc;
}

static void
goflags_list(struct buf *b)
{
	struct span rest = all_flags(), line;

	while ((line = tables_line(&rest)).p != NULL) {
		struct span name = tables_cell(&line);

		buf_addf(
		    b, "      --%.*s %.*s\n", SPAN_ARG(name), SPAN_ARG(line));
	}
}

/* ---- options of kapi ---- */

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
