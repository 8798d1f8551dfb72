#include "httpd/cert.h"

#include <arpa/inet.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

enum { VALID_S = 365 * 24 * 3600, EARLIER_S = 3600 };

/* "DNS:localhost,IP:127.0.0.1,..." in OpenSSL's notation. */
static void
add_names(struct buf *b, struct span host)
{
	struct in6_addr address;
	char text[256];

	buf_adds(b, "DNS:localhost,IP:127.0.0.1,IP:::1");
	if (host.n == 0 || host.n >= sizeof(text))
		return;
	memcpy(text, host.p, host.n);
	text[host.n] = '\0';
	if (strspn(text,
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789.:-") != host.n)
		return;
	if (inet_pton(AF_INET, text, &address) == 1 ||
	    inet_pton(AF_INET6, text, &address) == 1)
		buf_addf(b, ",IP:%s", text);
	else
		buf_addf(b, ",DNS:%s", text);
}

static int
add_extension(X509 *x, int nid, const char *value)
{
	X509V3_CTX ctx;
	X509_EXTENSION *e;
	int rc;

	X509V3_set_ctx(&ctx, x, x, NULL, NULL, 0);
	e = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
	rc = e != NULL && X509_add_ext(x, e, -1) == 1 ? 0 : -1;
	X509_EXTENSION_free(e);
	return rc;
}

static int
fill_in(X509 *x, EVP_PKEY *key, const char *common, struct span host)
{
	X509_NAME *name = X509_get_subject_name(x);
	struct buf names = BUF_INIT;
	uint64_t serial = 0;
	int rc;

	add_names(&names, host);
	rc = RAND_bytes((unsigned char *)&serial, sizeof(serial)) == 1 &&
		X509_set_version(x, X509_VERSION_3) == 1 &&
		ASN1_INTEGER_set_uint64(
		    X509_get_serialNumber(x), serial >> 1) == 1 &&
		X509_gmtime_adj(X509_getm_notBefore(x), -EARLIER_S) != NULL &&
		X509_gmtime_adj(X509_getm_notAfter(x), VALID_S) != NULL &&
		X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
		    (const unsigned char *)common, -1, -1, 0) == 1 &&
		X509_set_issuer_name(x, name) == 1 &&
		X509_set_pubkey(x, key) == 1 &&
		add_extension(x, NID_basic_constraints, "critical,CA:TRUE") ==
		    0 &&
		add_extension(x, NID_key_usage,
		    "critical,digitalSignature,keyCertSign") == 0 &&
		add_extension(x, NID_ext_key_usage, "serverAuth") == 0 &&
		add_extension(x, NID_subject_alt_name, buf_str(&names)) == 0 &&
		X509_sign(x, key, EVP_sha256()) != 0
	    ? 0
	    : -1;
	buf_release(&names);
	return rc;
}

static int
add_pem(struct buf *b, X509 *x, EVP_PKEY *key)
{
	BIO *bio = BIO_new(BIO_s_mem());
	char *p;
	long n;
	int ok;

	if (bio == NULL)
		return -1;
	ok = x != NULL
	    ? PEM_write_bio_X509(bio, x)
	    : PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL);
	n = BIO_get_mem_data(bio, &p);
	if (ok == 1)
		buf_add(b, p, (size_t)n);
	BIO_free(bio);
	return ok == 1 ? 0 : -1;
}

int
cert_make(const char *name, struct span host, struct buf *certificate,
    struct buf *key, struct err *err)
{
	EVP_PKEY *k = EVP_EC_gen("P-256");
	X509 *x = X509_new();
	int rc = -1;

	if (k != NULL && x != NULL && fill_in(x, k, name, host) == 0 &&
	    add_pem(certificate, x, NULL) == 0 && add_pem(key, NULL, k) == 0)
		rc = 0;
	else
		err_set(err, ERR_TRANSIENT, "cannot make a certificate: %s",
		    ERR_reason_error_string(ERR_get_error()));
	X509_free(x);
	EVP_PKEY_free(k);
	return rc;
}
