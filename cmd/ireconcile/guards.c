#include "guards.h"

#include <stddef.h>

struct guard {
	const char *name;
	const char *params; /* of the built-in; NULL: none */
	const char *says;
};

/* Built-ins of jq 1.6 to 1.8 that read or do something outside the input. */
static const struct guard guards[] = {
    {"now", NULL, "now is not pure: use .now"},
    {"env", NULL, "env is not pure: use .operator"},
    {"input", NULL, "input is not pure: the input is `.`"},
    {"inputs", NULL, "inputs is not pure: the input is `.`"},
    {"debug", NULL, "debug is not pure: use error"},
    {"debug", "m", "debug is not pure: use error"},
    {"stderr", NULL, "stderr is not pure: use error"},
    {"halt", NULL, "halt is not pure: use error"},
    {"halt_error", NULL, "halt_error is not pure: use error"},
    {"halt_error", "code", "halt_error is not pure: use error"},
    {"input_filename", NULL, "input_filename is not pure"},
    {"input_line_number", NULL, "input_line_number is not pure"},
    {"get_search_list", NULL, "get_search_list is not pure"},
    {"get_prog_origin", NULL, "get_prog_origin is not pure"},
    {"get_jq_origin", NULL, "get_jq_origin is not pure"},
    {"modulemeta", NULL, "modulemeta is not pure"},
};
enum { GUARDS = sizeof(guards) / sizeof(guards[0]) };

static const struct guard variables[] = {
    {"ENV", NULL, "$ENV is not pure: use .operator"},
    {"__prog_args", NULL, "$__prog_args is not pure"},
    {"__prog_name", NULL, "$__prog_name is not pure"},
};
enum { VARIABLES = sizeof(variables) / sizeof(variables[0]) };

/*
 * A definition that calls what it hides would call itself: hence _error and
 * _format.
 *
 * _call gives a value to C through `debug` and takes the result back through
 * `input`: libjq has no other way to call C. It must stay the only user of
 * both, so it comes before they are hidden.
 *
 * error: notes that the message is the author's (see message.h). error(null)
 * would look like `empty` in 1.6.
 * tojson, tostring, format: 1.6 prints 1e17 as 1e+17 and deep trees as no
 * JSON; ours fail instead of losing digits.
 * limit: 1.6 gives one value for limit(0; f), and all for a negative count.
 * _modify (`|=`), map_values: 1.6 skips elements after one that the update
 * leaves empty.
 * fromdateiso8601: takes the fractions of Kubernetes' MicroTime.
 */
static const char corrections[] =
    "def _call($name; x): [$name, x] | debug | input;\n"
    "def _error($m): error($m);\n"
    "def error(m): _call(\"error\"; m) as $m | _error($m);\n"
    "def error: error(.);\n"
    "def _tojson: tojson;\n"
    "def tojson: type as $t | if $t == \"string\""
    " or ($t == \"number\" and . < 9007199254740992"
    " and . > -9007199254740992) then _tojson"
    " else _call(\"tojson\"; .) end;\n"
    "def tostring: if type == \"string\" then . else tojson end;\n"
    "def _format($f): format($f);\n"
    "def format($f): if type == \"string\" then _format($f)"
    " elif $f == \"text\" or $f == \"json\" then tojson"
    " elif type == \"array\" then"
    " map(if type == \"number\" then tojson | fromjson else . end)"
    " | _format($f)"
    " else tojson | _format($f) end;\n"
    "def limit($n; f): if $n > 0 then label $done"
    " | foreach f as $x (0; . + 1;"
    " $x, if . >= $n then break $done else empty end)"
    " elif $n == 0 then empty"
    " else error(\"limit: the count is negative\") end;\n"
    "def _modify(paths; update):"
    " reduce path(paths) as $p ([., []]; . as [$value, $gone]"
    " | [$value | getpath($p) | first(update)] as $new"
    " | if $new == [] then [$value, $gone + [$p]]"
    " else [($value | setpath($p; $new[0])), $gone] end)"
    " | . as [$value, $gone] | $value | delpaths($gone);\n"
    "def map_values(f): .[] |= f;\n"
    "def join($s): reduce .[] as $x (null;"
    " (if . == null then \"\" else . + $s end)"
    " + ($x | if . == null then \"\""
    " elif type == \"boolean\" or type == \"number\" then tojson"
    " else . end)) // \"\";\n"
    "def fromdateiso8601: sub(\"\\\\.[0-9]+(?=Z$)\"; \"\")"
    " | strptime(\"%Y-%m-%dT%H:%M:%SZ\") | mktime;\n"
    "def fromdate: fromdateiso8601;\n";

int
guards_add(struct buf *text)
{
	size_t from = text->len;
	int lines = 0;

	for (int i = 0; i < VARIABLES; i++)
		buf_addf(text, "null as $%s | ", variables[i].name);
	buf_addc(text, '\n');
	buf_adds(text, corrections);
	for (int i = 0; i < GUARDS; i++) {
		const struct guard *g = &guards[i];

		buf_addf(text, "def %s%s%s%s: error(\"%s\");\n", g->name,
		    g->params ? "(" : "", g->params ? g->params : "",
		    g->params ? ")" : "", g->says);
	}
	for (size_t i = from; i < text->len; i++)
		lines += text->data[i] == '\n';
	return lines;
}

static const char *
find(const struct guard *table, int n, struct span name)
{
	for (int i = 0; i < n; i++)
		if (span_is(name, table[i].name))
			return table[i].says;
	return NULL;
}

const char *
guards_word(struct span word)
{
	return find(guards, GUARDS, word);
}

const char *
guards_variable(struct span name)
{
	return find(variables, VARIABLES, name);
}
