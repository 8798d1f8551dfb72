#include "recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "base/array.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "json/json.h"
#include "process/file.h"

enum { LINES_MAX = 12, LONG = 20000, DEEP = 250, STUCK_S = 20 };

static const struct recording_fuzz *fuzz;
static struct span *seeds; /* lines */
static size_t seed_count;
static struct buf recording; /* the one that is tried, before compression */

void
recording_expect_visible(struct span text)
{
	const char *p = text.p, *end = text.p + text.n;

	while (p < end) {
		uint32_t c = 0;
		size_t n = utf8_decode(p, end, &c);

		fuzz_expect(n > 0 && (c == '\n' || utf8_is_visible(c)),
		    "it is visible");
		p += n;
	}
}

/* ---- lines ---- */

static void
splice(struct buf *b, struct span old, struct span new)
{
	struct buf all = BUF_INIT;
	size_t at = (size_t)(old.p - b->data);

	buf_add(&all, b->data, at);
	buf_addspan(&all, new);
	buf_add(&all, b->data + at + old.n, b->len - at - old.n);
	buf_release(b);
	*b = all;
}

/* A value somewhere in a text; and pieces of strings, for odd bytes. */
static struct span
value_in(struct span text)
{
	size_t at = fuzz_below((unsigned)text.n);
	struct span rest;

	while (at < text.n && strchr("\"{[-0123456789tfn", text.p[at]) == NULL)
		at++;
	rest = span_skip(text, at);
	return json_value(&rest);
}

static void
add_odd_value(struct buf *b)
{
	static const char *const odd[] = {"null", "true", "false", "{}", "[]",
	    "\"\"", "0", "-1", "17", "1e999", "99999999999999999999",
	    "\"\\u001b[2J\"", "\"a\\u0000b\"", "\"\\u202ex\"",
	    "\"\xc2\x9b"
	    "2J\"",
	    "\"\xe2\x80\xaex\"", "\"\x7f\"", "\"</script><!--\"", "\"\\ud800\"",
	    "\"99999-01-01T00:00:00Z\"", "\"-001-01-01T00:00:00Z\"",
	    "\"0000-00-00T00:00:00.000000Z\"", "\"Secret/default/s\"",
	    "\"Thing.example.com/default/t x\"", "\"/\"", "\"////\"",
	    "{\"differs\":[{\"path\":7}],\"gone\":true}", "[[],{},[{}]]",
	    "\"\xff\"", "\"\xed\xa0\x80\"", "\"", "{\"a\":"};
	unsigned which = fuzz_below(COUNT(odd) + 3);

	if (which < COUNT(odd))
		buf_adds(b, odd[which]);
	else if (which == COUNT(odd))
		for (unsigned i = fuzz_below(DEEP) + 1, n = i; i + n > 0;)
			buf_addc(b, i > 0 ? (i--, '[') : (n--, ']'));
	else if (which == COUNT(odd) + 1)
		for (unsigned i = fuzz_below(DEEP) + 1; i > 0; i--)
			buf_adds(b, i > 1 ? "{\"a\":[" : "{\"a\":[]}");
	else {
		buf_addc(b, '"');
		for (unsigned i = fuzz_below(LONG); i > 0; i--)
			buf_adds(b, fuzz_below(9) > 0 ? "l" : "\xe2\x80\xa6");
		buf_addc(b, '"');
	}
}

/* A member of the object: removed, doubled, or its key spelled otherwise. */
static void
change_member(struct buf *line, struct span object)
{
	struct json_members m = json_members(object);
	struct span whole, key;
	struct buf other = BUF_INIT;

	for (unsigned i = fuzz_below(6) + 1; i > 0; i--)
		if (!json_member(&m))
			return;
	key = span_make(m.key.p - 1, m.key.n + 2);
	whole = span_make(key.p, (size_t)(m.value.p + m.value.n - key.p));
	switch (fuzz_below(3)) {
	case 0: /* and the comma behind it */
		whole.n += whole.p[whole.n] == ',';
		break;
	case 1:
		buf_addspan(&other, whole);
		buf_addc(&other, ',');
		buf_addspan(&other, whole);
		break;
	default:
		if (m.key.n == 0)
			break;
		whole = key;
		buf_addf(&other, "\"\\u%04x%.*s\"", (unsigned char)m.key.p[0],
		    SPAN_ARG(span_skip(m.key, 1)));
	}
	splice(line, whole, buf_span(&other));
	buf_release(&other);
}

static void
change(struct buf *line)
{
	struct span at = value_in(buf_span(line));
	struct buf new = BUF_INIT;

	if (at.p == NULL)
		return;
	switch (fuzz_below(8)) {
	case 0:
	case 1:
	case 2:
		change_member(line, at);
		break;
	case 3:
	case 4: /* a value of another line */
		splice(line, at,
		    value_in(seeds[fuzz_below((unsigned)seed_count)]));
		break;
	case 5:
		line->data[fuzz_below((unsigned)line->len)] =
		    (char)fuzz_below(256);
		break;
	default:
		add_odd_value(&new);
		splice(line, at, buf_span(&new));
	}
	buf_release(&new);
}

