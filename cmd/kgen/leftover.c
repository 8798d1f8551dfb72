#include "leftover.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "genfiles.h"
#include "process/file.h"

static int
is_visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static bool
has(const char *folder, const char *path)
{
	struct buf b = BUF_INIT;
	bool there;

	buf_addf(&b, "%s/%s", folder, path);
	there = access(buf_str(&b), F_OK) == 0;
	buf_release(&b);
	return there;
}

static bool
is_of(const char *path, const char *command)
{
	struct buf text = BUF_INIT;
	bool of = file_read(path, GENFILES_MAX_MIB, &text, NULL) == 0 &&
	    genfiles_is_of(buf_span(&text), command);

	buf_release(&text);
	return of;
}

static void
look_at(const char *path, const struct leftover_search *search, int depth,
    struct textlist *found)
{
	struct stat st;

	if (lstat(path, &st) != 0)
		return;
	if (S_ISDIR(st.st_mode) && depth > 0 && !has(path, search->first))
		leftover_find(path, search, depth - 1, found);
	else if (S_ISREG(st.st_mode) &&
	    !textlist_has(search->known, path, strlen(path)) &&
	    is_of(path, search->command))
		textlist_add(found, path, strlen(path));
}

void
leftover_find(const char *folder, const struct leftover_search *search,
    int depth, struct textlist *found)
{
	struct span name = span_trim_end(span_str(folder), "/");
	struct dirent **entries = NULL;
	int n = scandir(folder, &entries, is_visible, alphasort);

	for (int i = 0; i < n; i++) {
		struct buf path = BUF_INIT;

		buf_addf(&path, "%.*s/%s", SPAN_ARG(name), entries[i]->d_name);
		look_at(buf_str(&path), search, depth, found);
		buf_release(&path);
		free(entries[i]);
	}
	free(entries);
}
