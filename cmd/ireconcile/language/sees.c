#include "language/sees.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "language/guards.h"

/* A definition that may be called. */
struct reached {
	struct source_def at;
	bool input; /* `.` may be the input */
};

struct search {
	const struct source *source;
	struct sees *sees;
	struct reached *reached; /* owned; some of both kinds */
	int reached_count;
	struct reached now;	 /* the definition that is looked at */
	const struct jqlex *lex; /* tokens of its file */
	struct textlist whole;	 /* variables that are the input */
	bool names_whole;	 /* a definition had such a variable */
};

static bool
is_reached(const struct search *s, struct source_def at, bool input)
{
	for (int i = 0; i < s->reached_count; i++)
		if (s->reached[i].at.def == at.def &&
		    (s->reached[i].input || !input))
			return true;
	return false;
}

static void
reach(struct search *s, struct source_def at, bool input)
{
	if (is_reached(s, at, input))
		return;
	s->reached =
	    mem_grow(s->reached, (size_t)s->reached_count, sizeof(*s->reached));
	s->reached[s->reached_count++] = (struct reached){at, input};
}

static struct span
text(const struct search *s, int token)
{
	return s->lex->tokens[token].text;
}

/* ---- members ---- */

/* A member of the input, behind which `next` stands. */
static void
see(struct search *s, struct span member, const struct jqnode *next)
{
	textlist_add_once(&s->sees->members, member);
	if (!span_is(member, "owned"))
		return;
	if (next != NULL && next->type == JQNODE_NAME)
		textlist_add_once(&s->sees->owned, text(s, next->token));
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

static void
see_key(struct search *s, const struct jqnode *key)
{
	if (jqparse_is_named(s->lex, key))
		see(s, text(s, key->token), NULL);
	else
		s->sees->everything = true;
}

/* Whether a `.` stands alone, and is bound. */
static bool
is_bound(const struct search *s, const struct jqnode *dot)
{
	return dot->type == JQNODE_DOT && dot->next == NULL &&
	    jqlex_is(s->lex, dot->up->to, JQLEX_WORD, "as");
}

/* A pattern that the input is bound to: as {a: $x, $b, "c": ...}, as $in. */
static void
look_at_pattern(struct search *s, const struct jqnode *pattern)
{
	if (pattern->type == JQNODE_BOUND)
		textlist_add_once(&s->whole, text(s, pattern->token));
	else if (pattern->type == JQNODE_PATTERN_ARRAY)
		s->sees->everything = true;
	for (const struct jqnode *k = pattern->kids; k != NULL; k = k->next)
		see_key(s, k);
}

/* A call of a function in C: random, random_for, or one whose name is not
 * plain. Its texts are of the primary, and have nothing to do with `.`. */
static bool
may_be_random(const struct search *s, const struct jqnode *call)
{
	const struct jqnode *name = call->kids;

	return jqparse_arity(call) == 2 &&
	    span_is(text(s, call->token), "_call") &&
	    (name->to - name->from != 1 ||
		!jqparse_is_plain(s->lex, name->from) ||
		span_is(text(s, name->from), "random") ||
		span_is(text(s, name->from), "random_for"));
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
	struct span name = text(s, n->token);
	int arity = jqparse_arity(n);
	bool input = s->now.input && n->dot != JQNODE_OTHER;
	struct source_def called = source_find_def(
	    s->source, s->now.at.file, s->now.at.def, name, arity);

	if (called.def != NULL) {
		reach(s, called, input);
		return;
	}
	if (may_be_random(s, n))
		textlist_add_once(&s->sees->members, span_str("primary"));
	if (input && !guards_is_listed(harmless, name, arity))
		s->sees->everything = true;
}

/* Looks at a node that stands where `.` may be the input. */
static void
look_at(struct search *s, const struct jqnode *n)
{
	switch (n->type) {
	case JQNODE_DOT:
		if (!is_bound(s, n))
			see_access(s, n->next);
		break;
	case JQNODE_MEMBER: /* {name}, {"name"}, but not {name: value} */
		if (n->value == NULL &&
		    !jqlex_is(s->lex, n->token, JQLEX_VARIABLE, NULL))
			see_key(s, n);
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
	struct span name = text(s, n->token);

	if (!jqlex_is(s->lex, n->token, JQLEX_VARIABLE, NULL) ||
	    !textlist_has(&s->whole, name.p, name.n))
		return;
	switch (n->type) {
	case JQNODE_VARIABLE:
		see_access(s, n->next);
		break;
	case JQNODE_BOUND:
		if (jqlex_is(s->lex, n->token - 1, JQLEX_WORD, "as"))
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
look_at_bindings(struct search *s, const struct jqparse_def *def)
{
	const struct jqnode *n = def->first;

	for (; n != def->body->after; n = n->after) {
		const struct jqnode *bound = n->kids;

		if ((n->type != JQNODE_BIND && n->type != JQNODE_LOOP) ||
		    bound->dot == JQNODE_OTHER)
			continue;
		if (bound->type == JQNODE_TERM && is_bound(s, bound->kids))
			look_at_pattern(s, bound->next);
		else if (jqlex_is(s->lex, bound->to - 1, JQLEX_OTHER, "."))
			s->sees->everything = true;
	}
}

static void
look_at_def(struct search *s, struct reached r)
{
	const struct jqparse_def *def = r.at.def;

	s->now = r;
	s->lex = &r.at.file->lex;
	textlist_init(&s->whole);
	if (r.input)
		look_at_bindings(s, def);
	for (const struct jqnode *n = def->first; n != def->body->after;
	     n = n->after) {
		if (n->type == JQNODE_CALL && !n->local)
			look_at_call(s, n);
		if (!r.input)
			continue;
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

/* A message of libjq may have a part of the value that it is about. */
static bool
catches_messages(const struct search *s)
{
	struct source_def d = source_next(s->source, SOURCE_START);

	for (; d.def != NULL; d = source_next(s->source, d)) {
		const struct jqnode *n = d.def->first;

		if (d.file->trust != JQPARSE_STRANGE && !is_reached(s, d, true))
			continue;
		for (; n != d.def->body->after; n = n->after)
			if (n->type == JQNODE_TRY && n->kids->next != NULL)
				return true;
	}
	return false;
}

void
sees_find(struct sees *sees, const struct source *source, const char *name)
{
	struct search s = {.source = source, .sees = sees};
	struct source_def start = source_find_entry(source, name);

	*sees = (struct sees){0};
	textlist_init(&sees->members);
	textlist_init(&sees->owned);
	if (start.def != NULL)
		reach(&s, start, true);
	for (int i = 0; i < s.reached_count && !sees->everything; i++)
		look_at_def(&s, s.reached[i]);
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

/* ---- by names alone ---- */

/* Reaches the functions that a definition may call; perhaps too many. */
static void
reach_names(struct search *s, struct source_def at)
{
	const struct jqlex *lex = &at.file->lex;

	for (int i = at.def->from + 2; i < at.def->to; i++) {
		struct source_def d = source_next(s->source, SOURCE_START);

		if (lex->tokens[i].type != JQLEX_WORD || jqlex_is_key(lex, i))
			continue;
		for (; d.def != NULL; d = source_next(s->source, d))
			if (span_eq(d.def->name, lex->tokens[i].text))
				reach(s, d, true);
	}
}

/* The token in a node that reads the field; -1: none. */
static int
find_read(const struct jqlex *lex, const struct jqnode *n, const char *field)
{
	bool dot = n->type == JQNODE_DOT && n->next != NULL;
	int at = dot ? n->next->from : n->token;
	bool word = jqlex_is(lex, at, JQLEX_WORD, field);
	bool found = dot && jqlex_is(lex, at, JQLEX_FIELD, field);

	if (n->type == JQNODE_MEMBER)
		found = word && n->value == NULL;
	if (n->type == JQNODE_PATTERN_KEY)
		found = (word || jqlex_is(lex, at, JQLEX_VARIABLE, field)) &&
		    jqlex_is(lex, n->up->from - 1, JQLEX_WORD, "as");
	return found ? at : -1;
}

bool
sees_field(const struct source *source, const char *name, const char *field,
    const struct source_file **file, int *line)
{
	struct search s = {.source = source};
	struct source_def d = source_next(source, SOURCE_START);
	int first = -1;

	for (; d.def != NULL; d = source_next(source, d))
		if (span_is(d.def->name, name))
			reach(&s, d, true);
	for (int i = 0; i < s.reached_count; i++)
		reach_names(&s, s.reached[i].at);
	d = source_next(source, SOURCE_START);
	for (; d.def != NULL && first < 0; d = source_next(source, d)) {
		const struct jqnode *n = d.def->first;

		if (!is_reached(&s, d, true))
			continue;
		for (; n != d.def->body->after; n = n->after) {
			int at = find_read(&d.file->lex, n, field);

			if (at >= 0 && (first < 0 || at < first))
				first = at;
		}
		*file = d.file;
		*line = first < 0 ? 0 : d.file->lex.tokens[first].line;
	}
	free(s.reached);
	return first >= 0;
}
