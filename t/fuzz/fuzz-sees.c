/*
 * fuzz-sees: random programs, of what language/sees.h follows. What it says a
 * function does not see makes no difference to the result.
 *
 *	fuzz-sees [PROGRAMS [SEED [show]]]	show: results, too
 *
 * The `status` of each program is called with an input, and with others that
 * differ only in members and kinds that are not seen: these have other values,
 * or are not there. The value, or the message of the failure, must be the same.
 */
// needs cmd/ireconcile/language/*.c
// needs cmd/ireconcile/language/jq16/*.c
// needs cmd/ireconcile/program/*.c
// needs cmd/ireconcile/item/itemmarks.c
// needs cmd/ireconcile/trace/*.c
// needs t/fuzz/programs.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "json/jvtext.h"
#include "language/sees.h"
#include "program/program.h"
#include "programs.h"

enum {
	BATCH = 25, /* programs for which processes are started once */
	INPUTS = 2,
	OTHERS = 5 /* for each input */
};

/* ---- inputs ---- */

/* Seeds of values; 0: not there. */
struct input {
	unsigned members[PROGRAMS_MEMBERS]; /* of owned: 1 if it has kinds */
	unsigned kinds[PROGRAMS_KINDS];
};

static void
put_value(struct buf *out, unsigned depth)
{
	static const char *const leaves[] = {"null", "true", "false", "0", "1",
	    "2", "\"a\"", "\"now\"", "\"b\"", "[]", "{}", "1782864000"};
	static const char *const keys[] = {"a", "error", "now", "Pod", "owned"};
	unsigned n = programs_below(3);

	if (depth == 0 || programs_below(3) == 0) {
		buf_adds(out, leaves[programs_below(COUNT(leaves))]);
	} else if (programs_below(2) == 0) {
		buf_addc(out, '[');
		for (unsigned i = 0; i <= n; i++) {
			buf_adds(out, i == 0 ? "" : ",");
			put_value(out, depth - 1);
		}
		buf_addc(out, ']');
	} else {
		unsigned first = programs_below(COUNT(keys));

		for (unsigned i = 0; i <= n; i++) {
			buf_addf(out, "%s\"%s\":", i == 0 ? "{" : ",",
			    keys[(first + i) % COUNT(keys)]);
			put_value(out, depth - 1);
		}
		buf_addc(out, '}');
	}
}

static void
put_seeded(struct buf *out, const char *name, unsigned seed, const char **comma)
{
	unsigned before = programs_state();

	if (seed == 0)
		return;
	programs_seed(seed);
	buf_addf(out, "%s\"%s\":", *comma, name);
	put_value(out, 3);
	*comma = ",";
	programs_seed(before);
}

static void
put_input(struct buf *out, const struct input *in)
{
	const char *comma = "{", *inner = "";

	for (int m = 0; m < PROGRAMS_MEMBERS; m++) {
		if (m != PROGRAMS_OWNED || in->members[m] != 1) {
			put_seeded(
			    out, programs_members[m], in->members[m], &comma);
			continue;
		}
		buf_addf(out, "%s\"owned\":{", comma);
		for (int k = 0; k < PROGRAMS_KINDS; k++)
			put_seeded(
			    out, programs_kinds[k], in->kinds[k], &inner);
		buf_addc(out, '}');
		comma = ",";
	}
	buf_adds(out, *comma == '{' ? "{}" : "}");
}

static unsigned
new_seed(void)
{
	return 2 + programs_below(1U << 20);
}

static void
fill(struct input *in)
{
	for (int m = 0; m < PROGRAMS_MEMBERS; m++)
		in->members[m] = new_seed();
	in->members[PROGRAMS_OWNED] = 1;
	for (int k = 0; k < PROGRAMS_KINDS; k++)
		in->kinds[k] = new_seed();
}

static void
change_unseen(unsigned *seed, bool seen, int time)
{
	if (!seen && (time < 2 || programs_below(2) == 0))
		*seed = time == 0 || programs_below(4) == 0 ? 0 : new_seed();
}

/* Changes what is not seen; the first two times, all of it. */
static void
change(struct input *in, const struct sees *sees, int time)
{
	for (int m = 0; m < PROGRAMS_MEMBERS; m++)
		change_unseen(&in->members[m],
		    sees_member(sees, programs_members[m]), time);
	for (int k = 0; k < PROGRAMS_KINDS; k++)
		change_unseen(
		    &in->kinds[k], sees_owned(sees, programs_kinds[k]), time);
}

/* ---- calls ---- */

struct candidate {
	struct program *program; /* NULL: refused */
	struct sees sees;
	struct buf text;
};

static struct {
	unsigned long programs, refused, everything, stopped, values, failures;
} counts;

static bool shows;

static const char *const library_dirs[] = {"lib", NULL};

