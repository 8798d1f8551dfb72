/*
 * Part of httpd/conn.h. TLS by OpenSSL: it reads and writes the socket itself,
 * so nothing is copied on the way. ALPN: h2 before http/1.1, as net/http has
 * it.
 */
#include "httpd/conn.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "value/digest.h"

/* ---- the certificate of the other end ---- */

/*
 * The other end of a TLS connection, by its certificate. A server
 * with authorities asks for one and takes any, or none: whether it is worth
 * something is checked here, so that a bad one can be answered with a status
 * and not by a broken connection.
 *
 * A certificate counts if a chain leads from it to an authority of the file
 * (any certificate in it, also one that another has signed), none of the chain
 * is out of date, and none has extended key usages without that of clients.
 * Source: crypto/tls RequestClientCert and crypto/x509 Verify of Go, as
 * k8s.io/apiserver/pkg/authentication/request/x509 uses them.
 */

/* The name of a uid in a subject: X509UID of k8s.io/apiserver/pkg/apis/asn1. */
static const char uid_oid[] = "1.3.6.1.4.1.57683.2";

struct known_peer {
	struct httpd_peer peer; /* the part that callers see */
	struct arena arena;
};

static int
take_any(X509_STORE_CTX *ctx, void *arg)
{
	(void)ctx, (void)arg;
	return 1;
}

/* Each certificate of the text, into the store and the list of names. */
static int
add_authorities(SSL_CTX *ctx, BIO *bio)
{
	X509_STORE *store = SSL_CTX_get_cert_store(ctx);
	X509 *x;
	int n = 0, rc = 0;

	while (
	    rc == 0 && (x = PEM_read_bio_X509(bio, NULL, NULL, NULL)) != NULL) {
		if (X509_STORE_add_cert(store, x) != 1 ||
		    SSL_CTX_add_client_CA(ctx, x) != 1)
			rc = -1;
		X509_free(x);
		n++;
	}
	/* The end of the text is an error of its own kind; any other is that of
	 * a certificate. */
	if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE)
		rc = -1;
	ERR_clear_error();
	return n == 0 ? -1 : rc;
}

/* Makes the server ask for certificates of these authorities (PEM). */
static int
peer_ask(SSL_CTX *ctx, struct span authorities, struct err *err)
{
	BIO *bio = BIO_new_mem_buf(authorities.p, (int)authorities.n);
	int rc = bio == NULL ? -1 : add_authorities(ctx, bio);

	BIO_free(bio);
	if (rc != 0)
		return err_set(err, ERR_PERMANENT,
		    "cannot use the certificates of the authorities of "
		    "clients: they are not certificates in PEM");
	X509_STORE_set_flags(
	    SSL_CTX_get_cert_store(ctx), X509_V_FLAG_PARTIAL_CHAIN);
	SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL);
	SSL_CTX_set_cert_verify_callback(ctx, take_any, NULL);
	/* A session that is resumed would come without its intermediate
	 * certificates. */
	SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET);
	SSL_CTX_set_num_tickets(ctx, 0);
	return 0;
}

static bool
for_clients(STACK_OF(X509) * chain)
{
	for (int i = 0; i < sk_X509_num(chain); i++) {
		uint32_t usage =
		    X509_get_extended_key_usage(sk_X509_value(chain, i));

		/* UINT32_MAX: the certificate does not say. */
		if (!(usage & (XKU_SSL_CLIENT | XKU_ANYEKU)))
			return false;
	}
	return true;
}

static bool
counts(SSL *ssl, X509 *x)
{
	X509_STORE *store = SSL_CTX_get_cert_store(SSL_get_SSL_CTX(ssl));
	X509_STORE_CTX *ctx = X509_STORE_CTX_new();
	bool good = ctx != NULL &&
	    X509_STORE_CTX_init(ctx, store, x, SSL_get_peer_cert_chain(ssl)) ==
		1 &&
	    X509_verify_cert(ctx) == 1 &&
	    for_clients(X509_STORE_CTX_get0_chain(ctx));

	X509_STORE_CTX_free(ctx);
	ERR_clear_error();
	return good;
}

/* In UTF-8; SPAN_NONE: it is not text. */
static struct span
text_of(struct arena *a, X509_NAME_ENTRY *e)
{
	unsigned char *utf8 = NULL;
	int n = ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(e));
	struct span text = n < 0
	    ? SPAN_NONE
	    : arena_span(a, span_make((const char *)utf8, (size_t)n));

	OPENSSL_free(utf8);
	return text;
}

/* -1: the certificate says its uid in no way known. */
static int
take_subject(struct known_peer *k, X509 *x)
{
	X509_NAME *subject = X509_get_subject_name(x);
	ASN1_OBJECT *uid = OBJ_txt2obj(uid_oid, 1);
	int entries = X509_NAME_entry_count(subject), uids = 0;
	struct httpd_peer *p = &k->peer;
	struct span *organizations = NULL;

	for (int i = 0; i < entries; i++) {
		X509_NAME_ENTRY *e = X509_NAME_get_entry(subject, i);
		ASN1_OBJECT *type = X509_NAME_ENTRY_get_object(e);

		if (OBJ_obj2nid(type) == NID_commonName)
			p->name = text_of(&k->arena, e);
		else if (OBJ_obj2nid(type) == NID_organizationName) {
			organizations = arena_more(&k->arena, organizations,
			    p->organization_count, sizeof(*organizations));
			organizations[p->organization_count++] =
			    text_of(&k->arena, e);
		} else if (OBJ_cmp(type, uid) == 0) {
			p->uid = text_of(&k->arena, e);
			uids += p->uid.n > 0 ? 1 : 2;
		}
	}
	p->organizations = organizations;
	ASN1_OBJECT_free(uid);
	return uids > 1 ? -1 : 0;
}

static int
take_digest(struct known_peer *k, X509 *x)
{
	unsigned char *der = NULL;
	unsigned char digest[DIGEST_SIZE];
	struct buf hex = BUF_INIT;
	int n = i2d_X509(x, &der);

	if (n < 0)
		return -1;
	digest_sha256(span_make((const char *)der, (size_t)n), digest);
	OPENSSL_free(der);
	digest_add_hex(&hex, digest, sizeof(digest));
	k->peer.sha256 = arena_span(&k->arena, buf_span(&hex));
	buf_release(&hex);
	return 0;
}

/* NULL: it has shown none. Owned by the caller. */
static struct httpd_peer *
peer_new(SSL *ssl)
{
	X509 *x = SSL_get1_peer_certificate(ssl);
	struct known_peer *k;

	if (x == NULL)
		return NULL;
	k = mem_zalloc(sizeof(*k));
	k->peer.refused = !counts(ssl, x) || take_subject(k, x) != 0 ||
	    take_digest(k, x) != 0;
	X509_free(x);
	return &k->peer;
}

static void
peer_free(struct httpd_peer *p)
{
	struct known_peer *k = (struct known_peer *)p;

	if (k == NULL)
		return;
	arena_release(&k->arena);
	free(k);
}

/* ---- the connection ---- */

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
