#include "builtin/ruleline.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/err.h"
#include "base/map.h"
#include "type/tables.h"

/* Assembled where make runs: at the top of the repository. */
__asm__(".section .rodata\n"
	".global ruleline_text, ruleline_text_end\n"
	"ruleline_text: .incbin \"cmd/kapi/builtin/rules.txt\"\n"
	"ruleline_text_end: .byte 0\n"
	".previous\n");

extern const char ruleline_text[], ruleline_text_end[];

/* All of rules.txt, by the names of its sections: for the life of the
 * process. */
static struct arena lasting = ARENA_INIT;
static struct map sections = MAP_INIT;

/* ---- paths ---- */

struct rule_path
ruleline_path(struct arena *a, struct span text)
{
	struct rule_path path = {0};

	for (; text.n > 0 && strchr("/~^", *text.p) != NULL;
	     text = span_skip(text, 1)) {
		path.root = path.root || *text.p == '/';
		path.live = path.live || *text.p == '~';
		path.up += *text.p == '^';
	}
	if (span_is(text, "."))
		return path;
	while (text.n > 0) {
		struct rule_step *s;
		size_t n = 0;
		char *key = NULL;
		path.steps = arena_more(a, path.steps, path.n, sizeof(*s));
		s = &path.steps[path.n++];
		*s = (struct rule_step){.kind = STEP_KEY};
		if (span_take(&text, "[0]"))
			s->kind = STEP_FIRST;
		else if (span_take(&text, "[]"))
			s->kind = STEP_ITEMS;
		else if (span_take(&text, "{}"))
			s->kind = STEP_MEMBERS;
		else if (span_take(&text, "["))
			s->kind = STEP_NAMED;
		if (s->kind == STEP_KEY || s->kind == STEP_NAMED) {
			const char *end =
			    s->kind == STEP_NAMED ? "]" : ".[]{}!";
			while (n < text.n && strchr(end, text.p[n]) == NULL)
				n++;
			key = arena_str(a, span_make(text.p, n));
			s->key = key;
			text = span_skip(text, n);
		}
		if (s->kind == STEP_NAMED) {
			char *status = strchr(key, '=');

			span_take(&text, "]");
			if (status != NULL) {
				*status = '\0';
				s->kind = STEP_CONDITION;
				s->status = status + 1;
			}
		}
		s->make = span_take(&text, "!");
		span_take(&text, ".");
	}
	return path;
}

/* ---- conditions ---- */

/* The part of a condition before its operator. */
static struct span
left_of_operator(struct span text)
{
	size_t n = 0;
	bool inside = false; /* brackets */

	while (n < text.n && strchr("^~/#", text.p[n]) != NULL)
		n++;
	for (; n < text.n && (inside || strchr("=<>*^$", text.p[n]) == NULL);
	     n++)
		inside = text.p[n] == '[' || (inside && text.p[n] != ']');
	return span_make(text.p, n);
}

static void
parse_values(struct rule_term *t, struct span list)
{
	while (list.p != NULL) {
		t->values =
		    arena_more(&lasting, t->values, t->n, sizeof(*t->values));
		t->values[t->n++] = arena_span(&lasting, span_cut(&list, ','));
	}
}

/* Paths with commas between them; all are below the object of the first one,
 * but those of same:. */
static void
parse_paths(struct rule_term *t, struct span list)
{
	struct span first = list, rest = list;
	const char *dot;

	first = span_cut(&rest, ',');
	dot = rest.p == NULL || t->kind == TERM_SAME
	    ? NULL
	    : span_find_last(first, '.');
	if (dot != NULL) {
		first = span_make(list.p, (size_t)(dot - list.p));
		t->path = ruleline_path(&lasting, first);
		list = span_skip(list, first.n + 1);
	}
	while (list.p != NULL) {
		t->paths =
		    arena_more(&lasting, t->paths, t->n, sizeof(*t->paths));
		t->paths[t->n++] =
		    ruleline_path(&lasting, span_cut(&list, ','));
	}
}

static void
parse_compare(struct rule_term *t, struct span rest)
{
	size_t n = rest.n > 1 && strchr("=>", rest.p[1]) != NULL ? 2 : 1;

	memcpy(t->compare, rest.p, n);
	rest = span_skip(rest, n);
	span_take(&rest, "#");
	t->has_other = !span_is_digit(*rest.p);
	if (t->has_other)
		t->other = ruleline_path(&lasting, rest);
	else
		t->number = strtoll(arena_str(&lasting, rest), NULL, 10);
}

