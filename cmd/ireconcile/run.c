#include "run.h"

#include <jq.h>

#include "jvtext.h"
#include "message.h"

static struct program_losses losses;

struct program_losses
program_losses(void)
{
	return losses;
}

/* What one call gave. Changed by work that may be left by a jump. */
struct run {
	struct program *p;
	jv input;
	jv first, second;
	enum jvtext_size size;
};

static void
work(void *arg)
{
	struct run *r = arg;

	jq_start(r->p->jq, r->input, 0);
	r->first = jq_next(r->p->jq);
	if (!jv_is_valid(r->first))
		return;
	r->size = jvtext_measure(r->first);
	if (r->size != JVTEXT_FITS) {
		jv_free(r->first);
		r->first = jv_null();
	}
	r->second = jq_next(r->p->jq);
}

/* Gives up what a jump left behind. */
static void
drop_state(struct program *p, enum bounds_end end)
{
	p->reply = jv_invalid();
	p->raised = jv_invalid();
	/* libjq asks for memory before it changes anything; so after a lack
	 * of memory its own stack is whole, and only values in hand are lost.
	 * Elsewhere it may be in the middle of things. */
	if (end == BOUNDS_BROKEN_MEMORY)
		jq_teardown(&p->jq);
	p->jq = NULL;
	losses.bytes += bounds_growth();
}

static void
nothing(void *arg)
{
	struct run *r = arg;

	jv_free(r->first);
	jv_free(r->second);
	/* Frees what the state still holds, perhaps much and deep. */
	jq_start(r->p->jq, jv_null(), 0);
}

/* A state that was halted: empty it now, not at the next call. */
static void
stop(struct run *r)
{
	const struct bounds most = {10000, SIZE_MAX / 8};
	enum bounds_end end = bounds_run(&most, NULL, nothing, r);

	if (end > BOUNDS_MEMORY)
		drop_state(r->p, end);
}

static int
say_limit(const struct program *p, enum bounds_end end, const char *function,
    const char *about, struct err *err)
{
	losses.calls++;
	switch (end) {
	case BOUNDS_TIME:
	case BOUNDS_BROKEN_TIME:
		return err_set(err, ERR_PERMANENT,
		    "%s of %s took more than %g s of CPU time and was stopped",
		    function, about, (double)p->bounds.time_ms / 1000);
	case BOUNDS_MEMORY:
	case BOUNDS_BROKEN_MEMORY:
		return err_set(err, ERR_PERMANENT,
		    "%s of %s took more than %zu MiB of memory and was stopped",
		    function, about, p->bounds.memory >> 20);
	default:
		return err_set(err, ERR_PERMANENT,
		    "%s of %s nested too deep and was stopped", function,
		    about);
	}
}

static int
say_error(struct program *p, jv invalid, const char *function, struct err *err)
{
	jv message = jv_invalid_get_msg(invalid);
	struct buf text = BUF_INIT;

	if (jv_get_kind(message) != JV_KIND_STRING) {
		buf_addf(&text, "%s failed: error with %s that is no text",
		    function, jv_kind_name(jv_get_kind(message)));
	} else if (jv_is_valid(p->raised) &&
	    jv_equal(jv_copy(message), jv_copy(p->raised))) {
		buf_addspan(&text, jvtext_span(message));
	} else {
		struct buf cut = BUF_INIT;

		message_cut(&cut, jvtext_span(message), &p->source);
		buf_addf(&text, "%s failed: %s", function, buf_str(&cut));
		buf_release(&cut);
	}
	err_set(err, ERR_PERMANENT, "%s", buf_str(&text));
	buf_release(&text);
	jv_free(message);
	return -1;
}

static int
judge(struct run *r, const char *function, jv *result, struct err *err)
{
	jv failed = jv_is_valid(r->first) ? r->second : r->first;

	if (!jv_is_valid(failed) && jv_invalid_has_msg(jv_copy(failed))) {
		if (jv_is_valid(r->first))
			jv_free(r->first);
		return say_error(r->p, failed, function, err);
	}
	if (jv_is_valid(r->second)) {
		jv_free(r->first);
		jv_free(r->second);
		return err_set(err, ERR_PERMANENT,
		    "%s gives more than one result", function);
	}
	if (r->size == JVTEXT_DEEP)
		err_set(err, ERR_PERMANENT,
		    "%s gives a value nested deeper than %d", function,
		    JVTEXT_DEPTH_MAX);
	else if (r->size == JVTEXT_LONG)
		err_set(err, ERR_PERMANENT,
		    "%s gives a value longer than %d bytes", function,
		    JVTEXT_BYTES_MAX);
	if (r->size != JVTEXT_FITS) {
		jv_free(r->first);
		return -1;
	}
	*result = r->first;
	return 0;
}

int
run_program(struct program *p, enum program_call call, jv input,
    const char *about, jv *result, struct err *err)
{
	const char *function = call == PROGRAM_MAP ? "map" : run_names[call];
	struct run r = {
	    p, jv_object(), jv_invalid(), jv_invalid(), JVTEXT_FITS};
	enum bounds_end end;

	*result = jv_invalid();
	if (p->jq == NULL && run_compile(p, err) != 0) {
		jv_free(input);
		return -1;
	}
	jv_free(p->raised);
	p->raised = jv_invalid();
	r.input = jv_object_set(r.input, jv_string("call"), jv_number(call));
	r.input = jv_object_set(r.input, jv_string("input"), input);
	end = bounds_run(&p->bounds, p->jq, work, &r);
	if (end == BOUNDS_DONE)
		return judge(&r, function, result, err);
	if (end == BOUNDS_TIME || end == BOUNDS_MEMORY)
		stop(&r);
	else
		drop_state(p, end);
	return say_limit(p, end, function, about, err);
}
