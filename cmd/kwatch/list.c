#include "list.h"

#include "kube.h"

void
list_query(const struct list *l, struct buf *path)
{
	if (!l->unpaged)
		kube_query_add(path, "limit", span_str("500"));
	if (l->token.len > 0)
		kube_query_add(path, "continue", buf_span(&l->token));
}

bool
list_at_start(const struct list *l)
{
	return l->token.len == 0;
}

struct span
list_version(const struct list *l)
{
	return buf_span(&l->version);
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

enum list_result
list_page(struct list *l, struct span body,
    void (*fn)(void *arg, const struct json_frame *item), void *arg)
{
	struct span metadata = json_get(body, "metadata");
	struct span items = json_get(body, "items");

	if (json_type(metadata) != JSON_OBJECT)
		return LIST_BAD;
	keep_text(&l->version, json_get(metadata, "resourceVersion"));
	keep_text(&l->token, json_get(metadata, "continue"));
	for (struct json_elements e = json_elements(items); json_element(&e);) {
		struct json_frame item;

		if (json_object_frame(e.value, &item) != 0)
			return LIST_BAD;
		fn(arg, &item);
	}
	return l->token.len > 0 ? LIST_MORE : LIST_WHOLE;
}

void
list_expired(struct list *l)
{
	l->unpaged = true;
	list_reset(l);
}

void
list_reset(struct list *l)
{
	buf_reset(&l->token);
	buf_reset(&l->version);
}

void
list_release(struct list *l)
{
	buf_release(&l->token);
	buf_release(&l->version);
}
