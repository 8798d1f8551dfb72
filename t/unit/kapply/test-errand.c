#include "set/errand.h"

#include "base/buf.h"
#include "tap.h"

enum { OPS = OP_REMOVE_FINALIZERS + 1, STEPS = STEP_HOLDER + 1 };

/* The verbs of an op's steps; -: it has no such step. */
static const struct {
	enum item_op op;
	const char *verbs, *what;
} ops[] = {
    {OP_LOOK, "- get - - - - - -", "a look"},
    {OP_ADD_FINALIZERS, "- get - patch - - - -", "adding finalizers"},
    {OP_APPLY, "get get get apply patch merge merge get", "an apply"},
    {OP_DELETE, "- get - delete - - - -", "a deletion"},
    {OP_REMOVE_FINALIZERS, "- get - patch - - - -", "removing finalizers"},
};

static const char *
verb_name(enum errand e)
{
	if (e == ERRAND_NEVER)
		return "-";
	switch (errand_verb(e)) {
	case KUBE_GET:
		return "get";
	case KUBE_APPLY:
		return "apply";
	case KUBE_DELETE:
		return "delete";
	case KUBE_JSON_PATCH:
		return "patch";
	case KUBE_MERGE_PATCH:
		return "merge";
	default:
		return "?";
	}
}

int
main(void)
{
	ok(sizeof(ops) / sizeof(*ops) == OPS, "each op");
	for (size_t i = 0; i < OPS; i++) {
		struct buf got = BUF_INIT;

		for (unsigned s = 0; s < STEPS; s++) {
			enum errand e = errand_of(ops[i].op, s);

			buf_addf(&got, "%s%s", s > 0 ? " " : "", verb_name(e));
		}
		is(buf_str(&got), ops[i].verbs, ops[i].what);
		buf_release(&got);
	}
	return tap_done();
}
