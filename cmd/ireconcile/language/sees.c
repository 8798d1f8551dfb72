#include "language/sees.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "language/guards.h"

struct search {
	const struct source *source;
	struct sees *sees;
	struct source_def *reached; /* definitions whose `.` may be the input */
	int reached_count;
	struct source_def at;	 /* the definition that is looked at */
	const struct jqlex *lex; /* tokens of the file of `at` */
	struct textlist whole;	 /* variables of `at` that are the input */
	bool names_whole;	 /* a definition had such a variable */
};

static void
add(struct textlist *list, struct span name)
{
	if (!textlist_has(list, name.p, name.n))
		textlist_add(list, name.p, name.n);
}

static void
reach(struct search *s, struct source_def r)
{
	for (int i = 0; i < s->reached_count; i++)
		if (s->reached[i].def == r.def)
			return;
	s->reached =
	    mem_grow(s->reached, (size_t)s->reached_count, sizeof(*s->reached));
	s->reached[s->reached_count++] = r;
}

/* Definition number i of those that were reached is looked at from now on. */
static void
look_into(struct search *s, int i)
{
	s->at = s->reached[i];
	s->lex = &s->at.file->lex;
}

static struct span
text(const struct search *s, int token)
{
	return s->lex->tokens[token].text;
}

/* The program's definition that a call means. */
static struct source_def
called_by(const struct search *s, const struct jqnode *call)
{
	return source_find_def(s->source, s->at.file, s->at.def,
	    text(s, call->token), jqparse_arity(call));
}

/* ---- members ---- */

/* A member of the input, behind which `next` stands. */
static void
see(struct search *s, struct span member, const struct jqnode *next)
{
	add(&s->sees->members, member);
	if (!span_is(member, "owned"))
		return;
	if (next != NULL && next->type == JQNODE_NAME)
		add(&s->sees->owned, text(s, next->token));
	else
		s->sees->all_owned = true;
}

/* The input itself, with the access behind it. */
static void
see_access(struct search *s, const struct jqnode *access)
{
	if (access != NULL && access->type == JQNODE_NAME)
		see(s, text(s, access->token), access->next);
	else
		s->sees->everything = true;
}

static bool
is_plain_text(const struct search *s, int token)
{
	return jqlex_is(s->lex, token, JQLEX_STRING, NULL) &&
	    span_find(text(s, token), '\\') == NULL;
}

/* Whether the term is a bare `.` that is bound. */
static bool
is_bound_dot(const struct search *s, const struct jqnode *term)
{
	return term->kids->type == JQNODE_DOT && term->kids->next == NULL &&
	    jqlex_is(s->lex, term->to, JQLEX_WORD, "as");
}

/* A pattern that the input is bound to: as {a: $x, $b, "c": ...}, as $in. */
static void
look_at_pattern(struct search *s, const struct jqnode *pattern)
{
	if (pattern->type == JQNODE_BOUND)
		add(&s->whole, text(s, pattern->token));
	else if (pattern->type == JQNODE_PATTERN_ARRAY)
		s->sees->everything = true;
	for (const struct jqnode *k = pattern->kids; k != NULL; k = k->next)
		if (jqlex_is(s->lex, k->token, JQLEX_WORD, NULL) ||
		    jqlex_is(s->lex, k->token, JQLEX_VARIABLE, NULL) ||
		    is_plain_text(s, k->token))
			see(s, text(s, k->token), NULL);
		else
			s->sees->everything = true;
}

/* {name}, {"name"} of the input, but not {name: value}. */
static void
look_at_member(struct search *s, const struct jqnode *n)
{
	if (n->value != NULL ||
	    jqlex_is(s->lex, n->token, JQLEX_VARIABLE, NULL))
		return;
	if (jqlex_is(s->lex, n->token, JQLEX_WORD, NULL) ||
	    is_plain_text(s, n->token))
		see(s, text(s, n->token), NULL);
	else
		s->sees->everything = true;
}

static void
look_at_call(struct search *s, const struct jqnode *n)
{
	/* Functions that neither look at their input nor give it back: they
	 * evaluate their arguments with the input, or with elements of what an
	 * argument gives. */
	static const char harmless[] =
	    " empty/0 nan/0 infinite/0 range/1 range/2 first/1 last/1 limit/2 "
	    "isempty/1 any/2 all/2 error/1 _call/2 ";
	struct source_def called;

	if (n->local)
		return;
	called = called_by(s, n);
	if (called.def != NULL)
		reach(s, called);
	else if (!guards_is_listed(
		     harmless, text(s, n->token), jqparse_arity(n)))
		s->sees->everything = true;
}

/* Looks at a node that stands where `.` may be the input. */
static void
look_at(struct search *s, const struct jqnode *n)
{
	switch (n->type) {
	case JQNODE_TERM:
		if (n->kids->type == JQNODE_DOT && !is_bound_dot(s, n))
			see_access(s, n->kids->next);
		break;
	case JQNODE_MEMBER:
		look_at_member(s, n);
		break;
	case JQNODE_CALL:
		look_at_call(s, n);
		break;
	case JQNODE_OPERATORS:
		for (const struct jqnode *k = n->kids->next; k; k = k->next)
			if (jqlex_is_update(s->lex, k->from - 1))
				s->sees->everything = true;
		break;
	case JQNODE_IF: /* `if` without `else` may give its input. */
		if (n->value == NULL)
			s->sees->everything = true;
		break;
	case JQNODE_FORMAT:
	case JQNODE_RECURSE:
		s->sees->everything = true;
		break;
	default:
		break;
	}
}

