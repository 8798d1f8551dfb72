#include "language/guards.h"

#include <stddef.h>

#include "base/array.h"

struct guard {
	const char *name;
	const char *says; /* with the name as %.*s, where it has one */
};

#define IMPURE "%.*s is not pure"

/* Built-ins that read or change something outside the input; then those that
 * differ in libjq 1.6 to 1.8, or are not in all of them. */
static const struct guard refused[] = {
    {"now", IMPURE ": use .now"},
    {"env", IMPURE ": use .operator"},
    {"input", IMPURE ": the input is `.`"},
    {"_input", IMPURE ": the input is `.`"},
    {"inputs", IMPURE ": the input is `.`"},
    {"stderr", IMPURE ": use debug"},
    {"halt", IMPURE ": use error"},
    {"halt_error", IMPURE ": use error"},
    {"input_filename", IMPURE},
    {"input_line_number", IMPURE},
    {"get_search_list", IMPURE},
    {"get_prog_origin", IMPURE},
    {"get_jq_origin", IMPURE},
    {"modulemeta", IMPURE},
#define OTHER "%.*s is not in the language"
    {"leaf_paths", OTHER ": use paths(scalars)"},
    {"recurse_down", OTHER ": use recurse"},
    {"scalars_or_empty", OTHER ": use scalars"},
    {"pow10", OTHER ": use exp10"},
    {"bsearch", OTHER ": use index([$x])"},
    {"ascii", OTHER ": use [.] | implode"},
    {"truncate_stream", OTHER ": use paths and getpath"},
    {"have_literal_numbers", OTHER ": numbers are doubles"},
    {"have_decnum", OTHER ": numbers are doubles"},
    {"builtins", OTHER},
    {"gamma", OTHER},
    {"lgamma", OTHER},
    {"tgamma", OTHER},
    {"lgamma_r", OTHER},
    {"frexp", OTHER},
    {"modf", OTHER},
    {"ldexp", OTHER ": use $x * pow(2; $e)"},
    {"scalb", OTHER ": use $x * pow(2; $e)"},
    {"scalbln", OTHER ": use $x * pow(2; $e)"},
    {"significand", OTHER},
    {"drem", OTHER},
    {"logb", OTHER ": use log2 | floor"},
    {"nearbyint", OTHER ": use round"},
    {"rint", OTHER ": use round"},
};
enum { REFUSED = COUNT(refused) };

/* Tested to be the same in 1.6, 1.7 and 1.8 (t/jq/table). */
static const char freed[] =
    " empty/0 not/0 path/1 range/1 range/2 map/1 select/1 sort/0 sort_by/1 "
    "group_by/1 min/0 max/0 min_by/1 max_by/1 add/0 "
    "del/1 delpaths/1 getpath/1 setpath/2 recurse/0 recurse/1 recurse/2 "
    "to_entries/0 reverse/0 paths/0 arrays/0 objects/0 iterables/0 "
    "booleans/0 numbers/0 normals/0 finites/0 strings/0 nulls/0 values/0 "
    "scalars/0 flatten/0 flatten/1 test/1 test/2 while/2 until/2 repeat/1 "
    "first/0 first/1 last/0 combinations/0 combinations/1 in/1 "
    "ascii_downcase/0 ascii_upcase/0 tostream/0 JOIN/2 JOIN/3 "
    "JOIN/4 length/0 utf8bytelength/0 keys/0 keys_unsorted/0 has/1 type/0 "
    "startswith/1 endswith/1 split/1 explode/0 error/0 error/1 infinite/0 "
    "nan/0 isinfinite/0 isnan/0 isnormal/0 isfinite/0 floor/0 ceil/0 round/0 "
    "trunc/0 sqrt/0 cbrt/0 fabs/0 pow/2 exp/0 exp2/0 log/0 log2/0 "
    "log10/0 sin/0 cos/0 tan/0 asin/0 acos/0 atan/0 atan2/2 "
    /* In 1.6 another one stands before the program (jq16). */
    "_modify/2 map_values/1 transpose/0 paths/1 ";

static const char formats[] =
    " @text/0 @json/0 @csv/0 @tsv/0 @html/0 @uri/0 @sh/0 @base64/0 "
    "@base64d/0 ";

/* Functions that the compiler calls for operators, `..`, break and texts, and
 * those whose calls jqparse changes: a new definition would change the meaning
 * of these. */
static const char fixed[] =
    " error/0 error/1 format/1 recurse/0 _plus/2 _minus/2 _multiply/2 "
    "_divide/2 _mod/2 _equal/2 _notequal/2 _less/2 _lesseq/2 _greater/2 "
    "_greatereq/2 _negate/0 _modify/2 _assign/2 _call/2 getpath/1 setpath/2 "
    "delpaths/1 ";

static const struct guard variables[] = {
    {"ENV", "$ENV is not pure: use .operator"},
    {"__prog_args", "$__prog_args is not pure"},
    {"__prog_name", "$__prog_name is not pure"},
};
enum { VARIABLES = COUNT(variables) };

int
guards_add(struct buf *text)
{
	for (int i = 0; i < VARIABLES; i++)
		buf_addf(text, "null as $%s | ", variables[i].name);
	buf_adds(text,
	    "\ndef input: error(\"input is not pure: the input is `.`\");\n"
	    "def debug: error(\"debug is not pure: use error\");\n");
	return 3;
}

bool
guards_is_listed(const char *list, struct span name, int arity)
{
	struct buf entry = BUF_INIT;
	bool listed;

	buf_addf(&entry, " %.*s/%d ", SPAN_ARG(name), arity);
	listed = strstr(list, buf_str(&entry)) != NULL;
	buf_release(&entry);
	return listed;
}

bool
guards_is_free(struct span name, int arity)
{
	return guards_is_listed(freed, name, arity);
}

void
guards_offer(struct nearest *n)
{
	for (const char *at = freed + 1; *at != '\0';) {
		size_t name = strcspn(at, "/");

		nearest_offer(n, span_make(at, name), at[name + 1] - '0');
		at += name + sizeof("/0 ") - 1;
	}
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
guards_refusal(struct span name)
{
	return find(refused, REFUSED, name);
}

const char *
guards_variable(struct span name)
{
	return find(variables, VARIABLES, name);
}

const char *
guards_format(struct span name)
{
	return guards_is_listed(formats, name, 0) ? NULL : OTHER;
}

const char *
guards_definition(struct span name, int arity)
{
	const char *says = guards_refusal(name);

	if (span_starts(name, "_jq"))
		return "%.*s: names that begin with _jq are taken";
	if (span_is(name, "debug") && arity <= 1)
		return "%.*s cannot be defined: it is a function of jq";
	if (says != NULL && strncmp(says, IMPURE, sizeof(IMPURE) - 1) == 0)
		return says;
	if (guards_is_listed(fixed, name, arity))
		return "%.*s cannot be defined: operators and texts use it";
	return NULL;
}
