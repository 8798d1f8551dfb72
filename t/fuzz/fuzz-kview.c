/*
 * fuzz-kview: the picture of recordings that are almost right.
 *
 *	fuzz-kview SECONDS SEED FILE...
 *
 * FILE are recordings, or lines of kwatch. Nothing reads outside its memory or
 * leaks (run it with ASan); lines for a terminal are visible, the data of the
 * page is JSON in lines without a "<", and neither holds a value of a Secret.
 */
// needs cmd/kview/*.c
// needs t/fuzz/fuzz.c
// needs t/fuzz/recording.c
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "json/json.h"
#include "pagefile.h"
#include "process/file.h"
#include "fuzz.h"
#include "recording.h"
#include "story.h"
#include "viewrow.h"

static struct story story;
static struct pagefile page;
static struct pagefile_end totals;
static struct buf lines;
static int fd;

static void
take_row(void *arg, const struct viewrow *row)
{
	(void)arg;
	viewrow_add_term(&lines, row, VIEWROW_PLAIN);
	pagefile_row(&page, row);
}

static void
begin(void)
{
	story_init(&story, take_row, NULL);
	fuzz_expect(
	    ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0, "a file");
	pagefile_begin(&page, fd, span_str("</title>"));
	totals = (struct pagefile_end){.failure = NULL};
}

static void
line(enum reading_result result, struct reading_line *l)
{
	pagefile_source(&page, l->source, story.lines + 2 - l->number);
	if (result == READING_LINE)
		story_line(&story, l);
	else
		story_bad(&story, l);
}

static void
expect_data(struct span rest)
{
	static const char mark[] = "id=\"data\"";
	const char *at = memmem(rest.p, rest.n, mark, strlen(mark));

	fuzz_expect(at != NULL, "the page has data");
	rest = span_skip(rest, (size_t)(at - rest.p));
	span_cut(&rest, '\n');
	for (;;) {
		struct span one = span_cut(&rest, '\n');

		if (span_starts(one, "</script>"))
			return;
		fuzz_expect(rest.p != NULL, "the data ends");
		fuzz_expect(one.n == 0 || json_check(one, NULL) == 0,
		    "the data is JSON");
		fuzz_expect(one.n == 0 || memchr(one.p, '<', one.n) == NULL,
		    "the data does not leave its element");
	}
}

static void
end(void)
{
	struct buf text = BUF_INIT;
	struct err err = ERR_INIT;
	char path[40];

	pagefile_end(&page, &story.tracks, &totals);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	fuzz_expect(file_read(path, 64, &text, &err) == 0, err.message);
	expect_data(buf_span(&text));
	recording_expect_visible(buf_span(&lines));
	fuzz_expect(strstr(buf_str(&lines), RECORDING_SECRET) == NULL &&
		strstr(buf_str(&text), RECORDING_SECRET) == NULL,
	    "it holds no secret");
	buf_release(&text);
	buf_reset(&lines);
	pagefile_release(&page);
	story_release(&story);
}

int
main(int argc, char **argv)
{
	static const struct recording_fuzz f = {begin, line, end};
	int code;

	fd = memfd_create("page", MFD_CLOEXEC);
	code = argc < 4 || fd < 0 ? 100 : recording_fuzz(&f, argc, argv);
	buf_release(&lines);
	return code;
}
