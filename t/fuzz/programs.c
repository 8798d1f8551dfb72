#include "programs.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum {
	DEPTH = 5,
	TEXT_MAX = 1500, /* from then on a program comes to its end */
	FUNCTIONS_MAX = 16,
	VARIABLES_MAX = 200
};

static unsigned state;

void
programs_seed(unsigned seed)
{
	state = seed;
}

unsigned
programs_state(void)
{
	return state;
}

unsigned
programs_below(unsigned n)
{
	state = state * 1664525U + 1013904223U;
	return (state >> 8) % n;
}

#define ONE_OF(list) (list)[programs_below(COUNT(list))]

const char *const programs_members[PROGRAMS_MEMBERS] = {"primary", "owned",
    "related", "operator", "now", "outstanding", "error", "loops", "plan", "a"};
const char *const programs_kinds[PROGRAMS_KINDS] = {"Pod", "Role", "Role.apps"};

/* ---- the text of a program ---- */

static struct buf text;

/* Calls are of functions defined before, and of the parameters of this one. */
static struct function {
	const char *name;
	unsigned arity;
} functions[FUNCTIONS_MAX], parameters[3];
static unsigned function_count, parameter_count;

static struct variable {
	const char *name;
	bool whole; /* the input */
} variables[VARIABLES_MAX];
static unsigned variable_count;

static bool daring; /* see may */

static void put(const char *form, unsigned depth, bool behind);

/* Where `.` is the input, what makes everything seen is rare. */
static bool
may(bool behind)
{
	return behind || programs_below(daring ? 12 : 400) == 0;
}

static void
put_access(const char *name)
{
	unsigned form = programs_below(4);

	if (strchr(name, '.') != NULL)
		buf_addf(&text, "[\"%s\"]", name);
	else if (form == 0)
		buf_addf(&text, ".[\"%s\"]", name);
	else if (form == 1)
		buf_addf(&text, ".\"%s\"", name);
	else
		buf_addf(&text, ".%s", name);
}

static void
put_suffixes(unsigned depth, bool behind)
{
	static const char *const suffixes[] = {".a?", ".error?", "[]?",
	    "[\"now\"]?", "?", "[0]?", ".owned?", "[E]?", ".[0:1]?", "[-1]?"};

	while (programs_below(3) == 0)
		put(ONE_OF(suffixes), depth, behind);
}

/* .owned.Pod, behind `.` or a variable */
static void
put_member(unsigned depth, bool behind)
{
	unsigned member = programs_below(PROGRAMS_MEMBERS);

	put_access(programs_members[member]);
	if (member == PROGRAMS_OWNED && programs_below(8) > 0)
		put_access(ONE_OF(programs_kinds));
	buf_adds(&text, behind && programs_below(8) > 0 ? "?" : "");
	put_suffixes(depth, behind);
}

static void
bind(const char *name, bool whole)
{
	if (variable_count < VARIABLES_MAX)
		variables[variable_count++] = (struct variable){name, whole};
	buf_addf(&text, "$%s", name);
}

static void
put_variable(unsigned depth, bool behind)
{
	const struct variable *v;

	if (variable_count == 0) {
		buf_adds(&text, "2");
		return;
	}
	v = &variables[variable_count - 1 - programs_below(variable_count)];
	buf_addf(&text, "$%s", v->name);
	if (v->whole && !may(false))
		put_member(depth, behind);
	else
		put_suffixes(depth, behind);
}

static void
put_pattern(unsigned depth, bool behind)
{
	static const char *const names[] = {
	    "x", "x", "x", "x", "y", "y", "y", "error", "now", "in"};
	static const char *const forms[] = {"[P]", "[P, P]", "{N: P}", "{D}",
	    "{N: P, D}", "{\"a\": P}", "{D: P}", "{(\"a\", \"now\"): P}",
	    "{\"e\\(.a)\": P}", "{(.now, .error): P}"};

	if (depth == 0 || programs_below(2) == 0)
		bind(ONE_OF(names), false);
	else
		put(ONE_OF(forms), depth, behind);
}

static void
put_call(unsigned depth, bool behind)
{
	const struct function *f;
	unsigned n = function_count + parameter_count;

	if (n == 0) {
		buf_adds(&text, "empty");
		return;
	}
	n = programs_below(n);
	f = n < parameter_count ? &parameters[n]
				: &functions[n - parameter_count];
	buf_adds(&text, f->name);
	for (unsigned i = 0; i < f->arity; i++) {
		buf_adds(&text, i == 0 ? "(" : "; ");
		put("Q", depth, behind);
	}
	buf_adds(&text, f->arity > 0 ? ")" : "");
}

