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

struct expansion {
	const char *path;
	struct references refs;
	bool used; /* a variable gave its value */
	/* Is given: references stay. */
	void (*seen)(void *arg, const struct expand_reference *ref);
	void *arg;
	struct err *err;
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

static struct expand_reference
reference_parse(struct span ref)
{
	const char *colon = span_find(ref, ':');
	size_t n = colon == NULL ? ref.n : (size_t)(colon - ref.p);
	struct expand_reference r = {span_make(ref.p, n), 0, SPAN_NONE};

	if (colon != NULL) {
		r.kind = colon[1];
		r.text = span_make(colon + 2, ref.n - n - 2);
	}
	return r;
}

static int
fill_in(struct expansion *x, struct span ref, struct yaml *y, struct buf *out)
{
	struct expand_reference r = reference_parse(ref);
	char *name;
	const char *value;
	int rc = 0;

	if (x->seen != NULL) {
		buf_addf(out, "${%.*s}", SPAN_ARG(ref));
		x->seen(x->arg, &r);
		return 0;
	}
	name = mem_dup(r.name.p, r.name.n);
	value = getenv(name);
	if (value != NULL && *value != '\0' &&
	    (r.kind != '?' || span_trim(span_str(value), SPAN_BLANKS).n > 0)) {
		buf_adds(out, value);
		x->used = true;
	} else if (r.kind == '-')
		buf_addspan(out, r.text);
	else if (r.kind == '?')
		rc = err_set(x->err, ERR_PERMANENT, "%s:%d: %s: %.*s", x->path,
		    y->line, name,
		    SPAN_ARG(r.text.n ? r.text : span_str("is not set")));
	else if (y->unset == NULL)
		y->unset = mem_strdup(name);
	free(name);
	return rc;
}

static int
expand_scalar(struct yaml *y, struct expansion *x)
{
	struct buf out = BUF_INIT;
	const char *p = y->text, *mark;

	if (strstr(p, "${") != NULL)
		return err_set(x->err, ERR_PERMANENT,
		    "%s:%d: bad substitution: write ${VAR}, ${VAR:-text} or "
		    "${VAR:?text}",
		    x->path, y->line);
	if (strstr(p, MARK) == NULL)
		return 0;
	while ((mark = strstr(p, MARK)) != NULL) {
		char *after;
		unsigned long i = strtoul(mark + MARK_LEN, &after, 10);

		buf_add(&out, p, mark - p);
		if (i >= x->refs.count ||
		    strncmp(after, MARK_END, MARK_LEN) != 0) {
			buf_release(&out);
			return err_set(x->err, ERR_PERMANENT,
			    "%s:%d: U+E000 cannot be used here", x->path,
			    y->line);
		}
		if (fill_in(x, x->refs.items[i], y, &out) != 0) {
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
expand(struct yaml *y, struct expansion *x)
{
	if (y->type == YAML_SCALAR)
		return expand_scalar(y, x);
	for (size_t i = 0; i < y->count; i++)
		if (expand(y->values[i], x) != 0)
			return -1;
	return 0;
}

static struct yaml *
load(struct expansion *x)
{
	struct buf text = BUF_INIT, safe = BUF_INIT;
	struct yaml *y = NULL;

	if (file_read(x->path, EXPAND_FILE_MAX_MIB, &text, x->err) == 0) {
		set_aside(buf_span(&text), &safe, &x->refs);
		y = yaml_parse(x->path, buf_str(&safe), safe.len, x->err);
	}
	if (y != NULL && expand(y, x) != 0) {
		yaml_tree_free(y);
		y = NULL;
	}
	if (y != NULL)
		y->has_variables = x->used;
	free(x->refs.items);
	buf_release(&safe);
	buf_release(&text);
	return y;
}

struct yaml *
expand_load(const char *path, struct err *err)
{
	struct expansion x = {.path = path, .err = err};

	return load(&x);
}

struct yaml *
expand_load_raw(const char *path,
    void (*seen)(void *arg, const struct expand_reference *ref), void *arg,
    struct err *err)
{
	struct expansion x = {
	    .path = path, .seen = seen, .arg = arg, .err = err};

	return load(&x);
}
