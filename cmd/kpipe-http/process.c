#include "process.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "process/file.h"

enum { TOOLS_MAX = 32 };

struct process {
	long pid;
	char name[16];
	double cpu_s, start_s; /* start: since boot */
	double resident, virtual_;
	double fds, fds_max;
};

struct total {
	struct process all[TOOLS_MAX];
	size_t count;
};

static bool
read_proc(long pid, const char *file, struct buf *b)
{
	struct buf path = BUF_INIT;
	bool good;

	buf_reset(b);
	buf_addf(&path, "/proc/%ld/%s", pid, file);
	good = file_read(buf_str(&path), 1, b, NULL) == 0;
	buf_release(&path);
	return good;
}

/* proc(5): the name is in parentheses, and may contain parentheses and
 * blanks. */
static bool
take_stat(struct process *p, const char *text)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	double ticks = (double)sysconf(_SC_CLK_TCK), fields[25];
	size_t n;
	char *end;

	if (open == NULL || close == NULL || close < open || close[1] == '\0' ||
	    close[2] == '\0')
		return false;
	n = (size_t)(close - open) - 1;
	memcpy(p->name, open + 1, n < sizeof(p->name) ? n : 0);
	text = close + 3; /* the state; from 4 on all are numbers */
	for (size_t i = 4; i < COUNT(fields); i++) {
		fields[i] = strtod(text + 1, &end);
		if (end == text + 1)
			return false;
		text = end;
	}
	/* utime, stime, and those of children that were waited for */
	p->cpu_s = (fields[14] + fields[15] + fields[16] + fields[17]) / ticks;
	p->start_s = fields[22] / ticks;
	p->virtual_ = fields[23];
	p->resident = fields[24] * (double)sysconf(_SC_PAGESIZE);
	return true;
}

/*
 * -1: not known. Since Linux 6.2 the size of the directory is their number
 * (fs/proc/fd.c, proc_fd_getattr), and any process may read it. Only root and
 * the process itself may list it, because the tools are not dumpable
 * (harden.h).
 */
static double
count_fds(long pid)
{
	struct buf path = BUF_INIT;
	struct stat st = {.st_size = 0};
	double n = 0;
	DIR *d;

	buf_addf(&path, "/proc/%ld/fd", pid);
	if (stat(buf_str(&path), &st) == 0 && st.st_size > 0) {
		buf_release(&path);
		return (double)st.st_size;
	}
	d = opendir(buf_str(&path));
	buf_release(&path);
	if (d == NULL)
		return -1;
	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n - 2; /* . and .. */
}

static double
max_fds(const char *limits)
{
	static const char name[] = "Max open files";
	const char *at = strstr(limits, name);

	return at == NULL ? 0 : strtod(at + sizeof(name) - 1, NULL);
}

static void
add_process(struct total *t, long pid)
{
	struct process *p = &t->all[t->count];
	struct buf b = BUF_INIT;

	*p = (struct process){.pid = pid};
	if (t->count < TOOLS_MAX && read_proc(pid, "stat", &b) &&
	    take_stat(p, buf_str(&b))) {
		p->fds = count_fds(pid);
		if (read_proc(pid, "limits", &b))
			p->fds_max = max_fds(buf_str(&b));
		t->count++;
	}
	buf_release(&b);
}

static void
add_children(struct total *t, long pid)
{
	struct buf file = BUF_INIT, b = BUF_INIT;
	char *at, *end;

	buf_addf(&file, "task/%ld/children", pid);
	if (read_proc(pid, buf_str(&file), &b)) {
		buf_str(&b);
		at = b.data;
		for (;; at = end) {
			long child = strtol(at, &end, 10);

			if (end == at)
				break;
			add_process(t, child);
		}
	}
	buf_release(&file);
	buf_release(&b);
}

static double
boot_time(void)
{
	struct buf b = BUF_INIT;
	const char *at;
	double t = 0;

	if (file_read("/proc/stat", 1, &b, NULL) == 0 &&
	    (at = strstr(buf_str(&b), "\nbtime ")) != NULL)
		t = strtod(at + 7, NULL);
	buf_release(&b);
	return t;
}

/* Tools of one name (a stage, and the one before it that is ending) are one
 * series. */
static void
add_tools(const struct total *t, struct metric_lines *m)
{
	for (size_t i = 0; i < t->count; i++) {
		const char *name = t->all[i].name;
		double cpu = 0, resident = 0;
		bool seen = false;

		for (size_t j = 0; j < t->count; j++) {
			if (strcmp(name, t->all[j].name) != 0)
				continue;
			seen = seen || j < i;
			cpu += t->all[j].cpu_s;
			resident += t->all[j].resident;
		}
		if (seen)
			continue;
		metric_add(m, METRIC_TOOL_CPU, METRIC_LABELS(name), cpu);
		metric_add(
		    m, METRIC_TOOL_RESIDENT, METRIC_LABELS(name), resident);
	}
}

void
process_metrics(struct metric_lines *m)
{
	struct total t = {.count = 0};
	struct process sum = {.pid = 0};
	bool counted = true;

	add_process(&t, getppid());
	if (t.count == 1 && strcmp(t.all[0].name, "kpipe") == 0) {
		add_children(&t, getppid());
	} else {
		t.count = 0;
		add_process(&t, getpid());
	}
	for (size_t i = 0; i < t.count; i++) {
		sum.cpu_s += t.all[i].cpu_s;
		sum.resident += t.all[i].resident;
		sum.virtual_ += t.all[i].virtual_;
		sum.fds += t.all[i].fds;
		counted = counted && t.all[i].fds >= 0;
		sum.fds_max += t.all[i].fds_max;
	}
	if (t.count == 0)
		return;
	metric_add(m, METRIC_PROCESS_CPU, NULL, sum.cpu_s);
	metric_add(m, METRIC_PROCESS_RESIDENT, NULL, sum.resident);
	metric_add(m, METRIC_PROCESS_VIRTUAL, NULL, sum.virtual_);
	metric_add(
	    m, METRIC_PROCESS_START, NULL, boot_time() + t.all[0].start_s);
	if (counted)
		metric_add(m, METRIC_PROCESS_OPEN_FDS, NULL, sum.fds);
	metric_add(m, METRIC_PROCESS_MAX_FDS, NULL, sum.fds_max);
	add_tools(&t, m);
}
