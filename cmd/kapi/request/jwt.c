#include "request/jwt.h"

#include <openssl/bio.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/mem.h"
#include "value/base64.h"
#include "value/digest.h"

/* A token is small, and kapi makes none that is nested deeply. */
enum { DEPTH_MAX = 32, SIGNATURE_MAX = 1024, KEY_BYTES_MAX = 2048 };

struct algorithm {
	const char *name;
	int type, bits; /* the key's; 0: any */
	size_t half;	/* bytes of r and of s; 0: of RSA */
	const EVP_MD *(*digest)(void);
};

static const struct algorithm algorithms[] = {
    {"RS256", EVP_PKEY_RSA, 0, 0, EVP_sha256},
    {"ES256", EVP_PKEY_EC, 256, 32, EVP_sha256},
    {"ES384", EVP_PKEY_EC, 384, 48, EVP_sha384},
    {"ES512", EVP_PKEY_EC, 521, 66, EVP_sha512},
};

struct jwt_key {
	struct jwt_key *next;
	EVP_PKEY *pkey;
	const struct algorithm *algorithm;
	struct buf id;
};

struct jwt_keys {
	struct jwt_key *signing;
	struct jwt_key *trusted; /* in the order they were named */
};

struct jwt_keys *
jwt_keys_new(void)
{
	return mem_zalloc(sizeof(struct jwt_keys));
}

static void
key_free(struct jwt_key *k)
{
	if (k == NULL)
		return;
	EVP_PKEY_free(k->pkey);
	buf_release(&k->id);
	free(k);
}

void
jwt_keys_free(struct jwt_keys *k)
{
	if (k == NULL)
		return;
	while (k->trusted != NULL) {
		struct jwt_key *next = k->trusted->next;

		key_free(k->trusted);
		k->trusted = next;
	}
	key_free(k->signing);
	free(k);
}

/* ---- keys ---- */

static const struct algorithm *
algorithm_of(const EVP_PKEY *pkey)
{
	for (size_t i = 0; i < sizeof(algorithms) / sizeof(*algorithms); i++) {
		const struct algorithm *a = &algorithms[i];

		if (EVP_PKEY_get_base_id(pkey) == a->type &&
		    (a->bits == 0 || EVP_PKEY_get_bits(pkey) == a->bits))
			return a;
	}
	return NULL;
}

/* Takes a reference of pkey. NULL: another kind of key. */
static struct jwt_key *
key_new(EVP_PKEY *pkey)
{
	const struct algorithm *a = algorithm_of(pkey);
	unsigned char digest[DIGEST_SIZE], *der = NULL;
	struct jwt_key *k;
	int n;

	if (a == NULL)
		return NULL;
	n = i2d_PUBKEY(pkey, &der);
	if (n <= 0)
		return NULL;
	k = mem_zalloc(sizeof(*k));
	digest_sha256(span_make((const char *)der, (size_t)n), digest);
	OPENSSL_free(der);
	base64_add_url(&k->id, span_make((const char *)digest, sizeof(digest)));
	EVP_PKEY_up_ref(pkey);
	k->pkey = pkey;
	k->algorithm = a;
	return k;
}

/* A passphrase is never asked for. */
static int
no_passphrase(char *to, int size, int writing, void *arg)
{
	(void)to;
	(void)size;
	(void)writing;
	(void)arg;
	return -1;
}

static bool
is_named(const char *pem_name, const char *what)
{
	return span_ends(span_str(pem_name), what);
}

/* The key of one block; NULL: it holds none. */
static EVP_PKEY *
read_block(const char *name, const unsigned char *der, long n)
{
	const unsigned char *p = der;
	EVP_PKEY *key = NULL;
	X509 *x;

	if (is_named(name, "PRIVATE KEY"))
		return d2i_AutoPrivateKey(NULL, &p, n);
	if (is_named(name, "RSA PUBLIC KEY"))
		return d2i_PublicKey(EVP_PKEY_RSA, NULL, &p, n);
	if (is_named(name, "PUBLIC KEY"))
		return d2i_PUBKEY(NULL, &p, n);
	if (!is_named(name, "CERTIFICATE"))
		return NULL;
	x = d2i_X509(NULL, &p, n);
	if (x != NULL)
		key = X509_get_pubkey(x);
	X509_free(x);
	return key;
}