static void
add_secret(struct buf *b)
{
	static unsigned version;

	buf_addf(b,
	    "{\"type\":\"MODIFIED\",\"object\":{\"apiVersion\":\"v1\","
	    "\"kind\":\"Secret\",\"metadata\":{\"namespace\":\"default\","
	    "\"name\":\"s\",\"annotations\":{\"kubectl.kubernetes.io/last-"
	    "applied-configuration\":\"" RECORDING_SECRET "%u\"}},"
	    "\"data\":{\"p\":\"" RECORDING_SECRET
	    "%u\",\"a.b\":\"" RECORDING_SECRET "\"}}}\n",
	    version, version);
	version++;
}

static void
make_recording(bool secrets)
{
	unsigned lines = fuzz_below(LINES_MAX) + 1, secret = fuzz_below(lines);

	buf_reset(&recording);
	for (unsigned i = 0; i < lines; i++) {
		struct buf line = BUF_INIT;

		buf_addspan(&line, seeds[fuzz_below((unsigned)seed_count)]);
		for (unsigned n = fuzz_below(4); n > 0 && line.len > 0; n--)
			change(&line);
		buf_addspan(&recording, buf_span(&line));
		buf_addc(&recording, '\n');
		buf_release(&line);
		if (secrets && (i == secret || fuzz_below(6) == 0))
			add_secret(&recording);
	}
}

/* ---- bytes ---- */

/* In several parts, each of its level. */
static void
compress(struct buf *to, struct span text)
{
	while (text.n > 0) {
		size_t n = fuzz_below(3) > 0 ? text.n
					     : fuzz_below((unsigned)text.n) + 1;
		size_t room = ZSTD_compressBound(n), size;

		size = ZSTD_compress(buf_reserve(to, room), room, text.p, n,
		    (int)fuzz_below(5) - 1);
		fuzz_expect(!ZSTD_isError(size), "it compresses");
		to->len += size;
		text = span_skip(text, n);
	}
}

static void
damage(struct buf *b)
{
	unsigned at = fuzz_below((unsigned)b->len);

	switch (fuzz_below(4)) {
	case 0:
		buf_truncate(b, at);
		break;
	case 1:
		buf_consume(b, at);
		break;
	case 2: /* again, from there */
		buf_reserve(b, b->len - at);
		buf_add(b, b->data + at, b->len - at);
		break;
	default:
		b->data[at] = (char)fuzz_below(256);
	}
}

/* ---- rounds ---- */

static void
read_recording(const char *path)
{
	struct err err = ERR_INIT;
	struct reading *r = reading_new(&path, 1, &err);
	struct reading_line line;
	enum reading_result result;
	size_t lines = 0;

	fuzz_expect(r != NULL, "it opens");
	fuzz->begin();
	while ((result = reading_next(r, &line)) == READING_LINE ||
	    result == READING_BAD) {
		fuzz_expect(
		    ++lines < 100 * LINES_MAX, "there are not more lines");
		fuzz->line(result, &line);
	}
	fuzz_expect(result == READING_END || line.err.message[0] != '\0',
	    "a failure says why");
	fuzz->end();
	reading_free(r);
}

static void
round_of(int fd, const char *path)
{
	struct buf bytes = BUF_INIT;
	bool damaged = fuzz_below(3) == 0;

	make_recording(!damaged); /* damage may rename the members of one */
	fuzz_input = buf_span(&recording);
	if (fuzz_below(3) == 0)
		compress(&bytes, buf_span(&recording));
	else
		buf_addspan(&bytes, buf_span(&recording));
	for (unsigned i = fuzz_below(3); damaged && i > 0 && bytes.len > 0; i--)
		damage(&bytes);
	fuzz_expect(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0 &&
		file_write(fd, buf_span(&bytes)) == 0,
	    "it is written");
	buf_release(&bytes);
	alarm(STUCK_S);
	read_recording(path);
}

static void
add_seed(struct span line)
{
	if (line.n == 0)
		return;
	seeds = mem_grow(seeds, seed_count, sizeof(*seeds));
	seeds[seed_count++] = span_make(mem_dup(line.p, line.n), line.n);
}

int
recording_fuzz(const struct recording_fuzz *f, int argc, char **argv)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);
	char path[40];

	fuzz = f;
	for (int i = 3; i < argc; i++)
		fuzz_lines(argv[i], add_seed);
	if (seed_count == 0 || fd < 0)
		return 100;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	fuzz_begin(argc, argv, 1);
	while (fuzz_goes_on())
		round_of(fd, path);
	fuzz_end("recordings");
	for (size_t i = 0; i < seed_count; i++)
		free((char *)seeds[i].p);
	free(seeds);
	buf_release(&recording);
	close(fd);
	return 0;
}
