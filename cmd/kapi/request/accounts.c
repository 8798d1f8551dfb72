#include "request/accounts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "process/clock.h"
#include "process/file.h"
#include "request/jwt.h"
#include "store/store.h"
#include "text/gotext.h"
#include "text/texts.h"
#include "type/objectmeta.h"
#include "type/resource.h"

/* How far clocks may be apart: DefaultLeeway of go-jose. */
enum { LEEWAY_S = 60, FILE_MIB = 1, AUDIENCES_MAX = 32 };

static const char default_issuer[] = "https://kubernetes.default.svc";

static struct {
	struct opt_list key_files, issuers;
	const char *signing_key_file, *audiences;
} options;

const struct opt accounts_opt_table[] = {
    {0, "service-account-key-file", "FILE", OPT_LIST, &options.key_files, NULL,
	"keys that verify service account tokens (PEM); several times"},
    {0, "service-account-signing-key-file", "FILE", OPT_STRING,
	&options.signing_key_file, NULL,
	"the key that signs them (PEM), instead of one of this run"},
    {0, "service-account-issuer", "URL", OPT_LIST, &options.issuers, NULL,
	"their issuer; others are accepted (https://kubernetes.default.svc)"},
    {0, "api-audiences", "LIST", OPT_STRING, &options.audiences, NULL,
	"audiences of this server, with commas between (the issuers)"},
    OPT_END,
};

struct accounts {
	struct jwt_keys *keys;
	struct span audiences[AUDIENCES_MAX];
	size_t audience_count;
};

/* ---- options ---- */

static int
with_file(struct jwt_keys *k, const char *file,
    int (*use)(struct jwt_keys *, struct span, const char *, struct err *),
    struct err *err)
{
	struct buf b = BUF_INIT;
	int rc = file_read(file, FILE_MIB, &b, err);

	if (rc == 0)
		rc = use(k, buf_span(&b), file, err);
	buf_wipe(&b);
	return rc;
}

static int
read_keys(struct jwt_keys *k, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < options.key_files.count; i++)
		rc = with_file(
		    k, options.key_files.items[i], jwt_keys_trust, err);
	if (rc != 0 || options.signing_key_file == NULL)
		return rc;
	rc = with_file(k, options.signing_key_file, jwt_keys_sign_with, err);
	if (rc == 0 && options.key_files.count == 0)
		rc =
		    with_file(k, options.signing_key_file, jwt_keys_trust, err);
	return rc;
}

struct span
accounts_issuer(void)
{
	return span_str(options.issuers.count > 0 ? options.issuers.items[0]
						  : default_issuer);
}

static bool
is_issuer(struct span text)
{
	for (size_t i = 0; i < options.issuers.count; i++)
		if (span_is(text, options.issuers.items[i]))
			return true;
	return options.issuers.count == 0 && span_is(text, default_issuer);
}

static void
set_audiences(struct accounts *s)
{
	struct span rest = span_str(options.audiences);

	while (rest.p != NULL && s->audience_count < AUDIENCES_MAX)
		s->audiences[s->audience_count++] = span_cut(&rest, ',');
	if (options.audiences != NULL)
		return;
	for (size_t i = 0;
	     i < options.issuers.count && s->audience_count < AUDIENCES_MAX;
	     i++)
		s->audiences[s->audience_count++] =
		    span_str(options.issuers.items[i]);
	if (s->audience_count == 0)
		s->audiences[s->audience_count++] = accounts_issuer();
}

struct accounts *
accounts_new(struct err *err)
{
	struct accounts *s = mem_zalloc(sizeof(*s));

	s->keys = jwt_keys_new();
	set_audiences(s);
	if (read_keys(s->keys, err) == 0)
		return s;
	accounts_free(s);
	return NULL;
}

void
accounts_free(struct accounts *s)
{
	if (s == NULL)
		return;
	jwt_keys_free(s->keys);
	free(s);
}

const struct span *
accounts_audiences(const struct accounts *s, size_t *n)
{
	*n = s->audience_count;
	return s->audiences;
}