static int
refuse_key(struct err *err, const char *name, const char *why)
{
	ERR_clear_error();
	return err_set(err, ERR_PERMANENT, "%s: %s", name, why);
}

int
jwt_keys_trust(
    struct jwt_keys *k, struct span pem, const char *name, struct err *err)
{
	BIO *in = BIO_new_mem_buf(pem.p, (int)pem.n);
	struct jwt_key **end = &k->trusted;
	size_t found = 0;
	char *block = NULL, *header = NULL;
	unsigned char *der = NULL;
	long n;
	int rc = 0;

	while (*end != NULL)
		end = &(*end)->next;
	while (rc == 0 && PEM_read_bio(in, &block, &header, &der, &n) == 1) {
		EVP_PKEY *pkey = read_block(block, der, n);

		if (pkey != NULL) {
			*end = key_new(pkey);
			if (*end == NULL)
				rc = refuse_key(err, name,
				    "want keys of RSA, P-256, P-384 or P-521");
			else
				end = &(*end)->next;
			found++;
		}
		EVP_PKEY_free(pkey);
		OPENSSL_free(block);
		OPENSSL_free(header);
		OPENSSL_clear_free(der, (size_t)n);
	}
	BIO_free(in);
	ERR_clear_error();
	if (rc == 0 && found == 0)
		rc = refuse_key(err, name, "there is no key in it");
	return rc;
}

int
jwt_keys_sign_with(
    struct jwt_keys *k, struct span pem, const char *name, struct err *err)
{
	BIO *in = BIO_new_mem_buf(pem.p, (int)pem.n);
	EVP_PKEY *pkey = PEM_read_bio_PrivateKey(in, NULL, no_passphrase, NULL);

	BIO_free(in);
	if (pkey == NULL)
		return refuse_key(err, name, "there is no private key in it");
	key_free(k->signing);
	k->signing = key_new(pkey);
	EVP_PKEY_free(pkey);
	return k->signing != NULL ? 0
				  : refuse_key(err, name,
					"want a key of RSA, P-256, P-384 or "
					"P-521");
}

int
jwt_keys_make(struct jwt_keys *k, struct err *err)
{
	EVP_PKEY *pkey;

	if (k->signing != NULL)
		return 0;
	pkey = EVP_EC_gen("P-256");
	if (pkey == NULL)
		return refuse_key(err, "service accounts", "cannot make a key");
	k->signing = key_new(pkey);
	if (k->signing != NULL) {
		struct jwt_key *verifies = key_new(pkey);

		verifies->next = k->trusted;
		k->trusted = verifies;
	}
	EVP_PKEY_free(pkey);
	return k->signing != NULL
	    ? 0
	    : refuse_key(err, "service accounts", "cannot make a key");
}

/* ---- as a set, for others ---- */

/* A number of the key, of at least so many bytes. */
static bool
put_number(struct arena *a, struct node *o, const char *key,
    const EVP_PKEY *pkey, const char *name, size_t least)
{
	unsigned char raw[KEY_BYTES_MAX];
	BIGNUM *number = NULL;
	struct buf b = BUF_INIT;
	size_t n;

	if (EVP_PKEY_get_bn_param(pkey, name, &number) != 1)
		return false;
	n = (size_t)BN_num_bytes(number);
	n = n < least ? least : n;
	if (n <= sizeof(raw) && BN_bn2binpad(number, raw, (int)n) == (int)n) {
		base64_add_url(&b, span_make((const char *)raw, n));
		tree_put(
		    a, o, key, tree_string(a, arena_span(a, buf_span(&b))));
	}
	BN_free(number);
	buf_release(&b);
	return tree_get(o, key) != NULL;
}

