#include "crd/rulepath.h"

#include "base/buf.h"

static const char no_end[] = "unexpected end of JSON path";
static const char no_field[] = "does not refer to a valid field";

/* One of . [ ], a text in single quotes (which are part of it), or what is in
 * front of the next of the three. None at the end. */
static struct span
next_token(struct span *rest)
{
	struct span t = *rest;
	size_t n = 1;

	if (rest->n == 0)
		return SPAN_NONE;
	if (*t.p == '\'') {
		while (n < t.n && (t.p[n] != '\'' || t.p[n - 1] == '\\'))
			n++;
		n += n < t.n;
	} else if (!span_is_among(*t.p, ".[]")) {
		while (n < t.n && !span_is_among(t.p[n], ".[]"))
			n++;
	}
	*rest = span_skip(*rest, n);
	t.n = n;
	return t;
}

static bool
add_escaped(struct buf *b, char c)
{
	static const char names[] = "abfnrtv'\\", chars[] = "\a\b\f\n\r\t\v'\\";
	const char *at = span_find(span_str(names), c);

	if (at == NULL)
		return false;
	buf_addc(b, chars[at - names]);
	return true;
}

/* The text inside the quotes. Returns NULL, or what is wrong. A backslash does
 * not escape the end of a line. */
static const char *
unquote(struct arena *a, struct span token, struct span *name)
{
	struct buf b = BUF_INIT;
	const char *wrong = NULL;

	if (token.n < 2 || *token.p != '\'' || token.p[token.n - 1] != '\'')
		return arena_str(a,
		    arena_printf(a,
			"expected single quoted string but got %.*s",
			SPAN_ARG(token)));
	token = span_make(token.p + 1, token.n - 2);
	for (size_t i = 0; i < token.n; i++) {
		if (token.p[i] != '\\' || i + 1 == token.n ||
		    token.p[i + 1] == '\n')
			buf_addc(&b, token.p[i]);
		else if (!add_escaped(&b, token.p[++i]))
			wrong = arena_str(a,
			    arena_printf(a,
				"invalid string literal: invalid escape char "
				"\\%c",
				token.p[i]));
	}
	*name = arena_span(a, buf_span(&b));
	buf_release(&b);
	return wrong;
}

/* From a schema to that of a member. */
static const char *
step(const struct node **schema, struct span name)
{
	const struct node *properties = tree_get(*schema, "properties");
	const struct node *map = tree_get(*schema, "additionalProperties");

	if (tree_count(properties) > 0) {
		*schema = tree_get_span(properties, name);
		return *schema == NULL ? no_field : NULL;
	}
	if (map == NULL)
		return no_field;
	*schema = tree_is(map, NODE_OBJECT) ? map : NULL;
	return NULL;
}

static const char *
bracket(struct arena *a, struct span *rest, const struct node **schema)
{
	struct span token = next_token(rest), name;
	const char *wrong;

	if (token.n == 0)
		return no_end;
	if ((wrong = unquote(a, token, &name)) != NULL ||
	    (wrong = step(schema, name)) != NULL)
		return wrong;
	token = next_token(rest);
	if (token.n == 0)
		return no_end;
	return span_is(token, "]")
	    ? NULL
	    : arena_str(a,
		  arena_printf(a, "expected ] but got %.*s", SPAN_ARG(token)));
}

const char *
rulepath_check(struct arena *a, struct span path, const struct node *schema,
    enum rulepath_brackets brackets, const struct node **found)
{
	const char *wrong = NULL;
	struct span token;

	while (wrong == NULL && (token = next_token(&path)).n > 0) {
		if (span_is(token, ".")) {
			token = next_token(&path);
			wrong = token.n == 0 ? no_end : step(&schema, token);
		} else if (!span_is(token, "[")) {
			wrong = arena_str(a,
			    arena_printf(a, "expected [ or . but got: %.*s",
				SPAN_ARG(token)));
		} else if (brackets == RULEPATH_DOTS_ONLY) {
			wrong = "array notation is not allowed";
		} else {
			wrong = bracket(a, &path, &schema);
		}
	}
	if (found != NULL)
		*found = schema;
	return wrong;
}
