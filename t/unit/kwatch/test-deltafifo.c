/* deltafifo: the lines that a fast and a slow reader of kwatch get. */
#include "deltafifo.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "json/json.h"
#include "process/loop.h"
#include "tap.h"

static struct loop *loop;
static struct out out;
static struct deltafifo *deltafifo;
static struct deltafifo_index pods;
static int reader;
static const int owner, other;

static void
set_up(void)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) != 0)
		abort();
	reader = fds[0];
	fcntl(reader, F_SETFL, O_NONBLOCK);
	loop = loop_new();
	out_init(&out, loop, fds[1]);
	deltafifo = deltafifo_new(&out, DELTAFIFO_PLAIN);
	pods = (struct deltafifo_index){.api_version = "v1", .kind = "Pod"};
}

static void
tear_down(void)
{
	deltafifo_free(deltafifo);
	deltafifo_index_release(&pods);
	out_release(&out);
	close(out.given_fd);
	close(reader);
	loop_free(loop);
}

/* From now on the reader takes nothing: the pipe is full of blanks. */
static void
stop_reading(void)
{
	struct buf *b = out_buf(&out);

	for (int i = 0; i < 64 * 1024 * 3; i++)
		buf_addc(b, ' ');
	out_added(&out);
	ok(out_full(&out), "the reader is slow");
}

/* Everything that comes, as one text, with "TYPE NAME UID VERSION" for a
 * line. */
static char *
read_all(void)
{
	struct buf got = BUF_INIT, text = BUF_INIT;
	char *p, *line;

	for (;;) {
		ssize_t n;

		out_flush(&out);
		n = read(reader, buf_reserve(&got, 65536), 65536);
		if (n <= 0) {
			deltafifo_pump(deltafifo);
			if (out_empty(&out) && deltafifo_empty(deltafifo))
				break;
			continue;
		}
		got.len += (size_t)n;
	}
	p = buf_take(&got);
	for (line = strtok_r(p, "\n", &got.data); line != NULL;
	     line = strtok_r(NULL, "\n", &got.data)) {
		struct json_frame f;
		struct span s = span_str(line);

		while (s.n > 0 && *s.p == ' ') {
			s.p++;
			s.n--;
		}
		if (json_frame(s, &f) != 0) {
			buf_addf(&text, "bad line %s\n", line);
			continue;
		}
		if (f.uid.n > 1)
			f.uid = span_skip(f.uid, f.uid.n - 1);
		buf_addf(&text, "%.*s %.*s%s%.*s %.*s %.*s", SPAN_ARG(f.type),
		    SPAN_ARG(f.namespace_), f.namespace_.n > 0 ? "/" : "",
		    SPAN_ARG(f.name), SPAN_ARG(f.uid),
		    SPAN_ARG(f.resource_version));
		if (f.annotations.p != NULL)
			buf_addf(&text, " %.*s", SPAN_ARG(f.annotations));
		if (json_get(s, "manager").n > 0)
			buf_addf(&text, " by %.*s",
			    SPAN_ARG(json_get(s, "manager")));
		buf_addc(&text, '\n');
	}
	free(p);
	return buf_take(&text);
}

static void
read_is(const char *want, const char *what)
{
	char *got = read_all();

	is(got, want, what);
	free(got);
}

/* "1", or the same as a UUID, of which the tests read the end. */
static const char *uid_head = "";

static struct span
full(struct buf *b, const char *uid)
{
	buf_addf(b, "%s%s", uid_head, uid);
	return buf_span(b);
}

static struct span
body(struct buf *b, const char *name, const char *uid, const char *version)
{
	buf_reset(b);
	buf_addf(b,
	    "{\"metadata\":{\"namespace\":\"s\",\"name\":\"%s\",\"uid\":\"%s%"
	    "s\","
	    "\"resourceVersion\":\"%s\"}}",
	    name, uid_head, uid, version);
	return buf_span(b);
}

static struct deltafifo_entry *
entry(const char *name)
{
	return deltafifo_entry(
	    deltafifo, &pods, span_str("s"), span_str(name), &owner, 1);
}

static void
put_by(
    const char *names, const char *name, const char *uid, const char *version)
{
	struct buf b = BUF_INIT, u = BUF_INIT;
	struct span text = body(&b, name, uid, version);

	deltafifo_put(deltafifo, entry(name),
	    &(struct deltafifo_version){
		full(&u, uid), span_str(version), text, span_str(names), 0});
	buf_release(&u);
	buf_release(&b);
}

static void
put(const char *name, const char *uid, const char *version)
{
	put_by("", name, uid, version);
}

