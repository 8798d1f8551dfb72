/* Texts that are not programs. */
#include "test-program.h"

#include "base/array.h"

#define READS_OWNED                                                          \
	"desired reads .owned, which desiredReads in watches.yaml does not " \
	"list"

/* Messages of the compiler, and of the guards (names: test-guards). */
static const struct {
	const char *what, *text, *message;
} refused[] = {
    {"nothing", "", "p.jq: does not define `desired`"},
    {"no desired", "def status: {};\n", "p.jq: does not define `desired`"},
    {"desired with a parameter", "def desired(x): [];\n",
	"p.jq: does not define `desired`"},
    {"undefined function", "def desired:\n  [\n  foo];\n",
	"p.jq:3: foo/0 is not defined"},
    {"wrong number of arguments", "def f(a): a;\ndef desired: [f];\n",
	"p.jq:2: f/0 is not defined (did you mean f/1?)"},
    {"undefined variable", "def desired: [\n\n$x];\n",
	"p.jq:3: $x is not defined"},
    {"syntax error", "def desired: [];\ndef status: (1 | if);\n",
	"p.jq:2: syntax error: unexpected `)`"},
    {"missing semicolon", "def desired: []\n",
	"p.jq:1: this definition is not closed by a `;`"},
    {"an expression after the definitions", "def desired: [];\n.primary\n",
	"p.jq:2: only definitions (def NAME: ...;) may stand here"},
    {"string not closed", "def desired: [\n\"abc];\n",
	"p.jq:2: a string is not closed"},
    {"bracket not closed", "def desired:\n [\n 1;\n",
	"p.jq:2: a bracket is not closed"},
    {"bracket of another kind", "def desired: [1}\n;",
	"p.jq:1: a bracket closes another kind"},
    {"bracket too many", "def desired: [1]];",
	"p.jq:1: a bracket closes that was not open"},
    {"a line behind a text of many lines",
	"def a: \"x\ny\nz\";\ndef desired: [foo];\n",
	"p.jq:4: foo/0 is not defined"},
    {"now", "def desired:\n  [now];\n", "p.jq:2: now is not pure: use .now"},
    {"env", "def desired: [env];\n", "p.jq:1: env is not pure: use .operator"},
    {"$ENV", "def desired: [$ENV.HOME];\n",
	"p.jq:1: $ENV is not pure: use .operator"},
    {"$ ENV", "def desired: [$ ENV];\n", "p.jq:1: a $ that no name follows"},
    {"input", "def desired: [input];\n",
	"p.jq:1: input is not pure: the input is `.`"},
    {"debug of two", "def desired: [] | debug(1; 2);\n",
	"p.jq:1: debug/2 is not defined"},
    {"a name in a message of debug", "def desired: [] |\n debug(foo);\n",
	"p.jq:2: foo/0 is not defined"},
    {"a definition of debug", "def debug: .;\ndef desired: [];\n",
	"p.jq:1: debug cannot be defined: it is a function of jq"},
    {"stderr", "def desired: [] | stderr;\n",
	"p.jq:1: stderr is not pure: use debug"},
    {"halt", "def desired: halt;\n", "p.jq:1: halt is not pure: use error"},
    {"$__prog_args", "def desired: [$__prog_args];\n",
	"p.jq:1: $__prog_args is not pure"},
    {"inside a text", "def desired: [\"a\\(\"b\\(now)\")\"];\n",
	"p.jq:1: now is not pure: use .now"},
    {"in an unused function", "def f: now;\ndef desired: [];\n",
	"p.jq:1: now is not pure: use .now"},
    {"as a value of an object", "def desired: {a: now};\n",
	"p.jq:1: now is not pure: use .now"},
    {"import", "import \"operator\" as o;\ndef desired: [];\n",
	"p.jq:1: import and module are not supported: use include \"NAME\";"},
    {"import of data", "import \"/etc/x\" as $x;\ndef desired: [];\n",
	"p.jq:1: import and module are not supported: use include \"NAME\";"},
    {"include further down", "def desired: [];\ninclude \"a\";\n",
	"p.jq:2: only definitions (def NAME: ...;) may stand here"},
    {"include of an absolute path", "include \"/etc/x\";\ndef desired: [];\n",
	"p.jq:1: include takes a name like \"operator\", without a path that "
	"is absolute or leads upwards"},
    {"include upwards", "include \"../x\";\ndef desired: [];\n",
	"p.jq:1: include takes a name like \"operator\", without a path that "
	"is absolute or leads upwards"},
    {"include with a search path",
	"include \"a\" {search: \"/\"};\ndef desired: [];\n",
	"p.jq:1: an include is written: include \"NAME\";"},
    {"a library that is not there",
	"# here\ninclude \"nowhere\";\ndef desired: [];\n",
	"p.jq:2: cannot find the library nowhere.jq"},
    {"an error in a library", "include \"broken\";\ndef desired: [broken];\n",
	"lib/broken.jq:2: foo/0 is not defined"},
    {"an impure library", "include \"impure\";\ndef desired: [];\n",
	"lib/impure.jq:3: now is not pure: use .now"},
    {"a library that includes itself finds nothing of itself",
	"include \"loop\";\ndef desired: [];\n",
	"lib/loop.jq:1: includes are nested too deep"},
    {"desired reads owned", "def desired:\n  [.owned.Pod[]];\n",
	"p.jq:2: " READS_OWNED},
    {"desired reads now", "def desired: [.now];\n",
	"p.jq:1: desired reads .now, which desiredReads in watches.yaml does "
	"not list"},
    {"desired reads owned through a function",
	"def f:\n .a, .owned;\ndef desired: [f];\n", "p.jq:2: " READS_OWNED},
    {"desired reads owned by a pattern",
	"def desired: . as {owned: $o} | $o;\n", "p.jq:1: " READS_OWNED},
    {"desired reads owned by a short pattern",
	"def desired: . as {$owned} | $owned;\n", "p.jq:1: " READS_OWNED},
    {"desired reads owned by a short object", "def desired: {owned};\n",
	"p.jq:1: " READS_OWNED},
};

