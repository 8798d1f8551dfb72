#include "language/way.h"

#include "base/mem.h"

/* Functions that pass their input or their arguments on, and read only members
 * that the text names. */
static const char *const harmless[] = {"compact", "filled", "once", "if_exists",
    "as_seen", "keep", "exactly", "retain", "delete_foreign", "patch_only",
    "immutable", "in_namespace", "annotated", "config_map", "deployment",
    "statefulset", "daemonset", "service", "namespace", "named", "need", "map",
    "select", "empty", "not", NULL};
static const char *const keywords[] = {"if", "then", "elif", "else", "end",
    "and", "or", "null", "true", "false", NULL};
/* Functions whose results leave the program. */
static const char *const entries[] = {
    "desired", "status", "finalize", "events", "_map", NULL};

bool
way_sign(const struct jqlex *lex, int i, const char *text)
{
	return jqlex_is(lex, i, JQLEX_OTHER, text);
}

void
way_lead(struct way_search *s, struct span from, struct span to)
{
	s->edges = mem_grow(s->edges, s->edge_count, sizeof(*s->edges));
	s->edges[s->edge_count++] = (struct edge){from, to};
}

static bool
is_one_of(const char *const *names, struct span name)
{
	while (*names != NULL && !span_is(name, *names))
		names++;
	return *names != NULL;
}

/* The program has a definition of this name, at any depth. */
static bool
is_own(const struct way_search *s, struct span name)
{
	for (int i = s->file->body; i < s->lex->count; i++)
		if (jqlex_is(s->lex, i, JQLEX_WORD, NULL) &&
		    jqlex_is(s->lex, i - 1, JQLEX_WORD, "def") &&
		    span_eq(s->lex->tokens[i].text, name))
			return true;
	return false;
}

bool
way_harmless(const struct way_search *s, int i)
{
	struct span name = s->lex->tokens[i].text;

	return is_one_of(harmless, name) && !is_own(s, name);
}

/* ---- terms ---- */

/* From the access at i to both ends of its path: .related.Secret[0].data.k */
struct way_term
way_path(const struct jqlex *lex, int i)
{
	struct way_term t = {i, i + 1};

	for (;;) {
		if (jqlex_is(lex, t.to, JQLEX_FIELD, NULL) ||
		    way_sign(lex, t.to, "."))
			t.to++;
		else if (jqlex_is(lex, t.to, JQLEX_OPEN, "["))
			t.to = jqlex_closer(lex, t.to) + 1;
		else
			break;
	}
	while (t.from > 0) {
		int before = t.from - 1;

		if (jqlex_is(lex, before, JQLEX_CLOSE, NULL))
			t.from = jqlex_opener(lex, before);
		else if (jqlex_is(lex, before, JQLEX_FIELD, NULL) ||
		    jqlex_is(lex, before, JQLEX_VARIABLE, NULL) ||
		    way_sign(lex, before, ".") ||
		    (jqlex_is(lex, before, JQLEX_WORD, NULL) &&
			!jqlex_is_joint(lex, before)))
			t.from = before;
		else
			break;
	}
	return t;
}

/* The bracket at i is the \( of a text. */
static bool
is_of_text(const struct jqlex *lex, int i)
{
	return jqlex_is(lex, i, JQLEX_OPEN, "(") &&
	    jqlex_is(lex, i - 1, JQLEX_PIECE, NULL);
}

/* `( term )`, but not of a call. */
bool
way_in_brackets(const struct jqlex *lex, struct way_term t)
{
	return jqlex_is(lex, t.from - 1, JQLEX_OPEN, "(") &&
	    !is_of_text(lex, t.from - 1) &&
	    t.to == jqlex_closer(lex, t.from - 1) &&
	    (!jqlex_is(lex, t.from - 2, JQLEX_WORD, NULL) ||
		jqlex_is_joint(lex, t.from - 2));
}

/* The end of the pipeline that has token i. */
static int
end_of_level(const struct jqlex *lex, int i)
{
	for (; i < lex->count && !jqlex_is(lex, i, JQLEX_CLOSE, NULL); i++) {
		if (jqlex_is(lex, i, JQLEX_OPEN, NULL))
			i = jqlex_closer(lex, i);
		else if (way_sign(lex, i, ";"))
			break;
	}
	return i;
}

/* The first token of the pipeline of which a later part begins at i. */
static int
start_of_level(const struct jqlex *lex, int i)
{
	for (i--; i >= 0 && !jqlex_is(lex, i, JQLEX_OPEN, NULL); i--) {
		if (jqlex_is(lex, i, JQLEX_CLOSE, NULL))
			i = jqlex_opener(lex, i);
		else if (way_sign(lex, i, ";") || way_sign(lex, i, ":"))
			break;
	}
	return i + 1;
}

