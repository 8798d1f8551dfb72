/* bearer: tokens in headers. */
#include "request/identity.h"

#include <stdarg.h>

#include "base/array.h"
#include "tap.h"

#define PREFIX "base64url.bearer.authorization.k8s.io."

static void
is_span(struct span got, const char *want, const char *what)
{
	struct arena a = ARENA_INIT;

	is(arena_str(&a, got), want, what);
	arena_release(&a);
}

static void
is_token(const char *header, const char *want, const char *what)
{
	is_span(identity_bearer(span_str(header)), want, what);
}

/* protocols: NULL: no such header; second: the same of a second header. */
static int
find(struct identity_protocols *b, struct arena *a, const char *protocols,
    const char *second)
{
	const struct httpd_header all[] = {
	    {span_str("x"), span_str(PREFIX "eA")},
	    {span_str("sec-websocket-protocol"), span_str(protocols)},
	    {span_str("sec-websocket-protocol"), span_str(second)}};
	size_t n = protocols == NULL ? 1 : second == NULL ? 2 : 3;
	struct httpd_request r = {.headers = all, .header_count = n};

	return identity_protocols(b, a, &r);
}

static void
has(const char *protocols, const char *second, const char *token,
    const char *others, const char *what)
{
	struct arena a = ARENA_INIT;
	struct identity_protocols b;

	ok(find(&b, &a, protocols, second) == 0, what);
	is_span(b.token, token, "... the token");
	is_span(b.others, others, "... the other protocols");
	arena_release(&a);
}

static void
is_refused(const char *protocols, const char *second, const char *what)
{
	struct arena a = ARENA_INIT;
	struct identity_protocols b;

	ok(find(&b, &a, protocols, second) == -1, what);
	arena_release(&a);
}

TEST(bearer)
{
	is_token("Bearer t1", "t1", "a bearer token");
	is_token(" bEARER t1 and more", "t1", "... up to a blank");
	is_token("Bearer  t1", "", "two blanks: none");
	is_token("Bearer", "", "the scheme alone");
	is_token("Basic t1", "", "another scheme");
	is_token(NULL, "", "no header");

	has(NULL, NULL, "", "", "no protocols");
	has("a, b", NULL, "", "a,b", "no token");
	has(PREFIX "dDE, a", NULL, "t1", "a", "a token");
	has("a,\t" PREFIX "dDE , b", NULL, "t1", "a,b", "... in between");
	has("a", PREFIX "w78_", "\303\277?", "a", "... in a second header");
	has(PREFIX ",a", NULL, "", "a", "an empty one does not count");
	has(PREFIX, NULL, "", "", "... nor does it need another protocol");
	is_refused(PREFIX "dDE", NULL, "a token alone");
	is_refused(PREFIX "dDE," PREFIX "dDE,a", NULL, "two");
	is_refused(PREFIX "dDE", PREFIX ",a", "... in two headers");
	is_refused(PREFIX "dDE=,a", NULL, "padding");
	is_refused(PREFIX "w78/,a", NULL, "the other alphabet");
	is_refused(PREFIX "/w,a", NULL, "... a character of it");
	is_refused(PREFIX "_w,a", NULL, "no UTF-8");
}
