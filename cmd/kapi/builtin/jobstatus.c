/*
 * Part of builtin/topics.h. The status of a Job, as far as a status that was
 * written by these rules can break them. Sources: validateJobStatus and
 * ValidateJobStatusUpdate in pkg/apis/batch/validation, and which of their
 * rules count for which change: getStatusValidationOptions in
 * pkg/registry/batch/job/strategy.go.
 */
#include <inttypes.h>

#include "builtin/topics.h"
#include "text/gotext.h"

#define COMPLETION "completionTime"
#define START "startTime"
#define UNCOUNTED "uncountedTerminatedPods"

struct job {
	const struct node *spec, *status;
	/* Conditions that are True. */
	bool complete, failed, failing, success;
	bool finished;
};

/* An update: most rules count only if something that they look at changed. */
struct update {
	struct causes *c;
	const struct at *at;
	struct job was, now;
};

static bool
condition_is(const struct node *status, const char *type, const char *value)
{
	const struct node *all = rule_given(status, "conditions"), *condition;

	for (size_t i = 0; (condition = builtin_item(all, i)) != NULL; i++)
		if (tree_text_is(rule_given(condition, "type"), type) &&
		    tree_text_is(rule_given(condition, "status"), value))
			return true;
	return false;
}

static struct job
job_of(const struct node *object)
{
	struct job j = {0};

	j.spec = rule_given(object, "spec");
	j.status = rule_given(object, "status");
	j.complete = condition_is(j.status, "Complete", "True");
	j.failed = condition_is(j.status, "Failed", "True");
	j.failing = condition_is(j.status, "FailureTarget", "True");
	j.success = condition_is(j.status, "SuccessCriteriaMet", "True");
	j.finished = j.complete || j.failed;
	return j;
}

/* Whether a text or an optional number has changed: absent is not 0. */
static bool
changed(const struct update *u, const char *key)
{
	return !tree_equal(
	    rule_given(u->was.status, key), rule_given(u->now.status, key));
}

static bool
changed_int(const struct update *u, const char *key)
{
	return rule_int(u->was.status, key, 0) !=
	    rule_int(u->now.status, key, 0);
}

static void
fail_conditions(const struct update *u, const char *detail)
{
	rule_fail_unsaid(u->c, AT(u->at, "conditions"), detail);
}

static bool
is_indexed(const struct job *j)
{
	return tree_text_is(rule_given(j->spec, "completionMode"), "Indexed");
}

static void
check_uids(const struct update *u, const struct at *at, const struct node *uids,
    struct map *seen)
{
	const struct node *uid;

	for (size_t i = 0; (uid = builtin_item(uids, i)) != NULL; i++)
		if (tree_text(uid).n == 0)
			rule_fail_invalid(
			    u->c, AT_INDEX(at, i), uid, "must not be empty");
		else if (rule_seen_before(seen, tree_text(uid)))
			rule_fail_duplicate(u->c, AT_INDEX(at, i), uid);
}

static void
check_counts(const struct update *u)
{
	static const char *const counts[] = {
	    "active", "succeeded", "failed", "ready", "terminating"};
	const struct node *uncounted = rule_given(u->now.status, UNCOUNTED);
	const struct at *at = AT(u->at, UNCOUNTED);
	struct map seen = MAP_INIT;

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		rule_nonnegative(u->c, u->at, u->now.status, counts[i]);
	check_uids(
	    u, AT(at, "succeeded"), rule_given(uncounted, "succeeded"), &seen);
	check_uids(u, AT(at, "failed"), rule_given(uncounted, "failed"), &seen);
	map_release(&seen);
}

