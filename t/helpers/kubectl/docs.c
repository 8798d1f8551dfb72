#include "kubectl/docs.h"

#include <unistd.h>

#include "json/json.h"
#include "process/file.h"

enum { FILE_MIB = 64 };

static void
add_objects(struct session *s, struct node *array, struct node *object)
{
	struct node *items = tree_get(object, "items");

	if (tree_is(object, NODE_NULL))
		return;
	if (!tree_text_is(tree_get(object, "kind"), "List")) {
		tree_append(&s->arena, array, object);
		return;
	}
	for (uint32_t i = 0; i < tree_count(items); i++)
		tree_append(&s->arena, array, items->items[i]);
}

/* JSON values, one behind the other; -1: it is something else, such as a flow
 * mapping of YAML. */
static int
read_json(struct session *s, struct span text, struct node *array)
{
	uint32_t before = array->n;

	while ((text = span_trim_start(text, SPAN_BLANKS)).n > 0) {
		struct span value = json_value(&text);
		struct node *object = value.p == NULL
		    ? NULL
		    : tree_parse(&s->arena, value, TREE_LIMITS, NULL, NULL);

		if (object == NULL) {
			array->n = before;
			return -1;
		}
		add_objects(s, array, object);
	}
	return 0;
}

/* The document at the start of *text, which moves behind it and the line that
 * ends it, "---". */
static struct span
cut_document(struct span *text)
{
	struct span rest = *text, doc;

	while (rest.n > 0) {
		struct span before = rest, line = span_cut(&rest, '\n');

		if (!span_starts(line, "---") ||
		    (line.n > 3 && !span_is_among(line.p[3], SPAN_BLANKS)))
			continue;
		doc = span_make(text->p, (size_t)(before.p - text->p));
		*text = rest;
		return doc;
	}
	doc = *text;
	*text = SPAN_NONE;
	return doc;
}

static int
read_yaml(
    struct session *s, const char *path, struct span text, struct node *array)
{
	while (text.n > 0) {
		struct err err = ERR_INIT;
		struct span doc = cut_document(&text);
		struct node *object;

		if (span_trim(doc, SPAN_BLANKS).n == 0)
			continue;
		object = tree_parse_yaml(&s->arena, doc, NULL, &err);
		if (object == NULL)
			return session_refuse(s,
			    "error: error parsing %s: error converting YAML to "
			    "JSON: %s",
			    path, err.message);
		add_objects(s, array, object);
	}
	return 0;
}

int
docs_read(struct session *s, const char *path, struct node *array)
{
	struct err err = ERR_INIT;
	struct buf b = BUF_INIT;
	struct span text;
	int got = strcmp(path, "-") == 0
	    ? file_read_fd(STDIN_FILENO, "standard input", FILE_MIB, &b, &err)
	    : file_read(path, FILE_MIB, &b, &err);

	if (got != 0)
		session_refuse(s, "error: %s", err.message);
	text = arena_span(&s->arena, buf_span(&b));
	buf_release(&b);
	if (got != 0)
		return -1;
	if (span_starts(span_trim_start(text, SPAN_BLANKS), "{") &&
	    read_json(s, text, array) == 0)
		return 0;
	return read_yaml(s, path, text, array);
}
