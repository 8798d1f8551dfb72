#include "conf/yamldocs.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "conf/yaml.h"

/* Booleans of go-yaml v2, without true and false. */
static bool
is_old_bool(const char *text)
{
	static const char *const words[] = {"y", "Y", "yes", "Yes", "YES", "n",
	    "N", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF"};

	for (size_t i = 0; i < COUNT(words); i++)
		if (strcmp(text, words[i]) == 0)
			return true;
	return false;
}

static void
octal_to_decimal(struct yaml *y)
{
	struct buf b = BUF_INIT;
	size_t n = strlen(y->text);

	if (n < 2 || n > 20 || y->text[0] != '0' ||
	    strspn(y->text, "01234567") != n)
		return;
	buf_addf(&b, "%llu", strtoull(y->text, NULL, 8));
	free(y->text);
	y->text = buf_take(&b);
}

static int
old_scalar(const char *name, struct yaml *y, const char *field, struct err *err)
{
	if (y->type != YAML_SCALAR || y->quoted)
		return 0;
	if (is_old_bool(y->text))
		return err_set(err, ERR_PERMANENT,
		    "%s:%d: %s%s is a boolean for kubectl: "
		    "write \"%s\", or true or false",
		    name, y->line, field, y->text, y->text);
	octal_to_decimal(y);
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
			rc = old_scalar(name, y->keys[i], "the key ", err);
			buf_addf(&below, "%s: ", y->keys[i]->text);
		}
		if (rc == 0)
			rc = old_scalars(
			    name, y->values[i], buf_str(&below), err);
	}
	buf_release(&below);
	return rc;
}

static int
add_document(const char *name, struct span text, size_t *line, size_t first,
    struct buf *lines, struct err *err)
{
	struct buf padded = BUF_INIT;
	struct yaml *y;
	int rc = -1;

	for (size_t i = 1; i < first; i++)
		buf_addc(&padded, '\n');
	buf_addspan(&padded, utf8_skip_mark(text));
	y = yaml_parse(name, padded.data, padded.len, err);
	if (y != NULL && yaml_is_null(y)) {
		rc = 0;
	} else if (y != NULL && old_scalars(name, y, "", err) == 0) {
		for (; *line < first; (*line)++)
			buf_addc(lines, '\n');
		yaml_to_json(y, lines);
		rc = 0;
	}
	yaml_tree_free(y);
	buf_release(&padded);
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
