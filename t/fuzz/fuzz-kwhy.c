/*
 * fuzz-kwhy: the tale of recordings that are almost right.
 *
 *	fuzz-kwhy SECONDS SEED FILE...
 *
 * FILE are recordings, or lines of kwatch. Nothing reads outside its memory or
 * leaks (run it with ASan); what is told is visible, in whole lines, and holds
 * no value of a Secret.
 */
// needs cmd/kwhy/*.c
// needs t/fuzz/fuzz.c
// needs t/fuzz/recording.c
#include <stddef.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "fuzz.h"
#include "recording.h"
#include "tale.h"

/* Asked for in turn. */
static const char *const asked[][2] = {{"deployments", "default/example"},
    {"Memcached.cache.example.com", "default/example"}, {"secret", "default/s"},
    {"Deployment", "shop/session"}};
static size_t turn;
static struct tale tale;
static struct sought sought;
static struct period period;
static struct buf out;

static void
begin(void)
{
	const char *const *who = asked[turn % COUNT(asked)];
	struct tale_opts o = {turn % 2 == 0, turn % 5 == 4, turn % 7 == 6};
	struct err err = ERR_INIT;

	sought_init(&sought, who[0], who[1], NULL, &err);
	period_init(&period, turn % 3 == 1 ? "00:00" : NULL, NULL,
	    PERIOD_SINCE_NONE, &out, &err);
	period.days = !o.whole;
	tale_init(&tale, o, &sought, &period);
	tale.named = turn++ % 3 == 0;
}

static void
line(enum reading_result result, struct reading_line *l)
{
	if (result == READING_LINE)
		tale_line(&tale, l);
}

static void
end(void)
{
	struct err err = ERR_INIT;

	period_end(&period, &err);
	recording_expect_visible(buf_span(&out));
	fuzz_expect(out.len == 0 || out.data[out.len - 1] == '\n',
	    "it ends with a newline");
	fuzz_expect(strstr(buf_str(&out), RECORDING_SECRET) == NULL,
	    "it holds no secret");
	tale_release(&tale);
	period_release(&period);
	sought_release(&sought);
	buf_release(&out);
}

int
main(int argc, char **argv)
{
	static const struct recording_fuzz f = {begin, line, end};

	if (argc < 4)
		return 100;
	return recording_fuzz(&f, argc, argv);
}
