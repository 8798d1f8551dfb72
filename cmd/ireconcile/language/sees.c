#include "language/sees.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "language/guards.h"

/* A bracket, or the definition itself. */
struct level {
	int open;	  /* its token; -1: the definition */
	bool outer;	  /* behind_pipe where it opens */
	bool behind_pipe; /* `.` is not the input any more */
	int argument;	  /* semicolons so far */
	int if_count;	  /* of search, where it opens */
};

/* An `if` that is open. */
struct branch {
	bool behind_pipe; /* at the `if` */
	bool has_else;
};

struct search {
	const struct source *source;
	struct sees *sees;
	struct source_def *reached; /* their `.` may be the input */
	int reached_count;
	/* The definition that is looked at. */
	const struct source_file *file;
	const struct jqlex *lex;
	const struct jqparse_def *def;
	struct level *levels;
	int depth; /* of the innermost of levels */
	struct branch *ifs;
	int if_count;
	struct textlist whole; /* variables that are the input */
	bool *behind_pipe;     /* by token */
	bool names_whole;      /* there is such a variable */
};

static struct level *
level(const struct search *s)
{
	return &s->levels[s->depth];
}

static void
add(struct textlist *list, struct span name)
{
	if (!textlist_has(list, name.p, name.n))
		textlist_add(list, name.p, name.n);
}

/* ---- calls ---- */

/*
 * Functions that neither look at their input nor give it back: they evaluate
 * their arguments with it, or with elements of what an argument gives. And
 * those that jqparse notes for operators and the like, which are of values.
 */
static const char harmless[] =
    " empty/0 nan/0 infinite/0 range/1 range/2 first/1 last/1 limit/2 "
    "isempty/1 any/2 all/2 error/1 _jq_raise/1 _call/2 _jq_one/1 _jq_end/0 "
    "_jq_quiet/0 _jq_caught/0 _jq_index/0 _jq_bound/0 format/1 _plus/2 "
    "_minus/2 _multiply/2 _divide/2 _mod/2 _equal/2 _notequal/2 _less/2 "
    "_lesseq/2 _greater/2 _greatereq/2 _negate/0 ";

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

/* The program's definition that a call in this one means. */
static struct source_def
called_by(const struct search *s, const struct jqparse_use *use)
{
	return source_find_def(
	    s->source, s->file, s->def, use->name, use->arity);
}

/* format("json"), as a program may write it: that is of its input. */
static bool
is_format(const struct search *s, const struct jqparse_use *use)
{
	return jqlex_is(s->lex, use->token, JQLEX_WORD, "format");
}

static void
look_at_use(struct search *s, const struct jqparse_use *use)
{
	struct source_def called = called_by(s, use);

	if (called.def != NULL)
		reach(s, called);
	else if (is_format(s, use) ||
	    !guards_is_listed(harmless, use->name, use->arity))
		s->sees->everything = true;
}

/* The word at `token` calls any/2 or all/2, and not the program's own. */
static bool
calls_quantifier(const struct search *s, int token)
{
	const struct jqparse_use *uses = s->file->parse.uses;

	if (!jqlex_is(s->lex, token, JQLEX_WORD, "any") &&
	    !jqlex_is(s->lex, token, JQLEX_WORD, "all"))
		return false;
	for (int u = s->def->first_use; u < s->def->end_use; u++)
		if (uses[u].token == token && uses[u].arity == 2)
			return called_by(s, &uses[u]).def == NULL;
	return false;
}

/* ---- members ---- */

static bool
is_plain_text(const struct jqlex *lex, int i)
{
	return jqlex_is(lex, i, JQLEX_STRING, NULL) &&
	    span_find(lex->tokens[i].text, '\\') == NULL;
}

/* The name of the access that begins at token i: .a ."a" ["a"] .["a"]. Returns
 * the token behind it, or -1: it is another one, or none. */
