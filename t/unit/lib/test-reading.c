/* reading: files, segments, cut ends, lines that are not of a recording. */
#include "record/reading.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "json/stream.h"
#include "process/file.h"
#include "scratch.h"
#include "tap.h"

#define SEGMENT "{\"record\":\"segment\",\"version\":1,\"time\":\"T0\"}\n"
#define EVENT(n)                                                        \
	"{\"type\":\"ADDED\",\"time\":\"T" n "\",\"object\":{\"kind\":" \
	"\"A\",\"n\":" n "}}\n"

static void
put(const char *name, struct span text)
{
	const char *path = in_dir(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || file_write(fd, text) != 0)
		ok(false, "a file is written");
	close(fd);
}

static void
compress(
    struct buf *to, struct span text, ZSTD_EndDirective end, ZSTD_CCtx *zstd)
{
	ZSTD_inBuffer in = {text.p, text.n, 0};
	size_t left;

	do {
		ZSTD_outBuffer out = {buf_reserve(to, 65536), 65536, 0};

		left = ZSTD_compressStream2(zstd, &out, &in, end);
		to->len += out.pos;
	} while (left != 0 && !ZSTD_isError(left));
}

static const char kinds[] = "EgSRsPGD?";

/* One letter for each line, its time and number; what is bad and cut. */
static void
show(struct buf *b, enum reading_result result, const struct reading_line *line)
{
	if (result == READING_LINE)
		buf_addf(b, "%c%.*s:%zu ", kinds[line->kind],
		    SPAN_ARG(line->time), line->number);
	else if (result == READING_FAILED)
		buf_addf(b, "failed %s ", line->err.message + strlen(scratch));
	else if (line->cut)
		buf_adds(b, "cut ");
	else
		buf_addf(b, "bad %s ", line->err.message + strlen(scratch));
}

static char *
read_all(const char *const *paths, size_t count)
{
	struct err err;
	struct reading *r = reading_new(paths, count, &err);
	struct buf b = BUF_INIT;
	struct reading_line line;
	enum reading_result result;
	bool was_cut;

	if (r == NULL) {
		buf_addf(&b, "no: %s", err.message);
		return buf_take(&b);
	}
	while ((result = reading_next(r, &line)) != READING_END) {
		show(&b, result, &line);
		if (result == READING_FAILED)
			break;
	}
	was_cut = strstr(buf_str(&b), "cut ") != NULL;
	if (reading_was_cut(r) != was_cut)
		buf_adds(&b, "reading_was_cut is wrong");
	reading_free(r);
	return buf_take(&b);
}

static void
reads(const char *name, const char *want, const char *what)
{
	const char *path = in_dir(name);
	const char *paths[] = {path};
	char *got = read_all(paths, 1);

	is(got, want, what);
	free(got);
}

static void
reads_text(const char *text, const char *want, const char *what)
{
	put("x", span_str(text));
	reads("x", want, what);
}

TEST(lines)
{
	reads_text("", "", "an empty file");
	reads_text(
	    SEGMENT EVENT("1") "\n" EVENT("2"), "gT0:1 ET1:2 ET2:4 ", "events");
	reads_text(
	    "{\"record\":\"set\",\"time\":\"t\",\"line\":{}}\n"
	    "{\"record\":\"result\",\"time\":\"t\",\"tool\":\"kapply\","
	    "\"line\":{}}\n{\"record\":\"status\",\"time\":\"t\",\"line\":{}}\n"
	    "{\"record\":\"state\",\"line\":{}}\n"
	    "{\"record\":\"gap\",\"time\":\"t\",\"stream\":\"events\"}\n"
	    "{\"record\":\"shadow\",\"time\":\"t\",\"line\":{}}\n"
	    "{\"record\":\"later\",\"time\":\"t\"}",
	    "St:1 Rt:2 st:3 P:4 Gt:5 Dt:6 ?t:7 ", "record lines");
	reads_text("{\"type\":\"ADDED\"}\n{\"time\":\"1\",\"record\":\"set\"}\n"
		   "7\nx\n" EVENT("1"),
	    "bad /x:1: neither an event nor a record line "
	    "bad /x:2: neither an event nor a record line "
	    "bad /x:3: neither an event nor a record line "
	    "bad /x:4: not JSON: unexpected byte at byte 1 ET1:5 ",
	    "bad lines are named, the rest goes on");
	reads_text(
	    EVENT("1") "{\"record\":\"segment\",\"version\":2}\n" EVENT("2"),
	    "ET1:1 failed /x:2: a recording of version 2; this program reads "
	    "version 1 ",
	    "an unknown version");
	reads_text("{\"record\":\"segment\"}\n",
	    "failed /x:1: a segment without a version: it is not a recording "
	    "of kpipe, or it was damaged ",
	    "a missing version");
	reads_text(EVENT("1") "{\"type\":\"ADD", "ET1:1 cut ", "a cut line");
	reads_text("{\"type\":\"ADDED\",\"object\":{}}", "E:1 ",
	    "a last line without its newline");
}

TEST(limit)
{
	static const char start[] = "{\"type\":\"A\",\"object\":{\"n\":\"",
			  end[] = "\"}}";
	struct buf b = BUF_INIT;
	size_t fits = STREAM_MAX - sizeof(start) - sizeof(end) + 2;

	for (size_t extra = 0; extra < 3; extra++) {
		buf_reset(&b);
		buf_adds(&b, start);
		memset(buf_reserve(&b, fits + extra * 200000), 'x',
		    fits + extra * 200000);
		b.len += fits + extra * 200000;
		buf_adds(&b, end);
		buf_addc(&b, '\n');
		buf_adds(&b, EVENT("1"));
		put("x", buf_span(&b));
		reads("x",
		    extra == 0 ? "E:1 ET1:2 "
			       : "bad /x:1: longer than 16 MiB ET1:2 ",
		    "a line as long as allowed, and longer ones");
	}
	buf_release(&b);
}

