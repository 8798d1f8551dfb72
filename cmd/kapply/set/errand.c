#include "set/errand.h"

enum { OPS = OP_REMOVE_FINALIZERS + 1, STEPS = STEP_HOLDER + 1 };

/* How a cell of the table spells its errand. */
enum {
	never = ERRAND_NEVER,
	LOOK = ERRAND_LOOK,
	PRIMARY = ERRAND_PRIMARY,
	READ = ERRAND_READ,
	CAUSE = ERRAND_CAUSE,
	APPLY = ERRAND_APPLY,
	ADOPT = ERRAND_ADOPT,
	LIST = ERRAND_LIST,
	TRIM = ERRAND_TRIM,
	HOLDER = ERRAND_HOLDER,
	DOOMED = ERRAND_DOOMED,
	DELETE = ERRAND_DELETE,
	FINAL = ERRAND_FINALIZERS,
	PATCH = ERRAND_PATCH
};

/* clang-format off */
static const unsigned char errands[OPS][STEPS] = {
	/*                         primary  read    cause  write   adopt  list   trim   holder */
	[OP_LOOK] =              { never,   LOOK,   never, never,  never, never, never, never },
	[OP_ADD_FINALIZERS] =    { never,   FINAL,  never, PATCH,  never, never, never, never },
	[OP_APPLY] =             { PRIMARY, READ,   CAUSE, APPLY,  ADOPT, LIST,  TRIM,  HOLDER },
	[OP_DELETE] =            { never,   DOOMED, never, DELETE, never, never, never, never },
	[OP_REMOVE_FINALIZERS] = { never,   FINAL,  never, PATCH,  never, never, never, never },
};
/* clang-format on */

enum errand
errand_of(enum item_op op, enum item_step step)
{
	return errands[op][step];
}

enum kube_verb
errand_verb(enum errand e)
{
	switch (e) {
	case ERRAND_APPLY:
		return KUBE_APPLY;
	case ERRAND_LIST:
	case ERRAND_TRIM:
		return KUBE_MERGE_PATCH;
	case ERRAND_ADOPT:
	case ERRAND_PATCH:
		return KUBE_JSON_PATCH;
	case ERRAND_DELETE:
		return KUBE_DELETE;
	default:
		return KUBE_GET;
	}
}
