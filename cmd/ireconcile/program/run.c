/* The functions of run.h, and part of program/program.h: calls of programs. */
#include "program/run.h"

#include <malloc.h>
#include <stdlib.h>

#include "base/mem.h"
#include "json/jvtext.h"
#include "program/evaluator.h"
#include "program/jvwire.h"
#include "program/zones.h"

/* Lost calls of one evaluation: the second is that of the status, which reports
 * the first. */
enum { LOST_MOST = 2 };

struct program_losses
program_losses(void)
{
	return evaluator.losses;
}

static uint64_t
lost(void)
{
	return evaluator.losses.limited + evaluator.losses.crashed;
}

void
program_begin(const struct log_about *about)
{
	evaluator.lost_before = lost();
	evaluator.who = *about;
	evaluator.debugs_said = 0;
}

bool
program_alive(void)
{
	return !evaluator.gone;
}

void
run_register(struct program *p)
{
	p->number = evaluator.program_count++;
	evaluator.programs = mem_array(evaluator.programs,
	    evaluator.program_count, sizeof(*evaluator.programs));
	evaluator.programs[p->number] = p;
}

void
run_forget(struct program *p)
{
	evaluator.programs[p->number] = NULL;
}

struct program *
run_find(uint32_t number)
{
	return number < evaluator.program_count ? evaluator.programs[number]
						: NULL;
}

const char *
run_name(const struct program *p, enum program_call call)
{
	return call == PROGRAM_MAP ? p->expression : program_names[call];
}

const char *
run_place(struct program *p, enum program_call call)
{
	return buf_str(&p->places[call]);
}

int
run_fail(struct program *p, enum program_call call, const char *what,
    struct err *err)
{
	return err_set(err, ERR_PERMANENT, "%s%s", run_place(p, call), what);
}

int
run_refuse(struct program *p, enum program_call call, jv value,
    const char *wanted, struct err *err)
{
	err_set(err, ERR_PERMANENT, "%s gives %s, not %s", run_place(p, call),
	    jvtext_sort(value), wanted);
	jv_free(value);
	return -1;
}

/* Reads the files that processes in a sandbox need. */
static int
start(enum sandbox_mode mode, struct err *err)
{
	for (uint32_t i = 0; i < evaluator.program_count; i++)
		if (evaluator.programs[i] != NULL &&
		    evaluator.programs[i]->needs_zones)
			zones_load();
	return evaluator_start(mode, err);
}

int
program_start(enum sandbox_mode mode, struct err *err)
{
	if (start(mode, err) != 0)
		return -1;
	zones_free();
	for (uint32_t i = 0; i < evaluator.program_count; i++) {
		struct program *p = evaluator.programs[i];

		if (p == NULL || p->jq == NULL)
			continue;
		jq_teardown(&p->jq);
		p->jq = NULL;
		source_release(&p->source);
		buf_release(&p->complaints);
	}
	malloc_trim(0);
	return 0;
}

static int
say_end(const struct program *p, const struct evaluator_end *end,
    const char *function, const char *about, struct err *err)
{
	switch (end->how) {
	case EVALUATOR_TIME:
		evaluator.losses.limited++;
		return err_set(err, ERR_PERMANENT,
		    "%s of %s took more than %g s of CPU time and was stopped",
		    function, about, (double)p->time_limit_ms / 1000);
	case EVALUATOR_MEMORY:
		evaluator.losses.limited++;
		return err_set(err, ERR_PERMANENT,
		    "%s of %s took more than %zu MiB of memory and was stopped",
		    function, about, p->memory_limit >> 20);
	case EVALUATOR_STACK:
		evaluator.losses.limited++;
		return err_set(err, ERR_PERMANENT,
		    "%s of %s nested too deep and was stopped", function,
		    about);
	case EVALUATOR_KILLED:
		evaluator.losses.limited++;
		return err_set(err, ERR_PERMANENT,
		    "%s of %s was killed twice, as the kernel does when memory "
		    "is out",
		    function, about);
	case EVALUATOR_GONE:
		evaluator.gone = true;
		return err_set(err, ERR_TRANSIENT,
		    "%s of %s was not evaluated: the process that starts "
		    "evaluations is gone",
		    function, about);
	default:
		evaluator.losses.crashed++;
		return err_set(err, ERR_PERMANENT,
		    "%s of %s crashed in jq (%s)", function, about, end->why);
	}
}

/* Started here if the caller has not called program_start. */
static int
be_started(struct err *err)
{
	if (evaluator.started == evaluator.program_count)
		return 0;
	return start(SANDBOX_UNWANTED, err);
}

/* The first traced call in a worker compiles the program; the steps have a
 * limit of their own (trace/trail.c). */
enum { TRACED_SLOWER = 30 };

/* A call failed with err. Programs are pure, so a second evaluation, which is
 * slower and knows its place, fails in the same way. If it does not, err
 * stays. */
static int
find_place(struct evaluator_request *q, struct err *err)
{
	struct evaluator_end end;
	struct span answer;

	q->trace = true;
	q->time_limit_ms *= TRACED_SLOWER;
	evaluator_ask(q, &answer, &end);
	if (end.how == EVALUATOR_FAILED)
		err_set(err, ERR_PERMANENT, "%.*s", SPAN_ARG(answer));
	evaluator.gone = evaluator.gone || end.how == EVALUATOR_GONE;
	return -1;
}

/* Cuts the lines of `debug` off the answer. An expression of watches.yaml is
 * not part of an evaluation. A worker that was taken over may send them at any
 * time. */
static void
log_debugs(const struct program *p, enum program_call call,
    const struct evaluator_end *end, const char *about, struct span *answer)
{
	struct span lines;
	int said = 0;

	if (end->debugs == 0)
		return;
	answer->n -= end->debugs;
	lines = span_make(answer->p + answer->n, end->debugs);
	if (!p->shows_debugs)
		return;
	if (call == PROGRAM_MAP)
		debugs_log(lines, NULL, about, &said);
	else
		debugs_log(lines, &evaluator.who, NULL, &evaluator.debugs_said);
}

int
run_program(struct program *p, enum program_call call,
    const struct arguments *input, const char *about, jv *result,
    struct err *err)
{
	struct evaluator_request q = {
	    p->number, call, input, p->time_limit_ms, false};
	struct evaluator_end end;
	struct span answer;

	*result = jv_invalid();
	if (call != PROGRAM_MAP && lost() - evaluator.lost_before >= LOST_MOST)
		return err_set(err, ERR_PERMANENT,
		    "%s of %s was not evaluated, after other functions were "
		    "stopped",
		    run_name(p, call), about);
	if (be_started(err) != 0)
		return -1;
	evaluator_ask(&q, &answer, &end);
	log_debugs(p, call, &end, about, &answer);
	switch (end.how) {
	case EVALUATOR_FAILED:
		return err_set(err, ERR_PERMANENT, "%.*s", SPAN_ARG(answer));
	case EVALUATOR_FAILED_SOMEWHERE:
		err_set(err, ERR_PERMANENT, "%.*s", SPAN_ARG(answer));
		return find_place(&q, err);
	case EVALUATOR_DONE:
		break;
	default:
		return say_end(p, &end, run_place(p, call), about, err);
	}
	if (answer.n == 0)
		return 0;
	*result = jvwire_read(answer);
	if (jv_is_valid(*result))
		return 0;
	end = (struct evaluator_end){
	    .how = EVALUATOR_CRASHED, .why = "a wrong answer"};
	return say_end(p, &end, run_place(p, call), about, err);
}
