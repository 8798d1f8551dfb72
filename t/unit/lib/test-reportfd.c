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

/* What the reader has got by now. */
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

int
main(void)
{
	struct loop *l = loop_new();
	struct reportfd r;
	uint64_t n = 1;
	int p[2];

	signal(SIGPIPE, SIG_IGN);
	ok(pipe2(p, O_CLOEXEC) == 0, "a pipe");
	fcntl(p[0], F_SETFL, O_NONBLOCK);
	reportfd_init(&r, l, "tool", p[1], fill, &n);
	reportfd_send(&r);
	is(got(p[0]), "", "nothing before the tool is ready");
	reportfd_ready(&r);
	reportfd_send(&r);
	is(got(p[0]),
	    "\n{\"tool\":\"tool\",\"counters\":{\"things\":1,\"others\":7}}\n",
	    "ready: a newline and the counters");
	reportfd_ready(&r);
	reportfd_send(&r);
	is(got(p[0]), "", "what did not change is not said again");
	n = 2;
	reportfd_send(&r);
	is(got(p[0]),
	    "{\"tool\":\"tool\",\"counters\":{\"things\":2,\"others\":7}}\n",
	    "what did is");

	reportfd_unready(&r, "b", "why \"b\"");
	is(got(p[0]),
	    "{\"tool\":\"tool\",\"unready\":{\"b\":\"why \\\"b\\\"\"}}\n",
	    "a reason is said at once");
	reportfd_unready(&r, "b", "why \"b\"");
	reportfd_unready(&r, "c", NULL);
	is(got(p[0]), "", "... and once");
	reportfd_unready(&r, "a", "other");
	is(got(p[0]),
	    "{\"tool\":\"tool\",\"unready\":{\"a\":\"other\",\"b\":\"why "
	    "\\\"b\\\"\"}}\n",
	    "... all of them");
	reportfd_unready(&r, "b", NULL);
	reportfd_unready(&r, "a", NULL);
	is(got(p[0]),
	    "{\"tool\":\"tool\",\"unready\":{\"a\":\"other\"}}\n"
	    "{\"tool\":\"tool\",\"unready\":{}}\n",
	    "... and when they are over");

	ok(stuff(p[1]) == 65536, "a full pipe");
	reportfd_unready(&r, "d", "d");
	n = 3;
	reportfd_send(&r);
	ok(strlen(got(p[0])) == 65536 && strcmp(got(p[0]), "") == 0,
	    "a slow reader misses a line, and nobody waits");
	n = 3;
	reportfd_send(&r);
	is(got(p[0]),
	    "{\"tool\":\"tool\",\"unready\":{\"d\":\"d\"}}\n"
	    "{\"tool\":\"tool\",\"counters\":{\"things\":3,\"others\":7}}\n",
	    "... but the newest comes when there is room");
	reportfd_metrics(&r, samples);
	reportfd_send(&r);
	is(got(p[0]), "{\"tool\":\"tool\",\"metrics\":{\"kpipe_ready\":1}}\n",
	    "metrics have lines of their own");
	sample = 0;
	n = 4;
	reportfd_send(&r);
	is(got(p[0]),
	    "{\"tool\":\"tool\",\"counters\":{\"things\":4,\"others\":7}}\n"
	    "{\"tool\":\"tool\",\"metrics\":{\"kpipe_ready\":0}}\n",
	    "... which are said when they change");
	reportfd_send(&r);
	is(got(p[0]), "", "... and then only");
	n = 5;
	close(p[0]);
	reportfd_send(&r);
	ok(r.fd == -1, "a reader that is gone ends it");
	n = 6;
	reportfd_send(&r);
	reportfd_release(&r);
	close(p[1]);

	reportfd_init(&r, l, "tool", -1, fill, &n);
	reportfd_ready(&r);
	reportfd_send(&r);
	ok(r.said_count == 0, "without a descriptor nothing happens");
	reportfd_release(&r);
	loop_free(l);
	return tap_done();
}