static void
drop(const char *name, const char *uid, const char *version)
{
	struct buf b = BUF_INIT, u = BUF_INIT;
	struct span text = body(&b, name, uid, version);

	deltafifo_delete(deltafifo, entry(name), full(&u, uid), text);
	buf_release(&u);
	buf_release(&b);
}

#define MADE_UP " {\"kpipe.dev/synthetic\":\"true\"}\n"

static bool
knows(const char *name, const char *uid, const char *version)
{
	struct buf u = BUF_INIT;
	bool is =
	    deltafifo_entry_is(entry(name), full(&u, uid), span_str(version));

	buf_release(&u);
	return is;
}

static void
test_fast(void)
{
	set_up();
	put("a", "1", "10");
	put("a", "1", "11");
	ok(knows("a", "1", "11"), "a version that was told");
	ok(!knows("a", "1", "1"), "and one that was not");
	put("a", "2", "12");
	drop("a", "2", "13");
	ok(deltafifo_counters(deltafifo)->objects == 0,
	    "nothing is kept of it");
	put("a", "2", "14");
	deltafifo_bookmark(deltafifo, &pods, DELTAFIFO_END, "true");
	read_is("ADDED s/a 1 10\n"
		"MODIFIED s/a 1 11\n"
		"DELETED s/a 1 " MADE_UP "ADDED s/a 2 12\n"
		"DELETED s/a 2 13\n"
		"ADDED s/a 2 14\n"
		"BOOKMARK    {\"k8s.io/initial-events-end\":\"true\"}\n",
	    "a fast reader sees every event");
	tear_down();
}

static void
test_slow(void)
{
	set_up();
	put("known", "1", "1");
	put("gone", "1", "1");
	put("changed", "1", "1");
	put("back", "1", "1");
	stop_reading();
	deltafifo_bookmark(deltafifo, &pods, DELTAFIFO_BEGIN, "true");
	for (int i = 0; i < 1000; i++)
		put("known", "1", i % 2 ? "2" : "3");
	put("new", "1", "1");
	put("new", "1", "4");
	put("flash", "1", "1");
	drop("flash", "1", "5");
	put("gone", "1", "2");
	drop("gone", "1", "6");
	drop("changed", "1", "2");
	put("changed", "2", "7");
	put("back", "2", "3");
	put("back", "1", "8");
	deltafifo_bookmark(deltafifo, &pods, DELTAFIFO_END, "true");
	put("late", "1", "9");
	put("new", "1", "10");
	read_is("ADDED s/known 1 1\n"
		"ADDED s/gone 1 1\n"
		"ADDED s/changed 1 1\n"
		"ADDED s/back 1 1\n"
		"BOOKMARK    {\"kpipe.dev/initial-events-begin\":\"true\"}\n"
		"MODIFIED s/known 1 2\n"
		"ADDED s/new 1 10\n"
		"DELETED s/flash 1 5\n"
		"DELETED s/gone 1 6\n"
		"DELETED s/changed 1 " MADE_UP "ADDED s/changed 2 7\n"
		"MODIFIED s/back 1 8\n"
		"BOOKMARK    {\"k8s.io/initial-events-end\":\"true\"}\n"
		"ADDED s/late 1 9\n",
	    "a slow reader sees where each object got to");
	ok(deltafifo_counters(deltafifo)->objects == 5, "five are left");
	ok(deltafifo_counters(deltafifo)->coalesced == 1005,
	    "the rest was replaced");
	tear_down();
}

static void
test_sweep(void)
{
	set_up();
	put("a", "1", "1");
	put("b", "1", "1");
	deltafifo_put(deltafifo,
	    deltafifo_entry(
		deltafifo, &pods, span_str("t"), span_str("c"), &other, 1),
	    &(struct deltafifo_version){
		span_str("1"), span_str("1"), span_str("{}"), SPAN_NONE, 0});
	deltafifo_put(deltafifo,
	    deltafifo_entry(
		deltafifo, &pods, SPAN_NONE, span_str("n"), &owner, 1),
	    &(struct deltafifo_version){
		span_str("1"), span_str("1"), span_str("{}"), SPAN_NONE, 0});
	deltafifo_entry(
	    deltafifo, &pods, span_str("s"), span_str("b"), &owner, 2);
	free(read_all());
	deltafifo_index_sweep(deltafifo, &pods, &owner, 2);
	read_is("DELETED n 1 " MADE_UP "DELETED s/a 1 " MADE_UP,
	    "what a listing did not name is gone, of this watch only");
	deltafifo_index_sweep(deltafifo, &pods, NULL, 0);
	read_is("DELETED s/b 1 " MADE_UP "DELETED t/c 1 " MADE_UP,
	    "everything is gone");
	ok(deltafifo_counters(deltafifo)->made_up == 4, "counted");
	stop_reading();
	put("unread", "1", "1");
	deltafifo_index_sweep(deltafifo, &pods, &owner, 2);
	read_is("DELETED s/unread 1 " MADE_UP,
	    "also an object that was not read yet");
	ok(deltafifo_counters(deltafifo)->objects == 0, "nothing is left");
	deltafifo_put(deltafifo, entry("a\"b"),
	    &(struct deltafifo_version){
		span_str("1"), span_str("1"), span_str("{}"), SPAN_NONE, 0});
	free(read_all());
	deltafifo_index_sweep(deltafifo, &pods, NULL, 0);
	read_is("DELETED s/a\\\"b 1 " MADE_UP, "a name is escaped again");
	tear_down();
}