static void
check_complete(const struct update *u)
{
	const struct job *now = &u->now;
	bool complete = u->was.complete != now->complete;
	bool failed = u->was.failed != now->failed;
	const struct node *end = rule_given(now->status, COMPLETION);
	const struct node *start = rule_given(now->status, START);

	if ((complete || failed) && now->complete && now->failed)
		fail_conditions(
		    u, "cannot set Complete=True and Failed=true conditions");
	if ((complete || u->was.failing != now->failing) && now->complete &&
	    now->failing)
		fail_conditions(u,
		    "cannot set Complete=True and FailureTarget=true "
		    "conditions");
	if ((complete || changed(u, COMPLETION)) && end != NULL &&
	    !now->complete)
		rule_fail_invalid(u->c, AT(u->at, COMPLETION), end,
		    "cannot set completionTime when there is no Complete=True "
		    "condition");
	if ((complete || changed(u, COMPLETION)) && end == NULL &&
	    now->complete)
		rule_fail_required(u->c, AT(u->at, COMPLETION),
		    "completionTime is required for Complete jobs");
	/* All times have one form, so their texts compare like the times. */
	if ((changed(u, START) || changed(u, COMPLETION)) && start != NULL &&
	    end != NULL && span_cmp(tree_text(end), tree_text(start)) < 0)
		rule_fail_invalid(u->c, AT(u->at, COMPLETION), end,
		    "must be equal to or after `startTime`");
	if ((failed || changed(u, "failedIndexes")) && now->failed &&
	    !now->failing)
		fail_conditions(u,
		    "cannot set Failed=True condition without the "
		    "FailureTarget=true condition");
	if ((complete || u->was.success != now->success) && now->complete &&
	    !now->success)
		fail_conditions(u,
		    "cannot set Complete=True condition without the "
		    "SuccessCriteriaMet=true condition");
}

/* uncountedTerminatedPods as errors print it: with the names of Go's
 * members. */
static struct node *
go_uncounted(struct arena *a, const struct node *uncounted)
{
	struct node *o = tree_object(a);

	tree_put(
	    a, o, "Succeeded", rule_given_or_null(a, uncounted, "succeeded"));
	tree_put(a, o, "Failed", rule_given_or_null(a, uncounted, "failed"));
	return o;
}

static bool
is_empty_job(const struct job *j)
{
	return tree_true(rule_given(j->spec, "suspend")) &&
	    rule_int(j->spec, "completions", -1) == 0;
}

static void
check_finished(const struct update *u)
{
	const struct node *status = u->now.status;
	const struct node *uncounted = rule_given(status, UNCOUNTED);
	bool ended = u->was.finished != u->now.finished;
	int64_t active = rule_int(status, "active", 0);

	if (!u->now.finished)
		return;
	if ((ended || changed_int(u, "active")) && active > 0)
		rule_fail_int(u->c, AT(u->at, "active"), active,
		    "active>0 is invalid for finished job");
	if ((ended || changed(u, START)) && !is_empty_job(&u->now) &&
	    rule_given(status, START) == NULL)
		rule_fail_required(u->c, AT(u->at, START),
		    "startTime is required for finished job");
	if ((ended || changed(u, UNCOUNTED)) &&
	    tree_count(rule_given(uncounted, "succeeded")) +
		    tree_count(rule_given(uncounted, "failed")) >
		0)
		rule_fail_invalid(u->c, AT(u->at, UNCOUNTED),
		    go_uncounted(u->c->arena, uncounted),
		    "must be empty for finished job");
}

/* NULL, or why it is not an index. */
static const char *
parse_index(
    struct causes *c, struct span text, int64_t completions, int64_t *index)
{
	size_t i = text.n > 0 && text.p[0] == '+' ? 1 : 0;
	bool number = i < text.n;
	struct span quoted = gotext_quote(c->arena, text);
	int64_t n = 0;

	for (; i < text.n; i++) {
		number = number && span_is_digit(text.p[i]) &&
		    n <= (INT64_MAX - 9) / 10;
		if (number)
			n = n * 10 + (text.p[i] - '0');
	}
	if (!number)
		return rule_say(c,
		    "cannot convert string to integer for index: %.*s",
		    SPAN_ARG(quoted));
	if (n >= completions)
		return rule_say(c, "too large index: %.*s", SPAN_ARG(quoted));
	*index = n;
	return NULL;
}

struct interval {
	int64_t from, to;
};

