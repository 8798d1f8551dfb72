#include "set/itemstate.h"

/* How a cell of the table spells its action. */
enum {
	never = ACTION_NEVER,
	stay = ACTION_STAY,
	SEND = ACTION_SEND,
	ASK = ACTION_ASK,
	QUEUE = ACTION_QUEUE,
	ACCEPT = ACTION_ACCEPT,
	DROP = ACTION_DROP,
	DELAY = ACTION_DELAY,
	COUNT = ACTION_COUNT,
	FAIL = ACTION_FAIL,
	END = ACTION_END,
	KEEP = ACTION_KEEP,
	RECALL = ACTION_RECALL,
	RESET = ACTION_RESET
};

/* clang-format off */
static const unsigned char actions[ITEM_STATES][ITEM_EVENTS] = {
/*turn   unkno. next   accep.  outd.  passi. perm.  late   due    over  same */
[ITEM_WAITING] = {
  SEND,  ASK,   never, never,  never, DELAY, FAIL,  COUNT, never, END,  RESET},
[ITEM_LOOKUP] = {
  never, never, QUEUE, ACCEPT, DROP,  DELAY, FAIL,  never, never, END,  never},
[ITEM_FLYING] = {
  never, never, QUEUE, ACCEPT, DROP,  DELAY, FAIL,  never, never, END,  never},
[ITEM_BACKOFF] = {
  never, never, never, never,  never, never, never, COUNT, QUEUE, stay, KEEP},
[ITEM_OVERDUE] = {
  never, never, never, never,  never, never, never, stay,  QUEUE, stay, KEEP},
[ITEM_FAILED] = {
  never, never, never, never,  never, never, never, stay,  QUEUE, stay, KEEP},
[ITEM_REFUSED] = {
  never, never, never, never,  never, never, never, stay,  never, stay, RESET},
[ITEM_STALE] = {
  never, never, never, never,  never, never, never, never, never, END,  RESET},
[ITEM_DONE] = {
  never, never, never, never,  never, never, never, stay,  never, stay, RECALL},
};
/* clang-format on */

static const char *const states[ITEM_STATES] = {"waiting", "lookup", "flying",
    "backoff", "overdue", "failed", "refused", "stale", "done"};

static const char *const events[ITEM_EVENTS] = {"turn", "unknown", "next",
    "accepted", "outdated", "passing", "permanent", "late", "due", "over",
    "same"};

enum item_action
itemstate_action(enum item_state state, enum item_event event)
{
	return actions[state][event];
}

enum item_state
itemstate_next(enum item_state state, enum item_action action)
{
	switch (action) {
	case ACTION_SEND:
		return ITEM_FLYING;
	case ACTION_ASK:
		return ITEM_LOOKUP;
	case ACTION_QUEUE:
	case ACTION_END:
		return ITEM_WAITING;
	case ACTION_ACCEPT:
		return ITEM_DONE;
	case ACTION_DROP:
		return ITEM_STALE;
	case ACTION_DELAY:
		return ITEM_BACKOFF;
	case ACTION_COUNT:
		return ITEM_OVERDUE;
	case ACTION_FAIL:
		return ITEM_FAILED;
	default:
		return state;
	}
}

bool
itemstate_is_retried(enum item_state state)
{
	return itemstate_action(state, EVENT_DUE) == ACTION_QUEUE;
}

bool
itemstate_has_failed(enum item_state state)
{
	return state == ITEM_OVERDUE || state == ITEM_FAILED ||
	    state == ITEM_REFUSED;
}

const char *
itemstate_state_name(enum item_state state)
{
	return states[state];
}

const char *
itemstate_event_name(enum item_event event)
{
	return events[event];
}
