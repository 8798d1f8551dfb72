/*
 * Part of read/watch_index.h: the events of a watch, made once for all who get
 * the same.
 */
#include "read/watch_index.h"

#include <inttypes.h>
#include <string.h>

#include "json/json.h"
#include "reply/faults.h"
#include "type/decode.h"
#include "type/encode.h"

/* Events of one watch: what a change is to it, and how it looks. */

void
watch_frames_release(struct watch_frames *f)
{
	for (size_t i = 0; i < f->n; i++)
		text_unref(f->frames[i].text);
	f->n = 0;
}

/* An event: type is ADDED, ..., object in the version of the resource. */
static struct text *
make(struct watcher *w, const char *type, struct span object)
{
	struct buf b = BUF_INIT;
	struct text *t;

	buf_adds(&b, "{\"type\":\"");
	buf_adds(&b, type);
	buf_adds(&b, "\",\"object\":");
	table_object(&b, w->resource, &w->form, !w->headers, object);
	buf_adds(&b, "}\n");
	t = text_make(buf_span(&b));
	buf_release(&b);
	return t;
}

static int
send_text(struct watcher *w, struct text *t)
{
	w->headers = true;
	/* No event is a list: the server ends the stream. */
	if (w->form.as == AS_PARTIAL && w->request->as_list) {
		httpd_end(w->request->exchange);
		return -1;
	}
	return w->gate != NULL ? fault_gate_send(w->gate, t)
			       : httpd_send(w->request->exchange, t);
}

static struct text *
find_frame(const struct watch_frames *f, const struct watcher *w,
    enum change_type type)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct watch_frame *x = &f->frames[i];

		if (x->type == type && x->resource == w->resource &&
		    x->form.as == w->form.as &&
		    x->form.include == w->form.include &&
		    x->headers == !w->headers &&
		    span_eq(x->form.version, w->form.version))
			return x->text;
	}
	return NULL;
}

/* json with another metadata.resourceVersion, in the arena. */
static struct span
with_version(struct arena *a, struct span json, uint64_t version)
{
	struct span old = json_path(json, "metadata.resourceVersion");
	size_t before;

	if (old.p == NULL)
		return json;
	before = (size_t)(old.p - json.p);
	return arena_printf(a, "%.*s\"%" PRIu64 "\"%.*s", (int)before, json.p,
	    version, (int)(json.n - before - old.n), old.p + old.n);
}

/* An object that goes out of a selection is shown as it was, with the version
 * of the change. */
static struct text *
make_frame(
    struct watcher *w, const struct store_change *c, enum change_type type)
{
	static const char *const names[] = {"ADDED", "MODIFIED", "DELETED"};
	struct arena a = ARENA_INIT;
	struct span object;
	struct text *t;

	if (type == CHANGE_DELETED && c->type != CHANGE_DELETED)
		object = with_version(
		    &a, list_stored_as(&a, w->resource, c->before), c->version);
	else
		object = list_stored_as(&a, w->resource, c->now);
	t = make(w, names[type], object);
	arena_release(&a);
	return t;
}

/* False: w does not want this change. */
static bool
change_to(
    struct watcher *w, const struct store_change *c, enum change_type *type)
{
	const struct selection *s = &w->options.selection;
	bool now, before;

	*type = c->type;
	if (selection_is_empty(s))
		return true;
	now = c->type != CHANGE_DELETED && selection_matches(s, c->now);
	before = c->before != NULL && selection_matches(s, c->before);
	*type = !now ? CHANGE_DELETED : before ? CHANGE_MODIFIED : CHANGE_ADDED;
	return now || before;
}

int
watch_event_offer(
    struct watcher *w, const struct store_change *c, struct watch_frames *f)
{
	enum change_type type;
	struct text *t;
	int rc;

	if (c->version <= w->version)
		return 0;
	w->version = c->version;
	if (!change_to(w, c, &type))
		return 0;
	t = find_frame(f, w, type);
	if (t != NULL)
		return send_text(w, t);
	t = make_frame(w, c, type);
	if (f->n < FRAMES)
		f->frames[f->n++] = (struct watch_frame){
		    w->resource, w->form, !w->headers, type, text_ref(t)};
	rc = send_text(w, t);
	text_unref(t);
	return rc;
}

static int
send_and_drop(struct watcher *w, struct text *t)
{
	int rc = send_text(w, t);

	text_unref(t);
	return rc;
}

int
watch_event_initial(struct watcher *w, const struct stored *o)
{
	struct arena a = ARENA_INIT;
	struct text *t = make(w, "ADDED", list_stored_as(&a, w->resource, o));

	arena_release(&a);
	return send_and_drop(w, t);
}

/* As Go encodes an object of which only metadata is set. */
static struct node *
bookmark(struct arena *a, const struct resource *r, uint64_t version,
    bool initial_end)
{
	struct node *n = tree_object(a), *metadata = tree_object(a);

	tree_put(a, n, "kind", tree_string(a, r->kind));
	tree_put(a, n, "apiVersion", tree_string(a, r->api_version));
	tree_put(a, n, "metadata", metadata);
	tree_put(a, metadata, "resourceVersion",
	    tree_string(a, arena_printf(a, "%" PRIu64, version)));
	if (initial_end)
		tree_put(a, tree_make(a, metadata, "annotations"),
		    "k8s.io/initial-events-end", tree_str(a, "true"));
	if (r->strategy->bookmark != NULL)
		r->strategy->bookmark(a, n);
	r->strategy->steps->encode(a, r, n);
	return n;
}

int
watch_event_bookmark(struct watcher *w, uint64_t version, bool initial_end)
{
	struct arena a = ARENA_INIT;
	struct buf b = BUF_INIT;
	struct text *t;

	tree_write(&b, bookmark(&a, w->resource, version, initial_end));
	t = make(w, "BOOKMARK", buf_span(&b));
	buf_release(&b);
	arena_release(&a);
	return send_and_drop(w, t);
}

int
watch_event_error(struct watcher *w, const struct problem *p)
{
	struct buf b = BUF_INIT;
	struct text *t;

	buf_adds(&b, "{\"type\":\"ERROR\",\"object\":");
	tree_write(&b, problem_status(&w->request->arena, p));
	buf_adds(&b, "}\n");
	t = text_make(buf_span(&b));
	buf_release(&b);
	return send_and_drop(w, t);
}
