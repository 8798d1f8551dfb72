#include "failure/blame.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>

#include "base/err.h"
#include "process/log.h"

/* How likely it is that such an end was caused by another stage: less is
 * first. */
static int
rank(const struct stage *s)
{
	int code = stage_exit_code(s);

	if (s->role == STAGE_ELECTS || code == EXIT_PERMANENT ||
	    code == EXIT_BUG)
		return 0;
	if (WIFSIGNALED(s->status))
		return WTERMSIG(s->status) == SIGPIPE ? 4 : 0;
	/* A shell makes that of it. */
	if (s->role == STAGE_FILTERS && code == 128 + SIGPIPE)
		return 4;
	switch (code) {
	case 0:
		return 3;
	case 1:
		return 2;
	default:
		return 1;
	}
}

/*
 * Of two that ended in the same way: the one seen first. Of those seen at once,
 * the one further behind, for a closed pipe is met before that. Of those that
 * ended with 0, the one further in front, whichever was seen first, for the
 * kernel closes the pipe of a process before it says that the process ended;
 * but kwatch also ends with 0 when its reader is gone.
 */
static bool
is_before(const struct stage *a, const struct stage *b)
{
	bool behind = a > b;
	bool reads = a->role == STAGE_READS || b->role == STAGE_READS;

	if (a->status == 0 && b->status == 0 && !reads)
		return !behind;
	if (a->ended_at != b->ended_at)
		return a->ended_at < b->ended_at;
	if (a->status != 0 || b->status != 0)
		return behind;
	return b->role == STAGE_READS;
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
		    (rank(s) == rank(found) && is_before(s, found)))
			found = s;
	}
	return found;
}

void
blame_tell_end(const struct stage *stages, const struct stage *s)
{
	const struct stage *front = s > stages ? s - 1 : NULL;
	bool closed = front != NULL && front->role == STAGE_FILTERS &&
	    (front->ended_at == 0 || front->told_to_end);

	log_error("%s ended with exit code 0 without being told to%s%s%s",
	    s->name, closed ? ": " : "", closed ? front->name : "",
	    closed ? " closed its output" : "");
}
