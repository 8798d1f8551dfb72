// needs cmd/ireconcile/bounds.c
// needs cmd/ireconcile/guards.c
// needs cmd/ireconcile/jqlex.c
// needs cmd/ireconcile/message.c
// needs cmd/ireconcile/natives.c
// needs cmd/ireconcile/program.c
// needs cmd/ireconcile/reads.c
// needs cmd/ireconcile/result.c
// needs cmd/ireconcile/run.c
// needs cmd/ireconcile/source.c
/* What programs may use up, and see. */
#include "program.h"

/* What never ends, and what grows. .primary.t picks one. */
static const char greedy[] =
    "def f: f;\n"
    "def g: 1 + g;\n"
    "def nest($n): reduce range($n) as $i (1; [.]);\n"
    "def desired: if .primary.t == \"\" then []\n"
    "elif .primary.t == \"loop\" then f\n"
    "elif .primary.t == \"generate\" then [repeat(1)]\n"
    "elif .primary.t == \"recurse\" then g\n"
    "elif .primary.t == \"grow\" then [range(1; 1e9)]\n"
    "elif .primary.t == \"text\" then \"x\" | until(false; . + .)\n"
    "elif .primary.t == \"leap\" then null | .[500000000] = 1\n"
    "elif .primary.t == \"regex\" then (\"a\" * 60) + \"!\"\n"
    " | [test(\"^(a|aa|a?)+$\"), test(\"^(aa|a|a?)+$\")]\n"
    " elif .primary.t == \"shared\" then\n"
    " reduce range(60) as $i ([1]; [., .])\n"
    "elif .primary.t == \"deep\" then nest(150000)\n"
    "elif .primary.t == \"compare\" then\n"
    " [nest(100000), nest(100000)] | sort | length\n"
    "elif .primary.t == \"path\" then\n"
    " null | setpath([range(200000) | 0]; 1) | length\n"
    "else [] end;\n";

#define TIME                                                                 \
	"error: desired of Thing ns/x took more than 0.3 s of CPU time and " \
	"was stopped"
#define MEMORY                                                              \
	"error: desired of Thing ns/x took more than 64 MiB of memory and " \
	"was stopped"

/* Deep recursion ends in one of several ways, but it ends. */
static const struct {
	const char *t, *result;
	bool needs_limits;
} limits[] = {
    {"loop", TIME, false},
    {"generate", "error:", true},
    {"recurse", MEMORY, true},
    {"grow", "error:", true},
    {"text", MEMORY, true},
    {"leap", "error:", true},
    {"regex", "error:", true},
    {"shared", "error: desired gives a value longer than 8388608 bytes", true},
    {"deep", "error:", true},
    {"compare", "error:", true},
    {"path", "error:", true},
};

static void
test_limits(void)
{
	struct err err = ERR_INIT;
	struct program *p = load(greedy, &err);
	struct buf input = BUF_INIT;
	struct buf out = BUF_INIT;

	if (p == NULL) {
		is(err.message, "", "the greedy program");
		return;
	}
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		if (limits[i].needs_limits && (on_valgrind || SANITIZED))
			continue;
		buf_reset(&input);
		buf_addf(&input, "{\"primary\":{\"t\":\"%s\"}}", limits[i].t);
		for (int again = 0; again < 2; again++) {
			desired(p, buf_str(&input), &out);
			if (strcmp(limits[i].result, "error:") == 0) {
				printf("# %s\n", buf_str(&out));
				buf_truncate(&out, 6);
			}
			is(buf_str(&out), limits[i].result, limits[i].t);
			desired(p, "{\"primary\":{\"t\":\"\"}}", &out);
			is(buf_str(&out), "", "the program goes on");
		}
	}
	ok(program_losses().calls > 0, "limits are counted");
	program_free(p);
	buf_release(&input);
	buf_release(&out);
}

static void
test_environment(void)
{
	struct err err = ERR_INIT;
	struct program *p;

	ok(getenv("KPIPE_SECRET") == NULL, "the environment is cleared");
	/* libjq reads ~/.jq where it can. */
	write_file(".jq", "def from_home: 1;\n");
	p = load("def desired: [from_home];", &err);
	is(p ? "loaded" : err.message, "p.jq:1: from_home/0 is not defined",
	    "~/.jq is not read");
	program_free(p);
}

static void
tests(void)
{
	test_environment();
	test_limits();
}

int
main(void)
{
	return program_tests(tests);
}