int
accounts_keys(struct accounts *s, struct arena *a, struct node **set,
    struct node **algorithms, struct err *err)
{
	if (jwt_keys_make(s->keys, err) != 0)
		return -1;
	return jwt_keys_set(s->keys, a, set, algorithms) == 0
	    ? 0
	    : err_set(err, ERR_BUG, "cannot write the keys of tokens");
}

/* ---- a new token ---- */

static void
put_ref(struct arena *a, struct node *object, const char *key,
    const struct account_ref *ref)
{
	struct node *n;

	if (ref->name.n == 0)
		return;
	n = tree_make(a, object, key);
	tree_put(a, n, "name", tree_string(a, ref->name));
	if (ref->uid.n > 0)
		tree_put(a, n, "uid", tree_string(a, ref->uid));
}

static struct node *
claims_of(struct arena *a, const struct account_token *t)
{
	struct node *c = tree_object(a), *k = tree_object(a);

	put_ref(a, k, "node", &t->node);
	tree_put(a, k, "namespace", tree_string(a, t->namespace_));
	put_ref(a, k, "pod", &t->pod);
	put_ref(a, k, "secret", &t->secret);
	put_ref(a, k, "serviceaccount", &t->account);
	if (t->warn_after > 0)
		tree_put(a, k, "warnafter", tree_int(a, t->warn_after));
	tree_put(a, c, "aud", tree_copy(a, t->audiences));
	tree_put(a, c, "exp", tree_int(a, t->expires));
	tree_put(a, c, "iat", tree_int(a, t->now));
	tree_put(a, c, "iss", tree_string(a, accounts_issuer()));
	tree_put(a, c, "jti", tree_string(a, objectmeta_uuid(a)));
	tree_put(a, c, "kubernetes.io", k);
	tree_put(a, c, "nbf", tree_int(a, t->now));
	tree_put(a, c, "sub",
	    tree_string(a,
		arena_printf(a, "system:serviceaccount:%.*s:%.*s",
		    SPAN_ARG(t->namespace_), SPAN_ARG(t->account.name))));
	return c;
}

int
accounts_sign(struct accounts *s, struct arena *a,
    const struct account_token *t, struct span *token, struct err *err)
{
	struct buf claims = BUF_INIT, b = BUF_INIT;
	int rc = jwt_keys_make(s->keys, err);

	if (rc == 0) {
		tree_write_sorted(&claims, claims_of(a, t));
		rc = jwt_sign(s->keys, buf_span(&claims), &b);
		if (rc != 0)
			err_set(err, ERR_PERMANENT, "cannot sign");
	}
	if (rc == 0)
		*token = arena_span(a, buf_span(&b));
	buf_wipe(&b);
	buf_release(&claims);
	return rc;
}

/* ---- a token that somebody brings ---- */

/* A check of a token, and its purpose. */
struct token_reading {
	const struct api *api;
	struct arena *arena;
	struct span namespace_;
	int64_t now;
	struct span error;
};

static const char invalidated[] = "service account token has been invalidated";

/* Whether o was deleted longer ago than clocks may be apart. */
static bool
is_deleted(struct token_reading *x, const struct stored *o)
{
	static const char mark[] = "\"deletionTimestamp\"";
	struct span json = text_span(o->json);
	struct err err = ERR_INIT;
	const struct node *tree;
	int64_t us;

	if (memmem(json.p, json.n, mark, sizeof(mark) - 1) == NULL)
		return false;
	tree = tree_parse(x->arena, json, TREE_LIMITS, NULL, &err);
	return clock_parse_us(
		   tree_path_text(tree, "metadata.deletionTimestamp"), &us) ==
	    0 &&
	    us / 1000000 < x->now - LEEWAY_S;
}

static const struct stored *
find(struct token_reading *x, const char *plural, struct span ns,
    struct span name)
{
	const struct resource *r = resource_core(x->api->registry, plural);

	return r == NULL || name.n == 0 ? NULL
					: store_get(r->collection, ns, name);
}

/* Whether the object that the token is bound to lives. what: its name in the
 * error about another uid. */
