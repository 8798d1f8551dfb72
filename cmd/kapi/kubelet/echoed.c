#include "kubelet/echoed.h"

#include "base/buf.h"

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

/* One word of a shell, up to a blank. False: the shell would have to work. */
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
echoed_text(struct arena *a, const struct node *pod, struct span container)
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
