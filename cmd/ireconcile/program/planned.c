/*
 * Part of program/program.h: the result of `plan`.
 */
#include "program/program.h"

#include "json/jvtext.h"
#include "program/run.h"

int
program_plan(struct program *p, const struct arguments *input,
    const char *about, struct buf *text, struct err *err)
{
	size_t before = text->len;
	jv result;
	int rc;

	if (run_program(p, PROGRAM_PLAN, input, about, &result, err) != 0)
		return -1;
	if (!jv_is_valid(result)) {
		jv_free(result);
		return err_set(err, ERR_PERMANENT,
		    "%s gives no result; nothing is null",
		    run_place(p, PROGRAM_PLAN));
	}
	/* As the program made it: the order of keys is a part of it. */
	rc = jvtext_add_ordered(text, result, JVTEXT_KEPT, err);
	jv_free(result);
	if (rc != 0)
		return err_prefix(err, "%s", run_place(p, PROGRAM_PLAN));
	if (text->len - before <= PROGRAM_PLAN_MAX)
		return 0;
	buf_truncate(text, before);
	return err_set(err, ERR_PERMANENT,
	    "%s gives a value longer than %d bytes", run_place(p, PROGRAM_PLAN),
	    PROGRAM_PLAN_MAX);
}
