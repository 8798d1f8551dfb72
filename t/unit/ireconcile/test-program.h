/* test-program: shared by the tests of programs. main calls program_tests. */
#ifndef TEST_PROGRAM_H
#define TEST_PROGRAM_H

#include "base/array.h"
#include "program/program.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "json/jvtext.h"
#include "tap.h"

#if defined(__SANITIZE_ADDRESS__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

static bool on_valgrind; /* in neither of the two memory can be limited */

/* On valgrind a compilation takes seconds: test a sample. */
__attribute__((unused)) static bool
skip(size_t i)
{
	return on_valgrind && i % 5 != 0;
}

static const char *const library_dirs[] = {"lib", NULL};
static struct program_options options = {.library_dirs = library_dirs,
    .time_limit_ms = 300,
    .memory_limit = 64 << 20};

static void
write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0)
		printf("Bail out! cannot write %s\n", path);
}

/* The input with this text; valid until the next call. */
static const struct arguments *
whole(const char *text)
{
	static struct arguments input;
	static struct buf parts;

	buf_reset(&parts);
	arguments_add(&parts, ARGUMENTS_WHOLE, span_str(text));
	input.texts[ARGUMENTS_TEXT_BASE].text = buf_span(&parts);
	return &input;
}

static void
remove_files(const char *dir)
{
	static const char *const files[] = {"p.jq", "two.jq", ".jq",
	    "lib/broken.jq", "lib/impure.jq", "lib/loop.jq", "lib/one.jq",
	    "lib/two.jq"};

	for (size_t i = 0; i < COUNT(files); i++)
		unlink(files[i]);
	rmdir("lib");
	rmdir(dir);
}

static struct program *
load(const char *text, struct err *err)
{
	write_file("p.jq", text);
	return program_load("p.jq", &options, err);
}

/* desired's items as one text, or what went wrong. */
__attribute__((unused)) static void
desired(struct program *p, const char *input, struct buf *out)
{
	struct err err = ERR_INIT;
	struct program_items items;

	buf_reset(out);
	program_begin(&(struct log_about){0});
	if (program_desired(p, whole(input), "Thing ns/x", &items, &err)) {
		buf_addf(out, "error: %s", err.message);
		return;
	}
	for (size_t i = 0; i < items.count; i++) {
		buf_adds(out, items.items[i].marks & ITEM_ONCE ? "once " : "");
		buf_adds(out,
		    items.items[i].marks & ITEM_IF_EXISTS ? "if_exists " : "");
		buf_adds(out, items.items[i].marks & ITEM_KEEP ? "keep " : "");
		buf_adds(
		    out, items.items[i].marks & ITEM_EXACTLY ? "exactly " : "");
		if (jv_is_valid(items.items[i].immutable)) {
			jvtext_add(out, items.items[i].immutable, &err);
			buf_addc(out, ' ');
		}
		if (jvtext_add(out, items.items[i].object, &err) != 0)
			buf_adds(out, err.message);
		buf_addc(out, '\n');
	}
	program_items_release(&items);
}

/* Runs tests in a directory of their own, with a lib/. */
static int
program_tests(void (*tests)(void))
{
	char dir[] = "/tmp/kpipe-test-program-XXXXXX";
	const char *preload = getenv("LD_PRELOAD");
	int rc;

	on_valgrind = preload != NULL && strstr(preload, "valgrind") != NULL;
	if (mkdtemp(dir) == NULL || chdir(dir) != 0 || mkdir("lib", 0700) != 0)
		return 1;
	setenv("HOME", dir, 1);
	setenv("KPIPE_SECRET", "x", 1);
	program_init();
	tests();
	rc = tap_done();
	remove_files(dir);
	return rc;
}

#endif
