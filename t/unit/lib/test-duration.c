/* Text that Go's time.ParseDuration accepts, and its messages for other
 * text. */
#include "base/array.h"
#include "tap.h"
#include "value/duration.h"

static const struct {
	const char *text, *wrong; /* NULL: it is valid */
	int64_t ns;
} cases[] = {
    {"0", NULL, 0},
    {"-0", NULL, 0},
    {"30s", NULL, 30000000000},
    {"1h15m30.918s", NULL, 4530918000000},
    {"-.5h", NULL, -1800000000000},
    {"1.s", NULL, 1000000000},
    {"5\xc2\xb5s", NULL, 5000},
    {"9223372036s", NULL, 9223372036000000000},
    {"", "time: invalid duration \"\"", 0},
    {"-", "time: invalid duration \"-\"", 0},
    {"invalid", "time: invalid duration \"invalid\"", 0},
    {".s", "time: invalid duration \".s\"", 0},
    {"3", "time: missing unit in duration \"3\"", 0},
    {"1s2", "time: missing unit in duration \"1s2\"", 0},
    {"1d", "time: unknown unit \"d\" in duration \"1d\"", 0},
    {"1\"", "time: unknown unit \"\\\"\" in duration \"1\\\"\"", 0},
    {"1\xff", "time: unknown unit \"\\xff\" in duration \"1\\xff\"", 0},
    {"99999999999999999999s",
	"time: invalid duration \"99999999999999999999s\"", 0},
    {"9223372037s", "time: invalid duration \"9223372037s\"", 0},
    {"9223372036s1s", "time: invalid duration \"9223372036s1s\"", 0},
};

static void
ms(const char *text, int want_ok, uint64_t want)
{
	uint64_t got = 0;
	int rc = duration_parse_ms(span_str(text), &got);

	ok(want_ok ? rc == 0 && got == want : rc == -1, text);
}

TEST(duration)
{
	struct buf wrong = BUF_INIT;

	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t ns = -1;
		int rc;

		buf_reset(&wrong);
		rc = duration_parse(span_str(cases[i].text), &ns, &wrong);
		if (cases[i].wrong == NULL)
			ok(rc == 0 && ns == cases[i].ns, cases[i].text);
		else
			ok(rc == -1, cases[i].text);
		is(buf_str(&wrong),
		    cases[i].wrong != NULL ? cases[i].wrong : "",
		    "... and what is wrong with it");
	}
	buf_release(&wrong);
	ms("60s", 1, 60000);
	ms("1h30m", 1, 5400000);
	ms("0.5s", 1, 500);
	ms("300ms", 1, 300);
	ms("1999us", 1, 1);
	ms("10h", 1, 36000000);
	ms("0", 1, 0);
	ms("10", 0, 0);
	ms("", 0, 0);
	ms("s", 0, 0);
	ms("1x", 0, 0);
	ms("-1s", 0, 0);
	ms("+1s", 0, 0);
	ms("999999999999h", 0, 0);
}
