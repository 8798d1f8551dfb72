#include "failure/memlimit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "tap.h"

static char root[] = "/tmp/test-memlimit.XXXXXX";

static const char *
below(const char *name)
{
	static struct buf b;

	buf_reset(&b);
	buf_addf(&b, "%s/%s", root, name);
	return buf_str(&b);
}

static void
put(const char *name, const char *text)
{
	FILE *f = fopen(below(name), "w");

	if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0)
		ok(false, name);
}

static struct memlimit
find(const char *own)
{
	struct memlimit m;

	memlimit_find(&m, root, span_str(own));
	return m;
}

static void
test_nothing(void)
{
	struct memlimit m = find("");

	ok(m.kills == NULL && m.bytes == 0 && !memlimit_killed(&m),
	    "no cgroups");
	m = find("0::/a\n");
	ok(m.kills == NULL && m.bytes == 0, "no files");
	m = find("no\nsuch:format");
	ok(m.kills == NULL, "no paths");
}

static void
test_v2(void)
{
	struct memlimit m;

	put("memory.events", "low 0\noom 9\noom_kill 4\noom_group_kill 8\n");
	put("memory.max", "67108864\n");
	m = find("0::/\n");
	ok(m.bytes == 64 << 20, "v2: the limit of a container");
	ok(!memlimit_killed(&m), "... kills before the start do not count");
	put("memory.events", "low 0\noom 9\noom_kill 6\noom_group_kill 8\n");
	ok(memlimit_killed(&m) && memlimit_killed(&m), "... two kills");
	ok(!memlimit_killed(&m), "... and no more");
	memlimit_release(&m);
	put("memory.max", "max\n");
	m = find("0::/\n");
	ok(m.bytes == 0 && m.kills != NULL, "... no limit");
	memlimit_release(&m);
	mkdir(below("own"), 0755);
	put("own/memory.events", "oom_kill 0\n");
	put("own/memory.max", "1048576\n");
	m = find("0::/own\n");
	ok(m.bytes == 1 << 20, "... of the own cgroup");
	memlimit_release(&m);
	m = find("0::/../other\n");
	ok(m.kills != NULL && m.bytes == 0, "... else what is mounted");
	memlimit_release(&m);
}

static void
test_v1(void)
{
	static const char own[] = "9:cpu,cpuacct:/x\n4:memory:/own\n0::/\n";
	struct memlimit m;

	mkdir(below("memory"), 0755);
	put("memory/memory.oom_control",
	    "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n");
	put("memory/memory.limit_in_bytes", "9223372036854771712\n");
	m = find(own);
	ok(m.kills != NULL && m.bytes == 0, "v1 before v2: no limit");
	put("memory/memory.oom_control",
	    "oom_kill_disable 0\nunder_oom 1\noom_kill 1\n");
	ok(memlimit_killed(&m) && !memlimit_killed(&m), "... a kill");
	memlimit_release(&m);
	mkdir(below("memory/own"), 0755);
	put("memory/own/memory.oom_control", "oom_kill 0\n");
	put("memory/own/memory.limit_in_bytes", "8388608\n");
	m = find(own);
	ok(m.bytes == 8 << 20, "... of the own cgroup");
	memlimit_release(&m);
}

int
main(void)
{
	static const char *const left[] = {"memory/own/memory.oom_control",
	    "memory/own/memory.limit_in_bytes", "memory/own",
	    "memory/memory.oom_control", "memory/memory.limit_in_bytes",
	    "memory", "own/memory.events", "own/memory.max", "own",
	    "memory.events", "memory.max", "."};

	ok(mkdtemp(root) != NULL, "a directory");
	test_nothing();
	test_v2();
	test_v1();
	for (size_t i = 0; i < sizeof(left) / sizeof(*left); i++)
		remove(below(left[i]));
	rmdir(root);
	return tap_done();
}
