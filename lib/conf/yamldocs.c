#include "conf/yamldocs.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "conf/yaml.h"
#include "conf/yaml11.h"
#include "json/json.h"

/* A number, in a spelling that JSON knows, too; or a text. */
static enum yaml11_number
old_number(struct yaml *y,
    enum yaml11_number (*spell)(const char *text, struct buf *out))
{
	struct buf b = BUF_INIT;
	enum yaml11_number found = spell(y->text, &b);

	if (found != YAML11_TEXT) {
		free(y->text);
		y->text = buf_take(&b);
	} else {
		y->quoted = true;
	}
	buf_release(&b);
	return found;
}

static int
old_scalar(const char *name, struct yaml *y, const char *field, struct err *err)
{
	bool value;

	if (y->type != YAML_SCALAR || y->quoted || yaml_is_null(y) ||
	    yaml_bool(y, &value))
		return 0;
	if (yaml11_bool(y->text, &value))
		return err_set(err, ERR_PERMANENT,
		    "%s:%d: %s%s is a boolean for kubectl: "
		    "write \"%s\", or true or false",
		    name, y->line, field, y->text, y->text);
	if (old_number(y, yaml11_number) != YAML11_ENDLESS)
		return 0;
	return err_set(err, ERR_PERMANENT,
	    "%s:%d: %s%s is a number that JSON does not have: write \"%s\" for "
	    "the text",
	    name, y->line, field, y->text, y->text);
}

/* A key is a text at the end, whatever it is in YAML. */
static int
old_key(const char *name, struct yaml *key, struct err *err)
{
	bool value;

	if (key->quoted)
		return 0;
	if (yaml_is_null(key))
		return err_set(err, ERR_PERMANENT,
		    "%s:%d: a key is null: write \"%s\"", name, key->line,
		    key->text);
	if (yaml_bool(key, &value)) {
		free(key->text);
		key->text = mem_strdup(value ? "true" : "false");
		return 0;
	}
	if (yaml11_bool(key->text, &value))
		return old_scalar(name, key, "the key ", err);
	errno = 0;
	if (old_number(key, yaml11_key) == YAML11_INTEGER &&
	    (strtoll(key->text, NULL, 10), errno != 0))
		return err_set(err, ERR_PERMANENT,
		    "%s:%d: the key %s is a number beyond 64 bits: write "
		    "\"%s\"",
		    name, key->line, key->text, key->text);
	return 0;
}

/* Two spellings of one number, or of one boolean, are one key. */
static int
check_twice(const char *name, const struct yaml *y, size_t at, struct err *err)
{
	const struct yaml *key = y->keys[at];

	if (strchr("+-.0123456789tf", key->text[0]) == NULL)
		return 0;
	for (size_t i = 0; i < at; i++)
		if (strcmp(y->keys[i]->text, key->text) == 0)
			return err_set(err, ERR_PERMANENT,
			    "%s:%d: duplicate key \"%s\"", name, key->line,
			    key->text);
	return 0;
}

static int
old_scalars(
    const char *name, struct yaml *y, const char *field, struct err *err)
{
	struct buf below = BUF_INIT;
	int rc = old_scalar(name, y, field, err);

	for (size_t i = 0; i < y->count && rc == 0; i++) {
		buf_reset(&below);
		if (y->type == YAML_MAPPING) {
			rc = old_key(name, y->keys[i], err);
			if (rc == 0)
				rc = check_twice(name, y, i, err);
			buf_addf(&below, "%s: ", y->keys[i]->text);
		}
		if (rc == 0)
			rc = old_scalars(
			    name, y->values[i], buf_str(&below), err);
	}
	buf_release(&below);
	return rc;
}

static const char *
end_of_line(const char *p, const char *end)
{
	const char *newline = memchr(p, '\n', (size_t)(end - p));

	return newline != NULL ? newline + 1 : end;
}

/* A line that begins so is a marker wherever it stands (YAML 1.2, 9.1.2). Files
 * that were joined may have a byte order mark before it (9.1.1). */
static bool
is_marker(const char *p, const char *end)
{
	struct span line = utf8_skip_mark(span_make(p, (size_t)(end - p)));

	return span_take(&line, "---") &&
	    (line.n == 0 || strchr(" \t\r\n", *line.p) != NULL);
}

/* JSON is YAML, but for some escapes and tabs: what is JSON is read as that. On
 * one line, as it has no newline within a text. */
static bool
add_json(struct span text, struct buf *lines)
{
	struct err err = ERR_INIT;

	if (is_marker(text.p, text.p + text.n))
		text = span_skip(text, strlen("---"));
	while (text.n > 0 && strchr(" \t\r\n", *text.p) != NULL)
		text = span_skip(text, 1);
	if (text.n == 0 || *text.p != '{' || json_check(text, &err) != 0)
		return false;
	for (size_t i = 0; i < text.n; i++)
		buf_addc(lines, strchr("\r\n", text.p[i]) ? ' ' : text.p[i]);
	return true;
}

static int
add_document(const char *name, struct span text, size_t *line, size_t first,
    struct buf *lines, struct err *err)
{
	struct buf padded = BUF_INIT, json = BUF_INIT;
	struct yaml *y = NULL;
	int rc = 0;

	text = utf8_skip_mark(text);
	if (!add_json(text, &json)) {
		for (size_t i = 1; i < first; i++)
			buf_addc(&padded, '\n');
		buf_addspan(&padded, text);
		y = yaml_parse(name, padded.data, padded.len, err);
		rc = y != NULL ? old_scalars(name, y, "", err) : -1;
		if (rc == 0 && !yaml_is_null(y))
			yaml_to_json(y, &json);
	}
	for (; rc == 0 && json.len > 0 && *line < first; (*line)++)
		buf_addc(lines, '\n');
	if (rc == 0)
		buf_addspan(lines, buf_span(&json));
	buf_release(&json);
	yaml_tree_free(y);
	buf_release(&padded);
	return rc;
}

int
yamldocs_lines(
    const char *name, struct span text, struct buf *lines, struct err *err)
{
	const char *end = text.p + text.n, *from = text.p;
	size_t line = 1, first = 1, number = 1;

	for (const char *p = from; p < end; number++) {
		const char *next = end_of_line(p, end);

		if (next == end || is_marker(next, end)) {
			if (add_document(name,
				span_make(from, (size_t)(next - from)), &line,
				first, lines, err) != 0)
				return -1;
			from = next;
			first = number + 1;
		}
		p = next;
	}
	buf_addc(lines, '\n');
	return 0;
}
