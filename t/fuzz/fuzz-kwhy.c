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

static void
begin(void)
{
	const char *const *who = asked[turn % COUNT(asked)];
	struct err err = ERR_INIT;

	tale_init(&tale, who[0], who[1], &err);
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
	struct span out = buf_span(&tale.out);

	recording_expect_visible(out);
	fuzz_expect(
	    out.n == 0 || out.p[out.n - 1] == '\n', "it ends with a newline");
	fuzz_expect(strstr(buf_str(&tale.out), RECORDING_SECRET) == NULL,
	    "it holds no secret");
	tale_release(&tale);
}

int
main(int argc, char **argv)
{
	static const struct recording_fuzz f = {begin, line, end};

	if (argc < 4)
		return 100;
	return recording_fuzz(&f, argc, argv);
}
