#include "request/identity.h"

#include "request/accounts.h"
#include "request/bearer.h"
#include "request/clientcert.h"
#include "request/jwt.h"

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
		for (size_t j = 0; j < n; j++)
			if (span_eq(own[i], wanted[j])) {
				tree_append(a, *shared, tree_string(a, own[i]));
				break;
			}
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
	/* One more authenticator says the first: that of the server's own
	 * client. */
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

/* There everybody is the administrator, except a client whose token claims to
 * be another one's. */
static bool
is_open(struct request *r, struct span token)
{
	struct jwt t;

	return identity_is_free(r->api) && !jwt_parse(&r->arena, token, &t);
}

/* A credential that is not valid is refused wherever it is sent. Who has none
 * is anonymous if there are rights, as the real server turns this off where it
 * allows all. */
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
	struct bearer_protocols b;

	if (!httpd_wants_websocket(r->http))
		return 0;
	if (bearer_protocols(&b, &r->arena, r->http) != 0)
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
	    bearer_token(httpd_header(r->http, "authorization"));
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
