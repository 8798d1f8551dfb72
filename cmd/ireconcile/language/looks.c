#include "language/looks.h"

#include <stdlib.h>

#include "base/mem.h"

enum { KEYS_MAX = 32 };

/* A value of the name `from` becomes a value of the name `to`, or a part of
 * one. */
struct edge {
	struct span from, to;
};

struct search {
	struct looks *looks;
	struct edge *edges; /* owned */
	size_t edge_count;
	const struct source *source;
	/* The file and definition that are looked at. */
	const struct jqlex *lex;
	struct span definition; /* empty: an expression */
};

/* A value on its way out of the program. */
struct value {
	struct span name;
	bool bare;   /* alone, or in a text; else in an object */
	bool listed; /* beside a comma */
	bool piped;  /* was read by what is behind a pipe */
	struct span keys[KEYS_MAX];
	size_t key_count;
};

/* Notes that a value has two names. */
static void
lead(struct search *s, struct span from, struct span to)
{
	s->edges = mem_grow(s->edges, s->edge_count, sizeof(*s->edges));
	s->edges[s->edge_count++] = (struct edge){from, to};
}

static struct span
text(const struct search *s, int token)
{
	return s->lex->tokens[token].text;
}

/* Whether the call is of a function of ours that passes its input or its
 * arguments on, and reads only members that the text names. */
static bool
is_harmless(const struct search *s, const struct jqnode *call)
{
	static const char *const harmless[] = {"compact", "filled", "once",
	    "if_exists", "as_seen", "keep", "exactly", "retain", "after",
	    "independent", "delete_foreign", "patch_only", "immutable",
	    "in_namespace", "annotated", "config_map", "deployment",
	    "statefulset", "daemonset", "service", "namespace", "named", "need",
	    "map", "select", "empty", "not", NULL};
	struct span name = text(s, call->token);

	if (call->local || !span_is_one_of(name, harmless))
		return false;
	for (struct source_def d = source_next(s->source, SOURCE_START);
	     d.def != NULL; d = source_next(s->source, d))
		if (d.file->trust == JQPARSE_STRANGE &&
		    span_eq(d.def->name, name))
			return false;
	return true;
}

/* ---- nodes that look into their input without naming a member ---- */

/* Whether a token is == < ... */
static bool
compares(const struct search *s, int token)
{
	static const char *const signs[] = {
	    "==", "!=", "<", "<=", ">", ">=", NULL};

	return jqlex_is(s->lex, token, JQLEX_OTHER, NULL) &&
	    span_is_one_of(text(s, token), signs);
}

/* Whether the comparison at a token is of members, or with null. */
static bool
compares_names(const struct search *s, int token)
{
	const struct jqlex *lex = s->lex;

	return jqlex_is(lex, token + 1, JQLEX_WORD, "null") ||
	    (jqlex_is(lex, token - 1, JQLEX_FIELD, NULL) &&
		(jqlex_is(lex, token + 1, JQLEX_STRING, NULL) ||
		    jqlex_is(lex, token + 1, JQLEX_NUMBER, NULL) ||
		    jqlex_is(lex, token + 1, JQLEX_FIELD, NULL) ||
		    jqlex_is(lex, token + 1, JQLEX_VARIABLE, NULL)));
}

/* .[] .[$k] .[1:2], but not .["a"] or .[0] */
static bool
opens_any(const struct search *s, const struct jqnode *access)
{
	return access->type == JQNODE_EACH || access->type == JQNODE_SLICE ||
	    (access->type == JQNODE_INDEX &&
		(access->to != access->token + 2 ||
		    (!jqlex_is(s->lex, access->token, JQLEX_STRING, NULL) &&
			!jqlex_is(s->lex, access->token, JQLEX_NUMBER, NULL))));
}

static bool
inspects(const struct search *s, const struct jqnode *n)
{
	switch (n->type) {
	case JQNODE_CALL:
		if (!is_harmless(s, n))
			return true;
		break;
	case JQNODE_DOT:
		if (n->next != NULL && opens_any(s, n->next))
			return true;
		break;
	case JQNODE_STRING:
		if (n->token > n->from)
			return true;
		for (const struct jqnode *k = n->kids; k != NULL; k = k->next)
			if (jqlex_is(s->lex, k->from, JQLEX_OTHER, "."))
				return true;
		break;
	case JQNODE_OPERATORS:
		for (const struct jqnode *k = n->kids->next; k; k = k->next)
			if (compares(s, k->from - 1) &&
			    !compares_names(s, k->from - 1))
				return true;
		break;
	case JQNODE_BIND:
	case JQNODE_LABEL:
	case JQNODE_LOCAL:
	case JQNODE_RECURSE:
	case JQNODE_FORMAT:
	case JQNODE_BREAK:
	case JQNODE_LOOP:
	case JQNODE_TRY:
		return true;
	default:
		break;
	}
	for (const struct jqnode *k = n->kids; k != NULL; k = k->next)
		if (inspects(s, k))
			return true;
	return false;
}

/* ---- the way of a value ---- */

