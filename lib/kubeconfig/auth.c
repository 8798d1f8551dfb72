#include "kubeconfig/auth.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "kubeconfig/execcred.h"
#include "kubeconfig/pem.h"
#include "process/clock.h"
#include "process/file.h"
#include "value/base64.h"
#include "value/digest.h"

enum {
	TOKEN_PERIOD_MS = 50000,
	CERT_PERIOD_MS = 300000,
	HIDDEN_MIN = 8, /* shorter texts are part of many words */
	FILE_MAX_MIB = 1,
};

struct auth {
	struct loop *loop;
	const struct kubeconfig *config; /* borrowed */
	char *token;
	struct buf ca, cert, key; /* PEM */
	unsigned version, tls_version;
	uint64_t token_due_ms, cert_due_ms;
	struct execcred *plugin; /* NULL: none */
	bool secure;		 /* https */
};

/* ---- files ---- */

static void
set_token(struct auth *a, const char *p, size_t n)
{
	if (a->token != NULL && strlen(a->token) == n &&
	    memcmp(a->token, p, n) == 0)
		return;
	mem_wipe(a->token);
	a->token = mem_dup(p, n);
	a->version++;
}

/* A token goes into a header: one line of visible characters. */
static int
check_token(const struct buf *b, const char *path, struct err *err)
{
	if (b->len == 0)
		return err_set(err, ERR_PERMANENT, "%s holds no token", path);
	for (size_t i = 0; i < b->len; i++)
		if (b->data[i] <= ' ' || b->data[i] > '~')
			return err_set(err, ERR_PERMANENT,
			    "%s holds more than a token", path);
	return 0;
}

static int
read_token(struct auth *a, struct err *err)
{
	const char *path = a->config->token_file;
	struct buf b = BUF_INIT;
	size_t start = 0;
	int rc = file_read(path, FILE_MAX_MIB, &b, err);

	a->token_due_ms = clock_ms() + TOKEN_PERIOD_MS;
	while (start < b.len && strchr(" \t\r\n", b.data[start]) != NULL)
		start++;
	buf_consume(&b, start);
	while (b.len > 0 && strchr(" \t\r\n", b.data[b.len - 1]) != NULL)
		b.len--;
	if (rc == 0)
		rc = check_token(&b, path, err);
	if (rc == 0)
		set_token(a, b.data, b.len);
	buf_wipe(&b);
	return rc;
}

static int
read_pem(const char *file, const char *pem, struct buf *b, struct err *err)
{
	if (pem != NULL)
		buf_adds(b, pem);
	else if (file != NULL)
		return file_read(file, FILE_MAX_MIB, b, err);
	return 0;
}

static void
swap(struct buf *a, struct buf *b)
{
	struct buf t = *a;

	*a = *b;
	*b = t;
}

static const char *
named(const char *file, const struct kubeconfig *c)
{
	return file != NULL ? file : c->origin != NULL ? c->origin : "auth";
}

/* Takes all three files or none: while they are being replaced they may not
 * match. */
static int
read_certificates(struct auth *a, struct err *err)
{
	const struct kubeconfig *c = a->config;
	struct buf ca = BUF_INIT, cert = BUF_INIT, key = BUF_INIT;
	int rc = -1;

	a->cert_due_ms = clock_ms() + CERT_PERIOD_MS;
	if (read_pem(c->ca_file, c->ca_pem, &ca, err) != 0 ||
	    read_pem(c->cert_file, c->cert_pem, &cert, err) != 0 ||
	    read_pem(c->key_file, c->key_pem, &key, err) != 0)
		goto out;
	if ((c->ca_file != NULL || c->ca_pem != NULL) &&
	    pem_check_certificates(buf_span(&ca), err) != 0) {
		err_prefix(
		    err, "%s: certificate-authority", named(c->ca_file, c));
		goto out;
	}
	if ((c->cert_file != NULL || c->cert_pem != NULL) &&
	    pem_check_pair(buf_span(&cert), buf_span(&key), err) != 0) {
		err_prefix(
		    err, "%s: user \"%s\"", named(c->cert_file, c), c->user);
		goto out;
	}
	rc = 0;
	if (span_eq(buf_span(&ca), buf_span(&a->ca)) &&
	    span_eq(buf_span(&cert), buf_span(&a->cert)) &&
	    span_eq(buf_span(&key), buf_span(&a->key)))
		goto out;
	swap(&a->ca, &ca);
	swap(&a->cert, &cert);
	swap(&a->key, &key);
	a->version++;
	a->tls_version++;
out:
	buf_release(&ca);
	buf_release(&cert);
	buf_wipe(&key);
	return rc;
}

/* ---- the interface ---- */

static bool
wants_plugin(const struct kubeconfig *c)
{
	return c->exec != NULL && c->token == NULL && c->token_file == NULL &&
	    c->username == NULL && c->cert_file == NULL && c->cert_pem == NULL;
}

static int
read_all(struct auth *a, struct err *err)
{
	const struct kubeconfig *c = a->config;

	if (!a->secure)
		return 0;
	if (read_certificates(a, err) != 0)
		return -1;
	if (c->token != NULL)
		set_token(a, c->token, strlen(c->token));
	/* While the file cannot be read, a token beside it is used. */
	if (c->token_file != NULL && read_token(a, err) != 0 &&
	    c->token == NULL)
		return -1;
	return 0;
}

