#include "conf/yamlvalue.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "conf/yaml.h"
#include "conf/yaml11.h"

/* Consumes text. */
static jv
number(struct buf *text)
{
	jv value = jv_number(strtod(buf_str(text), NULL));

	buf_release(text);
	return value;
}

static jv
scalar(const struct yaml *y)
{
	struct buf digits = BUF_INIT;
	bool truth;

	if (y->quoted)
		return jv_string(y->text);
	if (yaml_is_null(y))
		return jv_null();
	if (yaml11_bool(y->text, &truth))
		return jv_bool(truth);
	switch (yaml11_number(y->text, &digits)) {
	case YAML11_INTEGER:
	case YAML11_FLOAT:
		return number(&digits);
	default:
		buf_release(&digits);
		return jv_string(y->text);
	}
}

static jv
key_text(const struct yaml *key)
{
	struct buf digits = BUF_INIT;
	bool truth;
	jv text;

	if (key->quoted)
		return jv_string(key->text);
	if (yaml_is_null(key))
		return jv_string("null");
	if (yaml11_bool(key->text, &truth))
		return jv_string(truth ? "true" : "false");
	if (yaml11_key(key->text, &digits) == YAML11_TEXT)
		text = jv_string(key->text);
	else
		text = jv_string(buf_str(&digits));
	buf_release(&digits);
	return text;
}

static jv
value_of(const struct yaml *y)
{
	jv all;

	if (y->type == YAML_SCALAR)
		return scalar(y);
	all = y->type == YAML_SEQUENCE ? jv_array() : jv_object();
	for (size_t i = 0; i < y->count; i++) {
		jv one = value_of(y->values[i]);

		all = y->type == YAML_SEQUENCE
		    ? jv_array_append(all, one)
		    : jv_object_set(all, key_text(y->keys[i]), one);
	}
	return all;
}

/* "---" alone, or with a blank behind it, at the beginning of a line. */
static bool
is_separator(struct span line)
{
	line = utf8_skip_mark(line);
	return span_take(&line, "---") &&
	    (line.n == 0 || span_is_among(*line.p, " \t\r"));
}

/* Appends the document. Consumes list; owned, invalid with err. */
static jv
add_document(jv list, const char *name, const struct buf *text, struct err *err)
{
	struct yaml *y = yaml_parse(name, text->data, text->len, err);

	if (y == NULL) {
		jv_free(list);
		return jv_invalid();
	}
	if (y->type != YAML_SCALAR || !yaml_is_null(y))
		list = jv_array_append(list, value_of(y));
	yaml_tree_free(y);
	return list;
}

jv
yamlvalue_documents(const char *name, struct span rest, struct err *err)
{
	struct buf document = BUF_INIT;
	jv list = jv_array();
	size_t lines = 0;

	while (rest.p != NULL && jv_is_valid(list)) {
		struct span line = span_cut(&rest, '\n');

		lines++;
		if (is_separator(line)) {
			if (document.len > 0)
				list = add_document(list, name, &document, err);
			/* Empty lines, so that errors have the line. */
			buf_reset(&document);
			for (size_t i = 1; i < lines; i++)
				buf_addc(&document, '\n');
		}
		buf_addspan(&document, line);
		if (rest.p != NULL)
			buf_addc(&document, '\n');
	}
	if (jv_is_valid(list))
		list = add_document(list, name, &document, err);
	buf_release(&document);
	return list;
}
