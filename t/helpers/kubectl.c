/*
 * kubectl for tests on kapi: what these use of it, so that they need no Go, in
 * some milliseconds.
 *
 *	kubectl get|create|apply|replace|patch|label|annotate|scale|delete|wait|
 *		run|set image|rollout|auth can-i ... [OPTION]...
 *
 * Options, output and exit codes are those of the real one, which
 * t/9910-kubectl.sh tries on kapi. What is not here is refused with exit code
 * 100, and fails the test (t/lib.sh).
 */
// needs t/helpers/kubectl/*.c
// needs cmd/kapi/tree/*.c

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/array.h"
#include "kubectl/session.h"
#include "kubectl/target.h"
#include "kubectl/verbs.h"

static const struct {
	const char *name;
	verb_fn *act;
} verbs[] = {{"get", verb_get}, {"create", verb_create}, {"apply", verb_apply},
    {"replace", verb_replace}, {"patch", verb_patch}, {"label", verb_label},
    {"annotate", verb_annotate}, {"scale", verb_scale}, {"delete", verb_delete},
    {"wait", verb_wait}, {"run", verb_run}, {"rollout", verb_rollout},
    {"auth", verb_auth}};

/* Takes the words of the verb off args. */
static verb_fn *
find_verb(struct words *args)
{
	const char *verb = args->count > 0 ? args->items[0] : "";

	if (args->count > 0)
		*args = (struct words){args->items + 1, args->count - 1};
	for (size_t i = 0; i < COUNT(verbs); i++)
		if (strcmp(verb, verbs[i].name) == 0)
			return verbs[i].act;
	if (strcmp(verb, "set") == 0 && args->count > 0 &&
	    strcmp(args->items[0], "image") == 0) {
		*args = (struct words){args->items + 1, args->count - 1};
		return verb_set_image;
	}
	flags_not_here("%s", verb);
}

int
main(int argc, char **argv)
{
	struct session s = {.arena = ARENA_INIT};
	struct words args;
	verb_fn *act;
	int code;

	signal(SIGPIPE, SIG_IGN);
	flags_parse(&s.flags, argc, argv);
	args = (struct words){s.flags.args, s.flags.count};
	act = find_verb(&args);
	code = session_open(&s);
	if (code == 0)
		code = act(&s, args);
	fflush(stdout);
	if (code < 0)
		fprintf(stderr, "%s\n", buf_str(&s.refusal));
	/* Nothing is freed: that would take a tenth of all its time. */
	_exit(code < 0 ? 1 : code);
}
