#include "generator.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <jq.h>

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
generator_find(
    const struct textlist *dirs, const char *name, const char *ending)
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

bool
generator_exists(const struct textlist *dirs, const char *name)
{
	struct buf below = BUF_INIT;
	char *path;

	buf_addf(&below, "gen/%s", name);
	path = generator_find(dirs, buf_str(&below), ".jq");
	buf_release(&below);
	free(path);
	return path != NULL;
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
	char *path = generator_find(c->dirs, name, ".jq");
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

/* The message of error() of a program; texts of jq itself as they are. */
static void
fail_run(jv result, const char *name, struct err *err)
{
	jv message = jv_invalid_get_msg(result);

	if (jv_get_kind(message) == JV_KIND_STRING)
		err_set(err, ERR_PERMANENT, "%s", jv_string_value(message));
	else
		err_set(err, ERR_PERMANENT, "gen/%s.jq gives no files", name);
	jv_free(message);
}

static jv
evaluate(jq_state *jq, const char *name, jv input, struct err *err)
{
	jv result, more;

	jq_start(jq, input, 0);
	result = jq_next(jq);
	if (!jv_is_valid(result)) {
		fail_run(result, name, err);
		return jv_invalid();
	}
	more = jq_next(jq);
	if (jv_is_valid(more) || jv_get_kind(result) != JV_KIND_ARRAY) {
		err_set(err, ERR_PERMANENT,
		    "gen/%s.jq must give one array of files", name);
		jv_free(result);
		result = jv_invalid();
	}
	jv_free(more);
	return result;
}

/* ---- limits ---- */

static void
on_limit(int number)
{
	static const char slow[] =
	    "kgen: fatal: the generator takes too much time\n";
	static const char large[] =
	    "kgen: fatal: the generator takes too much memory\n";
	bool is_slow = number == SIGXCPU;
	ssize_t n = write(STDERR_FILENO, is_slow ? slow : large,
	    is_slow ? sizeof(slow) - 1 : sizeof(large) - 1);

	(void)n;
	_exit(EXIT_PERMANENT);
}

/* A lower limit that is there stays. */
static void
limit_one(int resource, rlim_t most)
{
	struct rlimit r;

	if (getrlimit(resource, &r) != 0 ||
	    (r.rlim_cur != RLIM_INFINITY && r.rlim_cur <= most))
		return;
	r.rlim_cur = most;
	setrlimit(resource, &r);
}

/* libjq aborts when there is no memory. */
static void
limit(void)
{
	signal(SIGXCPU, on_limit);
	signal(SIGABRT, on_limit);
	limit_one(RLIMIT_CPU, GENERATOR_CPU_S);
#ifndef __SANITIZE_ADDRESS__ /* the sanitizer's shadow counts as data */
	limit_one(RLIMIT_DATA, (rlim_t)GENERATOR_MEMORY_MIB << 20);
#endif
}

/* ---- all of it ---- */

/* A definition comes first: behind it the grammar has neither import nor
 * include, so that libjq opens no file. */
static int
compose_all(struct composer *c, const char *name)
{
	struct buf program = BUF_INIT;
	int rc;

	add_line(c, span_str("def _kgen: .;"));
	buf_addf(&program, "gen/%s", name);
	rc = compose(c, "gen/yaml", 0);
	if (rc == 0 && strcmp(name, "yaml") != 0)
		rc = compose(c, buf_str(&program), 0);
	buf_reset(&program);
	begin_part(c, "kgen", 0);
	buf_addf(&program, "%s | _files", name);
	add_line(c, buf_span(&program));
	buf_release(&program);
	return rc;
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

jv
generator_run(
    const struct textlist *dirs, const char *name, jv input, struct err *err)
{
	struct composer c = {.dirs = dirs, .err = err};
	jq_state *jq = NULL;
	jv files = jv_invalid();

	textlist_init(&c.seen);
	if (compose_all(&c, name) == 0) {
		/* libjq would read ~/.jq. */
		clearenv();
		mem_setenv("HOME", "/dev/null");
		limit();
		jq = compile(&c);
	}
	if (jq != NULL) {
		files = evaluate(jq, name, input, err);
		jq_teardown(&jq);
	} else {
		jv_free(input);
	}
	composer_release(&c);
	return files;
}
