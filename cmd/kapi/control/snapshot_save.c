/* Part of control/snapshot.h: every object as a line of a file, for --save. */
#include "control/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "control/gc.h"
#include "json/json.h"
#include "process/file.h"
#include "store/store.h"

enum { CHUNK = 1 << 16 };

static int
write_whole(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t k = write(fd, p, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return -1;
		p += k;
		n -= (size_t)k;
	}
	return 0;
}

static bool
is_definitions(const struct collection *c)
{
	return span_is(
		   store_collection_plural(c), "customresourcedefinitions") &&
	    span_is(store_collection_group(c), "apiextensions.k8s.io");
}

static int
compare_collections(const void *x, const void *y)
{
	const struct collection *c = *(struct collection *const *)x;
	const struct collection *d = *(struct collection *const *)y;
	int by_group;

	if (is_definitions(c) != is_definitions(d))
		return is_definitions(c) ? -1 : 1;
	by_group =
	    span_cmp(store_collection_group(c), store_collection_group(d));
	return by_group != 0
	    ? by_group
	    : span_cmp(store_collection_plural(c), store_collection_plural(d));
}

static struct collection **
collections(const struct store *s, size_t *n)
{
	struct collection **all = NULL, *c = NULL;

	*n = 0;
	while ((c = store_next_collection(s, c)) != NULL) {
		all = mem_grow(all, *n, sizeof(struct collection *));
		all[(*n)++] = c;
	}
	if (*n > 0)
		qsort(
		    all, *n, sizeof(struct collection *), compare_collections);
	return all;
}

static int
save_collection(int fd, const struct collection *c, struct buf *b)
{
	struct span after = SPAN_NONE;
	struct stored *o;

	while ((o = store_next(c, SPAN_NONE, after)) != NULL) {
		buf_adds(b, "{\"type\":\"ADDED\",\"object\":");
		buf_addspan(b, text_span(o->json));
		buf_adds(b, "}\n");
		if (b->len >= CHUNK) {
			if (write_whole(fd, b->data, b->len) != 0)
				return -1;
			buf_reset(b);
		}
		after = o->key;
	}
	return 0;
}

static int
save_all(int fd, const struct store *s)
{
	size_t n;
	struct collection **all = collections(s, &n);
	struct buf b = BUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = save_collection(fd, all[i], &b);
	/* Versions go on from here: a watch that comes back is told that its
	 * history is gone, and not silently less. */
	buf_addf(&b,
	    "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Namespace\","
	    "\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"%" PRIu64
	    "\"}}}\n",
	    store_version(s));
	if (rc == 0 && b.len > 0)
		rc = write_whole(fd, b.data, b.len);
	buf_release(&b);
	free(all);
	return rc;
}

static int
save_file(const struct store *s, const char *path, struct err *err)
{
	struct buf temporary = BUF_INIT;
	/* Secrets are in it. */
	int fd, rc = -1, saved;

	buf_addf(&temporary, "%s.tmp", path);
	unlink(buf_str(&temporary));
	fd =
	    file_open_private(buf_str(&temporary), O_WRONLY | O_CREAT | O_EXCL);
	if (fd < 0)
		goto out;
	rc = save_all(fd, s);
	if (rc == 0)
		rc = fsync(fd);
	saved = errno;
	if (close(fd) != 0 && rc == 0) {
		saved = errno;
		rc = -1;
	}
	if (rc == 0 && rename(buf_str(&temporary), path) != 0) {
		saved = errno;
		rc = -1;
	}
	if (rc != 0)
		unlink(buf_str(&temporary));
	errno = saved;
out:
	if (rc != 0)
		err_set(err, ERR_TRANSIENT, "cannot write %s: %s", path,
		    strerror(errno));
	buf_release(&temporary);
	return rc;
}

/* A device, a pipe or a link is not replaced. */
static bool
is_special(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static int
save_into(const struct store *s, const char *path, struct err *err)
{
	int fd = file_open_private(path, O_WRONLY | O_TRUNC);
	int rc = fd < 0 ? -1 : save_all(fd, s);

	if (rc != 0)
		err_set(err, ERR_TRANSIENT, "cannot write %s: %s", path,
		    strerror(errno));
	if (fd >= 0 && close(fd) != 0 && rc == 0)
		rc = err_set(err, ERR_TRANSIENT, "cannot write %s: %s", path,
		    strerror(errno));
	return rc;
}

int
snapshot_save(struct api *api, const char *path, struct err *err)
{
	/* A file does not tell that an owner once existed. */
	if (api->gc != NULL)
		gc_drain(api->gc);
	if (strcmp(path, "-") != 0)
		return is_special(path) ? save_into(api->store, path, err)
					: save_file(api->store, path, err);
	if (save_all(STDOUT_FILENO, api->store) == 0)
		return 0;
	return err_set(
	    err, ERR_TRANSIENT, "cannot write the state: %s", strerror(errno));
}