static const char *
out_of_order(struct causes *c, int64_t was, int64_t now)
{
	return rule_say(c,
	    "non-increasing order, previous: %" PRId64 ", current: %" PRId64,
	    was, now);
}

/* "3" or "3-5". NULL, or why it is not an interval. */
static const char *
parse_interval(struct causes *c, struct span text, int64_t completions,
    struct interval *in)
{
	struct span rest = text, part = span_cut(&rest, '-'), more;
	bool two = rest.p != NULL;
	const char *why;

	more = span_cut(&rest, '-');
	if (rest.p != NULL)
		return rule_say(c,
		    "the fragment %.*s violates the requirement that an index "
		    "interval can have at most two parts separated by '-'",
		    SPAN_ARG(gotext_quote(c->arena, text)));
	why = parse_index(c, part, completions, &in->from);
	in->to = in->from;
	if (why == NULL && two)
		why = parse_index(c, more, completions, &in->to);
	if (why == NULL && two && in->from >= in->to)
		why = out_of_order(c, in->from, in->to);
	return why;
}

/* NULL, or why it is not a list of intervals: "1,3-5,7". */
static const char *
parse_indexes(struct causes *c, struct span text, int64_t completions)
{
	struct interval in = {0, 0};
	const char *why;
	int64_t last = -1;

	if (text.n == 0)
		return NULL;
	while (text.p != NULL) {
		why = parse_interval(c, span_cut(&text, ','), completions, &in);
		if (why != NULL)
			return why;
		if (last >= in.from)
			return out_of_order(c, last, in.from);
		last = in.to;
	}
	return NULL;
}

/* The next interval. Other text is for another rule. */
static bool
next_interval(struct causes *c, struct span *rest, int64_t completions,
    struct interval *in)
{
	while (rest->p != NULL)
		if (parse_interval(c, span_cut(rest, ','), completions, in) ==
		    NULL)
			return true;
	return false;
}

static void
check_overlap(const struct update *u, struct span done, struct span failed)
{
	int64_t n = rule_int(u->now.spec, "completions", 0);
	struct span text = failed;
	struct interval x, y;
	bool more;

	if (done.n == 0 || failed.n == 0)
		return;
	more = next_interval(u->c, &done, n, &x) &&
	    next_interval(u->c, &failed, n, &y);
	while (more && !(x.from <= y.to && y.from <= x.to))
		more = x.from <= y.from ? next_interval(u->c, &done, n, &x)
					: next_interval(u->c, &failed, n, &y);
	if (more)
		rule_fail_text(u->c, AT(u->at, "failedIndexes"), text,
		    rule_say(u->c,
			"failedIndexes and completedIndexes overlap at index: "
			"%" PRId64,
			x.from > y.from ? x.from : y.from));
}

static void
check_list(const struct update *u, const char *key, const struct node *list)
{
	const char *why = parse_indexes(
	    u->c, tree_text(list), rule_int(u->now.spec, "completions", 0));

	if (why != NULL)
		rule_fail_invalid(u->c, AT(u->at, key), list,
		    rule_say(u->c, "error parsing %s: %s", key, why));
}

static void
check_indexes(const struct update *u)
{
	const struct node *spec = u->now.spec;
	const struct node *done = rule_given(u->now.status, "completedIndexes");
	const struct node *failed = rule_given(u->now.status, "failedIndexes");
	bool counted = rule_given(spec, "completions") != NULL;
	bool each = rule_given(spec, "backoffLimitPerIndex") != NULL;
	bool other_done = !builtin_same_member(
	    u->was.status, u->now.status, "completedIndexes");
	bool other_failed = changed(u, "failedIndexes");

	if (other_done && counted)
		check_list(u, "completedIndexes", done);
	if (other_failed && counted && each)
		check_list(u, "failedIndexes", failed);
	if (!tree_empty(done) && !is_indexed(&u->now))
		rule_fail_invalid(u->c, AT(u->at, "completedIndexes"), done,
		    "cannot set non-empty completedIndexes when non-indexed "
		    "completion mode");
	if (other_failed && failed != NULL && !each)
		rule_fail_invalid(u->c, AT(u->at, "failedIndexes"), failed,
		    "cannot set non-null failedIndexes when "
		    "backoffLimitPerIndex is null");
	if ((other_done || other_failed) && counted)
		check_overlap(u, tree_text(done), tree_text(failed));
}

