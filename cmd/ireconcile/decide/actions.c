#include "decide/actions.h"

/* How a cell of the table spells its action. */
enum {
	never = ACTION_NEVER,
	none = ACTION_NOTHING,
	show = ACTION_SHOW,
	CREATE = ACTION_CREATE,
	APPLY = ACTION_APPLY,
	AGAIN = ACTION_AGAIN,
	WAIT = ACTION_WAIT,
	WATCH = ACTION_WATCH,
	DELETE = ACTION_DELETE,
	RELEASE = ACTION_RELEASE,
	REFUSE = ACTION_REFUSE
};

/* clang-format off */
static const unsigned char actions[WISHES][SEENS] = {
/* none    other    leaving  member   agrees tolerated retry differs leaving
   shedding retained */
[WISH_ITEM] = {
   CREATE, CREATE,  CREATE,  never,   show,  show,  AGAIN, APPLY, WAIT,
   APPLY,  never},
[WISH_EXISTING] = {
   none,   none,    none,    never,   show,  show,  AGAIN, APPLY, WAIT,
   APPLY,  never},
[WISH_PATCH] = {
   none,   never,   never,   REFUSE,  show,  show,  AGAIN, APPLY, never,
   never,  REFUSE},
[WISH_KEEP] = {
   none,   none,    none,    none,    never, never, never, never, none,
   never,  none},
[WISH_FOREIGN] = {
   none,   DELETE,  WATCH,   none,    never, never, never, never, none,
   never,  none},
[WISH_UNDESIRED] = {
   none,   none,    none,    DELETE,  never, never, never, never, WAIT,
   never,  none},
[WISH_RELEASED] = {
   none,   RELEASE, RELEASE, RELEASE, never, never, never, never, RELEASE,
   never,  RELEASE},
};

static const unsigned char brakes[ACTIONS] = {
[ACTION_CREATE]  = BRAKE_SET | BRAKE_ITEM,
[ACTION_APPLY]   = BRAKE_LOOP | BRAKE_ITEM,
[ACTION_DELETE]  = BRAKE_LODGERS | BRAKE_PRUNE,
[ACTION_RELEASE] = BRAKE_PRUNE,
};

static const unsigned char steps[STANDINGS] = {
[STANDS_LIVE]       = STEP_SET | STEP_OUTCOME,
[STANDS_TOO_LARGE]  = STEP_FAIL | STEP_OUTCOME,
[STANDS_UNREADABLE] = STEP_FAIL,
[STANDS_UNKNOWN]    = STEP_FAIL,
[STANDS_REJECTED]   = STEP_SETTLED,
[STANDS_RELEASED]   = STEP_SETTLED | STEP_CLEAN_UP,
[STANDS_LEAVING]    = STEP_CLEAN_UP | STEP_OUTCOME,
[STANDS_LEFT]       = 0,
};
/* clang-format on */

enum action
actions_for(enum wish wish, enum seen seen)
{
	return actions[wish][seen];
}

unsigned
actions_brakes(enum action action)
{
	return brakes[action];
}

unsigned
actions_steps(enum primary_standing standing)
{
	return steps[standing];
}