/* NULL: OpenSSL failed. */
static struct node *
key_object(struct arena *a, const struct jwt_key *k)
{
	const struct algorithm *is = k->algorithm;
	struct node *o = tree_object(a);
	bool ec = is->half > 0, done;

	tree_put(a, o, "use", tree_str(a, "sig"));
	tree_put(a, o, "kty", tree_str(a, ec ? "EC" : "RSA"));
	tree_put(a, o, "kid", tree_string(a, buf_span(&k->id)));
	if (ec)
		tree_put(a, o, "crv",
		    tree_string(a, arena_printf(a, "P-%d", is->bits)));
	tree_put(a, o, "alg", tree_str(a, is->name));
	if (ec)
		done = put_number(a, o, "x", k->pkey, "qx", is->half) &&
		    put_number(a, o, "y", k->pkey, "qy", is->half);
	else
		done = put_number(a, o, "n", k->pkey, "n", 1) &&
		    put_number(a, o, "e", k->pkey, "e", 1);
	ERR_clear_error();
	return done ? o : NULL;
}

static bool
has_algorithm(const struct jwt_keys *k, const struct algorithm *is)
{
	for (const struct jwt_key *i = k->trusted; i != NULL; i = i->next)
		if (i->algorithm == is)
			return true;
	return false;
}

int
jwt_keys_set(const struct jwt_keys *k, struct arena *a, struct node **set,
    struct node **algorithm_names)
{
	struct node *list = tree_array(a);

	*set = tree_object(a);
	*algorithm_names = tree_array(a);
	tree_put(a, *set, "keys", list);
	for (const struct jwt_key *i = k->trusted; i != NULL; i = i->next) {
		struct node *o = key_object(a, i);

		if (o == NULL)
			return -1;
		tree_append(a, list, o);
	}
	/* The sorted names begin with those of EC. */
	for (size_t i = 0; i < COUNT(algorithms); i++) {
		const struct algorithm *is =
		    &algorithms[(i + 1) % COUNT(algorithms)];

		if (has_algorithm(k, is))
			tree_append(a, *algorithm_names, tree_str(a, is->name));
	}
	return 0;
}

/* ---- signatures ---- */

/* r and s, each of half bytes, as JWS has them; OpenSSL writes DER. */
static bool
add_halves(struct buf *b, const unsigned char *der, size_t n, size_t half)
{
	const unsigned char *p = der;
	unsigned char raw[SIGNATURE_MAX];
	ECDSA_SIG *s = d2i_ECDSA_SIG(NULL, &p, (long)n);
	bool done = s != NULL &&
	    BN_bn2binpad(ECDSA_SIG_get0_r(s), raw, (int)half) == (int)half &&
	    BN_bn2binpad(ECDSA_SIG_get0_s(s), raw + half, (int)half) ==
		(int)half;

	ECDSA_SIG_free(s);
	if (done)
		base64_add_url(b, span_make((const char *)raw, 2 * half));
	return done;
}

int
jwt_sign(const struct jwt_keys *k, struct span claims, struct buf *token)
{
	const struct jwt_key *key = k->signing;
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	unsigned char signature[SIGNATURE_MAX];
	size_t n = sizeof(signature), start = token->len;
	struct buf header = BUF_INIT;
	bool done;

	buf_addf(&header, "{\"alg\":\"%s\",\"kid\":\"%s\"}",
	    key->algorithm->name, buf_str((struct buf *)&key->id));
	base64_add_url(token, buf_span(&header));
	buf_addc(token, '.');
	base64_add_url(token, claims);
	buf_release(&header);
	done = ctx != NULL &&
	    EVP_DigestSignInit(
		ctx, NULL, key->algorithm->digest(), NULL, key->pkey) == 1 &&
	    EVP_DigestSign(ctx, signature, &n,
		(const unsigned char *)token->data + start,
		token->len - start) == 1;
	EVP_MD_CTX_free(ctx);
	buf_addc(token, '.');
	if (done && key->algorithm->half > 0)
		done = add_halves(token, signature, n, key->algorithm->half);
	else if (done)
		base64_add_url(token, span_make((const char *)signature, n));
	if (!done)
		buf_truncate(token, start);
	ERR_clear_error();
	return done ? 0 : -1;
}

