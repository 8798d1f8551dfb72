#include "blame.h"

#include <signal.h>
#include <sys/wait.h>

enum { EXIT_PERMANENT = 100, EXIT_BUG = 101, EXIT_TRANSIENT = 111 };

/* How likely it is that a stage ended so because of another: less is first. */
static int
rank(const struct stage *s)
{
	int code = stage_exit_code(s);

	if (s->role == STAGE_ELECTS || code == EXIT_PERMANENT ||
	    code == EXIT_BUG)
		return 0;
	if (WIFSIGNALED(s->status))
		return WTERMSIG(s->status) == SIGPIPE ? 4 : 0;
	switch (code) {
	case 0:
		return 3;
	case 1:
		return 2;
	default:
		return 1;
	}
}

const struct stage *
blame(const struct stage *stages, size_t count)
{
	const struct stage *found = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct stage *s = &stages[i];

		if (s->ended_at == 0 || s->told_to_end)
			continue;
		if (found == NULL || rank(s) < rank(found) ||
		    (rank(s) == rank(found) && s->ended_at <= found->ended_at))
			found = s;
	}
	return found;
}