struct term_word {
	const char *word;
	enum rule_term_kind kind;
};
/* In front of a condition; a word alone is all of it. */
static const struct term_word prefixes[] = {{"or", TERM_OR},
    {"update", TERM_UPDATE}, {"namespaced", TERM_NAMESPACED},
    {"arg=", TERM_ARG}, {"changed:", TERM_CHANGED}, {"differs:", TERM_DIFFERS},
    {"same:", TERM_SAME}, {"given:", TERM_SOURCES}, {"new:", TERM_NEW},
    {"int:", TERM_INT}, {"object:", TERM_OBJECT}, {"negative:", TERM_NEGATIVE},
    {"quantity:", TERM_QUANTITY}, {"#", TERM_COUNT}};
/* Behind its path. */
static const struct term_word operators[] = {{"==", TERM_AMOUNT},
    {"<", TERM_AMOUNT}, {">", TERM_AMOUNT}, {"=", TERM_IS}, {"^=", TERM_STARTS},
    {"$=", TERM_ENDS}, {"*=", TERM_HAS}};

static bool
takes(struct span *text, const char *word)
{
	return span_is_lower(word[strlen(word) - 1]) ? span_is(*text, word)
						     : span_take(text, word);
}

static struct rule_term
parse_term(struct span text)
{
	struct rule_term t = {.kind = TERM_FILLED};
	struct span left, rest;
	size_t k = 0;

	t.not = span_take(&text, "!");
	while (k < COUNT(prefixes) && !takes(&text, prefixes[k].word))
		k++;
	if (k < COUNT(prefixes))
		t.kind = prefixes[k].kind;
	left = left_of_operator(text);
	rest = span_skip(text, left.n);
	switch (t.kind) {
	case TERM_OR:
	case TERM_UPDATE:
	case TERM_NAMESPACED:
		return t;
	case TERM_ARG:
		parse_values(&t, text);
		return t;
	case TERM_CHANGED:
	case TERM_DIFFERS:
	case TERM_SAME:
		parse_paths(&t, text);
		return t;
	case TERM_SOURCES:
		parse_paths(&t, left);
		parse_compare(&t, rest);
		return t;
	case TERM_COUNT:
	case TERM_QUANTITY:
		parse_compare(&t, rest);
		break;
	case TERM_FILLED:
		for (k = 0; k < COUNT(operators); k++)
			if (span_take(&rest, operators[k].word)) {
				t.kind = operators[k].kind;
				break;
			}
		if (t.kind == TERM_AMOUNT)
			parse_compare(&t, span_skip(text, left.n));
		else if (t.kind != TERM_FILLED)
			parse_values(&t, rest);
		else if (span_ends(left, "?")) {
			t.kind = TERM_GIVEN;
			left.n--;
		}
		break;
	default:
		break;
	}
	t.path = ruleline_path(&lasting, left);
	return t;
}

/* ---- lines ---- */

static size_t
depth_of(struct span line)
{
	size_t n = 0;

	while (n < line.n && line.p[n] == '\t')
		n++;
	return n;
}

/* PATH, with "?" or "+" behind it for when the rule counts, and maybe ":". */
static void
parse_path(struct rule *r, struct span path)
{
	r->when = WHEN_ALWAYS;
	if (span_ends(path, ":"))
		path.n--;
	if (span_ends(path, "?") || span_ends(path, "+")) {
		r->when = span_ends(path, "?") ? WHEN_GIVEN : WHEN_FILLED;
		path.n--;
	}
	r->path = ruleline_path(&lasting, path);
}

/* The words behind the path: OP ARG... [: DETAIL]. */
static void
parse_words(struct rule *r, struct span rest)
{
	while (rest.p != NULL) {
		struct span word = span_cut(&rest, ' ');
		if (span_is(word, ":")) {
			char *detail = arena_str(&lasting, rest);
			if (span_ends(rest, "\\n"))
				memcpy(detail + rest.n - 2, "\n", 2);
			r->detail = detail;
			return;
		}
		if (span_take(&word, "show:")) {
			r->has_shown = true;
			r->shown = ruleline_path(&lasting, word);
		} else if (span_take(&word, "at:")) {
			r->top = arena_str(&lasting, word);
		} else {
			r->args = arena_more(
			    &lasting, r->args, r->arg_count, sizeof(*r->args));
			if (span_is(word, "\"\""))
				word.n = 0;
			r->args[r->arg_count++] = arena_span(&lasting, word);
		}
	}
}

