/* recovery: each cell of the table, how errors are told apart, and delays. */
#include "recovery.h"

#include "base/array.h"
#include "base/buf.h"
#include "tap.h"

static const char *const names[] = {[STEP_MISSING] = "MISSING",
    [STEP_NEVER] = "never",
    [STEP_RESUME] = "resume",
    [STEP_CUT_SHORT] = "cut-short",
    [STEP_COMPARE] = "compare",
    [STEP_SPOILED] = "spoiled",
    [STEP_RELIST] = "relist",
    [STEP_UNPAGED] = "unpaged",
    [STEP_LIST] = "list",
    [STEP_UNREACHABLE] = "unreachable",
    [STEP_SMALLER] = "smaller",
    [STEP_LOST] = "lost",
    [STEP_DOUBT] = "doubt",
    [STEP_COMPLAIN] = "complain",
    [STEP_MISTRUST] = "mistrust"};

/* The steps while it lists, before the marker, while it watches, and when that
 * has worked for a second. */
static const struct {
	enum recovery_end end;
	const char *steps, *what;
} cells[] = {
    {END_NOT_YET, "never never never never", "the stream goes on"},
    {END_CLOSED, "never cut-short resume resume",
	"the server ends a stream of some events"},
    {END_EMPTY, "never cut-short cut-short resume",
	"... of none, at once: that may be a proxy"},
    {END_EVENT_EXPIRED, "never compare relist relist",
	"the version expires during a stream"},
    {END_EVENT_FIRST, "never list never never",
	"a watch-list is not to be had"},
    {END_EVENT, "never spoiled spoiled spoiled", "the stream brings an error"},
    {END_UNREACHABLE, "unreachable unreachable unreachable resume",
	"a connection that had worked broke: that is not a failure yet"},
    {END_TIMED_OUT, "unreachable unreachable unreachable unreachable",
	"... but one that is silent is"},
    {END_TOO_LARGE, "smaller smaller smaller smaller",
	"the answer is too large"},
    {END_NOT_FOUND, "lost lost lost lost", "there is no such path"},
    {END_EXPIRED, "unpaged compare compare compare",
	"the version, or the token of a page, has expired"},
    {END_DENIED, "complain complain complain complain", "there is no right"},
    {END_REFUSED, "complain list mistrust mistrust",
	"an old server knows no watch-lists; a version may be bad"},
    {END_FAILED, "complain complain complain complain",
	"the server is not well"},
    {END_DENIED_FIRST, "doubt doubt doubt doubt",
	"a right is gone, as of a server that has just started"},
};

static void
test_table(void)
{
	ok(COUNT(cells) == RECOVERY_ENDS, "each way to end");
	for (size_t i = 0; i < COUNT(cells); i++) {
		struct buf b = BUF_INIT;

		for (unsigned s = 0; s < WATCH_STATES; s++)
			buf_addf(&b, "%s%s", s > 0 ? " " : "",
			    names[recovery_step(s, cells[i].end)]);
		is(buf_str(&b), cells[i].steps, cells[i].what);
		buf_release(&b);
	}
}

static void
test_errors(void)
{
	static const struct {
		int code;
		enum recovery_end end;
	} codes[] = {{0, END_UNREACHABLE}, {400, END_REFUSED},
	    {401, END_DENIED}, {403, END_DENIED}, {404, END_NOT_FOUND},
	    {410, END_EXPIRED}, {422, END_REFUSED}, {429, END_FAILED},
	    {500, END_FAILED}, {504, END_FAILED}};
	struct kube_error e = {.timed_out = true};

	ok(recovery_end_of(&e) == END_TIMED_OUT, "no answer in time");
	e = (struct kube_error){.too_large = true};
	ok(recovery_end_of(&e) == END_TOO_LARGE, "too much of an answer");
	for (size_t i = 0; i < COUNT(codes); i++) {
		/* As kubeerror has it, a 504 is a timeout, too. */
		e = (struct kube_error){
		    .code = codes[i].code, .timed_out = codes[i].code == 504};
		ok(recovery_end_of(&e) == codes[i].end, "a code");
	}
}

static bool
within(uint64_t ms, uint64_t least)
{
	return ms >= least && ms <= 2 * least;
}

/* Fails so often that the delay no longer grows. */
static uint64_t
worst(struct recovery *r, enum recovery_why why, int64_t told_ms)
{
	for (int i = 0; i < 10; i++)
		recovery_wait(r, why, told_ms, 1000);
	return recovery_wait(r, why, told_ms, 1000);
}

static void
test_delays(void)
{
	struct recovery r = {0};

	ok(within(recovery_wait(&r, RECOVERY_FAILED, -1, 1000), 800) &&
		within(recovery_wait(&r, RECOVERY_FAILED, -1, 1000), 1600) &&
		within(recovery_wait(&r, RECOVERY_FAILED, -1, 1000), 3200),
	    "they double");
	ok(within(worst(&r, RECOVERY_FAILED, -1), 15000), "to 15 s");
	ok(within(worst(&r, RECOVERY_DENIED, -1), 8000), "where denied to 8 s");
	ok(within(worst(&r, RECOVERY_CHEAP, -1), 4000), "where cheap to 4 s");
	ok(within(worst(&r, RECOVERY_FAILED, 1000), 4000),
	    "where the server says when, too");
	ok(worst(&r, RECOVERY_FAILED, 30000) == 30000, "it is heeded");
	ok(worst(&r, RECOVERY_FAILED, 999999) == 60000, "within bounds");

	r.began_ms = 5000;
	ok(within(recovery_wait(&r, RECOVERY_FAILED, -1, 14999), 15000),
	    "a stream of less than 10 s mends nothing");
	r.began_ms = 5000;
	ok(within(recovery_wait(&r, RECOVERY_FAILED, -1, 15000), 800),
	    "one of 10 s does");
	ok(within(recovery_wait(&r, RECOVERY_FAILED, -1, 99000), 1600),
	    "and is forgotten then");

	ok(recovery_wait_expired(&r, 1000) == 0, "a gap costs no time");
	ok(recovery_wait_expired(&r, 2000) > 0, "the second one in a row does");
	ok(recovery_wait_expired(&r, 123000) == 0, "not much later");

	worst(&r, RECOVERY_FAILED, -1);
	recovery_sent(&r, 1000);
	r.began_ms = 2000;
	recovery_sent(&r, 12000);
	ok(within(recovery_wait(&r, RECOVERY_FAILED, -1, 12000), 800),
	    "a good stream that just ended counts as well");

	recovery_sent(&r, 9000);
	ok(recovery_is_short(&r, 9999) && !recovery_is_short(&r, 10000),
	    "a stream is short up to a second");
}

int
main(void)
{
	test_table();
	test_errors();
	test_delays();
	return tap_done();
}
