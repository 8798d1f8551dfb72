/* evaluate PROGRAM LIBRARIES INPUT N: the cost of a call of `desired`, in
 * microseconds of CPU time of all processes: without, and with parsing and
 * printing. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "program/evaluator.h"
#include "program/program.h"

#include "json/jvtext.h"

static double
cpu_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3 +
	    (double)evaluator_cpu_us();
}

static void
fail(const struct err *err)
{
	fprintf(stderr, "evaluate: %s\n", err->message);
	exit(1);
}

static size_t
call(struct program *p, const struct arguments *input, struct buf *out)
{
	struct program_items items;
	struct err err = ERR_INIT;
	size_t n;

	if (program_desired(p, input, "the input", &items, &err) != 0)
		fail(&err);
	n = items.count;
	buf_reset(out);
	for (size_t i = 0; i < n; i++)
		if (jvtext_add(out, items.items[i].object, &err) != 0)
			fail(&err);
	program_items_release(&items);
	return n;
}

int
main(int argc, char **argv)
{
	const char *dirs[] = {argc == 5 ? argv[2] : NULL, NULL};
	struct program_options options = {.library_dirs = dirs,
	    .desired_reads = PROGRAM_READS_OWNED | PROGRAM_READS_NOW};
	struct err err = ERR_INIT;
	struct program_items items;
	struct buf out = BUF_INIT;
	struct program *p;
	size_t objects = 0;
	struct buf parts = BUF_INIT;
	struct arguments input = {.has = 0};
	double load, whole, alone;
	int n;

	if (argc != 5)
		return 100;
	n = atoi(argv[4]);
	program_init();
	load = cpu_us();
	p = program_load(argv[1], &options, &err);
	if (p == NULL)
		fail(&err);
	load = cpu_us() - load;
	arguments_add(&parts, ARGUMENTS_WHOLE, span_str(argv[3]));
	input.texts[ARGUMENTS_TEXT_BASE].text = buf_span(&parts);
	call(p, &input, &out); /* starts the other processes */
	whole = cpu_us();
	for (int i = 0; i < n; i++)
		objects = call(p, &input, &out);
	whole = cpu_us() - whole;
	input.texts[ARGUMENTS_TEXT_BASE].id =
	    arguments_id(); /* the program is parsed once */
	alone = cpu_us();
	for (int i = 0; i < n; i++) {
		if (program_desired(p, &input, "the input", &items, &err) != 0)
			fail(&err);
		program_items_release(&items);
	}
	alone = cpu_us() - alone;
	printf("%zu objects, %zu bytes: %.0f us a call, %.0f us with parsing "
	       "and printing; %.0f ms to load\n",
	    objects, out.len, alone / n, whole / n, load / 1000);
	buf_release(&parts);
	buf_release(&out);
	program_free(p);
	return 0;
}
