#include "control/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/map.h"
#include "base/mem.h"
#include "control/controller.h"
#include "control/crd_control.h"
#include "control/gc.h"
#include "crd/crd.h"
#include "json/json.h"
#include "json/stream.h"
#include "process/file.h"
#include "store/store.h"
#include "value/objref.h"

/* The newest state of one object of the file. */
struct snapshot_entry {
	char *key;   /* owned: GROUP/KIND and NAMESPACE/NAME */
	size_t kind; /* bytes of key that are GROUP/KIND */
	char *text;  /* owned */
	size_t n;
	uint64_t version; /* 0: none that could be kept */
	size_t line;
	bool definition; /* a CustomResourceDefinition */
	bool stale;	 /* not seen since its kind began again */
};

struct snapshot {
	struct api *api; /* NULL while lines are read */
	const char *path;
	struct map entries; /* by key */
	size_t line;	    /* the line that is read */
	struct arena arena; /* for one object */
	uint64_t free;	    /* no object has a version from here on */
	uint64_t last;	    /* the highest of the bookmarks */
};

static int
fail(const struct snapshot *l, struct err *err, const char *what)
{
	return err_set(
	    err, ERR_PERMANENT, "%s:%zu: %s", l->path, l->line, what);
}

static void
free_entry(struct snapshot_entry *e)
{
	free(e->key);
	free(e->text);
	free(e);
}

/* "GROUP/KIND" and, unless object is NULL, " NAMESPACE/NAME". */
static struct span
key_of(
    struct snapshot *l, const struct json_frame *f, bool object, size_t *kind)
{
	struct span head = arena_printf(&l->arena, "%.*s/%.*s",
	    SPAN_ARG(objref_group(f->api_version)), SPAN_ARG(f->kind));

	*kind = head.n;
	return !object
	    ? head
	    : arena_printf(&l->arena, "%.*s %.*s/%.*s", SPAN_ARG(head),
		  SPAN_ARG(f->namespace_), SPAN_ARG(f->name));
}

/* The versions of an API server fit into 63 bits. 0: none that could be kept. */
static uint64_t
version_of(struct span digits)
{
	uint64_t v = 0;

	return digits.n <= 18 && span_is_digits(digits) &&
		span_number(digits, INT64_MAX, &v)
	    ? v
	    : 0;
}

static void
put_entry(struct snapshot *l, const struct json_frame *f, struct span object)
{
	size_t kind;
	struct span key = key_of(l, f, true, &kind);
	struct snapshot_entry *e = map_get(&l->entries, key);

	if (e == NULL) {
		e = mem_zalloc(sizeof(*e));
		e->key = mem_dup(key.p, key.n);
		e->kind = kind;
		map_put(&l->entries, span_make(e->key, key.n), e);
	}
	free(e->text);
	e->text = mem_dup(object.p, object.n);
	e->n = object.n;
	e->version = version_of(f->resource_version);
	e->line = l->line;
	e->stale = false;
	e->definition = span_is(f->kind, "CustomResourceDefinition") &&
	    span_is(objref_group(f->api_version), "apiextensions.k8s.io");
}

static void
drop_entry(struct snapshot *l, struct span key)
{
	struct snapshot_entry *e = map_del(&l->entries, key);

	if (e != NULL)
		free_entry(e);
}

/* Takes a bookmark. Two of them enclose the initial state of a kind: older
 * objects that do not come again between the two were deleted. */
static void
take_bookmark(struct snapshot *l, const struct json_frame *f)
{
	struct span begins =
	    json_get(f->annotations, "kpipe.dev/initial-events-begin");
	struct span ends =
	    json_get(f->annotations, "k8s.io/initial-events-end");
	size_t kind, count = l->entries.count;
	struct span of = key_of(l, f, false, &kind);
	struct snapshot_entry **all;
	uint64_t version = version_of(f->resource_version);

	if (version > l->last)
		l->last = version;
	if (!json_is(begins, "true") && !json_is(ends, "true"))
		return;
	all = (struct snapshot_entry **)map_sorted(&l->entries);
	for (size_t i = 0; i < count; i++) {
		struct snapshot_entry *e = all[i];

		if (!span_eq(span_make(e->key, e->kind), of))
			continue;
		if (json_is(begins, "true"))
			e->stale = true;
		else if (e->stale)
			drop_entry(l, span_str(e->key));
	}
	free(all);
}