static void
put_keys(unsigned depth, bool behind)
{
	static const char *const forms[] = {"N", "\"N\"", "N: E", "a: E",
	    "if: E", "b: E | U", "b: E | U", "b: E | U", "(\"a\", \"b\"): E",
	    "\"k\\(Q)\": E", "a: if Q then Q, Q else Q end",
	    "@json \"x\\(E)\": E"};

	for (unsigned n = programs_below(4); n > 0; n--) {
		/* {name} of a number fails. */
		unsigned from = behind && programs_below(4) > 0 ? 2 : 0;

		put(forms[from + programs_below(COUNT(forms) - from)], depth,
		    behind);
		buf_adds(&text, n > 1 ? ", " : "");
	}
}

static void
put_term(unsigned depth, bool behind)
{
	static const char *const leaves[] = {"M", "M", "M", "X", "X", "C", "1",
	    "\"b\"", "null", "[]", "{}", "empty"};
	static const char *const terms[] = {"(Q)", "[Q]", "{K}", "{K}", "C",
	    "reduce T as P (O; V)", "foreach T as P (O; V)",
	    "foreach T as P (O; V; V)", "if Q then Q else Q end",
	    "if Q then Q elif Q then Q else Q end", "try T", "try T", "T?",
	    "try T catch E", "first(Q)", "last(Q)", "limit(1; Q)", "isempty(Q)",
	    "any(Q; V)", "all(Q; V)", "\"x\\(Q)y\\(Q)\"", "@json \"z\\(Q)\"",
	    "(-T)?", "T?", "(Q)?", "[limit(3; range(E; E))]",
	    "_call(\"tojson\"; Q)", "(label $out | Q, break $out)", "[T?, T?]",
	    "(T, error(Q))?", "{K}.a?", "M", "M", "X", "X"};
	static const char *const others[] = {".", ".", "..", "tojson", "keys",
	    "length", "type", "not", "select(Q)", "map(V)", "to_entries",
	    "@json", "@text", "format(\"json\")", ".[]?", "debug", "debug(Q)",
	    "if Q then Q end", "if Q then Q elif Q then Q end", "(T |= V)",
	    "(T = Q)", "(T += Q)", "path(Q)", "[paths]", "del(Q)",
	    "getpath([\"a\"])", "has(\"a\")", "with_entries(V)", "error",
	    "(def k: Q; k, Q)", "(def k(f): Q | f; k(Q))", ".[E]?",
	    "[first(.[]?)]", "(. as [P] | Q)", "tostring", "map_values(V)"};

	if (depth == 0 || text.len > TEXT_MAX)
		put(ONE_OF(leaves), 0, behind);
	else if (programs_below(3) == 0 && may(behind))
		put(ONE_OF(others), depth - 1, behind);
	else
		put(ONE_OF(terms), depth - 1, behind);
}

static void
put_expression(unsigned depth, bool behind)
{
	static const char *const comparisons[] = {"==", "!=", "<", ">="};
	static const char *const operators[] = {
	    "+", "and", "or", "//", "//", "*", "//"};
	bool compares = programs_below(12) == 0;

	put("T", depth, behind);
	while (compares || programs_below(4) == 0) {
		buf_addf(&text, " %s ",
		    compares ? ONE_OF(comparisons) : ONE_OF(operators));
		put("T", depth, behind);
		if (compares)
			break;
	}
}

static void
put_query(unsigned depth, bool behind)
{
	static const char *const forms[] = {"E", "E", "E | V", "E, Q", "E | V",
	    "E as P | Q", ". as {N: P} | Q", ". as {D, N: P} | Q",
	    ". as {D: P} | Q", "label $out | Q", "{a: 1} | V"};

	if (depth == 0)
		put("E", 0, behind);
	else if (programs_below(5) == 0)
		put(". as W | Q", depth - 1, behind);
	else
		put(ONE_OF(forms), depth - 1, behind);
}

/*
 * Writes a form, in which letters stand for parts:
 *
 *	Q E T	a query, an expression, a term; V U: the first two of another `.`
 *	M N X	a member, the name of one, a variable
 *	P D	a pattern; in one, a variable with the name of a member
 *	W O	a variable that is bound to `.`; an expression outside of it or P
 *	C K	a call, the keys of an object
 */
