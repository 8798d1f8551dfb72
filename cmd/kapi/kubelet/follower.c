#include "kubelet/follower.h"

#include "base/buf.h"
#include "kubelet/podcontainer.h"
#include "kubelet/script.h"
#include "type/api.h"
#include "write/convert.h"

/* ---- echoed ---- */

enum { WORDS_MAX = 256 };

struct words {
	struct span all[WORDS_MAX];
	size_t n;
};

static bool
add_word(struct words *w, struct span word)
{
	if (w->n == WORDS_MAX)
		return false;
	w->all[w->n++] = word;
	return true;
}

static bool
add_all(struct words *w, const struct node *list)
{
	for (size_t i = 0; i < tree_count(list); i++)
		if (!add_word(w, tree_text(list->items[i])))
			return false;
	return true;
}

/* Takes a word of a shell command, up to a blank. False: only a shell can read
 * it. */
static bool
take_word(struct span *text, struct buf *b)
{
	char quote = '\0';

	for (; text->n > 0; *text = span_skip(*text, 1)) {
		char c = *text->p;

		if (quote == '\0' && span_is_among(c, " \t"))
			return true;
		if (c == quote)
			quote = '\0';
		else if (quote == '\0' && span_is_among(c, "'\""))
			quote = c;
		else if (quote != '\'' && span_is_among(c, "$`\\"))
			return false;
		else if (quote == '\0' && span_is_among(c, "|&;<>(){}[]*?#~\n"))
			return false;
		else
			buf_addc(b, c);
	}
	return quote == '\0';
}

static bool
split(struct arena *a, struct span text, struct words *w)
{
	struct buf b = BUF_INIT;
	bool good = true;

	text = span_trim(text, " \t\n");
	for (w->n = 0; good && text.n > 0;) {
		buf_reset(&b);
		good = take_word(&text, &b) &&
		    add_word(w, arena_span(a, buf_span(&b)));
		text = span_trim_start(text, " \t");
	}
	buf_release(&b);
	return good;
}

/* The name of a program, wherever it is. */
static struct span
base(struct span path)
{
	const char *slash = span_find_last(path, '/');

	return slash == NULL ? path
			     : span_skip(path, (size_t)(slash + 1 - path.p));
}

static const struct node *
find(const struct node *pod, struct span name)
{
	const struct node *all = tree_path(pod, "spec.containers");

	for (size_t i = 0; i < tree_count(all); i++)
		if (span_eq(tree_path_text(all->items[i], "name"), name))
			return all->items[i];
	return NULL;
}

struct span
follower_echoed(struct arena *a, const struct node *pod, struct span container)
{
	const struct node *c = find(pod, container);
	struct words w = {.n = 0};
	struct buf b = BUF_INIT;
	struct span text;

	if (!add_all(&w, tree_get(c, "command")) ||
	    !add_all(&w, tree_get(c, "args")) || w.n == 0)
		return SPAN_NONE;
	if ((span_is(base(w.all[0]), "sh") ||
		span_is(base(w.all[0]), "bash")) &&
	    (w.n != 3 || !span_is(w.all[1], "-c") || !split(a, w.all[2], &w)))
		return SPAN_NONE;
	if (w.n == 0 || !span_is(base(w.all[0]), "echo") ||
	    (w.n > 1 && span_starts(w.all[1], "-")))
		return SPAN_NONE;
	for (size_t i = 1; i < w.n; i++) {
		buf_adds(&b, i > 1 ? " " : "");
		buf_addspan(&b, w.all[i]);
	}
	buf_addc(&b, '\n');
	text = arena_span(a, buf_span(&b));
	buf_release(&b);
	return text;
}

/* ---- follower ---- */

static struct span
log_of(struct arena *a, const struct follower *f, const struct node *pod)
{
	struct span text = script_text(a, pod,
	    f->options.previous ? "previous-logs" : "logs", f->container);

	return text.p != NULL || f->options.previous
	    ? text
	    : follower_echoed(a, pod, f->container);
}

/* How many bytes of text were sent already. A last line without an end was sent
 * with one. */
static size_t
told_of(const struct follower *f, struct span text)
{
	struct span told = buf_span(&f->told);

	if (text.n < told.n || !span_eq(span_make(text.p, told.n), told))
		return 0;
	if (text.n > told.n && told.n > 0 && told.p[told.n - 1] != '\n')
		return text.p[told.n] == '\n' ? told.n + 1 : 0;
	return told.n;
}

/* False: the follower was stopped. */
static bool
tell(struct follower *f, struct arena *a, const struct node *pod)
{
	struct span text = log_of(a, f, pod);
	size_t done = told_of(f, text);
	struct buf lines = BUF_INIT;
	struct span s;

	logs_select(text, done,
	    podcontainer_began_us(pod, f->container, f->options.previous),
	    &f->options, &lines);
	/* tail= limits the first lines only. */
	f->options.tail = -1;
	buf_reset(&f->told);
	buf_addspan(&f->told, text);
	s = arena_span(a, buf_span(&lines));
	buf_release(&lines);
	if (s.n > 0)
		f->on_lines(f->arg, s);
	return f->hooked;
}

static void
end(struct follower *f)
{
	if (!f->hooked)
		return;
	follower_stop(f);
	f->on_end(f->arg);
}

/* Runs from the loop, after all hooks have seen the change: callbacks may write
 * and free. */
static void
look(void *arg)
{
	struct follower *f = arg;
	struct request *r = f->request;
	const struct stored *o =
	    store_get(r->resource->collection, r->namespace_, r->name);
	struct arena a = ARENA_INIT;
	struct node *pod = o == NULL ? NULL : convert_tree(&a, o);
	bool goes_on = pod != NULL && tell(f, &a, pod);

	if (f->hooked &&
	    (!goes_on || f->options.limit == 0 ||
		!podcontainer_runs(pod, f->container)))
		end(f);
	arena_release(&a);
}

static void
see(void *arg, struct collection *c, const struct store_change *change)
{
	struct follower *f = arg;
	const struct request *r = f->request;

	(void)c;
	if (!span_eq(change->now->name, r->name) ||
	    !span_eq(change->now->namespace_, r->namespace_))
		return;
	if (!loop_timer_armed(&f->timer))
		loop_after(r->api->loop, &f->timer, 0, look, f);
}

void
follower_start(struct follower *f, const struct node *pod)
{
	struct request *r = f->request;

	f->hook = (struct store_hook){see, f, NULL};
	f->hooked = true;
	store_add_hook(r->api->store, r->resource->collection, &f->hook);
	if (tell(f, &r->arena, pod) &&
	    (!f->options.follow || f->options.previous ||
		f->options.limit == 0 || !podcontainer_runs(pod, f->container)))
		end(f);
}

void
follower_stop(struct follower *f)
{
	struct request *r = f->request;

	if (!f->hooked)
		return;
	f->hooked = false;
	store_remove_hook(r->api->store, r->resource->collection, &f->hook);
	loop_cancel(r->api->loop, &f->timer);
	buf_release(&f->told);
}