static bool
check_bound(struct token_reading *x, const struct node *ref, const char *plural,
    const char *what, const char *claim)
{
	struct span name = tree_text(tree_get(ref, "name"));
	struct span uid = tree_text(tree_get(ref, "uid"));
	struct span ns =
	    span_is(span_str(plural), "nodes") ? SPAN_NONE : x->namespace_;
	const struct stored *o = find(x, plural, ns, name);

	if (o == NULL || is_deleted(x, o))
		x->error = span_str(invalidated);
	if (o != NULL && !span_eq(o->uid, uid))
		x->error = arena_printf(x->arena,
		    "%s UID (%.*s) does not match service account %s ref claim "
		    "(%.*s)",
		    what, SPAN_ARG(o->uid), claim, SPAN_ARG(uid));
	return x->error.p == NULL;
}

static bool
check_account(struct token_reading *x, struct span name, struct span uid)
{
	const struct stored *o =
	    find(x, "serviceaccounts", x->namespace_, name);
	struct arena *a = x->arena;

	if (name.n == 0)
		x->error = span_str("resource name may not be empty");
	else if (o == NULL)
		x->error = arena_printf(
		    a, "serviceaccounts \"%.*s\" not found", SPAN_ARG(name));
	else if (!span_eq(o->uid, uid))
		x->error = arena_printf(a,
		    "service account UID (%.*s) does not match claim (%.*s)",
		    SPAN_ARG(o->uid), SPAN_ARG(uid));
	else if (is_deleted(x, o))
		x->error = arena_printf(a,
		    "service account %.*s/%.*s has been deleted",
		    SPAN_ARG(x->namespace_), SPAN_ARG(name));
	return x->error.p == NULL;
}

/* ---- the form of the claims ---- */

static bool
is_given(const struct node *n)
{
	return n != NULL && !tree_is(n, NODE_NULL);
}

/* Sets an error if a member of these keys has another kind. */
static void
check_kinds(struct token_reading *x, const struct node *object,
    const char *const *keys, enum node_kind kind, const char *type)
{
	for (size_t i = 0; keys[i] != NULL && x->error.p == NULL; i++) {
		const struct node *n = tree_get(object, keys[i]);

		if (is_given(n) && !tree_is(n, kind))
			x->error = gotext_type_error(x->arena, n, type);
	}
}

static void
check_dates(
    struct token_reading *x, const struct node *object, const char *const *keys)
{
	for (size_t i = 0; keys[i] != NULL && x->error.p == NULL; i++) {
		const struct node *n = tree_get(object, keys[i]);

		if (is_given(n) && !tree_is(n, NODE_NUMBER))
			x->error =
			    span_str("go-jose/go-jose/jwt: expected number "
				     "value to unmarshal NumericDate");
	}
}

/* Checks the types of all claims, as the decoders of the real server do. */
static bool
check_form(struct token_reading *x, const struct jwt *t)
{
	static const char *const texts[] = {"iss", "jti", "sub", NULL},
				 *const dates[] = {"exp", "iat", "nbf", NULL},
				 *const own[] = {"kubernetes.io", NULL},
				 *const ns[] = {"namespace", NULL},
				 *const warn[] = {"warnafter", NULL},
				 *const refs[] = {"node", "pod", "secret",
				     "serviceaccount", NULL},
				 *const members[] = {"name", "uid", NULL};
	const struct node *k = tree_get(t->claims, own[0]);
	const struct node *aud;
	bool good;

	if (t->duplicate.n > 0)
		x->error = arena_printf(x->arena,
		    "json: duplicate key '%.*s' in object",
		    SPAN_ARG(t->duplicate));
	check_kinds(x, t->claims, texts, NODE_STRING, "string");
	check_dates(x, t->claims, dates);
	aud = tree_get(t->claims, "aud");
	good = aud == NULL || tree_is(aud, NODE_STRING) ||
	    tree_is(aud, NODE_ARRAY);
	for (size_t i = 0; good && i < tree_items(aud); i++)
		good = tree_is(aud->items[i], NODE_STRING);
	if (!good && x->error.p == NULL)
		x->error = span_str("go-jose/go-jose/jwt: expected string or "
				    "array value to unmarshal to Audience");
	check_kinds(
	    x, t->claims, own, NODE_OBJECT, "serviceaccount.kubernetes");
	check_kinds(x, k, ns, NODE_STRING, "string");
	check_dates(x, k, warn);
	check_kinds(x, k, refs, NODE_OBJECT, "serviceaccount.ref");
	for (size_t i = 0; refs[i] != NULL; i++)
		check_kinds(
		    x, tree_get(k, refs[i]), members, NODE_STRING, "string");
	return x->error.p == NULL;
}

