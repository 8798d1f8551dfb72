#include "language/source.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "language/spot.h"
#include "process/file.h"

enum { FILE_MAX_MIB = 1, INCLUDES_MAX = 64 };

void
source_init(struct source *s)
{
	*s = (struct source){.text = BUF_INIT};
}

static void
file_release(struct source_file *f)
{
	free(f->path);
	free(f->text);
	jqparse_release(&f->parse);
	jqlex_release(&f->lex);
}

void
source_release(struct source *s)
{
	for (int i = 0; i < s->count; i++)
		file_release(&s->files[i]);
	free(s->files);
	buf_release(&s->text);
	*s = (struct source){.text = BUF_INIT};
}

static int
read_program(const char *path, struct buf *text, struct err *err)
{
	if (file_read(path, FILE_MAX_MIB, text, err) != 0)
		return -1;
	if (text->len > 0 && memchr(text->data, '\0', text->len) != NULL)
		return err_set(err, ERR_PERMANENT,
		    "%s: has NUL bytes, so it is not a jq program", path);
	return 0;
}

static int
complain(
    const struct source_file *f, int token, const char *what, struct err *err)
{
	return err_set(err, ERR_PERMANENT, "%s:%d: %s", f->path,
	    f->lex.tokens[token].line, what);
}

static void
blank(struct source_file *f, int from, int to)
{
	char *start = f->text + (f->lex.tokens[from].text.p - f->text);
	const char *end = f->lex.tokens[to].text.p + 1;

	for (char *p = start; p < end; p++)
		if (*p != '\n')
			*p = ' ';
}

static int
parse(
    const struct source *s, struct source_file *f, long spots, struct err *err)
{
	struct jqparse_as as = {f->what, f->trust, f->body, spots,
	    s->debugs && spots == JQPARSE_NO_SPOTS};

	return jqparse_read(&f->parse, &f->lex, f->path, &as, err);
}

static void
append(struct source *s, struct source_file *f)
{
	s->files = mem_grow(s->files, (size_t)s->count, sizeof(*s->files));
	s->files[s->count++] = *f;
}

/* A file being read, with the files that include it. */
struct include {
	struct source *source;
	const char *const *dirs;
	struct err *err;
	int depth;
	enum jqparse_trust trust; /* trust in the file that is read */
};

static int add_file(const struct include *in, char *path);

static char *
library_path(struct span dir, struct span name)
{
	struct buf b = BUF_INIT;

	buf_addspan(&b, dir);
	if (dir.n > 0)
		buf_addc(&b, '/');
	buf_addspan(&b, name);
	buf_adds(&b, ".jq");
	return buf_take(&b);
}

/* Finds a file beside the including one, or in one of dirs: then *trust is
 * set. */
static char *
find_library(const struct include *in, const char *includer, struct span name,
    enum jqparse_trust *trust)
{
	const char *slash = strrchr(includer, '/');
	size_t n = slash ? (size_t)(slash - includer) : 0;
	char *path = slash == includer
	    ? library_path(span_make("/.", 2), name)
	    : library_path(span_make(includer, n), name);

	for (int i = 0; in->dirs != NULL; i++) {
		if (access(path, F_OK) == 0)
			return path;
		free(path);
		if (in->dirs[i] == NULL)
			return NULL;
		path = library_path(span_str(in->dirs[i]), name);
		*trust = JQPARSE_TRUSTED;
	}
	if (access(path, F_OK) == 0)
		return path;
	free(path);
	return NULL;
}

static bool
climbs(struct span name)
{
	if (name.n == 0 || name.p[0] == '/' || span_find(name, '\\') != NULL)
		return true;
	for (size_t i = 0; i + 1 < name.n; i++)
		if (name.p[i] == '.' && name.p[i + 1] == '.')
			return true;
	return false;
}

static int
include(const struct include *in, const struct source_file *f, int token)
{
	struct span name = f->lex.tokens[token].text;
	struct include below = *in;
	char *path;

	if (climbs(name))
		return complain(f, token,
		    "include takes a name like \"operator\", without a path "
		    "that is absolute or leads upwards",
		    in->err);
	if (++below.depth > INCLUDES_MAX)
		return complain(
		    f, token, "includes are nested too deep", in->err);
	path = find_library(in, f->path, name, &below.trust);
	if (path == NULL)
		return err_set(in->err, ERR_PERMANENT,
		    "%s:%d: cannot find the library %.*s.jq", f->path,
		    f->lex.tokens[token].line, SPAN_ARG(name));
	for (int i = 0; i < in->source->count; i++) {
		if (strcmp(in->source->files[i].path, path) == 0) {
			free(path);
			return 0;
		}
	}
	return add_file(&below, path);
}

/* The directives at the top; *end is the token behind them. */
static int
directives(const struct include *in, struct source_file *f, int *end)
{
	const struct jqlex *lex = &f->lex;
	int i = 0;

	while (jqlex_is(lex, i, JQLEX_WORD, NULL)) {
		if (jqlex_is(lex, i, JQLEX_WORD, "import") ||
		    jqlex_is(lex, i, JQLEX_WORD, "module"))
			return complain(f, i,
			    "import and module are not supported: use "
			    "include \"NAME\";",
			    in->err);
		if (!jqlex_is(lex, i, JQLEX_WORD, "include"))
			break;
		if (!jqlex_is(lex, i + 1, JQLEX_STRING, NULL) ||
		    !jqlex_is(lex, i + 2, JQLEX_OTHER, ";"))
			return complain(f, i,
			    "an include is written: include \"NAME\";",
			    in->err);
		if (include(in, f, i + 1) != 0)
			return -1;
		i += 3;
	}
	*end = i;
	return 0;
}

