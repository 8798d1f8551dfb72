#include "child/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "kubeconfig/kubeopt.h"

#define INSIDE(name, fn, id) inside_fn fn;
#include <inside.inc>
#undef INSIDE
#define INSIDE(name, fn, id) {name, fn, id, sizeof(id) - 1},

/* The end has no name. */
static const struct inside {
	const char *name;
	inside_fn *fn;
	const char *id; /* the GNU build ID of the program, as bytes */
	size_t id_size;
} tools[] = {
#include <inside.inc>
    {NULL, NULL, NULL, 0}};

/* The notes of a program are in its first page, and the build ID is one. */
enum { NOTES_MAX = 4096 };

static bool
has_id(const char *path, const struct inside *b)
{
	char head[NOTES_MAX];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, head, sizeof(head));
	close(fd);
	return n > 0 && b->id_size > 0 &&
	    memmem(head, (size_t)n, b->id, b->id_size) != NULL;
}

/* path is a link to this very program. */
static bool
is_ourselves(const char *path)
{
	struct stat self, other;

	return stat("/proc/self/exe", &self) == 0 && stat(path, &other) == 0 &&
	    self.st_dev == other.st_dev && self.st_ino == other.st_ino;
}

static const struct inside *
find(const char *name)
{
	for (const struct inside *b = tools; b->name != NULL; b++)
		if (strcmp(b->name, name) == 0)
			return b;
	return NULL;
}

bool inside_only;
inside_relay_fn *inside_relay;

inside_fn *
inside_find(const char *name, const char *path)
{
	const struct inside *b = find(name);

	if (b == NULL ||
	    !(inside_only || has_id(path, b) || is_ourselves(path)))
		return NULL;
	return b->fn;
}

inside_fn *
inside_called(const char *command)
{
	const char *slash = strrchr(command, '/');
	const char *name = slash != NULL ? slash + 1 : command;
	const char *own = strncmp(name, INSIDE_ASIDE, strlen(INSIDE_ASIDE)) == 0
	    ? name + strlen(INSIDE_ASIDE)
	    : name;
	const struct inside *b = find(own);

	return b != NULL ? b->fn : NULL;
}

/* ---- a call in a forked child ---- */

extern char **environ;

/* The bytes that the kernel shows as cmdline and environ of the process. */
static struct {
	char *start;
	size_t size;
} area;

/* The next string of the area, which lie one behind the other. */
static void
grow_area(char *const *strings)
{
	for (; *strings != NULL; strings++)
		if (*strings == area.start + area.size)
			area.size += strlen(*strings) + 1;
}

void
inside_begin(char **argv)
{
	area.start = argv[0];
	area.size = 0;
	if (area.start == NULL)
		return;
	grow_area(argv);
	grow_area(environ);
}

/* ---- arguments and environment ---- */

static size_t
bytes_of(char *const *strings)
{
	size_t n = 0;

	for (; *strings != NULL; strings++)
		n += strlen(*strings) + 1;
	return n;
}

/* Copies the strings to *to, which goes on behind them. The list is owned. */
static char **
copy(char *const *strings, char **to)
{
	char **list;
	size_t count = 0;

	while (strings[count] != NULL)
		count++;
	list = mem_zalloc((count + 1) * sizeof(*list));
	for (size_t i = 0; i < count; i++) {
		size_t n = strlen(strings[i]) + 1;

		list[i] = memcpy(*to, strings[i], n);
		*to += n;
	}
	return list;
}

/* proc(5): the fields of /proc/PID/stat, by number; the name, which is field
 * 2, may contain blanks. */
enum {
	START_CODE = 26,
	END_CODE,
	START_STACK,
	START_DATA = 45,
	END_DATA,
	START_BRK,
	STAT_FIELDS
};

static bool
read_stat(uint64_t fields[STAT_FIELDS])
{
	char text[1024], *at;
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	at = strrchr(text, ')');
	for (int i = 3; i < STAT_FIELDS; i++) {
		at = at != NULL ? strchr(at + 1, ' ') : NULL;
		fields[i] = at != NULL ? strtoull(at, NULL, 10) : 0;
	}
	return at != NULL;
}

/* Tells the kernel where they are now, so that ps shows them. A kernel may lack
 * the call (CONFIG_CHECKPOINT_RESTORE), a container /proc. */
static bool
move_area(char *args, char *env, char *end)
{
	uint64_t f[STAT_FIELDS];
	struct prctl_mm_map map = {.exe_fd = (uint32_t)-1};

	if (!read_stat(f))
		return false;
	map.start_code = f[START_CODE];
	map.end_code = f[END_CODE];
	map.start_data = f[START_DATA];
	map.end_data = f[END_DATA];
	map.start_brk = f[START_BRK];
	map.brk = (uintptr_t)sbrk(0);
	map.start_stack = f[START_STACK];
	map.arg_start = (uintptr_t)args;
	map.arg_end = map.env_start = (uintptr_t)env;
	map.env_end = (uintptr_t)end;
	return prctl(PR_SET_MM, PR_SET_MM_MAP, (unsigned long)&map, sizeof(map),
		   0) == 0;
}

/*
 * Nothing of the parent's stays in the old place; if that must remain the place
 * for the kernel, as many arguments as fit are put there. The new place is never
 * freed.
 */
static char **
take_strings(const struct inside_call *a)
{
	size_t args = bytes_of(a->argv), all = args + bytes_of(a->env);
	char *block = mem_alloc(all + 1), *at = block;
	char **argv = copy(a->argv, &at), **env = copy(a->env, &at);

	explicit_bzero(area.start, area.size);
	if (!move_area(block, block + args, block + all) && area.size > 0)
		memcpy(
		    area.start, block, args < area.size ? args : area.size - 1);
	environ = env;
	program_invocation_name = program_invocation_short_name = argv[0];
	return argv;
}

/* ---- the call ---- */

/* A tool's main begins with these as they are in its file. The options of the
 * log and of the sandbox are always handed on as arguments, all of them. */
static void
forget(void)
{
	kube_opts = (struct kube_opts){NULL};
	hash_forget();
}

void
inside_run(const struct inside_call *a)
{
	char **argv;
	int argc = 0;

	if (close_range((unsigned)a->fds, ~0u, 0) != 0)
		return;
	argv = take_strings(a);
	prctl(PR_SET_NAME, a->name);
	forget();
	while (argv[argc] != NULL)
		argc++;
	exit(a->fn(argc, argv));
}
