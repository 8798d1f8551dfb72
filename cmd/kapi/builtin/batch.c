/* Part of builtin/topics.h. Jobs: what rules.txt calls. Source:
 * pkg/apis/batch/validation. */
#include <inttypes.h>

#include "builtin/topics.h"
#include "text/gotext.h"

/* The selector of a Job selects the labels that the server makes. */
void
batch_generated_selector(const struct rule_run *run, const struct rule_place *p)
{
	static const char *const of_uid[] = {
	    "controller-uid", "batch.kubernetes.io/controller-uid"};
	static const char *const of_name[] = {
	    "job-name", "batch.kubernetes.io/job-name"};
	struct arena *a = run->arena;
	const struct node *meta = rule_given(p->outer->outer->n, "metadata");
	struct node *generated = tree_object(a);

	for (size_t i = 0; i < 2; i++) {
		tree_put(a, generated, of_uid[i],
		    tree_string(a, tree_text(rule_given(meta, "uid"))));
		tree_put(a, generated, of_name[i],
		    tree_string(a, tree_text(rule_given(meta, "name"))));
	}
	if (!rule_selector_matches(p->n, generated))
		rule_fail_invalid(
		    run->causes, p->at, p->n, "`selector` not auto-generated");
}

void
batch_selects(const struct rule_run *run, const struct rule_place *p)
{
	const struct node *selector = rule_given(p->n, "selector");
	const struct node *labels = tree_path(p->n, "template.metadata.labels");

	if (selector == NULL || !rule_selector_matches(selector, labels))
		rule_fail_invalid(run->causes,
		    AT(AT(AT(p->at, "template"), "metadata"), "labels"), labels,
		    "`selector` does not match template `labels`");
}

/* ---- lists of indexes in the status of a Job: "1,3-5,7". Source:
 * validateIndexesFormat in pkg/apis/batch/validation. ---- */

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

/* The number of indexes, of the spec beside the status that p is in. */
static int64_t
completions_of(const struct rule_place *p)
{
	return rule_int(
	    rule_given(p->outer->outer->n, "spec"), "completions", 0);
}

void
batch_indexes(const struct rule_run *run, const struct rule_place *p)
{
	struct causes *c = run->causes;
	const char *why = parse_indexes(c, tree_text(p->n), completions_of(p));

	if (why != NULL)
		rule_fail_invalid(c, p->at, p->n,
		    rule_say(c, "error parsing %s: %s", run->arg, why));
}

/* failedIndexes and completedIndexes name no index twice. */
void
batch_overlap(const struct rule_run *run, const struct rule_place *p)
{
	struct causes *c = run->causes;
	struct span failed = tree_text(p->n);
	struct span done =
	    tree_text(rule_given(p->outer->n, "completedIndexes"));
	int64_t n = completions_of(p);
	struct interval x, y;
	bool more;

	if (done.n == 0 || failed.n == 0)
		return;
	more =
	    next_interval(c, &done, n, &x) && next_interval(c, &failed, n, &y);
	while (more && !(x.from <= y.to && y.from <= x.to))
		more = x.from <= y.from ? next_interval(c, &done, n, &x)
					: next_interval(c, &failed, n, &y);
	if (more)
		rule_fail_text(c, p->at, tree_text(p->n),
		    rule_say(c,
			"failedIndexes and completedIndexes overlap at index: "
			"%" PRId64,
			x.from > y.from ? x.from : y.from));
}