/* Lines that do not compress to nothing; the size behind each flush. */
enum { LINES = 16 };
static size_t flushed[LINES + 1];

static void
make_recording(struct buf *to)
{
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	struct buf line = BUF_INIT;
	unsigned seed = 1;

	for (size_t i = 0; i < LINES; i++) {
		buf_reset(&line);
		buf_addf(&line,
		    "{\"type\":\"ADDED\",\"time\":\"%zu\",\"object\":{\"r\":\"",
		    i);
		for (size_t j = 0; j < i * 5; j++)
			buf_addf(&line, "%x", seed = seed * 1103515245 + 12345);
		buf_adds(&line, "\"}}\n");
		compress(to, buf_span(&line),
		    i == LINES - 1 ? ZSTD_e_end : ZSTD_e_flush, zstd);
		flushed[i + 1] = to->len;
	}
	ZSTD_freeCCtx(zstd);
	buf_release(&line);
}

TEST(every_prefix)
{
	struct buf all = BUF_INIT, want = BUF_INIT;
	const char *path = in_dir("x");
	const char *paths[] = {path};
	bool good = true;

	make_recording(&all);
	for (size_t n = 0; n <= all.len && good; n++) {
		char *got;

		buf_reset(&want);
		for (size_t i = 0; i < LINES; i++) {
			/* The end of the frame is in the last one. */
			size_t end =
			    i == LINES - 1 ? all.len - 1 : flushed[i + 1];

			if (n >= end && (i < LINES - 1 || n == all.len))
				buf_addf(&want, "E%zu:%zu ", i, i + 1);
		}
		if (n > 0 && n < all.len)
			buf_adds(&want, "cut ");
		put("x", span_make(all.data, n));
		got = read_all(paths, 1);
		good = strcmp(got, buf_str(&want)) == 0;
		if (!good && n >= flushed[LINES - 1] && n < all.len) {
			/* The last line may be whole before its frame is. */
			buf_truncate(&want, want.len - strlen("cut "));
			buf_addf(&want, "E%d:%d cut ", LINES - 1, LINES);
			good = strcmp(got, buf_str(&want)) == 0;
		}
		if (!good)
			printf("# %zu bytes: %s, not %s\n", n, got,
			    buf_str(&want));
		free(got);
	}
	ok(good, "every prefix gives every line that was flushed");
	buf_release(&all);
	buf_release(&want);
}

#define PART "gT0:1 ET1:2 ET2:3 "
#define BEHIND "gT0:3 ET1:4 ET2:5 "

/* Each prefix of a part, with another part behind it in the same file. */
TEST(joined)
{
	struct buf part = BUF_INIT, both = BUF_INIT;
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	const char *path = in_dir("x");
	const char *paths[] = {path};
	size_t whole = 0, flushed_at;

	compress(&part, span_str(SEGMENT EVENT("1")), ZSTD_e_flush, zstd);
	flushed_at = part.len;
	compress(&part, span_str(EVENT("2")), ZSTD_e_end, zstd);
	for (size_t n = 0; n <= part.len; n++) {
		char *got;

		buf_reset(&both);
		buf_add(&both, part.data, n);
		buf_addspan(&both, buf_span(&part));
		put("x", buf_span(&both));
		got = read_all(paths, 1);

		whole +=
		    strcmp(got,
			n == 0		     ? PART
			    : n == part.len  ? PART "gT0:4 ET1:5 ET2:6 "
			    : n < flushed_at ? "cut " PART
					     : "gT0:1 ET1:2 cut " BEHIND) == 0;
		free(got);
	}
	ok(whole == part.len + 1, "a part behind one without its end");
	reads("x", "gT0:1 ET1:2 ET2:3 gT0:4 ET1:5 ET2:6 ", "two whole parts");
	ZSTD_freeCCtx(zstd);
	buf_release(&part);
	buf_release(&both);
}

TEST(directory)
{
	struct buf a = BUF_INIT, b = BUF_INIT;
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	const char *sub = in_dir("d");

	mkdir(sub, 0700);
	put("d/note", span_str("not a segment\n"));
	put("d/1.jsonl.zst", span_str("not a segment\n"));
	compress(&a, span_str(SEGMENT EVENT("1")), ZSTD_e_flush, zstd);
	ZSTD_CCtx_reset(zstd, ZSTD_reset_session_only);
	compress(&b, span_str(SEGMENT EVENT("2")), ZSTD_e_end, zstd);
	put("d/00000010.jsonl.zst", buf_span(&b));
	put("d/00000009.jsonl.zst", buf_span(&a));
	reads("d", "gT0:1 ET1:2 cut gT0:1 ET2:2 ",
	    "segments in order, one without its end");
	put("d/00000009.jsonl.zst", SPAN_NONE);
	reads("d", "cut gT0:1 ET2:2 ", "an empty segment");
	ZSTD_freeCCtx(zstd);
	buf_release(&a);
	buf_release(&b);
}

TEST(refused)
{
	const char *empty = in_dir("empty"), *gone = in_dir("gone");
	const char *paths[] = {empty};
	struct err err;

	mkdir(empty, 0700);
	ok(reading_new(paths, 1, &err) == NULL &&
		strstr(err.message, "/empty has no segments") != NULL,
	    "a directory without segments");
	paths[0] = gone;
	ok(reading_new(paths, 1, &err) == NULL &&
		strstr(err.message, "/gone: No such file") != NULL,
	    "a file that is not there");
}

int
main(void)
{
	scratch_make();
	tap_run();
	scratch_remove();
	return tap_done();
}
