/* jwt: tokens of each algorithm; what is refused. */
#include "request/jwt.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdlib.h>

#include "tap.h"

static struct arena arena;

/* A new key as PEM: the private one, or the public half. */
static void
to_pem(EVP_PKEY *key, bool private, struct buf *b)
{
	BIO *out = BIO_new(BIO_s_mem());
	char *p;
	long n;

	if (private)
		PEM_write_bio_PrivateKey(out, key, NULL, NULL, 0, NULL, NULL);
	else
		PEM_write_bio_PUBKEY(out, key);
	n = BIO_get_mem_data(out, &p);
	buf_add(b, p, (size_t)n);
	BIO_free(out);
}

static enum jwt_verdict
verdict(const struct jwt_keys *k, struct span token)
{
	struct jwt t;

	return jwt_parse(&arena, token, &t) ? jwt_verify(k, &t)
					    : (enum jwt_verdict) - 1;
}

static void
test_algorithm(EVP_PKEY *key, const char *name)
{
	struct jwt_keys *signs = jwt_keys_new(), *verifies = jwt_keys_new();
	struct buf private = BUF_INIT, public = BUF_INIT, token = BUF_INIT;
	struct err err = ERR_INIT;
	struct jwt t;

	to_pem(key, true, &private);
	to_pem(key, false, &public);
	ok(jwt_keys_sign_with(signs, buf_span(&private), "f", &err) == 0 &&
		jwt_keys_trust(verifies, buf_span(&public), "f", &err) == 0,
	    name);
	ok(jwt_sign(signs, span_str("{\"a\":1}"), &token) == 0, "... signs");
	ok(jwt_parse(&arena, buf_span(&token), &t) &&
		span_is(t.algorithm, name) && t.key_id.n == 43,
	    "... says which key");
	ok(verdict(verifies, buf_span(&token)) == JWT_GOOD, "... verifies");
	ok(verdict(signs, buf_span(&token)) == JWT_NO_KEY,
	    "... by a key that is trusted");
	t.signed_.n--;
	ok(jwt_verify(verifies, &t) == JWT_BAD_SIGNATURE, "... all of it");
	t.signed_.n++;
	t.signature.n--;
	ok(jwt_verify(verifies, &t) == JWT_BAD_SIGNATURE,
	    "... with all of the signature");
	t.signature.n++;
	t.algorithm = span_str("none");
	ok(jwt_verify(verifies, &t) == JWT_BAD_SIGNATURE,
	    "... by its algorithm");
	t.algorithm = span_str(name);
	t.critical = true;
	ok(jwt_verify(verifies, &t) == JWT_BAD_SIGNATURE,
	    "... without extensions");
	buf_release(&token);
	buf_release(&public);
	buf_release(&private);
	jwt_keys_free(signs);
	jwt_keys_free(verifies);
	EVP_PKEY_free(key);
}

TEST(two_keys)
{
	struct jwt_keys *one = jwt_keys_new(), *two = jwt_keys_new();
	struct buf token = BUF_INIT, pem = BUF_INIT;
	EVP_PKEY *other = EVP_EC_gen("P-256");
	struct err err = ERR_INIT;
	struct jwt t;

	jwt_keys_make(one, &err);
	jwt_keys_make(two, &err);
	to_pem(other, false, &pem);
	jwt_keys_trust(one, buf_span(&pem), "f", &err);
	jwt_sign(one, span_str("{}"), &token);
	ok(verdict(one, buf_span(&token)) == JWT_GOOD, "one of two keys");
	ok(verdict(two, buf_span(&token)) == JWT_NO_KEY, "a foreign key");
	jwt_parse(&arena, buf_span(&token), &t);
	t.key_id = SPAN_NONE;
	ok(jwt_verify(one, &t) == JWT_GOOD, "without an id: any key");
	ok(jwt_verify(two, &t) == JWT_BAD_SIGNATURE, "... none of them");
	EVP_PKEY_free(other);
	buf_release(&pem);
	buf_release(&token);
	jwt_keys_free(one);
	jwt_keys_free(two);
}

static void
is_no_token(const char *text)
{
	struct jwt t;

	ok(!jwt_parse(&arena, span_str(text), &t), text);
}

static void
is_no_key(
    int (*use)(struct jwt_keys *, struct span, const char *, struct err *),
    const char *pem, const char *want)
{
	struct jwt_keys *k = jwt_keys_new();
	struct err err = ERR_INIT;

	ok(use(k, span_str(pem), "f", &err) == -1, "no key");
	is(err.message, want, "... says why");
	jwt_keys_free(k);
}

TEST(jwt)
{
	EVP_PKEY *ed = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
	struct buf pem = BUF_INIT;

	test_algorithm(EVP_RSA_gen(2048), "RS256");
	test_algorithm(EVP_EC_gen("P-256"), "ES256");
	test_algorithm(EVP_EC_gen("P-384"), "ES384");
	test_algorithm(EVP_EC_gen("P-521"), "ES512");
	is_no_token("");
	is_no_token("e30.e30");
	is_no_token("e30.e30.AA.AA");
	is_no_token("e30.W10.AA");
	is_no_token("W10.e30.AA");
	is_no_token("e30.e3.AA");
	is_no_token("e30=.e30.AA");
	is_no_token("e30.e30.A");
	is_no_key(jwt_keys_trust, "x", "f: there is no key in it");
	is_no_key(jwt_keys_sign_with, "x", "f: there is no private key in it");
	to_pem(ed, false, &pem);
	is_no_key(jwt_keys_trust, buf_str(&pem),
	    "f: want keys of RSA, P-256, P-384 or P-521");
	buf_reset(&pem);
	to_pem(ed, true, &pem);
	is_no_key(jwt_keys_sign_with, buf_str(&pem),
	    "f: want a key of RSA, P-256, P-384 or P-521");
	EVP_PKEY_free(ed);
	buf_release(&pem);
	arena_release(&arena);
}
