#include "pages.h"

#include "kube/kubepath.h"

/* A server may give some empty pages, whose objects it has filtered out. */
enum { PAGE = 500, EMPTY_MAX = 1000 };

void
pages_query(const struct pages *l, struct buf *path)
{
	struct buf limit = BUF_INIT;

	buf_addf(&limit, "%u", l->limit != 0 ? l->limit : PAGE);
	if (!l->unpaged)
		kube_query_add(path, "limit", buf_span(&limit));
	buf_release(&limit);
	if (l->token.len > 0)
		kube_query_add(path, "continue", buf_span(&l->token));
}

bool
pages_at_start(const struct pages *l)
{
	return l->token.len == 0;
}

static void
keep_text(struct buf *to, struct span value)
{
	struct buf scratch = BUF_INIT;
	struct span text = json_string(value, &scratch);

	buf_reset(to);
	if (text.p != NULL)
		buf_addspan(to, text);
	buf_release(&scratch);
}

static enum pages_result
bad(struct pages *l, const char *what)
{
	l->bad = what;
	return LIST_BAD;
}

enum pages_result
pages_page(struct pages *l, struct span body,
    void (*fn)(void *arg, const struct json_frame *item), void *arg)
{
	struct span metadata = json_get(body, "metadata");
	struct span token = json_get(metadata, "continue");
	struct json_elements e = json_elements(json_get(body, "items"));
	struct json_elements first = e;

	if (json_type(metadata) != JSON_OBJECT)
		return bad(l, "no list came back");
	l->empty = json_element(&first) ? 0 : l->empty + 1;
	if (l->empty > EMPTY_MAX ||
	    (l->token.len > 0 && json_is(token, buf_str(&l->token)))) {
		pages_expired(l);
		return bad(l, "the pages of the list have no end");
	}
	keep_text(&l->version, json_get(metadata, "resourceVersion"));
	keep_text(&l->token, token);
	while (json_element(&e)) {
		struct json_frame item;

		if (json_object_frame(e.value, &item) != 0)
			return bad(l, "no list came back");
		fn(arg, &item);
	}
	if (l->token.len > 0)
		return LIST_MORE;
	l->unpaged = false;
	return LIST_WHOLE;
}

void
pages_expired(struct pages *l)
{
	l->unpaged = true;
	pages_reset(l);
}

bool
pages_smaller(struct pages *l)
{
	unsigned limit = l->limit != 0 ? l->limit : PAGE;

	if (!l->unpaged && limit == 1)
		return false;
	if (!l->unpaged)
		l->limit = limit > 4 ? limit / 4 : 1;
	l->unpaged = false;
	return true;
}

void
pages_reset(struct pages *l)
{
	l->empty = 0;
	buf_reset(&l->token);
	buf_reset(&l->version);
}

void
pages_release(struct pages *l)
{
	buf_release(&l->token);
	buf_release(&l->version);
}