/* The text around a bracket \( ) in it. */
static struct way_term
text_around(const struct jqlex *lex, int open)
{
	struct way_term t = {open - 1, jqlex_closer(lex, open) + 2};

	while (jqlex_is(lex, t.from - 1, JQLEX_CLOSE, NULL) &&
	    is_of_text(lex, jqlex_opener(lex, t.from - 1)))
		t.from = jqlex_opener(lex, t.from - 1) - 1;
	while (is_of_text(lex, t.to))
		t.to = jqlex_closer(lex, t.to) + 2;
	return t;
}

/* ---- what inspects a value without a name ---- */

bool
way_compares(const struct jqlex *lex, int i)
{
	static const char *const signs[] = {
	    "==", "!=", "<", "<=", ">", ">=", NULL};

	return jqlex_is(lex, i, JQLEX_OTHER, NULL) &&
	    is_one_of(signs, lex->tokens[i].text);
}

/* Whether the comparison at i is of members, or with null. */
static bool
compares_names(const struct jqlex *lex, int i)
{
	return jqlex_is(lex, i + 1, JQLEX_WORD, "null") ||
	    (jqlex_is(lex, i - 1, JQLEX_FIELD, NULL) &&
		(jqlex_is(lex, i + 1, JQLEX_STRING, NULL) ||
		    jqlex_is(lex, i + 1, JQLEX_NUMBER, NULL) ||
		    jqlex_is(lex, i + 1, JQLEX_FIELD, NULL) ||
		    jqlex_is(lex, i + 1, JQLEX_VARIABLE, NULL)));
}

/* A `.` that is not before a plain key or index. */
static bool
opens_all(const struct jqlex *lex, int i)
{
	if (is_of_text(lex, i - 1))
		return true;
	return jqlex_is(lex, i + 1, JQLEX_OPEN, "[") &&
	    !((jqlex_is(lex, i + 2, JQLEX_STRING, NULL) ||
		  jqlex_is(lex, i + 2, JQLEX_NUMBER, NULL)) &&
		jqlex_is(lex, i + 3, JQLEX_CLOSE, "]"));
}

static bool
inspects_at(const struct way_search *s, int i)
{
	const struct jqlex *lex = s->lex;

	switch (lex->tokens[i].type) {
	case JQLEX_WORD:
		return !way_sign(lex, i + 1, ":") && !jqlex_is_key(lex, i) &&
		    !is_one_of(keywords, lex->tokens[i].text) &&
		    !way_harmless(s, i);
	case JQLEX_FORMAT:
		return true;
	case JQLEX_OTHER:
		return way_sign(lex, i, "..") ||
		    (way_sign(lex, i, ".") && opens_all(lex, i)) ||
		    (way_compares(lex, i) && !compares_names(lex, i));
	default:
		return false;
	}
}

bool
way_inspects(const struct way_search *s, int from, int to)
{
	bool found = false;

	for (int i = from; i < to && !found; i++)
		found = inspects_at(s, i);
	return found;
}

/* ---- where a value goes ---- */

/* Widens t to texts before and behind it, and to its encoding. */
static struct way_term
widen(const struct jqlex *lex, struct way_term t)
{
	for (;;) {
		if (way_in_brackets(lex, t))
			t = (struct way_term){t.from - 1, t.to + 1};
		else if (way_sign(lex, t.to, "|") &&
		    jqlex_is(lex, t.to + 1, JQLEX_FORMAT, "@base64"))
			t.to += 2;
		else if (way_sign(lex, t.to, "+") &&
		    jqlex_is(lex, t.to + 1, JQLEX_STRING, NULL))
			t.to += 2;
		else if (way_sign(lex, t.from - 1, "+") &&
		    jqlex_is(lex, t.from - 2, JQLEX_STRING, NULL))
			t.from -= 2;
		else
			return t;
	}
}

/* An operand or an operator that leaves objects whole: + * // */
static bool
may_pass(const struct jqlex *lex, int i)
{
	if (jqlex_is(lex, i, JQLEX_OTHER, NULL))
		return way_sign(lex, i, "+") || way_sign(lex, i, "*") ||
		    way_sign(lex, i, ".") || way_sign(lex, i, "//");
	return !jqlex_is(lex, i, JQLEX_WORD, NULL) ||
	    (!jqlex_is_joint(lex, i) && !jqlex_is(lex, i, JQLEX_WORD, "end"));
}

bool
way_ends(const struct jqlex *lex, int i)
{
	return i >= lex->count || way_sign(lex, i, ",") ||
	    way_sign(lex, i, "|") || way_sign(lex, i, ";") ||
	    jqlex_is(lex, i, JQLEX_CLOSE, NULL);
}

static bool
starts(const struct jqlex *lex, int i)
{
	return i == 0 || way_sign(lex, i - 1, ",") ||
	    way_sign(lex, i - 1, "|") || way_sign(lex, i - 1, ";") ||
	    way_sign(lex, i - 1, ":") || jqlex_is(lex, i - 1, JQLEX_OPEN, NULL);
}

/* Widens t to the whole sum or product of objects; false: another operator has
 * the value. */
