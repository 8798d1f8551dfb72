/*
 * Part of program/program.h: checks the results of its functions against the
 * contract; items.c has those of desired and finalize.
 */
#include "program/program.h"

#include <math.h>

#include "json/jvtext.h"
#include "process/clock.h"
#include "program/run.h"

static struct span
text_of(jv object_peek, const char *key)
{
	return jvtext_span(jvtext_peek(object_peek, key));
}

/* The result of an optional function; jv_invalid() also for null. */
static int
run_optional(struct program *p, enum program_call call,
    const struct arguments *input, const char *about, jv *result,
    struct err *err)
{
	*result = jv_invalid();
	if (!program_defines(p, call))
		return 0;
	if (run_program(p, call, input, about, result, err) != 0)
		return -1;
	if (jv_get_kind(*result) == JV_KIND_NULL)
		*result = jv_invalid();
	return 0;
}

int
program_status(struct program *p, const struct arguments *input,
    const char *about, jv *status, struct err *err)
{
	if (run_optional(p, PROGRAM_STATUS, input, about, status, err) != 0)
		return -1;
	if (!jv_is_valid(*status) || jv_get_kind(*status) == JV_KIND_OBJECT)
		return 0;
	run_refuse(p, PROGRAM_STATUS, *status, "an object", err);
	*status = jv_invalid();
	return -1;
}

int
program_requeue(struct program *p, const struct arguments *input,
    const char *about, struct program_requeue *requeue, struct err *err)
{
	jv result;
	int rc = 0;

	*requeue = (struct program_requeue){PROGRAM_NEVER, 0, 0};
	if (run_optional(p, PROGRAM_REQUEUE, input, about, &result, err) != 0)
		return -1;
	if (jv_get_kind(result) == JV_KIND_NUMBER) {
		double s = jv_number_value(result);

		if (!isfinite(s) || s > 1e9)
			rc = run_fail(p, PROGRAM_REQUEUE,
			    " gives no sensible number", err);
		requeue->when = PROGRAM_AFTER;
		if (rc == 0 && s > 0)
			requeue->after_ms = (uint64_t)ceil(s * 1000);
	} else if (jv_get_kind(result) == JV_KIND_STRING) {
		requeue->when = PROGRAM_AT;
		if (clock_parse_us(jvtext_span(result), &requeue->at_us) != 0)
			rc = run_fail(p, PROGRAM_REQUEUE,
			    " gives a text that is not an RFC 3339 time "
			    "(seconds are a number)",
			    err);
	} else if (jv_is_valid(result)) {
		rc = run_fail(p, PROGRAM_REQUEUE,
		    " gives neither seconds nor an RFC 3339 time", err);
	}
	jv_free(result);
	return rc;
}

int
program_settled(struct program *p, const struct arguments *input,
    const char *about, bool *settled, struct err *err)
{
	jv result;

	*settled = true;
	if (!program_defines(p, PROGRAM_SETTLED))
		return 0;
	if (run_program(p, PROGRAM_SETTLED, input, about, &result, err) != 0)
		return -1;
	*settled = jv_get_kind(result) == JV_KIND_TRUE;
	if (*settled || jv_get_kind(result) == JV_KIND_FALSE)
		return 0;
	jv_free(result);
	return run_fail(
	    p, PROGRAM_SETTLED, " gives neither true nor false", err);
}

/* Whether the member of object e is a text that is not empty, or not there. */
static bool
has_no_other(jv e, const char *member)
{
	jv_kind kind = jv_get_kind(jvtext_peek(e, member));

	return kind == JV_KIND_INVALID || kind == JV_KIND_NULL ||
	    text_of(e, member).n > 0;
}

