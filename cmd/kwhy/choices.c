#include "choices.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sought.h"
#include "base/arena.h"
#include "base/mem.h"
#include "process/clock.h"
#include "record/reading.h"

enum { COMPLETE_MS = 1000 }; /* a shell waits no longer for names */

static bool
is_recording(const char *name)
{
	struct reading_segments s = {NULL, 0};
	struct err err = ERR_INIT;
	struct stat st;
	struct span n = span_str(name);
	bool found;

	if (span_ends(n, ".jsonl") || span_ends(n, ".jsonl.zst"))
		return stat(name, &st) == 0 && S_ISREG(st.st_mode);
	found = reading_list_segments(name, &s, &err) == 0 && s.count > 0;
	free(s.sequences);
	return found;
}

static int
is_offered(const struct dirent *e)
{
	return *e->d_name != '.' && is_recording(e->d_name);
}

/* The only recording in this folder, or the folder itself. Owned; NULL: there is
 * none, or there are several. */
static char *
find_recording(void)
{
	struct dirent **list = NULL;
	char *found = NULL;
	int n;

	if (is_recording("."))
		return mem_strdup(".");
	n = scandir(".", &list, is_offered, NULL);
	if (n == 1)
		found = mem_strdup(list[0]->d_name);
	while (n-- > 0)
		free(list[n]);
	free(list);
	return found;
}

/* Kinds and names that the first lines of a recording have. */
static void
note_objects(struct sought *a, const char *path)
{
	uint64_t end = clock_ms() + COMPLETE_MS;
	struct arena names = ARENA_INIT;
	struct err err = ERR_INIT;
	struct reading *r = reading_new(&path, 1, &err);
	struct reading_line line;

	while (r != NULL && reading_next(r, &line) == READING_LINE &&
	    clock_ms() < end) {
		struct objref ref;

		if (line.kind != READING_EVENT)
			continue;
		arena_reset(&names);
		ref = reading_ref(line.body, &names);
		if (ref.name.n > 0)
			sought_note(a, &ref);
	}
	if (r != NULL)
		reading_free(r);
	arena_release(&names);
}

/* Those that begin like the word, without what a shell would expand. */
static void
add_matching(struct buf *b, const struct textlist *list, const char *before,
    const char *word)
{
	for (size_t i = 0; i < list->count; i++) {
		size_t at = b->len;

		buf_addf(b, "%s%s", before, list->items[i]);
		for (size_t j = at; j < b->len; j++)
			if (!span_is_alnum(b->data[j]) &&
			    !span_is_among(b->data[j], ".-_:/"))
				buf_truncate(b, at);
		if (b->len > at &&
		    strncmp(buf_str(b) + at, word, strlen(word)) == 0)
			buf_addc(b, '\n');
		else
			buf_truncate(b, at);
	}
}

void
choices_add(
    struct buf *b, int count, char **words, int later_count, char **later)
{
	const char *operands[2] = {NULL, NULL};
	char *word = words[count - 1], *path = NULL;
	struct err err = ERR_INIT;
	struct sought sought;
	int n = 0;

	for (int i = 0; i < count - 1 && n < 2; i++)
		if (*words[i] != '-' &&
		    (i == 0 || strcmp(words[i - 1], "-n") != 0))
			operands[n++] = words[i];
	if (n > 1 || (n == 1 && strchr(operands[0], '/') != NULL) ||
	    sought_init(&sought, n == 1 ? operands[0] : "x", "x", NULL, &err) !=
		0)
		return;
	if (later_count > 0 && is_recording(later[later_count - 1]))
		path = mem_strdup(later[later_count - 1]);
	else
		path = find_recording();
	if (path != NULL)
		note_objects(&sought, path);
	add_matching(b, n == 0 ? &sought.kinds : &sought.names, "", word);
	free(path);
	sought_release(&sought);
}