/* Whether the term is a value with accesses, without branches and `?`. */
static bool
is_simple(const struct jqnode *n)
{
	if (n->type != JQNODE_TERM || n->kids->type == JQNODE_IF ||
	    n->kids->type == JQNODE_LOOP || n->kids->type == JQNODE_TRY ||
	    n->kids->type == JQNODE_RECURSE)
		return false;
	for (const struct jqnode *k = n->kids; k != NULL; k = k->next)
		if (k->type == JQNODE_OPTIONAL)
			return false;
	return true;
}

/* A term that is one token. */
static bool
is_token(const struct search *s, const struct jqnode *n, enum jqlex_type type,
    const char *name)
{
	return n->type == JQNODE_TERM && n->to == n->from + 1 &&
	    jqlex_is(s->lex, n->from, type, name);
}

/* Texts are joined to a value alone; objects are added and multiplied. */
static bool
passes_operators(
    const struct search *s, const struct value *v, const struct jqnode *n)
{
	static const char *const all[] = {"*", "//", "+", NULL};
	const char *const *signs = v->bare ? &all[2] : all;

	for (const struct jqnode *k = n->up->kids; k != NULL; k = k->next) {
		if (k != n->up->kids &&
		    !span_is_one_of(text(s, k->from - 1), signs))
			return false;
		if (k != n &&
		    (v->bare ? !is_token(s, k, JQLEX_STRING, NULL)
			     : !is_simple(k)))
			return false;
	}
	return true;
}

static bool
passes_query(const struct search *s, struct value *v, const struct jqnode *n)
{
	const struct jqnode *next = n->next;
	bool piped = next != NULL && jqparse_joined(s->lex, next, "|");

	for (const struct jqnode *k = n->up->kids->next; k; k = k->next)
		if (jqparse_joined(s->lex, k, ","))
			v->listed = true;
	if (!piped)
		return true;
	if (v->bare) {
		while (piped && is_token(s, next, JQLEX_FORMAT, "@base64")) {
			next = next->next;
			piped = next && jqparse_joined(s->lex, next, "|");
		}
		return !piped;
	}
	for (; next != NULL; next = next->next)
		if (inspects(s, next))
			return false;
	v->piped = true;
	return true;
}

/* Notes the key under which an object has the value. False: it is computed. */
static bool
note_key(const struct search *s, struct value *v, const struct jqnode *member)
{
	enum jqlex_type type = s->lex->tokens[member->token].type;

	if (v->key_count == KEYS_MAX || type > JQLEX_STRING)
		return false;
	v->keys[v->key_count++] = text(s, member->token);
	v->bare = false;
	return true;
}

/* Whether the node around n passes on its value. */
static bool
passes(const struct search *s, struct value *v, const struct jqnode *n)
{
	const struct jqnode *up = n->up;
	bool listed = v->listed;

	switch (up->type) {
	case JQNODE_QUERY:
		return passes_query(s, v, n);
	case JQNODE_OPERATORS:
		return passes_operators(s, v, n);
	case JQNODE_TERM:
		return v->bare ? n->next == NULL : is_simple(up);
	case JQNODE_BIND:
	case JQNODE_LABEL:
	case JQNODE_LOCAL:
		return n->next == NULL;
	case JQNODE_PAREN:
		v->listed = false;
		return true;
	case JQNODE_STRING:
		return !listed && up->token == up->from;
	case JQNODE_OBJECT:
		return true;
	case JQNODE_MEMBER:
		return n == up->value && note_key(s, v, up);
	case JQNODE_ARRAY:
		v->listed = false;
		return !v->bare;
	case JQNODE_CALL:
		v->listed = false;
		return !v->bare && is_harmless(s, up);
	default:
		return false;
	}
}

/* The value is the result of a function, or of the expression. False: there it
 * is looked into. */
static bool
leaves(struct search *s, const struct value *v, struct span function)
{
	/* Functions whose results leave the program. */
	static const char *const entries[] = {
	    "desired", "status", "finalize", "events", "_map", NULL};
	bool leaves = function.n == 0 || span_is_one_of(function, entries);

	if (v->listed || (function.n == 0 && v->bare))
		return false;
	if (!leaves)
		lead(s, v->name, function);
	for (size_t i = 0; i < v->key_count && (!leaves || v->piped); i++)
		lead(s, v->name, v->keys[i]);
	return true;
}

/* Whether the value of the node is only passed on; notes the names that it
 * gets. */
static bool
follow(struct search *s, struct value *v, const struct jqnode *n)
{
	for (; n->up != NULL; n = n->up) {
		if (n->up->type == JQNODE_LOCAL && n == n->up->kids)
			return leaves(s, v, text(s, n->up->token));
		if (!passes(s, v, n))
			return false;
	}
	return leaves(s, v, s->definition);
}

/* ---- whole objects ---- */

/* Whether the object at a term is given to a function or operator that looks at
 * its members without their names. */
