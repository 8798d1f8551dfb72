#include "decide/decide.h"

#include <string.h>

#include "base/buf.h"
#include "decide/points.h"
#include "json/jvtext.h"
#include "tap.h"

/* For each wish the action of what is seen, in its order; -: they do not come
 * together. */
static const struct {
	const char *wish, *actions;
} table[WISHES] = {
    /* none other other-leaving member
       agrees tolerated retry differs leaving shedding retained */
    {"item",
	"create create create - "
	"show show again apply wait apply -"},
    {"existing",
	"nothing nothing nothing - "
	"show show again apply wait apply -"},
    {"patch",
	"nothing - - refuse "
	"show show again apply - - refuse"},
    {"keep",
	"nothing nothing nothing nothing "
	"- - - - nothing - nothing"},
    {"foreign",
	"nothing delete watch nothing "
	"- - - - nothing - nothing"},
    {"undesired",
	"nothing nothing nothing delete "
	"- - - - wait - nothing"},
    {"released",
	"nothing release release release "
	"- - - - release - release"},
};

static const char *const names[ACTIONS] = {"-", "nothing", "show", "create",
    "apply", "again", "wait", "watch", "delete", "release", "refuse"};

static void
test_each_cell(void)
{
	for (unsigned w = 0; w < WISHES; w++) {
		struct buf b = BUF_INIT;

		for (unsigned s = 0; s < SEENS; s++)
			buf_addf(&b, "%s%s", s > 0 ? " " : "",
			    names[decide_action(w, s)]);
		is(buf_str(&b), table[w].actions, table[w].wish);
		buf_release(&b);
	}
}

static void
add_names(struct buf *b, const char *what, unsigned bits, const char *const *of)
{
	buf_addf(b, "%s%s:", b->len > 0 ? "; " : "", what);
	for (unsigned i = 0; of[i] != NULL; i++)
		if (bits & 1u << i)
			buf_addf(b, " %s", of[i]);
}

static void
test_held_by(void)
{
	static const char *const held_by[] = {
	    "contents", "loop", "set", "prune", "item", NULL};
	struct buf b = BUF_INIT;

	for (unsigned a = 0; a < ACTIONS; a++)
		if (decide_held_by(a) != 0)
			add_names(&b, names[a], decide_held_by(a), held_by);
	is(buf_str(&b),
	    "create: set item; apply: loop item; delete: contents prune; "
	    "release: prune",
	    "what can hold an action back");
	buf_release(&b);
}

static void
test_steps(void)
{
	static const char *const steps[] = {"fail", "settled", "set",
	    "clean-up", "outcome", "cancel", "forget", NULL};
	static const char *const standings[STANDINGS] = {"quiet", "unseen",
	    "gone", "held", "paused", "backing-off", "limited", "leaving",
	    "left", "unreadable", "unknown", "released", "rejected",
	    "too-large", "live"};
	struct buf b = BUF_INIT;

	for (unsigned s = 0; s < STANDINGS; s++)
		add_names(&b, standings[s], decide_steps(s), steps);
	is(buf_str(&b),
	    "quiet:; unseen:; gone: cancel forget; held: cancel; "
	    "paused: cancel; backing-off:; limited:; leaving: clean-up "
	    "outcome; left:; "
	    "unreadable: fail; unknown: fail; released: settled clean-up; "
	    "rejected: settled; too-large: fail outcome; live: set outcome",
	    "the steps of an evaluation");
	buf_release(&b);
}

/* The notices of a primary, noted in the wrong order: Events follow those of the
 * program in the order of enum notice. */
static void
test_notices(void)
{
	struct decision d = {.events = jv_array()};
	struct buf b = BUF_INIT;
	char message[] = "0";
	struct err err = ERR_INIT;

	d.events = jv_array_append(d.events, jv_string("the program's"));
	for (unsigned n = NOTICES; n-- > NOTICE_STAYS;) {
		*message = "0123456789a"[n];
		points_note(&d, n, message);
	}
	points_note(&d, NOTICE_WAITS, "also");
	points_tell(&d);
	jvtext_add(&b, d.events, &err);
	is(buf_str(&b),
	    "[\"the program's\""
	    ",{\"message\":\"1\",\"reason\":\"DifferenceStays\","
	    "\"type\":\"Warning\"}"
	    ",{\"message\":\"2\",\"reason\":\"Unsettled\","
	    "\"type\":\"Warning\"}"
	    ",{\"message\":\"3\",\"reason\":\"Unproven\","
	    "\"type\":\"Warning\"}"
	    ",{\"message\":\"4\",\"reason\":\"Unseen\","
	    "\"type\":\"Warning\"}"
	    ",{\"message\":\"5\",\"reason\":\"BadAnnotation\","
	    "\"type\":\"Warning\"}"
	    ",{\"message\":\"6\",\"reason\":\"WaitsForFinalizer\","
	    "\"type\":\"Warning\"}"
	    ",{\"message\":\"also\",\"reason\":\"WaitsForFinalizer\","
	    "\"type\":\"Warning\"}"
	    ",{\"message\":\"7\",\"reason\":\"Kept\","
	    "\"type\":\"Warning\"}"
	    ",{\"message\":\"8\",\"reason\":\"NotWatched\","
	    "\"type\":\"Warning\"}"
	    ",{\"message\":\"9\",\"reason\":\"ObserveOnly\","
	    "\"type\":\"Warning\"}"
	    ",{\"message\":\"a\",\"reason\":\"FailedProgram\","
	    "\"type\":\"Warning\"}]",
	    "the Events of all notices, in their order");
	is(buf_str(&d.complaints), "4\n5\n6\nalso\n8\n9",
	    "those that are logged");
	for (unsigned n = 0; n < NOTICES; n++)
		buf_release(&d.notices[n]);
	buf_release(&d.complaints);
	buf_release(&b);
	jv_free(d.events);
}

int
main(void)
{
	test_notices();
	test_each_cell();
	test_held_by();
	test_steps();
	return tap_done();
}
