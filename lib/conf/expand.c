#include "conf/expand.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/span.h"
#include "process/file.h"

/* U+E000 and U+E001, for private use, stand around the reference's number. */
#define MARK "\xee\x80\x80"
#define MARK_END "\xee\x80\x81"
enum { MARK_LEN = 3 };

struct references {
	struct span *items; /* in the file's text, without ${ and } */
	size_t count;
};

/* The length of a reference at p, or 0; *inner is the text in its braces. It
 * ends on the same line. */
static size_t
reference_at(const char *p, const char *end, struct span *inner)
{
	const char *q = p + 2;

	if (end - p < 4 || p[0] != '$' || p[1] != '{')
		return 0;
	while (q < end && (isalnum((unsigned char)*q) || *q == '_'))
		q++;
	if (q == p + 2 || q == end || isdigit((unsigned char)p[2]))
		return 0;
	if (*q == ':' && q + 1 < end && (q[1] == '?' || q[1] == '-'))
		while (q < end && *q != '}' && *q != '\n')
			q++;
	if (q == end || *q != '}')
		return 0;
	*inner = span_make(p + 2, q - p - 2);
	return q + 1 - p;
}

static void
set_aside(struct span text, struct buf *out, struct references *refs)
{
	const char *p = text.p, *end = text.p + text.n;

	while (p < end) {
		struct span inner;
		size_t n = reference_at(p, end, &inner);

		if (n == 0) {
			buf_addc(out, *p++);
			continue;
		}
		refs->items =
		    mem_grow(refs->items, refs->count, sizeof(*refs->items));
		refs->items[refs->count] = inner;
		buf_addf(out, MARK "%zu" MARK_END, refs->count++);
		p += n;
	}
}

static int
fill_in(struct span ref, const char *path, int line, struct buf *out,
    struct err *err)
{
	const char *colon = span_find(ref, ':');
	size_t n = colon == NULL ? ref.n : (size_t)(colon - ref.p);
	struct span text = SPAN_NONE;
	char *name = mem_dup(ref.p, n);
	const char *value = getenv(name);
	int rc = 0;

	if (colon != NULL)
		text = span_make(colon + 2, ref.n - n - 2);
	if (value != NULL && *value != '\0')
		buf_adds(out, value);
	else if (colon != NULL && colon[1] == '-')
		buf_addspan(out, text);
	else if (colon != NULL)
		rc = err_set(err, ERR_PERMANENT, "%s:%d: %s: %.*s", path, line,
		    name, SPAN_ARG(text.n ? text : span_str("is not set")));
	free(name);
	return rc;
}

static int
expand_scalar(struct yaml *y, const char *path, const struct references *refs,
    struct err *err)
{
	struct buf out = BUF_INIT;
	const char *p = y->text, *mark;

	if (strstr(p, "${") != NULL)
		return err_set(err, ERR_PERMANENT,
		    "%s:%d: bad substitution: write ${VAR}, ${VAR:-text} or "
		    "${VAR:?text}",
		    path, y->line);
	if (strstr(p, MARK) == NULL)
		return 0;
	while ((mark = strstr(p, MARK)) != NULL) {
		char *after;
		unsigned long i = strtoul(mark + MARK_LEN, &after, 10);

		buf_add(&out, p, mark - p);
		if (i >= refs->count ||
		    strncmp(after, MARK_END, MARK_LEN) != 0) {
			buf_release(&out);
			return err_set(err, ERR_PERMANENT,
			    "%s:%d: U+E000 cannot be used here", path, y->line);
		}
		if (fill_in(refs->items[i], path, y->line, &out, err) != 0) {
			buf_release(&out);
			return -1;
		}
		p = after + MARK_LEN;
	}
	buf_adds(&out, p);
	free(y->text);
	y->text = buf_take(&out);
	y->quoted = true;
	return 0;
}

static int
expand(struct yaml *y, const char *path, const struct references *refs,
    struct err *err)
{
	if (y->type == YAML_SCALAR)
		return expand_scalar(y, path, refs, err);
	for (size_t i = 0; i < y->count; i++)
		if (expand(y->values[i], path, refs, err) != 0)
			return -1;
	return 0;
}

struct yaml *
expand_load(const char *path, struct err *err)
{
	struct buf text = BUF_INIT, safe = BUF_INIT;
	struct references refs = {NULL, 0};
	struct yaml *y = NULL;

	if (file_read(path, EXPAND_FILE_MAX_MIB, &text, err) == 0) {
		set_aside(buf_span(&text), &safe, &refs);
		y = yaml_parse(path, buf_str(&safe), safe.len, err);
	}
	if (y != NULL && expand(y, path, &refs, err) != 0) {
		yaml_tree_free(y);
		y = NULL;
	}
	free(refs.items);
	buf_release(&safe);
	buf_release(&text);
	return y;
}