static void
check_running(const struct update *u)
{
	const struct node *status = u->now.status;
	bool ended = u->was.finished != u->now.finished;
	int64_t terminating = rule_int(status, "terminating", 0);
	int64_t ready = rule_int(status, "ready", 0);

	if ((ended || changed(u, "terminating")) && u->now.finished &&
	    terminating > 0)
		rule_fail_int(u->c, AT(u->at, "terminating"), terminating,
		    "terminating>0 is invalid for finished job");
	if (rule_given(status, "ready") != NULL &&
	    ready > rule_int(status, "active", 0))
		rule_fail_int(u->c, AT(u->at, "ready"), ready,
		    "cannot set more ready pods than active");
}

static void
check_success(const struct update *u)
{
	const struct job *now = &u->now;

	if (now->success && now->failed)
		fail_conditions(u,
		    "cannot set SuccessCriteriaMet=True and Failed=true "
		    "conditions");
	if (now->success && now->failing)
		fail_conditions(u,
		    "cannot set SuccessCriteriaMet=True and FailureTarget=true "
		    "conditions");
	if (rule_given(now->spec, "successPolicy") != NULL && !now->success &&
	    now->complete)
		fail_conditions(u,
		    "cannot set Complete=True for Job with SuccessPolicy "
		    "unless SuccessCriteriaMet=True");
}

/* Whether the number of Pods may change: then a status may count fewer of
 * them. */
static bool
is_elastic(const struct job *j)
{
	return is_indexed(j) &&
	    tree_equal(rule_given(j->spec, "completions"),
		rule_given(j->spec, "parallelism"));
}

static void
check_decrease(const struct update *u, const char *key, const char *detail)
{
	int64_t n = rule_int(u->now.status, key, 0);

	if (n < rule_int(u->was.status, key, 0))
		rule_fail_int(u->c, AT(u->at, key), n, detail);
}

/* Checks what a status may not take back once it was set. */
static void
check_kept(const struct update *u)
{
	const struct node *status = u->now.status;
	const struct job *was = &u->was, *now = &u->now;
	bool resumed = condition_is(was->status, "Suspended", "True") &&
	    condition_is(status, "Suspended", "False");

	if (was->failed && !now->failed)
		fail_conditions(
		    u, "cannot disable the terminal Failed=True condition");
	if (was->complete && !now->complete)
		fail_conditions(
		    u, "cannot disable the terminal Complete=True condition");
	if (was->failing && !now->failing)
		fail_conditions(u,
		    "cannot disable the terminal FailureTarget=True condition");
	check_decrease(u, "failed", "cannot decrease the failed counter");
	if (!is_elastic(now))
		check_decrease(
		    u, "succeeded", "cannot decrease the succeeded counter");
	if (rule_given(status, COMPLETION) != NULL &&
	    rule_given(was->status, COMPLETION) != NULL)
		rule_immutable(u->c, u->at, was->status, status, COMPLETION);
	if (changed(u, START) && !resumed &&
	    rule_given(was->status, START) != NULL &&
	    !tree_true(rule_given(now->spec, "suspend")))
		rule_fail_invalid(u->c, AT(u->at, START),
		    rule_given(status, START),
		    "field is immutable for unsuspended job once set");
	if (was->success && !now->success)
		fail_conditions(
		    u, "cannot disable the SuccessCriteriaMet=True condition");
}

void
jobstatus_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct update u = {
	    c, AT(NULL, "status"), job_of(x->live), job_of(object)};

	check_counts(&u);
	check_complete(&u);
	check_finished(&u);
	check_indexes(&u);
	check_running(&u);
	check_success(&u);
	check_kept(&u);
}
