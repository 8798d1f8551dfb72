#include "set/errand.h"

enum { OPS = OP_REMOVE_FINALIZERS + 1, STEPS = STEP_LIST + 1 };

/* How a cell of the table spells its errand. */
enum {
	never = ERRAND_NEVER,
	LOOK = ERRAND_LOOK,
	PRIMARY = ERRAND_PRIMARY,
	READ = ERRAND_READ,
	APPLY = ERRAND_APPLY,
	ADOPT = ERRAND_ADOPT,
	LIST = ERRAND_LIST,
	DOOMED = ERRAND_DOOMED,
	DELETE = ERRAND_DELETE,
	FINAL = ERRAND_FINALIZERS,
	PATCH = ERRAND_PATCH
};

/* clang-format off */
static const unsigned char errands[OPS][STEPS] = {
	/*                         primary  read    write   adopt  list */
	[OP_LOOK] =              { never,   LOOK,   never,  never, never },
	[OP_ADD_FINALIZERS] =    { never,   FINAL,  PATCH,  never, never },
	[OP_APPLY] =             { PRIMARY, READ,   APPLY,  ADOPT, LIST },
	[OP_DELETE] =            { never,   DOOMED, DELETE, never, never },
	[OP_REMOVE_FINALIZERS] = { never,   FINAL,  PATCH,  never, never },
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