/* Looks at a variable that is the input, such as $in. */
static void
look_at_variable(struct search *s, const struct jqnode *n)
{
	bool in_term = n->type == JQNODE_TERM;
	int token = in_term ? n->kids->token : n->token;
	struct span name = text(s, token);

	if (!jqlex_is(s->lex, token, JQLEX_VARIABLE, NULL) ||
	    !textlist_has(&s->whole, name.p, name.n))
		return;
	switch (n->type) {
	case JQNODE_TERM:
		see_access(s, n->kids->next);
		break;
	case JQNODE_BOUND:
		if (jqlex_is(s->lex, token - 1, JQLEX_WORD, "as"))
			break;
		/* fall through */
	case JQNODE_PATTERN_KEY:
	case JQNODE_MEMBER:
	case JQNODE_LABEL:
	case JQNODE_BREAK:
		s->sees->everything = true;
		break;
	default:
		break;
	}
}

static void
look_at_def(struct search *s)
{
	const struct jqparse_def *def = s->at.def;
	const struct jqnode *end = def->body->after;

	textlist_init(&s->whole);
	for (const struct jqnode *n = def->first; n != end; n = n->after) {
		const struct jqnode *bound = n->kids;

		if ((n->type != JQNODE_BIND && n->type != JQNODE_LOOP) ||
		    bound->dot == JQNODE_OTHER)
			continue;
		if (bound->type == JQNODE_TERM && is_bound_dot(s, bound))
			look_at_pattern(s, bound->next);
		else if (jqlex_is(s->lex, bound->to - 1, JQLEX_OTHER, "."))
			s->sees->everything = true;
	}
	for (const struct jqnode *n = def->first; n != end; n = n->after) {
		/* Definitions in definitions are not followed. */
		if (n->type == JQNODE_LOCAL)
			s->sees->everything = true;
		if (n->dot != JQNODE_OTHER)
			look_at(s, n);
		look_at_variable(s, n);
	}
	s->names_whole = s->names_whole || s->whole.count > 0;
	textlist_release(&s->whole);
}

/* ---- the whole program ---- */

static bool
has_catch(const struct jqnode *n, const struct jqnode *end)
{
	for (; n != end; n = n->after)
		if (n->type == JQNODE_TRY && n->kids->next != NULL)
			return true;
	return false;
}

/* A message of libjq may have a part of the value that it is about. */
static bool
catches_messages(const struct search *s)
{
	for (int i = 0; i < s->source->count; i++)
		if (s->source->files[i].trust == JQPARSE_STRANGE &&
		    has_catch(s->source->files[i].parse.nodes, NULL))
			return true;
	for (int i = 0; i < s->reached_count; i++)
		if (has_catch(s->reached[i].def->first,
			s->reached[i].def->body->after))
			return true;
	return false;
}

/* A call of a function in C: random, or one whose name is not plain. */
static bool
may_be_random(const struct search *s, const struct jqnode *call)
{
	const struct jqnode *name = call->kids;

	return jqparse_arity(call) == 2 &&
	    span_is(text(s, call->token), "_call") &&
	    (name->to - name->from != 1 || !is_plain_text(s, name->from) ||
		span_is(text(s, name->from), "random"));
}

/* The texts of random() are of the primary, and have nothing to do with `.`. */
static void
look_for_random(struct search *s, struct source_def start)
{
	struct search all = {.source = s->source};

	reach(&all, start);
	for (int i = 0; i < all.reached_count; i++) {
		const struct jqnode *n, *end;

		look_into(&all, i);
		end = all.at.def->body->after;
		for (n = all.at.def->first; n != end; n = n->after) {
			struct source_def called;

			if (n->type != JQNODE_CALL || n->local)
				continue;
			called = called_by(&all, n);
			if (called.def != NULL)
				reach(&all, called);
			else if (may_be_random(&all, n))
				add(&s->sees->members, span_str("primary"));
		}
	}
	free(all.reached);
}

void
sees_find(struct sees *sees, const struct source *source, const char *name)
{
	struct search s = {.source = source, .sees = sees};
	struct source_def start;

	*sees = (struct sees){0};
	textlist_init(&sees->members);
	textlist_init(&sees->owned);
	start = source_find_def(
	    source, &source->files[source->count - 1], NULL, span_str(name), 0);
	if (start.def != NULL) {
		reach(&s, start);
		look_for_random(&s, start);
	}
	for (int i = 0; i < s.reached_count && !sees->everything; i++) {
		look_into(&s, i);
		look_at_def(&s);
	}
	if (s.names_whole && catches_messages(&s))
		sees->everything = true;
	free(s.reached);
}

void
sees_release(struct sees *sees)
{
	textlist_release(&sees->members);
	textlist_release(&sees->owned);
}

bool
sees_member(const struct sees *sees, const char *member)
{
	return sees->everything ||
	    textlist_has(&sees->members, member, strlen(member));
}

bool
sees_owned(const struct sees *sees, const char *kind)
{
	return sees->everything || sees->all_owned ||
	    textlist_has(&sees->owned, kind, strlen(kind));
}
