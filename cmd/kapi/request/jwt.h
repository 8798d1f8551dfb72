/*
 * jwt: JSON Web Tokens in compact form (RFC 7519, RFC 7515), signed by RS256,
 * ES256, ES384 or ES512, and the keys for them.
 *
 * The id of a key is that of the API server: SHA-256 of the public key in DER.
 * Source: pkg/serviceaccount/jwt.go, and RFC 7518 for the form of signatures.
 */
#ifndef JWT_H
#define JWT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "tree/tree.h"

struct jwt_keys; /* the key that signs, and keys that verify */

struct jwt_keys *jwt_keys_new(void);
void jwt_keys_free(struct jwt_keys *k);

/* Keys that verify: all of the PEM text, public or private. name is the file,
 * for err. -1: none, or one of another kind. */
int jwt_keys_trust(
    struct jwt_keys *k, struct span pem, const char *name, struct err *err);
/* The private key that signs. It does not verify unless it is trusted, too. */
int jwt_keys_sign_with(
    struct jwt_keys *k, struct span pem, const char *name, struct err *err);
/* Makes one for both (P-256), unless there is one that signs. */
int jwt_keys_make(struct jwt_keys *k, struct err *err);

/*
 * The keys that verify as a JSON Web Key Set (RFC 7517): of each its use, type,
 * id, algorithm and numbers. *algorithms gets their names, each once, sorted.
 * -1: OpenSSL failed. Source: pkg/serviceaccount/openidmetadata.go, and the
 * order of fields in go-jose.
 */
int jwt_keys_set(const struct jwt_keys *k, struct arena *a, struct node **set,
    struct node **algorithms);

/* Appends the token of these claims, a JSON object. -1: OpenSSL failed. */
int jwt_sign(const struct jwt_keys *k, struct span claims, struct buf *token);

/* A token taken apart; nothing is proven yet. Parts are in the arena. */
struct jwt {
	struct span algorithm, key_id; /* in the header; none: not there */
	bool critical;		       /* needs extensions: never valid */
	struct node *claims;	       /* an object */
	struct span duplicate; /* a key of the claims that is there twice */
	struct span signed_, signature;
};

/* false: it has not three parts of base64url, of which the first two are JSON
 * objects. */
bool jwt_parse(struct arena *a, struct span token, struct jwt *t);

enum jwt_verdict { JWT_GOOD, JWT_NO_KEY, JWT_BAD_SIGNATURE };
enum jwt_verdict jwt_verify(const struct jwt_keys *k, const struct jwt *t);

#endif
