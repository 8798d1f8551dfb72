#include "libjq/jqfiles.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/mem.h"
#include "json/jvtext.h"
#include "libjq/jqcompile.h"
#include "process/file.h"

enum { FILE_MAX_MIB = 4, INCLUDES_DEEP = 20 };

/* Where a file stands in the composed text. */
struct part {
	char *path;
	int first_line; /* line of the composed text */
	int offset;	/* lines of the file that stand before the part */
};

struct composer {
	const struct textlist *dirs;
	struct buf text;
	int lines; /* lines in text */
	struct part *parts;
	size_t count;
	struct textlist seen;
	struct buf complaints;
	struct err *err;
};

char *
jqfiles_find(const struct textlist *dirs, const char *name, const char *ending)
{
	for (size_t i = 0; i < dirs->count; i++) {
		struct buf path = BUF_INIT;

		buf_addf(&path, "%s/%s%s", dirs->items[i], name, ending);
		if (access(buf_str(&path), R_OK) == 0)
			return buf_take(&path);
		buf_release(&path);
	}
	return NULL;
}

/* ---- one text of many files ---- */

static int compose(struct composer *c, const char *name, int depth);

static void
add_line(struct composer *c, struct span line)
{
	buf_addspan(&c->text, line);
	buf_addc(&c->text, '\n');
	c->lines++;
}

static void
begin_part(struct composer *c, const char *path, int offset)
{
	c->parts = mem_grow(c->parts, c->count, sizeof(*c->parts));
	c->parts[c->count++] =
	    (struct part){mem_strdup(path), c->lines + 1, offset};
}

/* include "gen/yaml"; and the name in it, which leads to no other folder. */
static bool
is_include(struct span line, struct span *name)
{
	line = span_trim(line, SPAN_BLANKS);
	if (!span_take(&line, "include \"") || !span_ends(line, "\";"))
		return false;
	*name = span_make(line.p, line.n - 2);
	for (size_t i = 0; i < name->n; i++)
		if (!span_is_alnum(name->p[i]) &&
		    !span_is_among(name->p[i], "_-/"))
			return false;
	return name->n > 0 && *name->p != '/';
}

static int
add_include(
    struct composer *c, struct span name, const char *path, int line, int depth)
{
	char *file = mem_dup(name.p, name.n);
	int rc = 0;

	if (depth > INCLUDES_DEEP)
		rc = err_set(c->err, ERR_PERMANENT,
		    "%s:%d: includes are too deep", path, line);
	else if (!textlist_has(&c->seen, name.p, name.n))
		rc = compose(c, file, depth);
	if (rc != 0 && c->err->kind == ERR_GONE)
		err_set(c->err, ERR_PERMANENT, "%s:%d: cannot find %s.jq", path,
		    line, file);
	free(file);
	return rc;
}

static int
add_text(struct composer *c, const char *path, struct span text, int depth)
{
	bool head = true;
	int line_number = 0;

	begin_part(c, path, 0);
	text = span_trim_end(text, "\n");
	while (text.p != NULL) {
		struct span line = span_cut(&text, '\n'), name;
		struct span trimmed = span_trim(line, SPAN_BLANKS);

		line_number++;
		if (!head || !is_include(line, &name)) {
			head = head && (trimmed.n == 0 || *trimmed.p == '#');
			add_line(c, line);
			continue;
		}
		if (add_include(c, name, path, line_number, depth + 1) != 0)
			return -1;
		begin_part(c, path, line_number);
	}
	return 0;
}

static int
compose(struct composer *c, const char *name, int depth)
{
	struct buf text = BUF_INIT;
	char *path = jqfiles_find(c->dirs, name, ".jq");
	int rc;

	if (path == NULL)
		return err_set(c->err, ERR_GONE, "cannot find %s.jq", name);
	textlist_add(&c->seen, name, strlen(name));
	rc = file_read(path, FILE_MAX_MIB, &text, c->err);
	if (rc == 0)
		rc = add_text(c, path, buf_span(&text), depth);
	buf_release(&text);
	free(path);
	return rc;
}