/* Reads a date, if it is there, as Go converts it to whole seconds: a number
 * that is too large becomes the smallest one. */
static bool
date(const struct node *claims, const char *key, int64_t *seconds)
{
	const struct node *n = tree_get(claims, key);
	double d = tree_is(n, NODE_NUMBER) ? tree_double(n) : 0;
	bool fits = d > -9223372036854775808.0 && d < 9223372036854775808.0;

	*seconds = fits ? (int64_t)d : INT64_MIN;
	return tree_is(n, NODE_NUMBER);
}

static bool
check_times(struct token_reading *x, const struct node *claims)
{
	int64_t t;

	if (date(claims, "nbf", &t) && t > x->now + LEEWAY_S)
		x->error = span_str("service account token is not valid yet");
	else if (date(claims, "exp", &t) && t < x->now - LEEWAY_S)
		x->error = span_str("service account token has expired");
	else if (date(claims, "iat", &t) && t > x->now + LEEWAY_S)
		x->error =
		    span_str("service account token is issued in the future");
	return x->error.p == NULL;
}

static bool
check_claims(struct token_reading *x, const struct node *claims)
{
	const struct node *k = tree_get(claims, "kubernetes.io");
	const struct node *account = tree_get(k, "serviceaccount");
	const struct node *pod = tree_get(k, "pod"),
			  *node = tree_get(k, "node");
	const struct node *secret = tree_get(k, "secret");

	return check_times(x, claims) &&
	    check_account(x, tree_text(tree_get(account, "name")),
		tree_text(tree_get(account, "uid"))) &&
	    (!is_given(secret) ||
		check_bound(x, secret, "secrets", "secret", "secret")) &&
	    (!is_given(pod) || check_bound(x, pod, "pods", "pod", "pod")) &&
	    (is_given(pod) || !is_given(node) ||
		check_bound(x, node, "nodes", "node", "node"));
}

/* ---- audiences ---- */

/* Like Go's %q prints a slice. */
static struct span
quoted(struct arena *a, const struct span *list, size_t n)
{
	struct buf b = BUF_INIT;

	buf_addc(&b, '[');
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			buf_addc(&b, ' ');
		buf_addspan(&b, gotext_quote(a, list[i]));
	}
	buf_addc(&b, ']');
	return tree_keep(a, &b);
}

/* The claim aud, a text or a list of texts; without it, the audiences of the
 * server. */
static const struct span *
audiences_of(const struct accounts *s, struct arena *a,
    const struct node *claims, size_t *n)
{
	const struct node *aud = tree_get(claims, "aud");
	size_t count = tree_is(aud, NODE_STRING) ? 1 : tree_count(aud);
	struct span *list;

	if (!tree_is(aud, NODE_STRING) && tree_count(aud) == 0)
		return accounts_audiences(s, n);
	list = arena_alloc(a, count * sizeof(*list));
	for (size_t i = 0; i < count; i++)
		list[i] =
		    tree_text(tree_is(aud, NODE_STRING) ? aud : aud->items[i]);
	*n = count;
	return list;
}

static bool
check_audiences(struct token_reading *x, const struct node *claims,
    const struct span *wanted, size_t wanted_count, struct node **granted)
{
	struct arena *a = x->arena;
	size_t n;
	const struct span *list = audiences_of(x->api->accounts, a, claims, &n);

	*granted = tree_array(a);
	for (size_t i = 0; i < n; i++)
		if (texts_have(wanted, wanted_count, list[i]))
			tree_append(a, *granted, tree_string(a, list[i]));
	if (tree_count(*granted) > 0)
		return true;
	x->error = arena_printf(a,
	    "token audiences %.*s is invalid for the target audiences %.*s",
	    SPAN_ARG(quoted(a, list, n)),
	    SPAN_ARG(quoted(a, wanted, wanted_count)));
	return false;
}