/* The words if the object cannot be written, if they are there. */
static bool
has_good_failure(jv e)
{
	jv failure = jvtext_peek(e, "failure");
	jv_kind kind = jv_get_kind(failure);

	return kind == JV_KIND_INVALID || kind == JV_KIND_NULL ||
	    (kind == JV_KIND_OBJECT && text_of(e, "object").n > 0 &&
		text_of(failure, "reason").n > 0 &&
		text_of(failure, "message").p != NULL);
}

static bool
is_event(jv e)
{
	struct span type = text_of(e, "type");

	return (span_is(type, "Normal") || span_is(type, "Warning")) &&
	    text_of(e, "reason").n > 0 && text_of(e, "message").p != NULL &&
	    has_no_other(e, "component") && has_no_other(e, "object") &&
	    has_good_failure(e);
}

int
program_events(struct program *p, const struct arguments *input,
    const char *about, jv *events, struct err *err)
{
	if (run_optional(p, PROGRAM_EVENTS, input, about, events, err) != 0)
		return -1;
	if (!jv_is_valid(*events))
		*events = jv_array();
	if (jv_get_kind(*events) != JV_KIND_ARRAY) {
		run_refuse(p, PROGRAM_EVENTS, *events, "an array", err);
		*events = jv_array();
		return -1;
	}
	jv_array_foreach(*events, i, e)
	{
		bool good = is_event(e);

		jv_free(e);
		if (good)
			continue;
		jv_free(*events);
		*events = jv_array();
		return err_set(err, ERR_PERMANENT,
		    "%s: item %d is not {type: \"Normal\" or \"Warning\", "
		    "reason, message}, with object and failure: {reason, "
		    "message} if it is about a write",
		    run_place(p, PROGRAM_EVENTS), i);
	}
	return 0;
}

/* {namespace, name} with both texts, or jv_invalid(). Consumes e. */
static jv
to_primary(jv e)
{
	struct span name = text_of(e, "name");
	jv namespace_ = jvtext_peek(e, "namespace");
	jv out = jv_invalid();

	if (name.n > 0 &&
	    (jv_get_kind(namespace_) == JV_KIND_STRING ||
		jv_get_kind(namespace_) == JV_KIND_NULL ||
		!jv_is_valid(namespace_))) {
		out = jv_object_set(jv_object(), jv_string("namespace"),
		    jv_get_kind(namespace_) == JV_KIND_STRING
			? jv_copy(namespace_)
			: jv_string(""));
		out = jv_object_set(out, jv_string("name"),
		    jv_string_sized(name.p, (int)name.n));
	}
	jv_free(e);
	return out;
}

int
program_map(struct program *p, const struct arguments *input, jv *primaries,
    struct err *err)
{
	jv result;

	*primaries = jv_array();
	if (run_program(p, PROGRAM_MAP, input, "an object", &result, err) != 0)
		return -1;
	if (jv_get_kind(result) != JV_KIND_ARRAY) {
		jv_free(result);
		return run_fail(p, PROGRAM_MAP,
		    " gives no array of {namespace, name}", err);
	}
	jv_array_foreach(result, i, e)
	{
		jv primary = to_primary(e);

		if (!jv_is_valid(primary)) {
			jv_free(result);
			return err_set(err, ERR_PERMANENT,
			    "%s: item %d is not {namespace, name}",
			    run_place(p, PROGRAM_MAP), i);
		}
		*primaries = jv_array_append(*primaries, primary);
	}
	jv_free(result);
	return 0;
}

int
program_test(struct program *p, const struct arguments *input,
    const char *about, bool *holds, struct err *err)
{
	jv result;

	*holds = false;
	if (run_program(p, PROGRAM_MAP, input, about, &result, err) != 0)
		return -1;
	*holds = jv_get_kind(result) == JV_KIND_TRUE;
	if (*holds || jv_get_kind(result) == JV_KIND_FALSE)
		return 0;
	jv_free(result);
	return run_fail(p, PROGRAM_MAP, " gives neither true nor false", err);
}

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
	/* The keys keep the order that the program gave them. */
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
