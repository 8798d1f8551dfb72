#include "kubeconfig/pem.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <time.h>

#include "process/clock.h"

/* Without a terminal a passphrase cannot be typed. */
static int
no_passphrase(char *out, int size, int writing, void *arg)
{
	(void)out;
	(void)size;
	(void)writing;
	(void)arg;
	return -1;
}

static X509 *
read_certificate(struct span pem)
{
	BIO *bio = BIO_new_mem_buf(pem.n ? pem.p : "", (int)pem.n);
	X509 *cert = PEM_read_bio_X509(bio, NULL, no_passphrase, NULL);

	BIO_free(bio);
	ERR_clear_error();
	return cert;
}

static EVP_PKEY *
read_key(struct span pem)
{
	BIO *bio = BIO_new_mem_buf(pem.n ? pem.p : "", (int)pem.n);
	EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, NULL);

	BIO_free(bio);
	ERR_clear_error();
	return key;
}

int
pem_check_certificates(struct span pem, struct err *err)
{
	X509 *cert = read_certificate(pem);

	if (cert == NULL)
		return err_set(
		    err, ERR_PERMANENT, "there is no PEM certificate");
	X509_free(cert);
	return 0;
}

static int
check_expiry(const X509 *cert, struct err *err)
{
	const ASN1_TIME *end = X509_get0_notAfter(cert);
	char when[CLOCK_RFC3339_MAX];
	struct tm tm;
	time_t t;

	if (ASN1_TIME_to_tm(end, &tm) != 1)
		return 0;
	t = timegm(&tm);
	if ((int64_t)t > clock_real_us() / 1000000)
		return 0;
	clock_format_s(t, when);
	return err_set(
	    err, ERR_PERMANENT, "the client certificate expired on %s", when);
}

int
pem_check_pair(struct span cert_pem, struct span key_pem, struct err *err)
{
	X509 *cert = read_certificate(cert_pem);
	EVP_PKEY *key = read_key(key_pem);
	int rc;

	if (cert == NULL)
		rc = err_set(err, ERR_PERMANENT,
		    "the client certificate is not a PEM certificate");
	else if (key == NULL)
		rc = err_set(err, ERR_PERMANENT,
		    "the client key is not an unencrypted PEM key");
	else if (X509_check_private_key(cert, key) != 1)
		rc = err_set(err, ERR_PERMANENT,
		    "the client key does not belong to the client certificate");
	else
		rc = check_expiry(cert, err);
	ERR_clear_error();
	X509_free(cert);
	EVP_PKEY_free(key);
	return rc;
}
