#include "read/continue.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "json/json.h"
#include "tree/tree.h"
#include "text/gotext.h"
#include "value/base64.h"

struct span
continue_make(struct arena *a, int64_t version, struct span key)
{
	struct buf b = BUF_INIT, coded = BUF_INIT;
	struct span token;

	buf_addf(&b,
	    "{\"v\":\"meta.k8s.io/v1\",\"rv\":%" PRId64 ",\"start\":", version);
	json_add_string(&b, key);
	/* The next possible key behind that one: a zero byte more. */
	buf_truncate(&b, b.len - 1);
	buf_adds(&b, "\\u0000\"}");
	base64_add_url(&coded, buf_span(&b));
	token = arena_span(a, buf_span(&coded));
	buf_release(&coded);
	buf_release(&b);
	return token;
}

static struct problem *
invalid(struct arena *a, const char *what, struct span detail)
{
	return problem_bad_request(a,
	    "invalid continue token: continue key is not valid%s%.*s", what,
	    SPAN_ARG(detail));
}

/* As path.Clean would leave it: no empty, "." or ".." segment. */
static bool
is_clean(struct span key)
{
	size_t start = 0;

	if (key.n > 0 && *key.p == '/')
		start = 1;
	for (size_t i = start; i <= key.n; i++) {
		struct span part;

		if (i < key.n && key.p[i] != '/')
			continue;
		part = span_make(key.p + start, i - start);
		if (part.n == 0 || span_is(part, ".") || span_is(part, ".."))
			return false;
		start = i + 1;
	}
	return true;
}

/* A member of a wrong type, as json.Unmarshal says it; none: fine. */
static struct span
wrong_type(struct arena *a, const struct node *n)
{
	static const struct {
		const char *name, *type;
		enum node_kind kind;
	} fields[] = {{"v", "string", NODE_STRING},
	    {"rv", "int64", NODE_NUMBER}, {"start", "string", NODE_STRING}};

	if (tree_is(n, NODE_NULL))
		return SPAN_NONE;
	if (!tree_is(n, NODE_OBJECT))
		return gotext_type_error(a, n, "storage.continueToken");
	for (size_t i = 0; i < 3; i++) {
		const struct node *v = tree_get(n, fields[i].name);

		if (v != NULL && !tree_is(v, NODE_NULL) &&
		    !tree_is(v, fields[i].kind))
			return arena_printf(a,
			    "json: cannot unmarshal %s into Go struct field "
			    "continueToken.%s of type %s",
			    gotext_kind(v), fields[i].name, fields[i].type);
	}
	return SPAN_NONE;
}

/* False: *bad is where Go says that it stopped. */
static bool
decode(struct arena *a, struct span token, struct span *text, size_t *bad)
{
	struct buf b = BUF_INIT;
	int code = base64_decode_url(token, &b, bad);

	*text = arena_span(a, buf_span(&b));
	buf_release(&b);
	return code == 0;
}

struct problem *
continue_parse(
    struct arena *a, struct span token, int64_t *version, struct span *key)
{
	struct span text, said, v;
	struct node *n;
	size_t bad;

	if (!decode(a, token, &text, &bad))
		return invalid(a, ": ",
		    arena_printf(
			a, "illegal base64 data at input byte %zu", bad));
	said = gotext_json_error(a, text);
	if (said.p != NULL)
		return invalid(a, ": ", said);
	n = tree_parse(a, text, TREE_LIMITS, NULL, NULL);
	said = wrong_type(a, n);
	if (said.p != NULL)
		return invalid(a, ": ", said);
	v = tree_text(tree_get(n, "v"));
	if (!span_is(v, "meta.k8s.io/v1"))
		return invalid(
		    a, ": server does not recognize this encoded version ", v);
	if (!tree_get_int(tree_get(n, "rv"), version) || *version == 0)
		return invalid(a,
		    ": incorrect encoded start resourceVersion (version "
		    "meta.k8s.io/v1)",
		    SPAN_NONE);
	*key = tree_text(tree_get(n, "start"));
	if (key->n == 0)
		return invalid(a,
		    ": encoded start key empty (version meta.k8s.io/v1)",
		    SPAN_NONE);
	if (!is_clean(*key))
		return invalid(a, ": ", *key);
	if (*key->p == '/')
		*key = span_skip(*key, 1);
	if (key->n > 0 && key->p[key->n - 1] == '\0')
		key->n--;
	return NULL;
}