static int
take_object(
    struct snapshot *l, struct span type, struct span object, struct err *err)
{
	struct json_frame f;
	size_t kind;

	if (json_is(type, "ERROR"))
		return 0;
	if (json_type(object) != JSON_OBJECT ||
	    json_object_frame(object, &f) != 0 || f.api_version.n == 0 ||
	    f.kind.n == 0)
		return fail(l, err,
		    "not an object of Kubernetes: apiVersion or kind is "
		    "missing");
	if (json_is(type, "BOOKMARK")) {
		take_bookmark(l, &f);
		return 0;
	}
	if (f.name.n == 0)
		return err_set(err, ERR_PERMANENT,
		    "%s:%zu: %.*s: metadata.name is missing", l->path, l->line,
		    SPAN_ARG(f.kind));
	if (json_is(type, "DELETED"))
		drop_entry(l, key_of(l, &f, true, &kind));
	else
		put_entry(l, &f, object);
	return 0;
}

static int
take(struct snapshot *l, const struct stream_doc *doc, struct err *err)
{
	static const char *const types[] = {
	    "ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"};
	struct span type = json_get(doc->text, "type");
	struct span object = json_get(doc->text, "object");
	bool event = type.p != NULL && object.p != NULL &&
	    json_get(doc->text, "apiVersion").p == NULL;
	bool known = false;

	l->line = doc->line;
	if (!event)
		return take_object(l, SPAN_NONE, doc->text, err);
	for (size_t i = 0; i < COUNT(types); i++)
		known |= json_is(type, types[i]);
	if (!known)
		return err_set(err, ERR_PERMANENT,
		    "%s:%zu: unknown type of event %.*s", l->path, l->line,
		    SPAN_ARG(type));
	if (json_get(doc->text, "tooLarge").p != NULL)
		return err_set(err, ERR_PERMANENT,
		    "%s:%zu: it has only the identity of an object that was "
		    "too large: leave the line out",
		    l->path, l->line);
	return take_object(l, type, object, err);
}

/* The stream's messages begin with "line N: ", too. */
static int
fail_document(
    const struct snapshot *l, const struct stream_doc *doc, struct err *err)
{
	const char *colon = strstr(doc->err.message, ": ");
	const char *message = doc->err.message;

	if (strncmp(message, "line ", 5) == 0 && colon != NULL)
		message = colon + 2;
	return err_set(
	    err, ERR_PERMANENT, "%s:%zu: %s", l->path, doc->line, message);
}

/* fd -1: all of s was fed. */
static int
read_lines(struct snapshot *l, struct stream *s, int fd, struct err *err)
{
	struct stream_doc doc;
	enum stream_result r;
	int rc = 0;

	while (rc == 0 && (r = stream_next(s, &doc)) != STREAM_END) {
		if (r == STREAM_DOC)
			rc = take(l, &doc, err);
		else if (r == STREAM_BAD)
			rc = fail_document(l, &doc, err);
		else if (fd < 0)
			stream_end(s);
		else if (stream_read(s, fd, err) < 0)
			rc = err_prefix(err, "%s", l->path);
		arena_reset(&l->arena);
	}
	return rc;
}

static struct resource *
resource_of(struct snapshot *l, const struct node *object)
{
	struct span api_version = tree_path_text(object, "apiVersion");
	struct span group = objref_group(api_version), version = api_version;

	if (group.n > 0)
		version = span_make(
		    api_version.p + group.n + 1, api_version.n - group.n - 1);
	return resource_find_kind(
	    l->api->registry, group, version, tree_path_text(object, "kind"));
}

/* "FILE:LINE: KIND NAMESPACE/NAME: what" */
static int
fail_object(struct snapshot *l, const struct snapshot_entry *e,
    const struct node *object, struct span what, struct err *err)
{
	struct span ns = tree_path_text(object, "metadata.namespace");

	return err_set(err, ERR_PERMANENT, "%s:%zu: %.*s %.*s%s%.*s: %.*s",
	    l->path, e->line, SPAN_ARG(tree_path_text(object, "kind")),
	    SPAN_ARG(ns), ns.n > 0 ? "/" : "",
	    SPAN_ARG(tree_path_text(object, "metadata.name")), SPAN_ARG(what));
}

