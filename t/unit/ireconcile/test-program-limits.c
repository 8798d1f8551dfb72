/* Limits of programs, and what they can see. */
#include "test-program.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/array.h"
#include "program/run.h"

/* Programs that never end, or grow. .primary.t picks one. */
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

#define TIME                                                                \
	"error: p.jq:4: desired of Thing ns/x took more than 0.3 s of CPU " \
	"time and "                                                         \
	"was stopped"
#define MEMORY                                                           \
	"error: p.jq:4: desired of Thing ns/x took more than 64 MiB of " \
	"memory and "                                                    \
	"was stopped"

/* Deep recursion ends, in one of several ways. */
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
    {"shared",
	"error: p.jq:4: desired gives a value longer than 16777216 bytes",
	true},
    {"deep", "error:", true},
    {"compare", "error:", true},
    {"path", "error:", true},
};

/* qemu does not pass on the limit of the address space: under it every program
 * goes on until its time is over. */
static bool
memory_is_limited(void)
{
	enum { LIMIT = 64 << 20, BEYOND = 1 << 30 };
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		struct rlimit r = {.rlim_cur = LIMIT, .rlim_max = LIMIT};

		if (setrlimit(RLIMIT_AS, &r) != 0)
			_exit(1);
		_exit(mmap(NULL, BEYOND, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0) != MAP_FAILED);
	}
	waitpid(pid, &status, 0);
	return status == 0;
}

static void
test_limits(void)
{
	const bool reserves = on_valgrind || SANITIZED;
	const bool limited = !reserves && memory_is_limited();
	struct err err = ERR_INIT;
	struct program *p = load(greedy, &err);
	struct buf input = BUF_INIT;
	struct buf out = BUF_INIT;

	if (p == NULL) {
		is(err.message, "", "the greedy program");
		return;
	}
	if (!limited && !reserves)
		printf("# no limits of memory here: any error will do\n");
	for (size_t i = 0; i < COUNT(limits); i++) {
		const char *want = limits[i].result;

		if (limits[i].needs_limits && reserves)
			continue;
		if (limits[i].needs_limits && !limited)
			want = "error:";
		buf_reset(&input);
		buf_addf(&input, "{\"primary\":{\"t\":\"%s\"}}", limits[i].t);
		for (int again = 0; again < 2; again++) {
			desired(p, buf_str(&input), &out);
			if (strcmp(want, "error:") == 0) {
				printf("# %s\n", buf_str(&out));
				buf_truncate(&out, 6);
			}
			is(buf_str(&out), want, limits[i].t);
			desired(p, "{\"primary\":{\"t\":\"\"}}", &out);
			is(buf_str(&out), "", "the program goes on");
		}
	}
	ok(program_losses().limited > 0, "limits are counted");
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
