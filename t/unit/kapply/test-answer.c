#include "apply.h"

#include "base/buf.h"
#include "tap.h"

/* The verbs of an op's steps; -: it has no such step. */
static const struct {
	enum item_op op;
	const char *verbs, *what;
} ops[] = {
    {OP_LOOK, "- get - - - - - - -", "a look"},
    {OP_OWNER, "- get - - - - - - -", "a look at the primary"},
    {OP_ADD_FINALIZERS, "- get - patch - - - - -", "adding finalizers"},
    {OP_APPLY, "get get get apply patch merge merge get -", "an apply"},
    {OP_DELETE, "- get - delete - - - - -", "a deletion"},
    {OP_REMOVE_FINALIZERS, "- get - patch - - - - get", "removing finalizers"},
    {OP_CREATE, "- get - create - - - - -", "a creation"},
};

static const char *
verb_name(enum item_op op, enum item_step step)
{
	enum kube_verb verb;

	if (!answer_verb(op, step, &verb))
		return "-";
	switch (verb) {
	case KUBE_GET:
		return "get";
	case KUBE_CREATE:
		return "create";
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
	ok(sizeof(ops) / sizeof(*ops) == ITEM_OPS, "each op");
	for (size_t i = 0; i < ITEM_OPS; i++) {
		struct buf got = BUF_INIT;

		for (unsigned s = 0; s < ITEM_STEPS; s++)
			buf_addf(&got, "%s%s", s > 0 ? " " : "",
			    verb_name(ops[i].op, s));
		is(buf_str(&got), ops[i].verbs, ops[i].what);
		buf_release(&got);
	}
	return tap_done();
}