static void
put_part(char c, unsigned depth, bool behind)
{
	switch (c) {
	case 'Q':
	case 'V':
		put_query(depth, behind || c == 'V');
		break;
	case 'E':
	case 'U':
		put_expression(depth, behind || c == 'U');
		break;
	case 'T':
		put_term(depth, behind);
		break;
	case 'M':
		put_member(depth, behind);
		break;
	case 'N':
		buf_adds(&text, ONE_OF(programs_members));
		break;
	case 'D':
		bind(ONE_OF(programs_members), false);
		break;
	case 'X':
		put_variable(depth, behind);
		break;
	case 'P':
		put_pattern(depth, behind);
		break;
	case 'W':
		bind(programs_below(12) ? "in" : "x", !behind);
		break;
	case 'C':
		put_call(depth, behind);
		break;
	case 'K':
		put_keys(depth, behind);
		break;
	default:
		buf_addc(&text, c);
	}
}

/* An expression in which the variables of the pattern before it are not there
 * yet. */
static void
put_outside(unsigned from, unsigned depth, bool behind)
{
	struct variable hidden[VARIABLES_MAX];
	unsigned count = variable_count;

	memcpy(hidden, variables, sizeof(hidden));
	variable_count = from;
	put("E", depth, behind);
	memcpy(variables, hidden, sizeof(hidden));
	variable_count = count;
}

/* A pattern's variables are there until the end of its form. */
static void
put(const char *form, unsigned depth, bool behind)
{
	bool binds = strstr(form, " as ") != NULL;
	unsigned count = variable_count;

	for (; *form != '\0'; form++)
		if (*form == 'O')
			put_outside(count, depth, behind);
		else
			put_part(*form, depth, behind);
	if (binds)
		variable_count = count;
}

/* ---- a program ---- */

static void
put_parameters(unsigned n)
{
	static const char *const names[] = {
	    "f", "g", "$in", "$x", "recurse", "empty"};

	parameter_count = 0;
	for (unsigned i = 0; i < n; i++) {
		const char *name =
		    names[(programs_below(3) + 2 * i) % COUNT(names)];

		buf_addf(&text, "%s%s", i == 0 ? "(" : "; ", name);
		if (*name == '$')
			variables[variable_count++] =
			    (struct variable){name + 1, false};
		parameters[parameter_count++] =
		    (struct function){name + (*name == '$'), 0};
	}
	buf_adds(&text, n > 0 ? ")" : "");
}

static void
put_function(const char *name, unsigned arity)
{
	variable_count = 0;
	buf_addf(&text, "def %s", name);
	put_parameters(arity);
	buf_adds(&text, ":\n  ");
	put("Q", 1 + programs_below(3), false);
	buf_adds(&text, ";\n");
	if (function_count < FUNCTIONS_MAX)
		functions[function_count++] = (struct function){name, arity};
	parameter_count = 0;
}

static void
put_functions(unsigned most)
{
	static const struct function some[] = {{"f", 0}, {"f", 1}, {"h", 0},
	    {"h", 2}, {"any", 2}, {"all", 2}, {"first", 1}, {"keys", 0},
	    {"limit", 2}, {"any", 3}, {"isempty", 1}, {"length", 0}};

	for (unsigned n = programs_below(most + 1); n > 0; n--) {
		const struct function *f = &ONE_OF(some);

		put_function(f->name, f->arity);
	}
}

static void
save(const char *path)
{
	FILE *f = fopen(path, "w");

	if (f == NULL || fputs(buf_str(&text), f) < 0 || fclose(f) != 0) {
		fprintf(stderr, "programs: cannot write %s\n", path);
		exit(1);
	}
}

/* lib/l.jq is of a library, two.jq the author's. all gets the whole text. */
void
programs_write(struct buf *all)
{
	static const char *const forms[] = {"{r: [Q]}", "{r: [(Q)?]}",
	    "[(Q)?] | {r: .}", "[(Q)?] as $r | {$r}", "{r: E | U}",
	    "{b: M | U, N}", "[(if T then T end)?] | {r: .}",
	    "{r: [(T | T)?, format(\"json\")]}", "Q | {r: .}"};

	daring = programs_below(4) == 0;
	function_count = 0;
	buf_reset(&text);
	put_functions(1);
	save("lib/l.jq");
	buf_addf(all, "# lib/l.jq\n%s", buf_str(&text));
	buf_reset(&text);
	put_functions(1);
	save("two.jq");
	buf_addf(all, "# two.jq\n%s", buf_str(&text));
	buf_reset(&text);
	buf_adds(&text, "include \"l\"; include \"two\";\ndef desired: [];\n");
	put_functions(2);
	variable_count = 0;
	buf_adds(&text, "def status:\n  ");
	put(ONE_OF(forms), 2 + programs_below(DEPTH - 1), false);
	buf_adds(&text, ";\n");
	if (programs_below(3) == 0) /* too late for status */
		put_function("keys", 0);
	save("p.jq");
	buf_addf(all, "# p.jq\n%s", buf_str(&text));
}