static int
name_at(const struct jqlex *lex, int i, struct span *name)
{
	bool dot = jqlex_is(lex, i, JQLEX_OTHER, ".");
	int behind = -1;

	if (jqlex_is(lex, i, JQLEX_FIELD, NULL)) {
		behind = i + 1;
	} else if (dot && is_plain_text(lex, i + 1)) {
		behind = ++i + 1;
	} else {
		i += dot;
		if (jqlex_is(lex, i, JQLEX_OPEN, "[") &&
		    is_plain_text(lex, i + 1) &&
		    jqlex_is(lex, i + 2, JQLEX_CLOSE, "]"))
			behind = ++i + 2;
	}
	if (behind >= 0)
		*name = lex->tokens[i].text;
	return behind;
}

/* A member of the input, whose name ends before token i. */
static void
see(struct search *s, struct span member, int i)
{
	struct span kind;

	add(&s->sees->members, member);
	if (!span_is(member, "owned"))
		return;
	if (name_at(s->lex, i, &kind) >= 0)
		add(&s->sees->owned, kind);
	else
		s->sees->all_owned = true;
}

/* The input itself, up to token i: what follows names a member. */
static void
look_at_member(struct search *s, int i)
{
	struct span name;
	int behind = name_at(s->lex, i, &name);

	if (behind >= 0)
		see(s, name, behind);
	else
		s->sees->everything = true;
}

/* as {a: $x, $b, "c": ...} of the input; open: its bracket */
static void
look_at_pattern(struct search *s, int open)
{
	const struct jqlex *lex = s->lex;
	int end = jqlex_closer(lex, open);

	for (int i = open + 1; i < end; i++) {
		if (lex->tokens[i].inside != open || !jqlex_is_key(lex, i))
			continue;
		if (jqlex_is(lex, i, JQLEX_WORD, NULL) ||
		    jqlex_is(lex, i, JQLEX_VARIABLE, NULL) ||
		    is_plain_text(lex, i))
			see(s, lex->tokens[i].text, end);
		else
			s->sees->everything = true;
	}
}

/* A `.` that begins a term, and is the input. */
static void
look_at_dot(struct search *s, int i)
{
	const struct jqlex *lex = s->lex;

	if (!jqlex_is(lex, i + 1, JQLEX_WORD, "as"))
		look_at_member(s, i);
	else if (jqlex_is(lex, i + 2, JQLEX_VARIABLE, NULL))
		add(&s->whole, lex->tokens[i + 2].text);
	else if (jqlex_is(lex, i + 2, JQLEX_OPEN, "{"))
		look_at_pattern(s, i + 2);
	else
		s->sees->everything = true;
}

/* The token behind the text, or the one token, at i. */
static int
behind_text(const struct jqlex *lex, int i)
{
	while (jqlex_is(lex, i, JQLEX_PIECE, NULL) &&
	    jqlex_is(lex, i + 1, JQLEX_OPEN, NULL))
		i = jqlex_closer(lex, i + 1) + 1;
	return i + 1;
}

/* {name}, {"name"} of the input, but not {name: value}. */
static void
look_at_key(struct search *s, int i)
{
	const struct jqlex *lex = s->lex;

	if (jqlex_is(lex, i, JQLEX_OPEN, NULL) || /* a computed key */
	    jqlex_is(lex, i, JQLEX_VARIABLE, NULL) ||
	    jqlex_is(lex, behind_text(lex, i), JQLEX_OTHER, ":"))
		return;
	if (jqlex_is(lex, i, JQLEX_WORD, NULL) || is_plain_text(lex, i))
		see(s, lex->tokens[i].text, i + 1);
	else
		s->sees->everything = true;
}

/* ---- where `.` is the input ---- */

/* In this argument of the bracket at `open`, `.` is an element of what the first
 * one gives, or what a reduce has so far. */
static bool
is_of_elements(const struct search *s, int open, int argument)
{
	if (argument == 0 || s->lex->tokens[open].c != '(')
		return false;
	return jqlex_ends_pattern(s->lex, open - 1) ||
	    calls_quantifier(s, open - 1);
}