/* ---- the user ---- */

enum { EXTRA_MAX = 5 };
#define EXTRA_PREFIX "authentication.kubernetes.io/"

static void
add_extra(struct arena *a, struct user *u, const char *key, struct span value)
{
	struct user_extra *list = (struct user_extra *)u->extra;
	struct span *values;

	if (value.n == 0)
		return;
	if (list == NULL)
		list = arena_alloc(a, EXTRA_MAX * sizeof(*list));
	values = arena_alloc(a, sizeof(*values));
	*values = value;
	list[u->extra_count++] = (struct user_extra){span_str(key), values, 1};
	u->extra = list;
}

static bool
check_signature(struct token_reading *x, const struct jwt *t)
{
	struct jwt_keys *keys = x->api->accounts->keys;
	struct err err = ERR_INIT;

	/* Makes a key if none signs: no token was signed yet. */
	if (jwt_keys_make(keys, &err) != 0)
		x->error = arena_span(x->arena, span_str(err.message));
	else
		switch (jwt_verify(keys, t)) {
		case JWT_GOOD:
			return true;
		case JWT_NO_KEY:
			x->error = span_str("invalid signature, no keys found");
			break;
		case JWT_BAD_SIGNATURE:
			x->error = span_str("go-jose/go-jose: error in "
					    "cryptographic primitive");
		}
	return false;
}

const struct user *
accounts_find(const struct api *api, struct arena *a, struct span token,
    const struct span *audiences, size_t n, struct node **granted,
    struct span *error)
{
	struct token_reading x = {.api = api, .arena = a};
	struct jwt t;

	*error = SPAN_NONE;
	if (!jwt_parse(a, token, &t) ||
	    !is_issuer(tree_text(tree_get(t.claims, "iss"))))
		return NULL;
	x.now = clock_real_us() / 1000000;
	x.namespace_ = tree_text(
	    tree_get(tree_get(t.claims, "kubernetes.io"), "namespace"));
	if (check_signature(&x, &t) && check_form(&x, &t) &&
	    check_audiences(&x, t.claims, audiences, n, granted) &&
	    check_claims(&x, t.claims)) {
		const struct node *k = tree_get(t.claims, "kubernetes.io");
		struct user *u = arena_zalloc(a, sizeof(*u));
		struct span *groups = arena_alloc(a, 3 * sizeof(*groups));
		struct span id = tree_text(tree_get(t.claims, "jti"));

		u->name = arena_printf(a, "system:serviceaccount:%.*s:%.*s",
		    SPAN_ARG(x.namespace_),
		    SPAN_ARG(tree_path_text(k, "serviceaccount.name")));
		u->uid = tree_path_text(k, "serviceaccount.uid");
		groups[0] = span_str("system:serviceaccounts");
		groups[1] = arena_printf(
		    a, "system:serviceaccounts:%.*s", SPAN_ARG(x.namespace_));
		groups[2] = span_str("system:authenticated");
		u->groups = groups;
		u->group_count = 3;
		/* by key */
		if (id.n > 0)
			add_extra(a, u, EXTRA_PREFIX "credential-id",
			    arena_printf(a, "JTI=%.*s", SPAN_ARG(id)));
		add_extra(a, u, EXTRA_PREFIX "node-name",
		    tree_path_text(k, "node.name"));
		add_extra(a, u, EXTRA_PREFIX "node-uid",
		    tree_path_text(k, "node.uid"));
		add_extra(a, u, EXTRA_PREFIX "pod-name",
		    tree_path_text(k, "pod.name"));
		add_extra(
		    a, u, EXTRA_PREFIX "pod-uid", tree_path_text(k, "pod.uid"));
		return u;
	}
	*error = x.error;
	return NULL;
}