/* Who made it goes with a version, and with all that become one line. */
static void
test_names(void)
{
	set_up();
	put_by("x", "a", "1", "1");
	put_by("y", "a", "1", "2");
	put("a", "1", "3");
	read_is("ADDED s/a 1 1 by \"x\"\nMODIFIED s/a 1 2 by \"y\"\n"
		"MODIFIED s/a 1 3\n",
	    "each version has its own");
	stop_reading();
	put_by("x", "a", "1", "4");
	put_by("y", "a", "1", "5");
	put_by("x", "a", "1", "6");
	put_by("z", "b", "1", "1");
	read_is("MODIFIED s/a 1 6 by \"x or y\"\nADDED s/b 1 1 by \"z\"\n",
	    "versions that become one line have all");
	stop_reading();
	put_by("x", "a", "1", "7");
	put("a", "1", "8");
	put_by("y", "a", "1", "9");
	put("b", "1", "2");
	put_by("z", "b", "1", "3");
	read_is("MODIFIED s/a 1 9\nMODIFIED s/b 1 3\n",
	    "... or none, if one is not known");
	stop_reading();
	put("a", "1", "10");
	drop("a", "1", "11");
	put_by("x", "a", "2", "12");
	put_by("x", "b", "2", "12");
	drop("b", "2", "13");
	read_is("DELETED s/a 1 " MADE_UP "ADDED s/a 2 12 by \"x\"\n"
		"DELETED s/b 1 " MADE_UP "DELETED s/b 2 13\n",
	    "another object of the name has its own; what is gone has none");
	stop_reading();
	put_by("x", "c", "1", "1");
	free(read_all());
	stop_reading();
	put_by("y", "c", "1", "2");
	read_is("MODIFIED s/c 1 2 by \"y\"\n", "what was read is forgotten");
	tear_down();
}

static void
put_big(const char *name, const struct buf *big)
{
	deltafifo_put(deltafifo, entry(name),
	    &(struct deltafifo_version){
		span_str("1"), span_str("1"), buf_span(big), SPAN_NONE, 0});
}

/* Deleted objects cost kwatch little while the reader is slow, however many. */
static void
test_gone(void)
{
	struct buf big = BUF_INIT, want = BUF_INIT;
	char name[16];

	set_up();
	stop_reading();
	buf_adds(&big,
	    "{\"metadata\":{\"namespace\":\"s\",\"uid\":\"1\","
	    "\"name\":\"n\"},\"data\":\"");
	for (int i = 0; i < 300 * 1024; i++)
		buf_addc(&big, 'x');
	buf_adds(&big, "\"}");
	for (int i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		put_big(name, &big);
		deltafifo_delete(
		    deltafifo, entry(name), span_str("1"), buf_span(&big));
	}
	/* It exists again: there is room for another one. */
	put("n0", "1", "2");
	drop("n3", "1", "3");
	drop("n4", "1", "4");
	ok(deltafifo_counters(deltafifo)->made_up == 3, "three have no room");
	buf_adds(&want, "ADDED s/n0 1 2\n");
	for (int i = 1; i < 3; i++)
		buf_adds(&want, "DELETED s/n 1 \n");
	buf_adds(&want,
	    "DELETED s/n3 1 3\nDELETED s/n4 1 4\n"
	    "DELETED s/n5 1 " MADE_UP);
	read_is(buf_str(&want), "the others are made up");
	put_big("z", &big);
	stop_reading();
	for (int i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "m%d", i);
		deltafifo_delete(
		    deltafifo, entry(name), span_str("1"), buf_span(&big));
	}
	ok(deltafifo_counters(deltafifo)->made_up == 4,
	    "what was read makes room");
	buf_release(&big);
	buf_release(&want);
	tear_down();
}

static void
put_large(const char *version, uint64_t length)
{
	struct buf b = BUF_INIT;
	struct span text = body(&b, "a", "1", version);

	deltafifo_put(deltafifo, entry("a"),
	    &(struct deltafifo_version){.uid = span_str("1"),
		.version = span_str(version),
		.body = text,
		.length = length});
	buf_release(&b);
}

