/*
 * Part of httpd/conn.h. TLS by OpenSSL: it reads and writes the socket itself,
 * so nothing is copied on the way. ALPN: h2 before http/1.1, as net/http has
 * it.
 */
#include "httpd/conn.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <stdlib.h>

#include "base/mem.h"
#include "httpd/peer.h"

struct tls_server {
	SSL_CTX *ctx;
};

struct tls_conn {
	SSL *ssl;
	bool wants_write;
	bool peer_known; /* peer is set, if there is one */
	struct httpd_peer *peer;
};

static int
choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_n,
    const unsigned char *in, unsigned in_n, void *arg)
{
	static const unsigned char ours[] = "\x02h2\x08http/1.1";
	unsigned char *chosen;

	(void)ssl, (void)arg;
	if (SSL_select_next_proto(&chosen, out_n, ours, sizeof(ours) - 1, in,
		in_n) != OPENSSL_NPN_NEGOTIATED)
		return SSL_TLSEXT_ERR_ALERT_FATAL;
	*out = chosen;
	return SSL_TLSEXT_ERR_OK;
}

/* The intermediate certificates, which follow the certificate. */
static int
use_chain(SSL_CTX *ctx, BIO *cert)
{
	X509 *x;
	int rc = 0;

	while (rc == 0 &&
	    (x = PEM_read_bio_X509(cert, NULL, NULL, NULL)) != NULL) {
		if (SSL_CTX_add1_chain_cert(ctx, x) != 1)
			rc = -1;
		X509_free(x);
	}
	ERR_clear_error(); /* the end of the text is one */
	return rc;
}

static int
use_pem(SSL_CTX *ctx, const struct httpd_tls *t)
{
	BIO *cert = BIO_new_mem_buf(t->certificate.p, (int)t->certificate.n);
	BIO *pem = BIO_new_mem_buf(t->key.p, (int)t->key.n);
	X509 *x = PEM_read_bio_X509(cert, NULL, NULL, NULL);
	EVP_PKEY *key = PEM_read_bio_PrivateKey(pem, NULL, NULL, NULL);
	int rc = -1;

	if (x != NULL && key != NULL && SSL_CTX_use_certificate(ctx, x) == 1 &&
	    SSL_CTX_use_PrivateKey(ctx, key) == 1 &&
	    SSL_CTX_check_private_key(ctx) == 1)
		rc = use_chain(ctx, cert);
	X509_free(x);
	EVP_PKEY_free(key);
	BIO_free(cert);
	BIO_free(pem);
	return rc;
}

struct tls_server *
tls_server_new(const struct httpd_tls *t, struct err *err)
{
	struct tls_server *s = mem_zalloc(sizeof(*s));

	s->ctx = SSL_CTX_new(TLS_server_method());
	if (s->ctx == NULL ||
	    SSL_CTX_set_min_proto_version(s->ctx, TLS1_2_VERSION) != 1 ||
	    use_pem(s->ctx, t) != 0) {
		err_set(err, ERR_PERMANENT, "cannot use the certificate: %s",
		    ERR_reason_error_string(ERR_get_error()));
		tls_server_free(s);
		return NULL;
	}
	if (t->client_authorities.n > 0 &&
	    peer_ask(s->ctx, t->client_authorities, err) != 0) {
		tls_server_free(s);
		return NULL;
	}
	/* Idle connections hold no buffers; a write that must wait may be
	 * tried again with more behind it. */
	SSL_CTX_set_mode(s->ctx,
	    SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
		SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	/* A peer that closes without close_notify counts as a normal end, as in
	 * net/http; half a request is noticed anyway. */
	SSL_CTX_set_options(
	    s->ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
	SSL_CTX_set_session_cache_mode(s->ctx, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_alpn_select_cb(s->ctx, choose_protocol, NULL);
	return s;
}

void
tls_server_free(struct tls_server *s)
{
	if (s == NULL)
		return;
	SSL_CTX_free(s->ctx);
	free(s);
}

struct tls_conn *
tls_conn_new(struct tls_server *s, int fd)
{
	struct tls_conn *t = mem_zalloc(sizeof(*t));

	t->ssl = SSL_new(s->ctx);
	if (t->ssl == NULL || SSL_set_fd(t->ssl, fd) != 1) {
		tls_conn_free(t);
		return NULL;
	}
	SSL_set_accept_state(t->ssl);
	return t;
}

void
tls_conn_free(struct tls_conn *t)
{
	if (t == NULL)
		return;
	peer_free(t->peer);
	SSL_free(t->ssl);
	free(t);
}

/* The result of a call that moved no bytes. */
static long
outcome(struct tls_conn *t, int rc)
{
	int why = SSL_get_error(t->ssl, rc);
	bool clear_text = why == SSL_ERROR_SSL &&
	    ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST;

	ERR_clear_error();
	if (clear_text)
		return -3;
	t->wants_write = why == SSL_ERROR_WANT_WRITE;
	if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE)
		return -1;
	return why == SSL_ERROR_ZERO_RETURN ? 0 : -2;
}

long
tls_read(struct tls_conn *t, char *p, size_t n)
{
	int rc;

	if (t == NULL)
		return -2;
	rc = SSL_read(t->ssl, p, (int)n);
	t->wants_write = false;
	return rc > 0 ? rc : outcome(t, rc);
}

long
tls_write(struct tls_conn *t, const char *p, size_t n)
{
	int rc = SSL_write(t->ssl, p, (int)n);
	long left;

	t->wants_write = false;
	if (rc > 0)
		return rc;
	left = outcome(t, rc);
	return left == -1 ? -1 : -2;
}

void
tls_close(struct tls_conn *t)
{
	SSL_shutdown(t->ssl);
	ERR_clear_error();
}

bool
tls_is_h2(const struct tls_conn *t)
{
	const unsigned char *name;
	unsigned n;

	SSL_get0_alpn_selected(t->ssl, &name, &n);
	return n == 2 && memcmp(name, "h2", 2) == 0;
}

bool
tls_wants_write(const struct tls_conn *t)
{
	return t->wants_write;
}

const struct httpd_peer *
tls_peer(struct tls_conn *t)
{
	if (!t->peer_known) {
		t->peer = peer_new(t->ssl);
		t->peer_known = true;
	}
	return t->peer;
}
