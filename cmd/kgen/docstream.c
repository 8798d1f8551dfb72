#include "docstream.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "json/jvtext.h"
#include "process/file.h"

/* "---" alone, or with a blank behind it, at the beginning of a line: no
 * scalar can hold that. */
static bool
is_separator(struct span line)
{
	line = utf8_skip_mark(line);
	return span_take(&line, "---") &&
	    (line.n == 0 || span_is_among(*line.p, SPAN_BLANKS));
}

/* Empty lines stand for what comes before the document. */
static int
add_document(struct docstream *d, const char *path, const struct buf *padded,
    struct err *err)
{
	struct yaml *y = yaml_parse(path, padded->data, padded->len, err);

	if (y == NULL)
		return -1;
	if (y->type == YAML_SCALAR && yaml_is_null(y)) {
		yaml_tree_free(y);
		return 0;
	}
	d->items = mem_grow(d->items, d->count, sizeof(struct yaml *));
	d->items[d->count++] = y;
	return 0;
}

static int
split(struct docstream *d, const char *path, struct span rest, struct err *err)
{
	struct buf document = BUF_INIT;
	size_t lines = 0;
	int rc = 0;

	while (rc == 0 && rest.p != NULL) {
		struct span line = span_cut(&rest, '\n');

		lines++;
		if (is_separator(line)) {
			if (document.len > 0)
				rc = add_document(d, path, &document, err);
			buf_reset(&document);
			for (size_t i = 1; i < lines; i++)
				buf_addc(&document, '\n');
		}
		buf_addspan(&document, utf8_skip_mark(line));
		buf_addc(&document, '\n');
	}
	if (rc == 0)
		rc = add_document(d, path, &document, err);
	buf_release(&document);
	return rc;
}

int
docstream_load(struct docstream *d, const char *path, struct err *err)
{
	struct buf text = BUF_INIT;
	int rc = file_read(path, DOCSTREAM_FILE_MAX_MIB, &text, err);

	*d = (struct docstream){NULL, 0};
	if (rc == 0)
		rc = split(d, path, buf_span(&text), err);
	if (rc != 0)
		docstream_release(d);
	buf_release(&text);
	return rc;
}

void
docstream_release(struct docstream *d)
{
	for (size_t i = 0; i < d->count; i++)
		yaml_tree_free(d->items[i]);
	free(d->items);
	*d = (struct docstream){NULL, 0};
}

jv
docstream_value(const struct yaml *y, struct err *err)
{
	struct buf b = BUF_INIT;
	jv v;

	yaml_to_json(y, &b);
	v = jvtext_parse(buf_span(&b), err);
	buf_release(&b);
	return v;
}

jv
docstream_values(const struct docstream *d, struct err *err)
{
	jv list = jv_array();

	for (size_t i = 0; i < d->count; i++) {
		jv v = docstream_value(d->items[i], err);

		if (!jv_is_valid(v)) {
			jv_free(list);
			return v;
		}
		list = jv_array_append(list, v);
	}
	return list;
}

jv
docstream_read(const char *path, struct err *err)
{
	struct docstream d;
	jv documents;

	if (docstream_load(&d, path, err) != 0)
		return jv_invalid();
	documents = docstream_values(&d, err);
	docstream_release(&d);
	return documents;
}