/* ---- libjq ---- */

/* The place in a file of a line of the composed text. */
static const struct part *
locate(const struct composer *c, int line)
{
	const struct part *found = NULL;

	for (size_t i = 0; i < c->count; i++)
		if (c->parts[i].first_line <= line)
			found = &c->parts[i];
	return found;
}

static void
on_complaint(void *arg, jv message)
{
	struct composer *c = arg;

	if (jv_get_kind(message) == JV_KIND_STRING && c->complaints.len == 0)
		buf_addspan(&c->complaints, jvtext_span(message));
	jv_free(message);
}

/* "jq: error: syntax error, ... at <top-level>, line 12:" and the line. */
static int
fail_compile(struct composer *c)
{
	const char *text = buf_str(&c->complaints);
	const char *at = strstr(text, "<top-level>, line ");
	int line = at == NULL ? 0 : (int)strtol(at + 18, NULL, 10);
	const struct part *p = locate(c, line);
	struct span what = span_str(text);

	span_take(&what, "jq: error: ");
	what = span_cut(&what, '\n');
	if (at != NULL && at >= what.p)
		what.n = (size_t)(at - what.p);
	what = span_trim_end(what, SPAN_BLANKS);
	if (span_ends(what, " at"))
		what.n -= 3;
	if (p == NULL)
		return err_set(c->err, ERR_PERMANENT, "%.*s", SPAN_ARG(what));
	return err_set(c->err, ERR_PERMANENT, "%s:%d: %.*s", p->path,
	    line - p->first_line + 1 + p->offset, SPAN_ARG(what));
}

static jv
no_input(jq_state *jq, void *arg)
{
	(void)jq;
	(void)arg;
	return jv_invalid();
}

static void
no_debug(void *arg, jv value)
{
	(void)arg;
	jv_free(value);
}

static jq_state *
compile(struct composer *c)
{
	jq_state *jq = jqcompile_state(
	    &(struct jqcompile_callbacks){no_debug, no_input, on_complaint, c});

	if (jq == NULL) {
		err_set(c->err, ERR_TRANSIENT, "cannot start libjq");
		return NULL;
	}
	if (jqcompile(jq, buf_str(&c->text)))
		return jq;
	fail_compile(c);
	jq_teardown(&jq);
	return NULL;
}

/* ---- all of it ---- */

/* A definition comes first: behind it the grammar has neither import nor
 * include, so that libjq opens no file. */
static int
compose_all(
    struct composer *c, const char *const *names, const char *expression)
{
	add_line(c, span_str("def _first: .;"));
	for (; *names != NULL; names++)
		if (!textlist_has(&c->seen, *names, strlen(*names)) &&
		    compose(c, *names, 0) != 0)
			return -1;
	begin_part(c, "expression", 0);
	add_line(c, span_str(expression));
	return 0;
}

static void
composer_release(struct composer *c)
{
	for (size_t i = 0; i < c->count; i++)
		free(c->parts[i].path);
	free(c->parts);
	textlist_release(&c->seen);
	buf_release(&c->text);
	buf_release(&c->complaints);
}

jq_state *
jqfiles_compile(const struct textlist *dirs, const char *const *names,
    const char *expression, struct err *err)
{
	struct composer c = {.dirs = dirs, .err = err};
	jq_state *jq = NULL;

	textlist_init(&c.seen);
	if (compose_all(&c, names, expression) == 0)
		jq = compile(&c);
	composer_release(&c);
	return jq;
}

void
jqfiles_library(struct textlist *dirs)
{
	static const char *const below[] = {"/../lib/jq", "/../share/kpipe/jq"};
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct span bin = span_make(self, n > 0 ? (size_t)n : 0);
	const char *slash = span_find_last(bin, '/');

	for (size_t i = 0; slash != NULL && i < 2; i++) {
		struct buf dir = BUF_INIT;

		buf_add(&dir, bin.p, (size_t)(slash - bin.p));
		buf_adds(&dir, below[i]);
		textlist_add(dirs, dir.data, dir.len);
		buf_release(&dir);
	}
}