/* So many lines of what comes have the text. */
static void
raw_has(const char *text, int count, const char *what)
{
	struct buf got = BUF_INIT;
	int n = 0;

	while (!out_empty(&out) || !deltafifo_empty(deltafifo)) {
		ssize_t k;

		out_flush(&out);
		k = read(reader, buf_reserve(&got, 65536), 65536);
		if (k > 0)
			got.len += (size_t)k;
		deltafifo_pump(deltafifo);
	}
	for (const char *p = buf_str(&got); (p = strstr(p, text)) != NULL; p++)
		n++;
	ok(n == count, what);
	buf_release(&got);
}

/* The mark is that of the version which is told. */
static void
test_large(void)
{
	set_up();
	put_large("1", 17);
	raw_has("{\"type\":\"ADDED\",\"tooLarge\":17,\"object\":{", 1,
	    "told at once");
	put_large("2", 0);
	raw_has("tooLarge", 0, "... and not when it is small again");
	stop_reading();
	put_large("3", 18);
	put_large("4", 0);
	raw_has("tooLarge", 0, "what was large and unread is not told");
	stop_reading();
	put_large("5", 0);
	put_large("6", 19);
	raw_has("{\"type\":\"MODIFIED\",\"tooLarge\":19,\"object\":{", 1,
	    "a slow reader is told, too");
	tear_down();
}

/* A uid is kept in half its size, if it is a UUID in lower case, and is told as
 * it came. */
static void
test_uids(void)
{
	static const char *const uids[] = {
	    "53df3c21-b722-49d2-9716-146b13a59e88",
	    "00000000-0000-0000-0000-0000000000ff",
	    "ffffffff-ffff-ffff-ffff-ffffffffffff", "", "uid-1",
	    "53DF3C21-b722-49d2-9716-146b13a59e88",
	    "53df3c21-b722-49d2-9716-146b13a59e8",
	    "53df3c21-b722-49d2-9716-146b13a59e888",
	    "53df3c21xb722-49d2-9716-146b13a59e88",
	    "53df3c21-b722-49d2-9716-146b13a59e8g",
	    "53df3c21b-722-49d2-9716-146b13a59e88"};

	set_up();
	for (size_t i = 0; i < COUNT(uids); i++) {
		struct span uid = span_str(uids[i]);
		struct buf text = BUF_INIT;

		deltafifo_put(deltafifo, entry("a"),
		    &(struct deltafifo_version){
			uid, span_str("7"), span_str("{}"), SPAN_NONE, 0});
		ok(deltafifo_entry_is(entry("a"), uid, span_str("7")),
		    "a uid and its version are known again");
		ok(!deltafifo_entry_is(
		       entry("a"), span_str("x"), span_str("7")),
		    "... and no other");
		free(read_all());
		deltafifo_index_sweep(deltafifo, &pods, NULL, 0);
		buf_addf(&text, "\"uid\":\"%s\"", uids[i]);
		raw_has(buf_str(&text), 1, "... and it comes back");
		buf_release(&text);
	}
	tear_down();
}

/* The objects of another owner go behind all that waits. */
static void
test_leave(void)
{
	set_up();
	put("a", "1", "1");
	put("b", "1", "1");
	put("c", "1", "1");
	free(read_all());
	stop_reading();
	put("a", "1", "2");
	put("b", "1", "2");
	put("c", "1", "2");
	deltafifo_last(deltafifo, entry("b"));
	deltafifo_last(deltafifo, entry("b"));
	read_is("MODIFIED s/a 1 2\nMODIFIED s/c 1 2\nMODIFIED s/b 1 2\n",
	    "one that waits behind all others");
	stop_reading();
	put("a", "1", "3");
	put("b", "1", "3");
	deltafifo_put(deltafifo,
	    deltafifo_entry(
		deltafifo, &pods, span_str("t"), span_str("c"), &other, 1),
	    &(struct deltafifo_version){
		span_str("1"), span_str("1"), span_str("{}"), SPAN_NONE, 0});
	deltafifo_index_leave(deltafifo, &pods, &owner);
	deltafifo_index_leave(deltafifo, &pods, &other);
	read_is("DELETED s/a 1 " MADE_UP "DELETED s/b 1 " MADE_UP
		"DELETED s/c 1 " MADE_UP "DELETED t/c 1 " MADE_UP,
	    "objects that go, behind what waited");
	tear_down();
}

int
main(void)
{
	test_fast();
	test_slow();
	uid_head = "53df3c21-b722-49d2-9716-14600000000";
	test_fast();
	test_slow();
	test_sweep();
	test_leave();
	test_names();
	test_gone();
	test_large();
	test_uids();
	return tap_done();
}