static void
find_sees(struct candidate *c)
{
	struct err err = ERR_INIT;
	struct source s;

	source_init(&s);
	if (source_add_file(&s, "p.jq", library_dirs, &err) != 0 ||
	    source_compose(&s, &err) != 0)
		abort();
	sees_find(&c->sees, &s, "status");
	source_release(&s);
}

static void
load(struct candidate *c)
{
	static const struct program_options options = {
	    .library_dirs = library_dirs,
	    .time_limit_ms = 500,
	    .memory_limit = 64 << 20};
	struct err err = ERR_INIT;

	*c = (struct candidate){.text = BUF_INIT};
	programs_write(&c->text);
	c->program = program_load("p.jq", &options, &err);
	counts.programs++;
	if (c->program != NULL) {
		find_sees(c);
		counts.everything += c->sees.everything;
		return;
	}
	counts.refused++;
	if (shows)
		printf("%s\n%s\n", err.message, buf_str(&c->text));
}

/* The result as text. False: it took too long. */
static bool
call(struct program *p, struct span input, struct buf *result)
{
	struct arguments in = {0};
	struct buf parts = BUF_INIT;
	struct err err = ERR_INIT;
	jv status;

	buf_reset(result);
	arguments_add(&parts, ARGUMENTS_WHOLE, input);
	in.texts[ARGUMENTS_TEXT_BASE].text = buf_span(&parts);
	program_begin(&(struct log_about){0});
	if (program_status(p, &in, "Thing ns/x", &status, &err) != 0)
		buf_addf(result, "failure: %s", err.message);
	else if (!jv_is_valid(status))
		buf_adds(result, "nothing");
	else if (jvtext_add(result, status, &err) != 0)
		buf_addf(result, "no text: %s", err.message);
	jv_free(status);
	buf_release(&parts);
	if (strstr(buf_str(result), " was stopped") != NULL ||
	    strstr(buf_str(result), " was killed") != NULL)
		return false;
	if (span_starts(buf_span(result), "{"))
		counts.values++;
	else
		counts.failures++;
	return true;
}

static void
compare(const struct candidate *c, const struct buf *a, const struct buf *b,
    const struct buf *first, const struct buf *second)
{
	if (span_eq(buf_span(first), buf_span(second)))
		return;
	fprintf(stderr,
	    "fuzz-sees: what is not seen makes a "
	    "difference:\n%s%s\n%s\n%s\n%s\n",
	    c->text.data, a->data, first->data, b->data, second->data);
	abort();
}

static void
check_input(const struct candidate *c)
{
	struct buf a = BUF_INIT, b = BUF_INIT;
	struct buf first = BUF_INIT, second = BUF_INIT;
	struct input in;
	bool done;

	fill(&in);
	put_input(&a, &in);
	done = call(c->program, buf_span(&a), &first);
	if (shows)
		printf("%s\n", buf_str(&first));
	for (int i = 0; done && i < OTHERS; i++) {
		struct input other = in;

		change(&other, &c->sees, i);
		buf_reset(&b);
		put_input(&b, &other);
		done = call(c->program, buf_span(&b), &second);
		if (done)
			compare(c, &a, &b, &first, &second);
	}
	counts.stopped += !done;
	buf_release(&a);
	buf_release(&b);
	buf_release(&first);
	buf_release(&second);
}

static void
run_batch(void)
{
	static struct candidate list[BATCH];

	for (int i = 0; i < BATCH; i++)
		load(&list[i]);
	for (int i = 0; i < BATCH; i++) {
		struct candidate *c = &list[i];

		for (int n = 0; c->program != NULL && n < INPUTS; n++)
			if (!c->sees.everything)
				check_input(c);
		if (c->program != NULL)
			sees_release(&c->sees);
		program_free(c->program);
		buf_release(&c->text);
	}
}

int
main(int argc, char **argv)
{
	unsigned long most = argc > 1 ? strtoul(argv[1], NULL, 10) : 200;
	char dir[] = "/tmp/fuzz-sees.XXXXXX";

	programs_seed(argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1);
	shows = argc > 3;
	if (mkdtemp(dir) == NULL || chdir(dir) != 0 || mkdir("lib", 0700) != 0)
		return 1;
	log_init("fuzz-sees", LOG_TEXT, LOG_ERROR);
	program_init();
	while (counts.programs < most)
		run_batch();
	unlink("p.jq");
	unlink("two.jq");
	unlink("lib/l.jq");
	rmdir("lib");
	rmdir(dir);
	printf("%lu programs: %lu refused, %lu see everything, %lu stopped; "
	       "%lu values, %lu failures\n",
	    counts.programs, counts.refused, counts.everything, counts.stopped,
	    counts.values, counts.failures);
	return 0;
}