struct auth *
auth_new(struct loop *l, const struct kubeconfig *c, loop_fn *changed,
    void *arg, struct err *err)
{
	struct auth *a = mem_zalloc(sizeof(*a));

	a->loop = l;
	a->config = c;
	a->secure = strncmp(c->server, "https://", 8) == 0;
	if (read_all(a, err) != 0) {
		auth_free(a);
		return NULL;
	}
	if (a->secure && wants_plugin(c))
		a->plugin = execcred_new(l, c, &a->ca, changed, arg);
	return a;
}

void
auth_free(struct auth *a)
{
	if (a == NULL)
		return;
	mem_wipe(a->token);
	buf_release(&a->ca);
	buf_release(&a->cert);
	buf_wipe(&a->key);
	execcred_free(a->plugin);
	free(a);
}

enum auth_state
auth_ready(struct auth *a, struct err *err)
{
	uint64_t now = clock_ms();

	if (!a->secure)
		return AUTH_READY;
	/* A file that cannot be read now keeps its old content: no errors from
	 * these. */
	if (a->config->token_file != NULL && now >= a->token_due_ms)
		read_token(a, NULL);
	if (now >= a->cert_due_ms)
		read_certificates(a, NULL);
	return a->plugin != NULL ? execcred_ready(a->plugin, err) : AUTH_READY;
}

static void
hide(char **text, const char *secret)
{
	size_t n = secret != NULL ? strlen(secret) : 0;
	struct buf b = BUF_INIT;
	const char *at = *text, *found;

	if (n < HIDDEN_MIN || at == NULL || strstr(at, secret) == NULL)
		return;
	while ((found = strstr(at, secret)) != NULL) {
		buf_add(&b, at, (size_t)(found - at));
		buf_adds(&b, "(hidden)");
		at = found + n;
	}
	buf_adds(&b, at);
	free(*text);
	*text = buf_take(&b);
}

static void
add_basic(const struct kubeconfig *c, struct buf *b)
{
	struct buf pair = BUF_INIT;

	buf_addf(&pair, "%s:%s", c->username, c->password ? c->password : "");
	base64_add(b, buf_span(&pair));
	buf_wipe(&pair);
}

void
auth_headers(const struct auth *a, struct textlist *headers)
{
	const struct kubeconfig *c = a->config;
	const char *token = a->token;
	struct buf b = BUF_INIT;

	if (!a->secure)
		return;
	if (a->plugin != NULL)
		token = execcred_token(a->plugin);
	if (token != NULL)
		buf_addf(&b, "Authorization: Bearer %s", token);
	else if (c->username != NULL) {
		buf_adds(&b, "Authorization: Basic ");
		add_basic(c, &b);
	}
	if (b.len > 0)
		textlist_add(headers, b.data, b.len);
	buf_wipe(&b);
	for (size_t i = 0; i < c->impersonate.count; i++)
		textlist_add(headers, c->impersonate.items[i],
		    strlen(c->impersonate.items[i]));
}

void
auth_hide(const struct auth *a, char **text)
{
	const struct kubeconfig *c = a->config;
	struct buf b = BUF_INIT;

	hide(text, a->token);
	if (a->plugin != NULL)
		hide(text, execcred_token(a->plugin));
	if (c->username != NULL) {
		add_basic(c, &b);
		hide(text, buf_str(&b));
		hide(text, c->password);
	}
	buf_wipe(&b);
}

void
auth_tls(const struct auth *a, struct http_tls *tls)
{
	const struct kubeconfig *c = a->config;

	*tls = (struct http_tls){
	    .server_name = c->tls_server_name, .insecure = c->insecure};
	if (a->ca.len > 0)
		tls->ca_pem = buf_span(&a->ca);
	if (a->cert.len > 0) {
		tls->cert_pem = buf_span(&a->cert);
		tls->key_pem = buf_span(&a->key);
	}
	if (a->plugin != NULL)
		execcred_certificate(a->plugin, &tls->cert_pem, &tls->key_pem);
}

unsigned
auth_tls_version(const struct auth *a)
{
	return a->tls_version +
	    (a->plugin != NULL ? execcred_tls_version(a->plugin) : 0);
}

bool
auth_runs_plugin(const struct auth *a)
{
	return a->plugin != NULL;
}

unsigned
auth_version(const struct auth *a)
{
	return a->version +
	    (a->plugin != NULL ? execcred_version(a->plugin) : 0);
}

void
auth_describe(const struct auth *a, struct buf *b)
{
	const struct kubeconfig *c = a->config;

	if (a->plugin != NULL)
		buf_addf(
		    b, "what the exec plugin \"%s\" printed", c->exec->command);
	else if (a->secure && c->token_file != NULL)
		buf_addf(b, "the token in %s", c->token_file);
	else if (a->token != NULL || a->cert.len > 0 || c->username != NULL)
		buf_addf(b, "user \"%s\" of %s", c->user, c->origin);
}

bool
auth_refused(struct auth *a, unsigned version)
{
	if (version != auth_version(a))
		return true; /* another caller was faster */
	if (!a->secure)
		return false;
	if (a->plugin != NULL)
		return execcred_refused(a->plugin);
	if (a->config->token_file != NULL)
		read_token(a, NULL);
	if (a->config->cert_file != NULL)
		read_certificates(a, NULL);
	return version != auth_version(a);
}

void
auth_untrusted(struct auth *a)
{
	if (a->config->ca_file != NULL)
		a->cert_due_ms = 0;
}