static void
test_refused(void)
{
	write_file("lib/broken.jq", "def fine: 1;\ndef broken: foo;\n");
	write_file("lib/impure.jq", "\n\ndef f: now;\n");
	write_file("lib/loop.jq", "include \"loop\";\ndef f: 1;\n");
	for (size_t i = 0; i < COUNT(refused); i++) {
		struct err err = ERR_INIT;
		struct program *p;

		if (skip(i))
			continue;
		p = load(refused[i].text, &err);

		is(p ? "loaded" : err.message, refused[i].message,
		    refused[i].what);
		program_free(p);
	}
}

static void
test_bad_files(void)
{
	struct err err = ERR_INIT;

	ok(program_load("nowhere.jq", &options, &err) == NULL, "no such file");
	is(err.message, "cannot read nowhere.jq: No such file or directory",
	    "and it says so");
	ok(program_load("lib", &options, &err) == NULL, "a folder");
	is(err.message, "cannot read lib: Is a directory", "and it says so");
}

/* Texts that look forbidden and are not. */
static const struct {
	const char *what, *text;
} accepted[] = {
    {"fields", "def desired: [.a.now, .input?, .primary.owned, .debug];"},
    {"keys", "def desired: [{now: 1, input, \"env\": 2, debug: 3}];"},
    {"words in texts and comments",
	"# now env \"\ndef desired: [\"now \\(1) env $ENV\"];"},
    {"variables", "def desired: 1 as $now | [$now, $__loc__];"},
    {"status reads owned and now",
	"def status: {a: .owned, b: .now};"
	"def desired: [];"},
    {"owned of something else", "def desired: [.primary.owned];"},
    {"nested definitions",
	"def desired: def f: def g: 1; g; def h($x): $x; [f, h(2)];"},
    {"keywords with brackets in them",
	"def desired: reduce range(3) as $x ([]; . + [$x]) | [];"},
    {"a comment at the end", "def desired: []; # the end"},
};

static void
test_accepted(void)
{
	for (size_t i = 0; i < COUNT(accepted); i++) {
		struct err err = ERR_INIT;
		struct program *p;

		if (skip(i))
			continue;
		p = load(accepted[i].text, &err);

		is(p ? "" : err.message, "", accepted[i].what);
		program_free(p);
	}
}

static void
tests(void)
{
	test_refused();
	test_bad_files();
	test_accepted();
}

int
main(void)
{
	return program_tests(tests);
}
