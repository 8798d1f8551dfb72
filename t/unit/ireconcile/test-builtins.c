// alone: it has functions in place of the tool's
/*
 * A program is compiled to the same code with the definitions of jq that
 * builtins_pick leaves as with all of them, and is compiled once.
 */
#include "libjq/jq16/builtins.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "json/jvtext.h"
#include "libjq/jqcompile.h"
#include "program/program.h"
#include "tap.h"

/* ---- what is compiled ---- */

static int compilations;
static struct buf compiled; /* the text of the last program */

int
jq_compile(jq_state *jq, const char *text)
{
	int (*real)(jq_state *, const char *) =
	    (int (*)(jq_state *, const char *))dlsym(RTLD_NEXT, "jq_compile");

	compilations++;
	buf_reset(&compiled);
	buf_adds(&compiled, text);
	return real(jq, text);
}

static struct buf all; /* jq's own definitions */
static size_t picked;  /* bytes of them in the last program */

static bool
pick(struct span text, struct span program, struct buf *out)
{
	bool told = builtins_pick(text, program, out);

	buf_reset(&all);
	buf_addspan(&all, text);
	picked = told ? out->len : text.n;
	return told;
}

/* ---- code ---- */

static void
on_error(void *arg, jv message)
{
	(void)arg;
	jv_free(message);
}

static void
on_debug(void *arg, jv message)
{
	(void)arg;
	jv_free(message);
}

static jv
no_input(jq_state *jq, void *arg)
{
	(void)jq;
	(void)arg;
	return jv_invalid();
}

/* jq's listing of it goes to stdout. */
static void
add_listing(jq_state *jq, struct buf *out)
{
	FILE *f = tmpfile();
	int stdout_fd = dup(1);
	char part[4096];
	size_t n;

	fflush(stdout);
	dup2(fileno(f), 1);
	jq_dump_disassembly(jq, 0);
	fflush(stdout);
	dup2(stdout_fd, 1);
	close(stdout_fd);
	rewind(f);
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		buf_add(out, part, n);
	fclose(f);
}

/* False: it does not compile. */
static bool
list(const char *text, builtins_picker *choice, struct buf *out)
{
	jq_state *jq = jqcompile_state(
	    &(struct jqcompile_callbacks){on_debug, no_input, on_error, NULL});
	bool good = builtins_compile(jq, text, jv_invalid(), choice) != 0;

	buf_reset(out);
	if (good)
		add_listing(jq, out);
	jq_teardown(&jq);
	return good;
}

static bool
same(const char *text)
{
	struct buf with_all = BUF_INIT, with_few = BUF_INIT;
	bool good = list(text, NULL, &with_all) &&
	    list(text, pick, &with_few) &&
	    span_eq(buf_span(&with_all), buf_span(&with_few));

	buf_release(&with_all);
	buf_release(&with_few);
	return good;
}

/* ---- every function of jq ---- */

/* The names of jq's functions: ["map/1", ...]. */
static jv
names(void)
{
	jq_state *jq = jqcompile_state(
	    &(struct jqcompile_callbacks){on_debug, no_input, on_error, NULL});
	jv result = jv_invalid();

	if (builtins_compile(jq, "builtins", jv_invalid(), NULL)) {
		jq_start(jq, jv_null(), 0);
		result = jq_next(jq);
	}
	jq_teardown(&jq);
	return result;
}

/* "limit/2" as "limit(.; .)". */
static void
add_call(struct buf *out, struct span name)
{
	size_t n = name.n - 2;

	buf_add(out, name.p, n);
	for (int i = 0; i < name.p[n + 1] - '0'; i++)
		buf_adds(out, i == 0 ? "(." : "; .");
	if (name.p[n + 1] != '0')
		buf_adds(out, ")");
}

/* Functions in C need no text. */
static bool
is_in_jq(struct span name)
{
	struct buf head = BUF_INIT;
	bool found;

	buf_addf(&head, "def %.*s", (int)name.n - 2, name.p);
	found = strstr(buf_str(&all), buf_str(&head)) != NULL;
	buf_release(&head);
	return found;
}

/* Compiled with few definitions: what is missing is an error. */
static bool
compiles(const char *text)
{
	struct buf listing = BUF_INIT;
	bool good = list(text, pick, &listing);

	if (!good)
		printf("# %s\n", text);
	buf_release(&listing);
	return good;
}

/* Each alone with few definitions, and many together with all, which takes
 * long. */
