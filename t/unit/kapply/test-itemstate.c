#include "set/itemstate.h"

#include "base/buf.h"
#include "tap.h"

/* For each state the action of each event, in their order; -: never. */
static const struct {
	const char *state, *actions;
} table[ITEM_STATES] = {
    {"waiting", "send ask - - - delay fail count - end reset"},
    {"lookup", "- - queue accept drop delay fail - - end -"},
    {"flying", "- - queue accept drop delay fail - - end -"},
    {"backoff", "- - - - - - - count queue stay keep"},
    {"overdue", "- - - - - - - stay queue stay keep"},
    {"failed", "- - - - - - - stay queue stay keep"},
    {"refused", "- - - - - - - stay - stay reset"},
    {"stale", "- - - - - - - - - end reset"},
    {"done", "- - - - - - - stay - stay recall"},
};

static const char *const actions[ITEM_ACTIONS] = {"hole", "-", "stay", "send",
    "ask", "queue", "accept", "drop", "delay", "count", "fail", "end", "keep",
    "recall", "reset"};

static void
test_each_cell(void)
{
	for (unsigned s = 0; s < ITEM_STATES; s++) {
		struct buf b = BUF_INIT;

		for (unsigned e = 0; e < ITEM_EVENTS; e++)
			buf_addf(&b, "%s%s", e > 0 ? " " : "",
			    actions[itemstate_action(s, e)]);
		is(itemstate_state_name(s), table[s].state, "a state");
		is(buf_str(&b), table[s].actions, "... and its cells");
		buf_release(&b);
	}
}

/* Where each action leads, from a state that has it. */
static void
test_next(void)
{
	struct buf b = BUF_INIT;

	for (unsigned a = ACTION_SEND; a < ITEM_ACTIONS; a++)
		buf_addf(&b, " %s:%s", actions[a],
		    itemstate_state_name(itemstate_next(ITEM_REFUSED, a)));
	is(buf_str(&b),
	    " send:flying ask:lookup queue:waiting accept:done drop:stale"
	    " delay:backoff count:overdue fail:failed end:waiting"
	    " keep:refused recall:refused reset:refused",
	    "the state after each action; the last three change none");
	buf_release(&b);
}

static void
test_questions(void)
{
	struct buf retried = BUF_INIT, failed = BUF_INIT;

	for (unsigned s = 0; s < ITEM_STATES; s++) {
		if (itemstate_is_retried(s))
			buf_addf(&retried, " %s", itemstate_state_name(s));
		if (itemstate_has_failed(s))
			buf_addf(&failed, " %s", itemstate_state_name(s));
	}
	is(buf_str(&retried), " backoff overdue failed", "tried again");
	is(buf_str(&failed), " overdue failed refused", "counts as failed");
	buf_release(&retried);
	buf_release(&failed);
}

/* An item from its line to its end: state by state. */
static void
test_courses(void)
{
	static const struct {
		enum item_event events[8];
		size_t count;
		const char *states;
	} courses[] = {
	    {{EVENT_TURN, EVENT_NEXT, EVENT_TURN, EVENT_ACCEPTED}, 4,
		" flying waiting flying done"},
	    {{EVENT_UNKNOWN, EVENT_NEXT, EVENT_TURN, EVENT_OUTDATED}, 4,
		" lookup waiting flying stale"},
	    {{EVENT_TURN, EVENT_PASSING, EVENT_DUE, EVENT_TURN, EVENT_PASSING,
		 EVENT_LATE, EVENT_DUE},
		7, " flying backoff waiting flying backoff overdue waiting"},
	    {{EVENT_PERMANENT, EVENT_LATE, EVENT_DUE, EVENT_TURN}, 4,
		" failed failed waiting flying"},
	    {{EVENT_TURN, EVENT_OVER, EVENT_PASSING, EVENT_LATE, EVENT_OVER,
		 EVENT_LATE},
		6, " flying waiting backoff overdue overdue overdue"},
	    {{EVENT_TURN, EVENT_OUTDATED, EVENT_OVER, EVENT_LATE}, 4,
		" flying stale waiting overdue"},
	};

	for (size_t i = 0; i < sizeof(courses) / sizeof(*courses); i++) {
		enum item_state state = ITEM_WAITING;
		struct buf b = BUF_INIT;

		for (size_t j = 0; j < courses[i].count; j++) {
			state = itemstate_next(state,
			    itemstate_action(state, courses[i].events[j]));
			buf_addf(&b, " %s", itemstate_state_name(state));
		}
		is(buf_str(&b), courses[i].states, "the course of an item");
		buf_release(&b);
	}
}

int
main(void)
{
	test_each_cell();
	test_next();
	test_questions();
	test_courses();
	return tap_done();
}
