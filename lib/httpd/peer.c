#include "httpd/peer.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "value/digest.h"

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

int
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

struct httpd_peer *
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

void
peer_free(struct httpd_peer *p)
{
	struct known_peer *k = (struct known_peer *)p;

	if (k == NULL)
		return;
	arena_release(&k->arena);
	free(k);
}
