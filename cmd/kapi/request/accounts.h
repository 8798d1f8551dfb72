/*
 * accounts: tokens of service accounts: made, and read again. Each is bound to
 * a ServiceAccount, and maybe to a Pod, a Secret or a Node: when that is gone,
 * the token is worth nothing.
 * Source: pkg/serviceaccount/{claims,jwt}.go, and the options of
 * pkg/kubeapiserver/options/authentication.go.
 */
#ifndef ACCOUNTS_H
#define ACCOUNTS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"
#include "tree/tree.h"
#include "process/opt.h"
#include "request/users.h"
#include "type/api.h"

struct accounts;

/* --service-account-*, --api-audiences: rows for the tool's table. */
extern const struct opt accounts_opt_table[];

/* Reads the files that the options name. NULL with err. */
struct accounts *accounts_new(struct err *err);
void accounts_free(struct accounts *s);

/* The audiences of the API server itself: the issuer, unless options name
 * others. */
const struct span *accounts_audiences(const struct accounts *s, size_t *n);

struct span accounts_issuer(void);
/* For others, to verify tokens: jwt_keys_set, of a key that is made now if
 * there is none yet. -1 with err. */
int accounts_keys(struct accounts *s, struct arena *a, struct node **set,
    struct node **algorithms, struct err *err);

struct account_ref {
	struct span name, uid; /* no name: there is none */
};

struct account_token {
	struct span namespace_;
	struct account_ref account, pod, secret, node;
	const struct node *audiences; /* an array */
	int64_t now, expires;	      /* seconds since 1970 */
	int64_t warn_after;	      /* 0: never */
};

/* The signed token, in the arena. -1 with err: no key could be made. */
int accounts_sign(struct accounts *s, struct arena *a,
    const struct account_token *t, struct span *token, struct err *err);

/*
 * The user of a token for one of these audiences, which go to *granted; in the
 * arena. NULL: *error says why; it is empty if this is not a token of our
 * issuer.
 */
const struct user *accounts_find(const struct api *api, struct arena *a,
    struct span token, const struct span *audiences, size_t n,
    struct node **granted, struct span *error);

#endif