static void
enter(struct search *s, int open)
{
	bool behind_pipe = level(s)->behind_pipe;

	s->levels = mem_grow(s->levels, (size_t)++s->depth, sizeof(*s->levels));
	*level(s) =
	    (struct level){open, behind_pipe, behind_pipe, 0, s->if_count};
}

static void
next_argument(struct search *s)
{
	struct level *l = level(s);

	l->behind_pipe = l->outer ||
	    (l->open >= 0 && is_of_elements(s, l->open, ++l->argument));
}

static void
open_if(struct search *s)
{
	s->ifs = mem_grow(s->ifs, (size_t)s->if_count, sizeof(*s->ifs));
	s->ifs[s->if_count++] = (struct branch){level(s)->behind_pipe, false};
}

/* A keyword of an `if`: its parts have the same `.`, which is also what it gives
 * in place of an `else` that is not there. */
static void
follow_if(struct search *s, int i)
{
	const struct jqlex *lex = s->lex;
	bool ends = jqlex_is(lex, i, JQLEX_WORD, "end");
	struct branch *branch;

	if (jqlex_is(lex, i, JQLEX_WORD, "if"))
		open_if(s);
	if (!ends && !jqlex_is(lex, i, JQLEX_WORD, "then") &&
	    !jqlex_is(lex, i, JQLEX_WORD, "elif") &&
	    !jqlex_is(lex, i, JQLEX_WORD, "else"))
		return;
	branch = &s->ifs[s->if_count - 1];
	level(s)->behind_pipe = branch->behind_pipe;
	branch->has_else =
	    branch->has_else || jqlex_is(lex, i, JQLEX_WORD, "else");
	if (ends && !branch->has_else && !branch->behind_pipe)
		s->sees->everything = true;
	s->if_count -= ends;
}

/* Token i changes where `.` is the input. */
static void
follow(struct search *s, int i)
{
	const struct jqlex *lex = s->lex;
	struct level *l = level(s);

	if (jqlex_is(lex, i, JQLEX_OPEN, NULL))
		enter(s, i);
	else if (jqlex_is(lex, i, JQLEX_CLOSE, NULL))
		s->depth--;
	else if (jqlex_is(lex, i, JQLEX_WORD, NULL))
		follow_if(s, i);
	else if (jqlex_is(lex, i, JQLEX_OTHER, "|") &&
	    !jqlex_is_binding(lex, i))
		l->behind_pipe = true;
	else if (jqlex_is(lex, i, JQLEX_OTHER, ";"))
		next_argument(s);
	else if (jqlex_is(lex, i, JQLEX_OTHER, ",") && l->open >= 0 &&
	    lex->tokens[l->open].c == '{')
		l->behind_pipe = l->outer;
}

/* Token i, where `.` is the input. */
static void
look_at(struct search *s, int i)
{
	const struct jqlex *lex = s->lex;
	bool formats = jqlex_is(lex, i + 1, JQLEX_STRING, NULL) ||
	    jqlex_is(lex, i + 1, JQLEX_PIECE, NULL);

	if (jqlex_is_update(lex, i) ||
	    (jqlex_is(lex, i, JQLEX_FORMAT, NULL) && !formats) ||
	    jqlex_is(lex, i, JQLEX_WORD, "debug"))
		s->sees->everything = true;
	else if (jqlex_is(lex, i, JQLEX_OTHER, ".") &&
	    jqlex_starts_term(lex, i))
		look_at_dot(s, i);
	else if (jqlex_is(lex, i, JQLEX_FIELD, NULL) &&
	    jqlex_starts_term(lex, i))
		look_at_member(s, i);
}

/* $in, which is the input everywhere. */
static void
look_at_variable(struct search *s, int i)
{
	struct span name = s->lex->tokens[i].text;

	if (textlist_has(&s->whole, name.p, name.n) &&
	    !jqlex_is(s->lex, i - 1, JQLEX_WORD, "as"))
		look_at_member(s, i + 1);
}

/* In {a: if .b then 1, 2 else 3 end} the 2 is not a key. */
static bool
is_key(const struct search *s, int i)
{
	return s->if_count == level(s)->if_count && jqlex_is_key(s->lex, i);
}

