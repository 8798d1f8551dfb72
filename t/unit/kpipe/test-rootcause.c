#include "pipeline.h"

#include <signal.h>
#include <string.h>

#include "base/array.h"
#include "tap.h"

enum { STAGES = 5 };

/* A stage that ended with this code in this round. */
#define EXITED(code, round)                                \
	{                                                  \
		.status = (code) << 8, .ended_at = (round) \
	}
#define KILLED(signo, round)                           \
	{                                              \
		.status = (signo), .ended_at = (round) \
	}

static void
test_most_telling_end(void)
{
	static const struct {
		struct stage stages[STAGES];
		int want; /* -1: none */
		const char *what;
	} cases[] = {
	    {{{.ended_at = 0}}, -1, "no stage ended: no stage is to blame"},
	    {{{.ended_at = 0}, EXITED(0, 1)}, 1, "the only one, also with 0"},
	    {{EXITED(0, 1), EXITED(1, 1), EXITED(111, 1), KILLED(SIGKILL, 1)},
		3, "killed before those whose reader is gone"},
	    {{EXITED(0, 1), EXITED(1, 1), EXITED(111, 1), KILLED(SIGKILL, 2)},
		3, "... also when it is seen later"},
	    {{EXITED(0, 1), KILLED(SIGPIPE, 1), EXITED(100, 2)}, 2,
		"100 before SIGPIPE and 0"},
	    {{EXITED(101, 2), EXITED(1, 1), EXITED(0, 1)}, 0,
		"101 before those that came to the end of their input"},
	    {{EXITED(111, 1), EXITED(1, 1), EXITED(0, 1)}, 0,
		"111 before the 1 of a truncated input"},
	    {{EXITED(0, 1), KILLED(SIGPIPE, 1), KILLED(SIGPIPE, 1)}, 0,
		"0 before SIGPIPE"},
	    {{EXITED(111, 2), EXITED(111, 1), EXITED(111, 2)}, 1,
		"of equals who was seen first"},
	    {{{.ended_at = 0}, EXITED(0, 2), EXITED(0, 1)}, 1,
		"... but with 0 who is in front"},
	    {{{.role = STAGE_READS, .ended_at = 1}, EXITED(0, 2)}, 0,
		"... kwatch, if it was seen first"},
	    {{{.role = STAGE_READS, .ended_at = 2}, EXITED(0, 1)}, 1,
		"... and not kwatch, if it was seen later"},
	    {{EXITED(0, 1), EXITED(0, 1), EXITED(111, 1), EXITED(111, 1)}, 3,
		"of those seen at once who is further behind"},
	    {{{.role = STAGE_READS, .ended_at = 1}, EXITED(0, 1), EXITED(0, 1),
		 EXITED(0, 1)},
		1, "... but with 0 who is in front, kwatch aside"},
	    {{EXITED(0, 1), EXITED(1, 1), EXITED(111, 1), EXITED(111, 1),
		 {.role = STAGE_ELECTS, .ended_at = 2}},
		4, "kelect has no neighbours: 0 is its own will"},
	    {{{.role = STAGE_FILTERS,
		  .status = (128 + SIGPIPE) << 8,
		  .ended_at = 1},
		 EXITED(0, 2)},
		1, "a filter's shell may turn SIGPIPE into a code"},
	    {{{.status = SIGKILL, .ended_at = 1, .told_to_end = true},
		 EXITED(0, 1)},
		1, "who was told to is not the reason"},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		static struct stage stages[STAGES];
		const struct stage *s;

		memcpy(stages, cases[i].stages, sizeof(stages));
		for (size_t j = 1; j < STAGES; j++)
			if (stages[j].role == STAGE_READS)
				stages[j].role = STAGE_WRITES;
		s = pipeline_root_cause(stages, STAGES);
		ok((s == NULL ? -1 : (int)(s - stages)) == cases[i].want,
		    cases[i].what);
	}
}

int
main(void)
{
	test_most_telling_end();
	return tap_done();
}
