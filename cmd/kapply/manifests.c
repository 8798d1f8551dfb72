#include "manifests.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/mem.h"

static void
add(struct opt_list *found, const char *name)
{
	found->items =
	    mem_grow(found->items, found->count, sizeof(*found->items));
	found->items[found->count++] = mem_strdup(name);
}

void
manifests_free(struct opt_list *found)
{
	for (size_t i = 0; i < found->count; i++)
		free((char *)found->items[i]);
	free(found->items);
	*found = (struct opt_list){0};
}

static int
cannot_read(const char *name, struct err *err)
{
	return err_set(
	    err, ERR_PERMANENT, "cannot read %s: %s", name, strerror(errno));
}

static bool
is_manifest(const char *name)
{
	static const char *const ends[] = {".json", ".yaml", ".yml"};
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; dot != NULL && i < COUNT(ends); i++)
		if (strcmp(dot, ends[i]) == 0)
			return true;
	return false;
}

static bool
is_folder(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 && S_ISDIR(st.st_mode);
}

static int
not_dots(const struct dirent *d)
{
	return strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0;
}

static int walk(
    struct opt_list *found, const char *folder, bool deep, struct err *err);

/* A link is what it leads to, but no folder: it may lead anywhere, also back. */
static int
visit(struct opt_list *found, const char *path, bool deep, struct err *err)
{
	struct stat st;

	if (lstat(path, &st) != 0)
		return cannot_read(path, err);
	if (S_ISDIR(st.st_mode))
		return deep ? walk(found, path, deep, err) : 0;
	if (!is_manifest(path))
		return 0;
	if (is_folder(path))
		return err_set(err, ERR_PERMANENT,
		    "%s is a link to a folder, and not followed: name it, too, "
		    "to have what is in it",
		    path);
	if (access(path, R_OK) != 0)
		return cannot_read(path, err);
	add(found, path);
	return 0;
}

static int
walk(struct opt_list *found, const char *folder, bool deep, struct err *err)
{
	struct dirent **names;
	int n = scandir(folder, &names, not_dots, alphasort), rc = 0;

	if (n < 0)
		return cannot_read(folder, err);
	for (int i = 0; i < n; i++) {
		struct buf path = BUF_INIT;

		buf_addf(&path, "%s/%s", folder, names[i]->d_name);
		if (rc == 0)
			rc = visit(found, buf_str(&path), deep, err);
		buf_release(&path);
		free(names[i]);
	}
	free(names);
	return rc;
}

int
manifests_add(
    struct opt_list *found, const char *name, bool deep, struct err *err)
{
	size_t before = found->count;

	if (strcmp(name, "-") == 0 || !is_folder(name)) {
		if (strcmp(name, "-") != 0 && access(name, R_OK) != 0)
			return cannot_read(name, err);
		add(found, name);
		return 0;
	}
	if (walk(found, name, deep, err) != 0)
		return -1;
	if (found->count == before)
		return err_set(err, ERR_PERMANENT,
		    "%s has no file .json, .yaml or .yml%s", name,
		    deep ? "" : " (-R looks in folders below it, too)");
	return 0;
}