static int
add_file(const struct include *in, char *path)
{
	struct source_file f = {
	    .path = path, .what = JQPARSE_FILE, .trust = in->trust};
	struct buf text = BUF_INIT;
	size_t n;

	if (read_program(path, &text, in->err) != 0) {
		buf_release(&text);
		free(path);
		return -1;
	}
	n = text.len;
	f.text = buf_take(&text);
	if (jqlex_read(&f.lex, path, span_make(f.text, n), in->err) != 0 ||
	    directives(in, &f, &f.body) != 0 ||
	    parse(in->source, &f, JQPARSE_NO_SPOTS, in->err) != 0) {
		file_release(&f);
		return -1;
	}
	if (f.body > 0)
		blank(&f, 0, f.body - 1);
	append(in->source, &f);
	return 0;
}

int
source_add_file(struct source *s, const char *path, const char *const *dirs,
    struct err *err)
{
	struct include in = {s, dirs, err, 0, JQPARSE_STRANGE};

	s->dirs = dirs;
	return add_file(&in, mem_strdup(path));
}

bool
source_library_has(const struct source *s, struct span name)
{
	struct source library;
	struct err err = ERR_INIT;
	bool has = false;

	source_init(&library);
	for (int i = 0; s->dirs != NULL && s->dirs[i] != NULL && !has; i++) {
		char *path =
		    library_path(span_str(s->dirs[i]), span_str("operator"));

		if (access(path, F_OK) == 0 &&
		    source_add_file(&library, path, s->dirs, &err) == 0)
			has = source_has_function(&library, name);
		free(path);
	}
	source_release(&library);
	return has;
}

int
source_add_expression(
    struct source *s, const char *name, const char *text, struct err *err)
{
	struct source_file f = {
	    .path = mem_strdup(name), .what = JQPARSE_EXPRESSION};

	f.text = mem_strdup(text);
	if (jqlex_read(&f.lex, name, span_str(f.text), err) != 0 ||
	    parse(s, &f, JQPARSE_NO_SPOTS, err) != 0) {
		file_release(&f);
		return -1;
	}
	append(s, &f);
	return 0;
}

int
source_trace(struct source *s, struct err *err)
{
	for (int i = 0; i < s->count; i++) {
		struct source_file *f = &s->files[i];

		jqparse_release(&f->parse);
		if (parse(s, f, spot_first(i), err) != 0)
			return -1;
	}
	s->traced = true;
	return source_compose(s, err);
}

const struct source_file *
source_debug(const struct source *s, int *line)
{
	for (int i = 0; i < s->count; i++) {
		const struct source_file *f = &s->files[i];

		if (f->parse.debug < 0)
			continue;
		*line = f->lex.tokens[f->parse.debug].line;
		return f;
	}
	return NULL;
}

const struct source_file *
source_locate(const struct source *s, int line, int *file_line)
{
	for (int i = 0; i < s->count; i++) {
		const struct source_file *f = &s->files[i];

		if (line >= f->first_line && line < f->first_line + f->lines) {
			*file_line = line - f->first_line + 1;
			return f;
		}
	}
	return NULL;
}

bool
source_has_word(const struct source *s, struct span word)
{
	for (int i = 0; i < s->count; i++) {
		const struct jqlex *lex = &s->files[i].lex;

		for (int j = 0; j < lex->count; j++)
			if (lex->tokens[j].type <= JQLEX_STRING &&
			    span_eq(lex->tokens[j].text, word))
				return true;
	}
	return false;
}

struct source_def
source_find_def(const struct source *s, const struct source_file *file,
    const struct jqparse_def *def, struct span name, int arity)
{
	for (int n = (int)(file - s->files); n >= 0; n--) {
		const struct source_file *f = &s->files[n];
		int d = f->parse.def_count - 1;

		if (f == file && def != NULL)
			d = (int)(def - f->parse.defs);
		for (; d >= 0; d--)
			if (f->parse.defs[d].arity == arity &&
			    span_eq(f->parse.defs[d].name, name))
				return (struct source_def){
				    f, &f->parse.defs[d]};
	}
	return (struct source_def){NULL, NULL};
}

struct source_def
source_find_entry(const struct source *s, const char *name)
{
	return source_find_def(
	    s, &s->files[s->count - 1], NULL, span_str(name), 0);
}

struct source_def
source_next(const struct source *s, struct source_def at)
{
	const struct source_file *end = s->files + s->count;
	const struct source_file *f = at.def == NULL ? s->files : at.file;
	int d = at.def == NULL ? 0 : (int)(at.def - f->parse.defs) + 1;

	for (; f != end; f++, d = 0)
		if (d < f->parse.def_count)
			return (struct source_def){f, &f->parse.defs[d]};
	return SOURCE_START;
}