static bool
is_inspected(const struct search *s, const struct jqnode *n)
{
	if (compares(s, n->from - 1) ||
	    (compares(s, n->to) &&
		!jqlex_is(s->lex, n->to + 1, JQLEX_WORD, "null")))
		return true;
	for (; n->up != NULL; n = n->up) {
		const struct jqnode *k = n->next;

		switch (n->up->type) {
		case JQNODE_QUERY:
			for (; k && jqparse_joined(s->lex, k, "|");
			     k = k->next) {
				if (jqlex_is(
					s->lex, k->from, JQLEX_FIELD, NULL) ||
				    jqlex_is(s->lex, k->from, JQLEX_OPEN, "{"))
					return false;
				if (inspects(s, k))
					return true;
			}
			break;
		case JQNODE_OPERATORS:
		case JQNODE_BIND:
		case JQNODE_LOCAL:
			if (k != NULL)
				return false;
			break;
		case JQNODE_NEGATE:
		case JQNODE_LABEL:
			break;
		case JQNODE_CALL:
			return !is_harmless(s, n->up);
		default:
			return false;
		}
	}
	return false;
}

/* Looks at the value that a term gives; `last` has its name, and accesses
 * without names follow. */
static void
look_at_whole(
    struct search *s, const struct jqnode *n, const struct jqnode *last)
{
	int at = last->token;
	bool of_kinds = jqlex_is(s->lex, at - 1, JQLEX_FIELD, "owned") ||
	    jqlex_is(s->lex, at - 1, JQLEX_FIELD, "related");
	bool opens = false;

	while ((last = last->next) != NULL)
		opens = opens || (!of_kinds && opens_any(s, last));
	/* The term in brackets. */
	while (n->next == NULL && n->up != NULL && n->up->type == JQNODE_PAREN)
		n = n->up->up;
	if (opens || is_inspected(s, n))
		textlist_add_once(&s->looks->wholes, text(s, at));
	if (jqlex_is(s->lex, n->to, JQLEX_WORD, "as") &&
	    jqlex_is(s->lex, n->to + 1, JQLEX_VARIABLE, NULL))
		lead(s, text(s, at), text(s, n->to + 1));
}

/* ---- names ---- */

/* The names of a term: $a.b.c, f.b */
static void
look_at_term(struct search *s, const struct jqnode *n)
{
	const struct jqnode *last = NULL;

	for (const struct jqnode *k = n->kids; k != NULL; k = k->next) {
		struct value v = {.name = text(s, k->token),
		    .bare = jqlex_is(s->lex, k->token, JQLEX_FIELD, NULL)};

		if (k->type != JQNODE_VARIABLE && k->type != JQNODE_CALL &&
		    !(k->type == JQNODE_NAME && v.bare))
			continue;
		last = k;
		if (!is_simple(n) || !follow(s, &v, n))
			textlist_add_once(&s->looks->members, v.name);
	}
	if (last != NULL)
		look_at_whole(s, n, last);
}

/* {data} is {data: .data} */
static void
look_at_member(struct search *s, const struct jqnode *n)
{
	struct value v = {.name = text(s, n->token)};

	if (n->value == NULL && note_key(s, &v, n) && !follow(s, &v, n->up))
		textlist_add_once(&s->looks->members, v.name);
}

static void
look_at(struct search *s, const struct jqnode *n)
{
	switch (n->type) {
	case JQNODE_TERM:
		look_at_term(s, n);
		break;
	case JQNODE_MEMBER:
		look_at_member(s, n);
		break;
	case JQNODE_PATTERN_KEY:
		if (s->lex->tokens[n->token].type <= JQLEX_STRING)
			textlist_add_once(
			    &s->looks->members, text(s, n->token));
		break;
	case JQNODE_STRING: /* {name: "data"} is a text. */
		if (jqlex_is(s->lex, n->token, JQLEX_STRING, NULL) &&
		    !jqlex_is(s->lex, n->token - 1, JQLEX_OTHER, ":") &&
		    (n->up == NULL || n->up->type != JQNODE_MEMBER))
			textlist_add_once(
			    &s->looks->members, text(s, n->token));
		break;
	case JQNODE_RECURSE:
		textlist_add_once(&s->looks->wholes, text(s, n->token));
		break;
	default:
		break;
	}
}

static bool
spread(const struct edge *e, struct textlist *list)
{
	size_t count = list->count;

	if (textlist_has(list, e->to.p, e->to.n))
		textlist_add_once(list, e->from);
	return list->count > count;
}

void
looks_find(struct looks *looks, const struct source *source)
{
	struct search s = {.looks = looks, .source = source};
	bool more = true;

	for (struct source_def d = source_next(source, SOURCE_START);
	     d.def != NULL; d = source_next(source, d)) {
		const struct jqnode *n = d.def->first;

		if (d.file->trust != JQPARSE_STRANGE)
			continue;
		s.lex = &d.file->lex;
		s.definition = d.def->name;
		for (; n != d.def->body->after; n = n->after)
			look_at(&s, n);
	}
	while (more) {
		more = false;
		for (size_t i = 0; i < s.edge_count; i++) {
			more = spread(&s.edges[i], &looks->members) || more;
			more = spread(&s.edges[i], &looks->wholes) || more;
		}
	}
	free(s.edges);
}