static bool
widen_sum(const struct jqlex *lex, struct way_term *t)
{
	for (; !way_ends(lex, t->to); t->to++) {
		if (!may_pass(lex, t->to))
			return false;
		if (jqlex_is(lex, t->to, JQLEX_OPEN, NULL))
			t->to = jqlex_closer(lex, t->to);
	}
	for (; !starts(lex, t->from); t->from--) {
		if (!may_pass(lex, t->from - 1))
			return false;
		if (jqlex_is(lex, t->from - 1, JQLEX_CLOSE, NULL))
			t->from = jqlex_opener(lex, t->from - 1) + 1;
	}
	return true;
}

/* The name of a key before its colon. False: it is computed. */
static bool
note_key(struct way_taken *w, const struct jqlex *lex, int key)
{
	if (w->key_count == KEYS_MAX || jqlex_is(lex, key, JQLEX_CLOSE, NULL) ||
	    jqlex_is(lex, key, JQLEX_PIECE, NULL))
		return false;
	w->keys[w->key_count++] = lex->tokens[key].text;
	return true;
}

/* Widens t to the bracket around it. False: the use of the bracket is not
 * known. */
static bool
leave_bracket(const struct way_search *s, struct way_taken *w)
{
	const struct jqlex *lex = s->lex;
	int before = w->t.from - 1;
	int open = lex->tokens[w->t.from].inside;
	bool listed = before == open || way_sign(lex, before, ",");

	if (open < 0)
		return false;
	if (before == open && is_of_text(lex, open)) {
		w->t = text_around(lex, open);
		return true;
	}
	w->t.from = open;
	w->t.to = jqlex_closer(lex, open) + 1;
	if (lex->tokens[open].c == '{') {
		w->bare = false;
		return way_sign(lex, before, ":") &&
		    note_key(w, lex, before - 1);
	}
	if (lex->tokens[open].c == '(' && jqlex_starts_term(lex, open))
		return listed;
	if (w->bare)
		return false;
	if (lex->tokens[open].c == '[')
		return listed && jqlex_starts_term(lex, open);
	w->t.from = open - 1;
	return (listed || way_sign(lex, before, ";")) &&
	    jqlex_is(lex, open - 1, JQLEX_WORD, NULL) &&
	    way_harmless(s, open - 1);
}

/* Widens t to all that is behind it in its pipeline. */
static bool
pass_pipe(const struct way_search *s, struct way_taken *w)
{
	int end = end_of_level(s->lex, w->t.to);

	if (w->bare || way_inspects(s, w->t.to, end))
		return false;
	w->piped = true;
	w->t.to = end;
	return true;
}

/* The definition whose result it is; empty: the expression. False: it is part
 * of something else. */
static bool
result_of(const struct way_search *s, struct way_term t, struct span *name)
{
	const struct jqlex *lex = s->lex;
	const struct jqparse *parse = &s->file->parse;

	*name = span_make("", 0);
	if (t.to >= lex->count)
		return true;
	if (!way_sign(lex, t.to, ";") || way_sign(lex, t.from - 1, ","))
		return false;
	for (int d = 0; d < parse->def_count; d++)
		if (parse->defs[d].to == t.to) {
			*name = parse->defs[d].name;
			return true;
		}
	for (int i = t.from - 1; i > 0 && way_sign(lex, t.from - 1, ":"); i--)
		if (jqlex_is(lex, i - 1, JQLEX_WORD, "def")) {
			*name = lex->tokens[i].text;
			return true;
		}
	return false;
}

/* False: the value is the result of an expression, and decides. */
static bool
lead_on(struct way_search *s, const struct way_taken *w, struct span result)
{
	bool leaves = result.n == 0 || is_one_of(entries, result);

	if (result.n == 0 && w->bare)
		return false;
	if (!leaves)
		way_lead(s, w->name, result);
	for (size_t i = 0; i < w->key_count && (!leaves || w->piped); i++)
		way_lead(s, w->name, w->keys[i]);
	return true;
}

/* Widens t to all in its bracket or definition. False: the value is looked into
 * there. */
static bool
widen_way(const struct way_search *s, struct way_taken *w)
{
	const struct jqlex *lex = s->lex;

	w->t = widen(lex, w->t);
	if (!w->bare && !widen_sum(lex, &w->t))
		return false;
	if (way_sign(lex, w->t.to, "|") && !pass_pipe(s, w))
		return false;
	if (way_sign(lex, w->t.from - 1, "|"))
		w->t.from = start_of_level(lex, w->t.from);
	return starts(lex, w->t.from) && way_ends(lex, w->t.to);
}

/* Whether the value is passed on; notes the names that it gets. */
bool
way_follow(struct way_search *s, struct way_taken *w)
{
	struct span result;

	do {
		if (!widen_way(s, w))
			return false;
		if (result_of(s, w->t, &result))
			return lead_on(s, w, result);
	} while (leave_bracket(s, w));
	return false;
}
