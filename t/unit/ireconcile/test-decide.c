#include "decide/decide.h"

#include "base/buf.h"
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
test_brakes(void)
{
	static const char *const brakes[] = {
	    "lodgers", "loop", "set", "prune", "item", NULL};
	struct buf b = BUF_INIT;

	for (unsigned a = 0; a < ACTIONS; a++)
		if (decide_brakes(a) != 0)
			add_names(&b, names[a], decide_brakes(a), brakes);
	is(buf_str(&b),
	    "create: set item; apply: loop item; delete: lodgers prune; "
	    "release: prune",
	    "what can hold an action back");
	buf_release(&b);
}

static void
test_steps(void)
{
	static const char *const steps[] = {
	    "fail", "settled", "set", "clean-up", "outcome", NULL};
	static const char *const standings[STANDINGS] = {"live", "too-large",
	    "unreadable", "unknown", "rejected", "released", "leaving", "left"};
	struct buf b = BUF_INIT;

	for (unsigned s = 0; s < STANDINGS; s++)
		add_names(&b, standings[s], decide_steps(s), steps);
	is(buf_str(&b),
	    "live: set outcome; too-large: fail outcome; unreadable: fail; "
	    "unknown: fail; rejected: settled; released: settled clean-up; "
	    "leaving: clean-up outcome; left:",
	    "the steps of an evaluation");
	buf_release(&b);
}

int
main(void)
{
	test_each_cell();
	test_brakes();
	test_steps();
	return tap_done();
}