/* The version that the object keeps: its own, or an unused one. */
static void
set_version(struct snapshot *l, const struct snapshot_entry *e)
{
	uint64_t v = e->version > 0 ? e->version : l->free++;

	store_set_version(l->api->store, v - 1);
}

static int
write_entry(struct snapshot *l, const struct snapshot_entry *e, struct err *err)
{
	struct rest_writer w = {l->api, &l->arena, SPAN_NONE};
	struct node *object = tree_parse(
	    &l->arena, span_make(e->text, e->n), TREE_LIMITS, NULL, err);
	struct resource *r;
	struct problem *p;
	bool placed;

	if (object == NULL)
		return err_prefix(err, "%s:%zu", l->path, e->line);
	r = resource_of(l, object);
	if (r == NULL || r->collection == NULL)
		return fail_object(l, e, object,
		    arena_printf(&l->arena,
			"%.*s is not served: no CustomResourceDefinition in "
			"the file defines it",
			SPAN_ARG(tree_path_text(object, "apiVersion"))),
		    err);
	placed = tree_path_text(object, "metadata.namespace").n > 0;
	if (placed != r->namespaced)
		return fail_object(l, e, object,
		    span_str(placed ? "the kind has no namespaces"
				    : "metadata.namespace is missing"),
		    err);
	set_version(l, e);
	p = rest_put_as_is(&w, r, object);
	return p == NULL ? 0 : fail_object(l, e, object, p->message, err);
}

static int
compare_entries(const void *x, const void *y)
{
	const struct snapshot_entry *p = *(struct snapshot_entry *const *)x;
	const struct snapshot_entry *q = *(struct snapshot_entry *const *)y;

	if (p->version != q->version)
		return p->version < q->version ? -1 : 1;
	return (p->line > q->line) - (p->line < q->line);
}

static int
write_pass(struct snapshot *l, struct snapshot_entry *const *all, size_t n,
    bool definitions, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++) {
		if (all[i]->definition != definitions)
			continue;
		rc = write_entry(l, all[i], err);
		arena_reset(&l->arena);
	}
	store_set_version(l->api->store, l->free - 1);
	return rc;
}

static int
write_all(struct snapshot *l, struct err *err)
{
	size_t n = l->entries.count;
	struct snapshot_entry **all =
	    (struct snapshot_entry **)map_sorted(&l->entries);
	int rc;

	/* No version may be used twice, not even that of an object that is
	 * deleted by now. */
	l->free = store_next_version(l->api->store);
	if (l->last >= l->free)
		l->free = l->last + 1;
	for (size_t i = 0; i < n; i++)
		if (all[i]->version >= l->free)
			l->free = all[i]->version + 1;
	qsort(all, n, sizeof(struct snapshot_entry *), compare_entries);
	rc = write_pass(l, all, n, true, err);
	if (rc == 0) {
		/* The kinds of these definitions are served from now on. */
		crds_settle(l->api->crds);
		l->free = store_next_version(l->api->store);
		rc = write_pass(l, all, n, false, err);
	}
	free(all);
	return rc;
}

static int
make_namespace(struct snapshot *l, struct resource *r,
    const struct snapshot_entry *e, struct err *err)
{
	struct rest_writer w = {l->api, &l->arena, span_str("kube-apiserver")};
	struct span in =
	    json_path(span_make(e->text, e->n), "metadata.namespace");
	struct node *object, *metadata;
	struct problem *p;

	arena_reset(&l->arena);
	if (json_type(in) != JSON_STRING || in.n <= 2)
		return 0;
	in = span_make(in.p + 1, in.n - 2);
	object = tree_object(&l->arena);
	metadata = tree_make(&l->arena, object, "metadata");
	tree_put(&l->arena, metadata, "name", tree_string(&l->arena, in));
	p = controller_ensure(&w, r, object);
	if (p == NULL)
		return 0;
	return err_set(err, ERR_PERMANENT, "%s:%zu: namespace %.*s: %.*s",
	    l->path, e->line, SPAN_ARG(in), SPAN_ARG(p->message));
}