/* The signature in OpenSSL's form, owned; NULL: it has a wrong length. */
static unsigned char *
to_der(struct span raw, size_t half, size_t *n)
{
	const unsigned char *p = (const unsigned char *)raw.p;
	ECDSA_SIG *s;
	unsigned char *der = NULL;
	BIGNUM *r, *v;
	int size = -1;

	if (raw.n != 2 * half)
		return NULL;
	s = ECDSA_SIG_new();
	r = BN_bin2bn(p, (int)half, NULL);
	v = BN_bin2bn(p + half, (int)half, NULL);
	if (s != NULL && r != NULL && v != NULL && ECDSA_SIG_set0(s, r, v) == 1)
		size = i2d_ECDSA_SIG(s, &der);
	ECDSA_SIG_free(s);
	*n = size > 0 ? (size_t)size : 0;
	return size > 0 ? der : NULL;
}

static bool
signed_by(const struct jwt_key *k, const struct jwt *t)
{
	const unsigned char *signature = (const void *)t->signature.p;
	unsigned char *der = NULL;
	size_t n = t->signature.n;
	EVP_MD_CTX *ctx;
	bool is;

	if (t->critical || !span_is(t->algorithm, k->algorithm->name) || n == 0)
		return false;
	if (k->algorithm->half > 0) {
		der = to_der(t->signature, k->algorithm->half, &n);
		if (der == NULL)
			return false;
		signature = der;
	}
	ctx = EVP_MD_CTX_new();
	is = ctx != NULL &&
	    EVP_DigestVerifyInit(
		ctx, NULL, k->algorithm->digest(), NULL, k->pkey) == 1 &&
	    EVP_DigestVerify(ctx, signature, n,
		(const unsigned char *)t->signed_.p, t->signed_.n) == 1;
	EVP_MD_CTX_free(ctx);
	OPENSSL_free(der);
	ERR_clear_error();
	return is;
}

enum jwt_verdict
jwt_verify(const struct jwt_keys *k, const struct jwt *t)
{
	enum jwt_verdict verdict = JWT_NO_KEY;

	for (const struct jwt_key *i = k->trusted; i != NULL; i = i->next) {
		if (t->key_id.n > 0 && !span_eq(t->key_id, buf_span(&i->id)))
			continue;
		if (signed_by(i, t))
			return JWT_GOOD;
		verdict = JWT_BAD_SIGNATURE;
	}
	return verdict;
}

/* ---- taking apart ---- */

static struct span
decode(struct arena *a, struct span text)
{
	struct buf b = BUF_INIT;
	struct span bytes = SPAN_NONE;
	size_t at;

	if (base64_decode_url(text, &b, &at) == 0)
		bytes = arena_span(a, buf_span(&b));
	buf_release(&b);
	return bytes;
}

/* duplicate NULL: no key may be given twice; else the path of one that is. */
static struct node *
decode_object(struct arena *a, struct span text, struct span *duplicate)
{
	struct span json = decode(a, text);
	struct err err = ERR_INIT;
	struct node *n;

	if (json.p == NULL)
		return NULL;
	n = tree_parse(a, json,
	    (struct tree_limits){DEPTH_MAX, duplicate != NULL}, duplicate,
	    &err);
	return tree_is(n, NODE_OBJECT) ? n : NULL;
}

static bool
is_text_or_missing(const struct node *n)
{
	return n == NULL || tree_is(n, NODE_NULL) || tree_is(n, NODE_STRING);
}

bool
jwt_parse(struct arena *a, struct span token, struct jwt *t)
{
	struct span rest = token, header, claims;
	const struct node *head;

	*t = (struct jwt){0};
	header = span_cut(&rest, '.');
	claims = span_cut(&rest, '.');
	if (rest.p == NULL || span_find(rest, '.') != NULL)
		return false;
	head = decode_object(a, header, NULL);
	if (head == NULL || !is_text_or_missing(tree_get(head, "alg")) ||
	    !is_text_or_missing(tree_get(head, "kid")))
		return false;
	t->claims = decode_object(a, claims, &t->duplicate);
	if (t->claims == NULL)
		return false;
	t->signature = decode(a, rest);
	if (t->signature.p == NULL)
		return false;
	t->signed_ = span_make(token.p, token.n - rest.n - 1);
	t->algorithm = tree_text(tree_get(head, "alg"));
	t->key_id = tree_text(tree_get(head, "kid"));
	/* Signed text that is not encoded (RFC 7797) is an extension, too. */
	t->critical = !tree_empty(tree_get(head, "crit")) ||
	    tree_is(tree_get(head, "b64"), NODE_FALSE);
	return true;
}
