#include "program/zones.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/quote.h"
#include "process/file.h"
#include "program/evaluator.h"

#define DEFAULT_DIR "/usr/share/zoneinfo"

enum {
	DEPTH_MAX = 3, /* America/Argentina/Ushuaia */
	COUNT_MAX = 4096,
	BYTES_MAX = 8 << 20,
	NAME_SHOWN = 64 /* bytes, in a message */
};

static struct zones *const zones = &evaluator.zones;

void
zones_init(void)
{
	const char *dir = getenv("TZDIR");

	free(zones->dir);
	zones->dir = dir == NULL || *dir == '\0' ? NULL : mem_strdup(dir);
}

static void
add_file(const char *path, const char *name)
{
	struct buf text = BUF_INIT;
	struct span essence = SPAN_NONE;
	struct zone z;

	if (file_read(path, 1, &text, NULL) == 0)
		essence = zone_essence(buf_span(&text));
	if (essence.p != NULL && zone_read(&z, essence) == 0 &&
	    zones->count < COUNT_MAX &&
	    zones->bytes.len + essence.n <= BYTES_MAX) {
		zones->items = mem_array(
		    zones->items, zones->count + 1, sizeof(*zones->items));
		zones->items[zones->count++] = (struct named_zone){
		    mem_strdup(name), zones->bytes.len, essence.n};
		buf_addspan(&zones->bytes, essence);
	}
	buf_release(&text);
}

/* Names of zones begin with a capital; posix/, right/ and tables do not. */
static bool
is_wanted(const char *name)
{
	return *name >= 'A' && *name <= 'Z' && strchr(name, '.') == NULL;
}

/* prefix: "", or "America/". */
static void
add_dir(const char *path, const char *prefix, int depth)
{
	DIR *dir = opendir(path);
	const struct dirent *e;

	while (dir != NULL && (e = readdir(dir)) != NULL) {
		struct buf file = BUF_INIT, name = BUF_INIT;
		struct stat st;

		if (!is_wanted(e->d_name))
			continue;
		buf_addf(&file, "%s/%s", path, e->d_name);
		buf_addf(&name, "%s%s", prefix, e->d_name);
		if (stat(buf_str(&file), &st) != 0)
			st.st_mode = 0;
		if (S_ISREG(st.st_mode))
			add_file(buf_str(&file), buf_str(&name));
		if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX) {
			buf_addc(&name, '/');
			add_dir(buf_str(&file), buf_str(&name), depth + 1);
		}
		buf_release(&file);
		buf_release(&name);
	}
	if (dir != NULL)
		closedir(dir);
}

static int
compare(const void *a, const void *b)
{
	const struct named_zone *x = a, *y = b;

	return strcmp(x->name, y->name);
}

void
zones_load(void)
{
	if (zones->loaded)
		return;
	zones->loaded = true;
	add_dir(zones->dir == NULL ? DEFAULT_DIR : zones->dir, "", 1);
	if (zones->count > 0)
		qsort(
		    zones->items, zones->count, sizeof(*zones->items), compare);
}

void
zones_free(void)
{
	for (size_t i = 0; i < zones->count; i++)
		free(zones->items[i].name);
	free(zones->items);
	zones->items = NULL;
	zones->count = 0;
	zones->loaded = false;
	buf_release(&zones->bytes);
}

static int
compare_name(const void *key, const void *item)
{
	const struct span *name = key;
	const struct named_zone *z = item;

	return span_cmp(*name, span_str(z->name));
}

static int
refuse(struct span name, const char *why, struct err *err)
{
	struct buf text = BUF_INIT;

	if (name.n > NAME_SHOWN)
		name.n = NAME_SHOWN;
	quote_text(&text, name);
	err_set(err, ERR_PERMANENT, "time zone \"%s\" %s", buf_str(&text), why);
	buf_release(&text);
	return -1;
}

int
zones_find(struct span name, struct zone *z, struct err *err)
{
	const struct named_zone *found = NULL;

	*z = ZONE_UTC;
	if (span_is(name, "UTC"))
		return 0;
	if (zones->count > 0)
		found = bsearch(&name, zones->items, zones->count,
		    sizeof(*zones->items), compare_name);
	if (found != NULL)
		return zone_read(
		    z, span_make(zones->bytes.data + found->at, found->n));
	return refuse(name,
	    zones->count > 0
		? "is unknown"
		: "is not installed: no time zones are (package tzdata)",
	    err);
}