/* Makes the namespaces that objects are in but that the file does not have, so
 * that one kind of a cluster can be loaded alone. */
static int
make_namespaces(struct snapshot *l, struct err *err)
{
	struct resource *r = resource_core(l->api->registry, "namespaces");
	struct snapshot_entry **all =
	    (struct snapshot_entry **)map_sorted(&l->entries);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < l->entries.count; i++)
		rc = make_namespace(l, r, all[i], err);
	free(all);
	return rc;
}

static int
open_file(const char *path, struct err *err)
{
	int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO)
					: open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		err_set(err,
		    errno == ENOENT || errno == EACCES ? ERR_PERMANENT
						       : ERR_TRANSIENT,
		    "cannot open %s: %s", path, strerror(errno));
	return fd;
}

static struct snapshot *
read_all(const char *path, struct stream *s, int fd, struct err *err)
{
	struct snapshot *l = mem_zalloc(sizeof(*l));

	l->path = path;
	if (read_lines(l, s, fd, err) != 0) {
		snapshot_free(l);
		l = NULL;
	}
	stream_free(s);
	return l;
}

struct snapshot *
snapshot_read(const char *path, struct err *err)
{
	int fd = open_file(path, err);
	struct snapshot *l;

	if (fd < 0)
		return NULL;
	l = read_all(
	    strcmp(path, "-") == 0 ? "stdin" : path, stream_new(), fd, err);
	close(fd);
	return l;
}

struct snapshot *
snapshot_parse(struct span lines, const char *name, struct err *err)
{
	struct stream *s = stream_new();

	stream_feed(s, lines);
	return read_all(name, s, -1, err);
}

void
snapshot_free(struct snapshot *l)
{
	struct snapshot_entry *e;

	if (l == NULL)
		return;
	for (size_t i = 0; (e = map_next(&l->entries, &i)) != NULL;)
		free_entry(e);
	map_release(&l->entries);
	arena_release(&l->arena);
	free(l);
}

int
snapshot_put(struct snapshot *l, struct api *api, struct err *err)
{
	int rc;

	l->api = api;
	gc_set_loading(api->gc, true);
	rc = write_all(l, err);
	gc_set_loading(api->gc, false);
	/* The history is dropped: its versions are not in order. */
	store_compact(api->store);
	return rc == 0 ? make_namespaces(l, err) : rc;
}

/* ---- every object as a line of a file, for --save ---- */

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

/* fd -1: all of it stays in b. */
static int
save_collection(int fd, const struct collection *c, struct buf *b)
{
	struct span after = SPAN_NONE;
	struct stored *o;

	while ((o = store_next(c, SPAN_NONE, after)) != NULL) {
		buf_adds(b, "{\"type\":\"ADDED\",\"object\":");
		buf_addspan(b, text_span(o->json));
		buf_adds(b, "}\n");
		if (fd >= 0 && b->len >= CHUNK) {
			if (write_whole(fd, b->data, b->len) != 0)
				return -1;
			buf_reset(b);
		}
		after = o->key;
	}
	return 0;
}

static int
save_lines(int fd, const struct store *s, struct buf *b)
{
	size_t n;
	struct collection **all = collections(s, &n);
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = save_collection(fd, all[i], b);
	/* After --load, versions go on from this one: a watch from before gets
	 * the error that its history is gone, instead of missing events. */
	buf_addf(b,
	    "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Namespace\","
	    "\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"%" PRIu64
	    "\"}}}\n",
	    store_version(s));
	free(all);
	return rc;
}

static int
save_all(int fd, const struct store *s)
{
	struct buf b = BUF_INIT;
	int rc = save_lines(fd, s, &b);

	if (rc == 0)
		rc = write_whole(fd, b.data, b.len);
	buf_release(&b);
	return rc;
}

void
snapshot_add(struct api *api, struct buf *b)
{
	if (api->gc != NULL)
		gc_drain(api->gc);
	save_lines(-1, api->store, b);
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