static void
test_functions(bool slow)
{
	enum { TOGETHER = 40 };
	struct buf text = BUF_INIT, others = BUF_INIT, many = BUF_INIT;
	jv list_ = names();
	int wrong = 0, tested = 0, different = 0;

	buf_adds(&others, ".");
	jv_array_foreach(list_, i, name)
	{
		buf_reset(&text);
		/* `builtins` is a list of all, and refused (guards.c). */
		if (!span_is(jvtext_span(name), "builtins/0"))
			add_call(&text, jvtext_span(name));
		if (text.len > 0 && !is_in_jq(jvtext_span(name))) {
			buf_addf(&others, ", %s", buf_str(&text));
		} else if (text.len > 0 && (!slow || i % 10 == 0)) {
			wrong += !compiles(buf_str(&text));
			buf_addf(&many, "%s%s", many.len > 0 ? ", " : "",
			    buf_str(&text));
			if (++tested % TOGETHER == 0) {
				different += !same(buf_str(&many));
				buf_reset(&many);
			}
		}
		jv_free(name);
	}
	printf("# %d functions in jq\n", tested);
	ok(tested > 5 && wrong == 0, "each function of jq alone");
	ok(different == 0 && (many.len == 0 || same(buf_str(&many))),
	    "... with the same code");
	ok(same(buf_str(&others)), "functions in C are the same");
	buf_release(&text);
	buf_release(&others);
	buf_release(&many);
	jv_free(list_);
}

/* ---- what calls functions without their names ---- */

static const char *const texts[] = {".", "..", ".a |= 1", ".a += 1", ".a = 1",
    ".a //= 1", "-.a", ".a - 1 * 2 / 3 % 4", "label $x | ., break $x",
    "\"\\(.)\"", "@base64 \"\\(.)\"", ".[] as [$a] ?// $a | $a", ".a?",
    "try error catch .", "try .a catch .b", "reduce .[] as $x (0; . + $x)",
    ".[2:4]", "def map(f): 1; map(.)",
    "def f: def select(g): g; [.[] | select(.)]; f", "\"\\(map(.))\"",
    "{map: 1, (\"a\" | ascii_downcase): todate}", "limit(3; .[]) # select"};

static void
test_texts(void)
{
	struct buf all_texts = BUF_INIT;

	for (size_t i = 0; i < COUNT(texts); i++) {
		ok(compiles(texts[i]), texts[i]);
		buf_addf(&all_texts, "%s(%s\n)", i == 0 ? "" : ", ", texts[i]);
	}
	ok(same(buf_str(&all_texts)), "... all to the same code");
	buf_release(&all_texts);
}

/* ---- whole programs ---- */

static void
test_program(const char *path)
{
	static const char *const dirs[] = {"lib/jq", NULL};
	struct program_options options = {.library_dirs = dirs,
	    .desired_reads = PROGRAM_READS_OWNED | PROGRAM_READS_NOW};
	struct err err = ERR_INIT;
	struct program *p;
	struct buf text = BUF_INIT;

	compilations = 0;
	p = program_load(path, &options, &err);
	if (!ok(p != NULL && compilations == 1, path))
		printf("# %s; compiled %d times\n", err.message, compilations);
	buf_addspan(&text, buf_span(&compiled));
	ok(same(buf_str(&text)), "... to the same code");
	buf_release(&text);
	program_free(p);
}

static void
test_programs(void)
{
	static const char *const names_[] = {"at", "cronjob", "experimental",
	    "iotservice", "memcached", "playground"};
	struct buf path = BUF_INIT;

	for (size_t i = 0; i < COUNT(names_); i++) {
		buf_reset(&path);
		buf_addf(&path, "pipeline/%s/reconcile.jq", names_[i]);
		test_program(buf_str(&path));
	}
	buf_release(&path);
}

static void
test_refused(void)
{
	struct buf out = BUF_INIT;

	ok(!builtins_pick(span_str("def a: 1; 2"), span_str("a"), &out) &&
		!builtins_pick(span_str("def a: \""), span_str("a"), &out) &&
		!builtins_pick(span_str("def a: 1"), span_str("a"), &out),
	    "text that is not a list of definitions");
	ok(builtins_pick(span_str("def b: 0; def b(f; g): 1;\n"
				  "def a: def c: 3; b(c; c); def d: a;"
				  "def e: (def a: 2; a);"),
	       span_str("def e: a; e"), &out),
	    "definitions within a definition");
	is(buf_str(&out), "def b(f; g): 1;\ndef a: def c: 3; b(c; c);\n",
	    "... what is called stays, but what the program has itself");
	buf_reset(&out);
	ok(builtins_pick(span_str("def a: . as $v | $$$$v; def b: 1;"),
	       span_str("a"), &out),
	    "a variable that jq takes away");
	is(buf_str(&out), "def a: . as $v | $$$$v;\n", "... as it was");
	buf_release(&out);
}

int
main(void)
{
	const char *preload = getenv("LD_PRELOAD");
	bool slow = preload != NULL && strstr(preload, "valgrind") != NULL;
	struct buf listing = BUF_INIT;

	program_init();
	ok(list(".", pick, &listing), "a program");
	buf_release(&listing);
	/* Not every libjq calls through the dynamic linker. */
	if (all.len == 0)
		printf("# libjq chooses by itself\n");
	else if (!ok(picked < all.len / 4, "... with few of jq's definitions"))
		printf("# %zu of %zu bytes\n", picked, all.len);
	test_functions(slow);
	test_texts();
	test_programs();
	test_refused();
	buf_release(&all);
	buf_release(&compiled);
	return tap_done();
}
