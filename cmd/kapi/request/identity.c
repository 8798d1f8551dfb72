#include "request/identity.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "request/accounts.h"
#include "request/jwt.h"
#include "request/request.h"
#include "request/users.h"
#include "text/texts.h"
#include "value/base64.h"

/* ---- tokens that a request carries ---- */

#define PREFIX "base64url.bearer.authorization.k8s.io."

struct span
identity_bearer(struct span authorization)
{
	struct span rest = span_trim(authorization, SPAN_SPACE);

	if (!span_is_caseless(span_cut(&rest, ' '), "bearer"))
		return SPAN_NONE;
	return span_cut(&rest, ' ');
}

static bool
is_utf8(struct span s)
{
	const char *end = s.p + s.n;
	size_t n;

	for (const char *p = s.p; p < end; p += n)
		if ((n = utf8_length(p, end)) == 0)
			return false;
	return true;
}

static int
decode(struct span *token, struct arena *a, struct span encoded)
{
	struct buf b = BUF_INIT;
	size_t at;
	int rc = base64_decode_url(encoded, &b, &at);

	if (rc == 0 && !is_utf8(buf_span(&b)))
		rc = -1;
	if (rc == 0)
		*token = arena_span(a, buf_span(&b));
	buf_wipe(&b);
	buf_release(&b);
	return rc;
}

int
identity_protocols(struct identity_protocols *b, struct arena *a,
    const struct httpd_request *r)
{
	struct buf others = BUF_INIT;
	size_t tokens = 0, n = 0;
	int rc = 0;

	*b = (struct identity_protocols){SPAN_NONE, SPAN_NONE};
	for (size_t i = 0; i < r->header_count; i++) {
		struct span rest = r->headers[i].value, one;
		if (!span_is(r->headers[i].name, "sec-websocket-protocol"))
			continue;
		while (rc == 0 && rest.p != NULL) {
			one = span_trim(span_cut(&rest, ','), " \t");
			if (span_take(&one, PREFIX))
				rc = tokens++ > 0 ? -1
						  : decode(&b->token, a, one);
			else {
				buf_adds(&others, (n++) > 0 ? "," : "");
				buf_addspan(&others, one);
			}
		}
	}
	if (b->token.n > 0 && n == 0)
		rc = -1;
	b->others = tree_keep(a, &others);
	return rc;
}

/* ---- certificates ---- */

/* Copied: the request may outlive its connection. */
static const struct user *
clientcert_user(struct request *r)
{
	const struct httpd_peer *p = httpd_peer(r->exchange);
	struct arena *a = &r->arena;
	struct user *u;
	struct span *groups;
	struct user_extra *e;
	struct span *value;

	if (p == NULL || p->refused || p->name.n == 0)
		return NULL;
	u = arena_zalloc(a, sizeof(*u));
	groups = arena_alloc(a, (p->organization_count + 1) * sizeof(*groups));
	for (size_t i = 0; i < p->organization_count; i++)
		groups[u->group_count++] = arena_span(a, p->organizations[i]);
	groups[u->group_count++] = span_str("system:authenticated");
	u->groups = groups;
	u->name = arena_span(a, p->name);
	u->uid = arena_span(a, p->uid);
	e = arena_alloc(a, sizeof(*e));
	value = arena_alloc(a, sizeof(*value));
	*value = arena_printf(a, "X509SHA256=%.*s", SPAN_ARG(p->sha256));
	*e = (struct user_extra){
	    span_str("authentication.kubernetes.io/credential-id"), value, 1};
	u->extra = e;
	u->extra_count = 1;
	return u;
}

/* Whether the client certificate is not valid. A certificate without a user
 * name is valid. */
static bool
clientcert_refused(const struct request *r)
{
	const struct httpd_peer *p = httpd_peer(r->exchange);

	return p != NULL && p->refused;
}

/* ---- who it is ---- */

