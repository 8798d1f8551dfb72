/* Text that Go's time.ParseDuration takes, and what it says of other text. */
// needs cmd/kapi/text/duration.c
#include "text/duration.h"

#include "base/array.h"
#include "tap.h"

static const struct {
	const char *text, *want;
} cases[] = {
    {"0", NULL},
    {"-0", NULL},
    {"30s", NULL},
    {"1h15m30.918s", NULL},
    {"-.5h", NULL},
    {"1.s", NULL},
    {"5\xc2\xb5s", NULL},
    {"9223372036s", NULL},
    {"", "time: invalid duration \"\""},
    {"-", "time: invalid duration \"-\""},
    {"invalid", "time: invalid duration \"invalid\""},
    {".s", "time: invalid duration \".s\""},
    {"3", "time: missing unit in duration \"3\""},
    {"1s2", "time: missing unit in duration \"1s2\""},
    {"1d", "time: unknown unit \"d\" in duration \"1d\""},
    {"1\"", "time: unknown unit \"\\\"\" in duration \"1\\\"\""},
    {"1\xff", "time: unknown unit \"\\xff\" in duration \"1\\xff\""},
    {"99999999999999999999s",
	"time: invalid duration \"99999999999999999999s\""},
    {"9223372037s", "time: invalid duration \"9223372037s\""},
    {"9223372036s1s", "time: invalid duration \"9223372036s1s\""},
};

int
main(void)
{
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct span said = duration_error(&a, span_str(cases[i].text));

		is(said.p == NULL ? NULL
				  : arena_printf(&a, "%.*s", SPAN_ARG(said)).p,
		    cases[i].want, cases[i].text);
	}
	arena_release(&a);
	return tap_done();
}