/* A line of rules.txt that cannot be read is a bug. */
static void
unknown(const char *what, struct span name)
{
	fprintf(stderr, "kapi: bug: rules.txt names no %s: %.*s\n", what,
	    SPAN_ARG(name));
	exit(EXIT_BUG);
}

static void
parse_line(struct rule *r, struct span line)
{
	struct span word;

	span_cut(&line, ' ');
	if (line.p == NULL)
		return;
	word = span_cut(&line, ' ');
	r->op = ruletable_op(word);
	if (r->op == NULL)
		unknown("word", word);
	if (span_ends(word, "=")) {
		r->value = tree_parse(&lasting, line, TREE_LIMITS, NULL, NULL);
		return;
	}
	parse_words(r, line);
	if (span_is(word, "call")) {
		r->fn = ruleline_function(r->args[0]);
		if (r->fn == NULL)
			unknown("function", r->args[0]);
	} else if (span_is(word, "do")) {
		r->section = map_get(&sections, r->args[0]);
		if (r->section == NULL)
			unknown("section", r->args[0]);
	}
}

static void
parse_condition(struct rule *r, struct span rest)
{
	while (rest.p != NULL) {
		r->terms = arena_more(
		    &lasting, r->terms, r->term_count, sizeof(*r->terms));
		r->terms[r->term_count++] = parse_term(span_cut(&rest, ' '));
	}
}

static struct rule *parse_block(struct span *text, size_t depth, size_t *n);

/* A line, and what is indented below it. */
static void
parse_rule(struct rule *r, struct span line, struct span *text, size_t depth)
{
	*r = (struct rule){.detail = ""};
	if (span_take(&line, "if ")) {
		r->kind = RULE_IF;
		parse_condition(r, line);
	} else if (span_take(&line, "elif ")) {
		r->kind = RULE_ELIF;
		parse_condition(r, line);
	} else if (span_is(line, "else")) {
		r->kind = RULE_ELSE;
	} else {
		parse_line(r, line);
	}
	r->inner = parse_block(text, depth + 1, &r->inner_count);
}

static struct rule *
parse_block(struct span *text, size_t depth, size_t *n)
{
	struct rule *rules = NULL;

	*n = 0;
	while (text->n > 0) {
		struct span rest = *text, line = tables_line(&rest);
		struct span paths;
		struct rule r;
		if (depth_of(line) < depth)
			break;
		*text = rest;
		line = span_skip(line, depth);
		parse_rule(&r, line, text, depth);
		paths = span_cut(&line, ' ');
		while (paths.p != NULL) {
			if (r.kind == RULE_LINE)
				parse_path(&r, span_cut(&paths, ','));
			else
				paths = SPAN_NONE;
			rules = arena_more(&lasting, rules, *n, sizeof(r));
			rules[(*n)++] = r;
		}
	}
	return rules;
}

/* A line without a tab in front names the sections that follow it. */
static void
find_sections(void)
{
	struct span text = span_make(
	    ruleline_text, (size_t)(ruleline_text_end - ruleline_text));
	struct span line;
	struct rule_section *s = NULL;

	while (text.n > 0) {
		line = tables_line(&text);
		if (line.n == 0 || *line.p == '#') {
			s = NULL;
		} else if (*line.p != '\t') {
			s = arena_zalloc(&lasting, sizeof(*s));
			s->text = span_make(text.p, 0);
			while (line.p != NULL)
				map_put(&sections,
				    span_trim(span_cut(&line, ','), " "), s);
		} else if (s != NULL) {
			s->text.n = (size_t)(text.p - s->text.p);
		}
	}
}

const struct rule_section *
ruleline_parsed(struct rule_section *s)
{
	struct span text;

	if (s != NULL && !s->parsed) {
		text = s->text;
		s->parsed = true;
		s->rules = parse_block(&text, 1, &s->n);
	}
	return s;
}

const struct rule_section *
ruleline_section(struct span name)
{
	if (sections.count == 0)
		find_sections();
	return ruleline_parsed(map_get(&sections, name));
}

size_t
ruleline_parse_all(void)
{
	struct span text = span_make(
	    ruleline_text, (size_t)(ruleline_text_end - ruleline_text));
	size_t n = 0;

	while (text.n > 0) {
		struct span line = tables_line(&text);
		while (line.n > 0 && *line.p != '#' && *line.p != '\t')
			n += ruleline_section(
				 span_trim(span_cut(&line, ','), " ")) != NULL;
	}
	return n;
}
