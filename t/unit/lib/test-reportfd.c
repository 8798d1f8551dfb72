#include "report/reportfd.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "tap.h"

static double sample = 1;

static void
samples(void *arg, struct metric_lines *m)
{
	(void)arg;
	metric_add(m, METRIC_READY, NULL, sample);
}

static void
fill(void *arg, struct buf *b)
{
	const uint64_t *n = arg;

	reportfd_count(b, "things", *n);
	reportfd_count(b, "others", 7);
}

/* The text that the reader has got so far. */
static const char *
got(int fd)
{
	static char text[65536 + 1];
	ssize_t n = read(fd, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

static size_t
stuff(int fd)
{
	size_t n = 0;

	fcntl(fd, F_SETFL, O_NONBLOCK);
	while (write(fd, "x", 1) == 1)
		n++;
	fcntl(fd, F_SETFL, 0);
	return n;
}

/* All tests use one report, in this order: its lines depend on earlier ones. */
static struct reportfd report;
static uint64_t things = 1;
static int ends[2];

TEST(counters)
{
	reportfd_send(&report);
	is(got(ends[0]), "", "no counters before the tool is ready");
	reportfd_unready(&report, "a", "begins");
	reportfd_unready(&report, "a", NULL);
	is(got(ends[0]),
	    "{\"tool\":\"tool\",\"unready\":{\"a\":\"begins\"}}\n"
	    "{\"tool\":\"tool\",\"unready\":{}}\n",
	    "... but why it is not");
	reportfd_ready(&report);
	reportfd_send(&report);
	is(got(ends[0]),
	    "\n{\"tool\":\"tool\",\"counters\":{\"things\":1,\"others\":7}}\n",
	    "ready: a newline and the counters");
	reportfd_ready(&report);
	reportfd_send(&report);
	is(got(ends[0]), "", "what did not change is not said again");
	things = 2;
	reportfd_send(&report);
	is(got(ends[0]),
	    "{\"tool\":\"tool\",\"counters\":{\"things\":2,\"others\":7}}\n",
	    "what did is");
}

TEST(reasons)
{
	reportfd_unready(&report, "b", "why \"b\"");
	is(got(ends[0]),
	    "{\"tool\":\"tool\",\"unready\":{\"b\":\"why \\\"b\\\"\"}}\n",
	    "a reason is said at once");
	reportfd_unready(&report, "b", "why \"b\"");
	reportfd_unready(&report, "c", NULL);
	is(got(ends[0]), "", "... and once");
	reportfd_unready(&report, "a", "other");
	is(got(ends[0]),
	    "{\"tool\":\"tool\",\"unready\":{\"a\":\"other\",\"b\":\"why "
	    "\\\"b\\\"\"}}\n",
	    "... all of them");
	reportfd_unready(&report, "b", NULL);
	reportfd_unready(&report, "a", NULL);
	is(got(ends[0]),
	    "{\"tool\":\"tool\",\"unready\":{\"a\":\"other\"}}\n"
	    "{\"tool\":\"tool\",\"unready\":{}}\n",
	    "... and when they are over");
}

TEST(slow_reader)
{
	ok(stuff(ends[1]) == 65536, "a full pipe");
	reportfd_unready(&report, "d", "d");
	things = 3;
	reportfd_send(&report);
	ok(strlen(got(ends[0])) == 65536 && strcmp(got(ends[0]), "") == 0,
	    "a slow reader misses a line, and does not block");
	things = 3;
	reportfd_send(&report);
	is(got(ends[0]),
	    "{\"tool\":\"tool\",\"unready\":{\"d\":\"d\"}}\n"
	    "{\"tool\":\"tool\",\"counters\":{\"things\":3,\"others\":7}}\n",
	    "... but the newest comes when there is room");
}

TEST(metrics)
{
	reportfd_metrics(&report, samples);
	reportfd_send(&report);
	is(got(ends[0]),
	    "{\"tool\":\"tool\",\"metrics\":{\"kpipe_ready\":1}}\n",
	    "metrics have lines of their own");
	sample = 0;
	things = 4;
	reportfd_send(&report);
	is(got(ends[0]),
	    "{\"tool\":\"tool\",\"counters\":{\"things\":4,\"others\":7}}\n"
	    "{\"tool\":\"tool\",\"metrics\":{\"kpipe_ready\":0}}\n",
	    "... which are said when they change");
	reportfd_send(&report);
	is(got(ends[0]), "", "... and then only");
}

static void
test_reader_is_gone(void)
{
	things = 5;
	close(ends[0]);
	reportfd_send(&report);
	ok(report.fd == -1, "a reader that is gone ends it");
	things = 6;
	reportfd_send(&report);
}

static void
test_no_descriptor(struct loop *l)
{
	struct reportfd r;

	reportfd_init(&r, l, "tool", -1, fill, &things);
	reportfd_ready(&r);
	reportfd_send(&r);
	ok(r.said_count == 0, "without a descriptor nothing happens");
	reportfd_release(&r);
}

static void
test_no_counters(struct loop *l)
{
	struct reportfd r;

	reportfd_init(&r, l, "tool", ends[1], NULL, NULL);
	reportfd_ready(&r);
	reportfd_send(&r);
	is(got(ends[0]), "\n", "without counters it is only ready");
	reportfd_release(&r);
}

int
main(void)
{
	struct loop *l = loop_new();

	signal(SIGPIPE, SIG_IGN);
	ok(pipe2(ends, O_CLOEXEC) == 0, "a pipe");
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	reportfd_init(&report, l, "tool", ends[1], fill, &things);
	tap_run();
	test_no_counters(l);
	test_reader_is_gone();
	reportfd_release(&report);
	close(ends[1]);
	test_no_descriptor(l);
	loop_free(l);
	return tap_done();
}