static void
look_at_tokens(struct search *s, int from, int to)
{
	const struct jqlex *lex = s->lex;

	for (int i = from; i < to; i++) {
		bool key = is_key(s, i);
		bool bracket = jqlex_is(lex, i, JQLEX_OPEN, NULL) ||
		    jqlex_is(lex, i, JQLEX_CLOSE, NULL);

		s->behind_pipe[i - from] = level(s)->behind_pipe;
		/* Definitions in definitions are not followed. */
		if (jqlex_is(lex, i, JQLEX_WORD, "def") && !key)
			s->sees->everything = true;
		if (!level(s)->behind_pipe && key)
			look_at_key(s, i);
		else if (!level(s)->behind_pipe)
			look_at(s, i);
		if (!key || bracket)
			follow(s, i);
	}
}

static void
look_at_def(struct search *s, struct source_def r)
{
	const struct jqparse_use *uses = r.file->parse.uses;
	int from = jqparse_body(&r.file->lex, r.def), to = r.def->to;

	s->file = r.file;
	s->lex = &r.file->lex;
	s->def = r.def;
	s->levels = mem_grow(NULL, 0, sizeof(*s->levels));
	s->levels[0] = (struct level){-1, false, false, 0, 0};
	s->depth = 0;
	s->if_count = 0;
	textlist_init(&s->whole);
	s->behind_pipe = mem_zalloc((size_t)(to - from) + 1);
	look_at_tokens(s, from, to);
	for (int i = from; i < to; i++)
		if (jqlex_is(s->lex, i, JQLEX_VARIABLE, NULL))
			look_at_variable(s, i);
	for (int u = r.def->first_use; u < r.def->end_use; u++)
		if (!s->behind_pipe[uses[u].token - from])
			look_at_use(s, &uses[u]);
	s->names_whole = s->names_whole || s->whole.count > 0;
	textlist_release(&s->whole);
	free(s->behind_pipe);
	free(s->levels);
	free(s->ifs);
	s->ifs = NULL;
}

/* ---- the whole program ---- */

static bool
has_catch(const struct jqlex *lex, int from, int to)
{
	for (int i = from; i < to; i++)
		if (jqlex_is(lex, i, JQLEX_WORD, "catch"))
			return true;
	return false;
}

/* A message of libjq may have a part of the value that it is about. */
static bool
catches_messages(const struct search *s)
{
	for (int i = 0; i < s->source->count; i++)
		if (s->source->files[i].trust == JQPARSE_STRANGE &&
		    has_catch(&s->source->files[i].lex, 0,
			s->source->files[i].lex.count))
			return true;
	for (int i = 0; i < s->reached_count; i++)
		if (has_catch(&s->reached[i].file->lex, s->reached[i].def->from,
			s->reached[i].def->to))
			return true;
	return false;
}

/* A call of a function in C: random, or one whose name is not plain. */
static bool
may_be_random(const struct search *s, const struct jqparse_use *use)
{
	int name = use->token + 2;

	return span_is(use->name, "_call") && use->arity == 2 &&
	    (!is_plain_text(s->lex, name) ||
		!jqlex_is(s->lex, name + 1, JQLEX_OTHER, ";") ||
		jqlex_is(s->lex, name, JQLEX_STRING, "random"));
}

/* The texts of random() are of the primary, and have nothing to do with `.`. */
static void
look_for_random(struct search *s, struct source_def start)
{
	struct search all = {.source = s->source};

	reach(&all, start);
	for (int i = 0; i < all.reached_count; i++) {
		const struct jqparse_use *uses;

		all.file = all.reached[i].file;
		all.lex = &all.file->lex;
		all.def = all.reached[i].def;
		uses = all.file->parse.uses;
		for (int u = all.def->first_use; u < all.def->end_use; u++) {
			struct source_def called = called_by(&all, &uses[u]);

			if (called.def != NULL)
				reach(&all, called);
			else if (may_be_random(&all, &uses[u]))
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
