#include "request/bearer.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "value/base64.h"

#define PREFIX "base64url.bearer.authorization.k8s.io."

struct span
bearer_token(struct span authorization)
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
bearer_protocols(
    struct bearer_protocols *b, struct arena *a, const struct httpd_request *r)
{
	struct buf others = BUF_INIT;
	size_t tokens = 0, n = 0;
	int rc = 0;

	*b = (struct bearer_protocols){SPAN_NONE, SPAN_NONE};
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
	b->others = arena_span(a, buf_span(&others));
	buf_release(&others);
	return rc;
}