static const struct span anonymous_groups[] = {{"system:unauthenticated", 22}};
static const struct user anonymous = {.name = {"system:anonymous", 16},
    .groups = anonymous_groups,
    .group_count = 1};

/* A token of the file is for the audiences of the server. */
static bool
share(const struct accounts *s, struct arena *a, const struct span *wanted,
    size_t n, struct node **shared)
{
	size_t own_count;
	const struct span *own = accounts_audiences(s, &own_count);

	*shared = tree_array(a);
	for (size_t i = 0; i < own_count; i++)
		if (texts_have(wanted, n, own[i]))
			tree_append(a, *shared, tree_string(a, own[i]));
	return tree_count(*shared) > 0;
}

struct identity
identity_of_token(const struct api *api, struct arena *a, struct span token,
    const struct span *audiences, size_t n)
{
	static const char invalid[] = "invalid bearer token";
	struct identity id = {0};

	if (n == 0)
		audiences = accounts_audiences(api->accounts, &n);
	if (share(api->accounts, a, audiences, n, &id.audiences))
		id.user = users_find(api->users, token);
	if (id.user != NULL)
		return id;
	id.user = accounts_find(
	    api, a, token, audiences, n, &id.audiences, &id.error);
	if (id.user != NULL)
		return id;
	/* The first error is that of an authenticator that kapi does not have:
	 * the one of the server's client for its own use. */
	id.error = id.error.p == NULL
	    ? span_str(invalid)
	    : arena_printf(a, "[%s, %.*s]", invalid, SPAN_ARG(id.error));
	return id;
}

bool
identity_is_free(const struct api *api)
{
	return api->users == NULL && !api->certificates_only;
}

/* Whether this client is the administrator: every client is if no credential is
 * asked for, unless its token has the form of a JSON Web Token. */
static bool
is_open(struct request *r, struct span token)
{
	struct jwt t;

	return identity_is_free(r->api) && !jwt_parse(&r->arena, token, &t);
}

/* A credential that is not valid is always refused. A client without one is
 * anonymous if there are rights: the real server turns anonymous requests off
 * if it allows everything. */
static bool
may_be_anonymous(const struct request *r)
{
	if (r->api->no_anonymous || clientcert_refused(r))
		return false;
	return r->api->rights != NULL ||
	    (!r->on_resource &&
		(span_is(r->path, "/healthz") || span_is(r->path, "/livez") ||
		    span_is(r->path, "/readyz") ||
		    span_is(r->path, "/version")));
}

/* The user of a token among the protocols of a WebSocket, which the handshake
 * then does not see. -1: there is one, and it is not valid. */
static int
find_by_protocol(struct request *r, const struct user **user)
{
	struct identity_protocols b;

	if (!httpd_wants_websocket(r->http))
		return 0;
	if (identity_protocols(&b, &r->arena, r->http) != 0)
		return -1;
	if (b.token.n == 0)
		return 0;
	*user = identity_of_token(r->api, &r->arena, b.token, NULL, 0).user;
	if (*user == NULL && is_open(r, b.token))
		*user = users_first(NULL);
	if (*user == NULL)
		return -1;
	httpd_set_header(r->exchange, "sec-websocket-protocol", b.others);
	return 0;
}

bool
identity_find(struct request *r)
{
	struct span token =
	    identity_bearer(httpd_header(r->http, "authorization"));
	/* A certificate first, as the real server asks its authenticators. */
	const struct user *u = clientcert_user(r);
	bool valid = true;

	if (u == NULL && token.n > 0) {
		u = identity_of_token(r->api, &r->arena, token, NULL, 0).user;
		valid = u != NULL;
	}
	if (u == NULL && find_by_protocol(r, &u) != 0)
		valid = false;
	if (u == NULL && is_open(r, token))
		u = users_first(NULL);
	r->identity = u != NULL ? u : &anonymous;
	if (u == NULL && !(valid && may_be_anonymous(r)))
		return false;
	r->user = r->identity->name;
	return true;
}
