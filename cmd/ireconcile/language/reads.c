/*
 * Part of language/source.h: source_reads: the members that a function of the
 * program reads, by names.
 */
#include "language/source.h"

#include <stdlib.h>

#include "base/mem.h"

/* A top-level definition. */
struct function {
	const struct source_file *file;
	int from, to; /* tokens: the name, behind the closing ; */
	bool reached;
};

struct functions {
	struct function *list;
	int count;
};

static void
collect_file(struct functions *fs, const struct source_file *f)
{
	int depth = 0;

	for (int i = 0; i < f->lex.count; i++) {
		if (f->lex.tokens[i].inside != -1)
			continue;
		if (jqlex_is(&f->lex, i, JQLEX_WORD, "def")) {
			if (depth++ > 0)
				continue;
			fs->list = mem_grow(
			    fs->list, (size_t)fs->count, sizeof(*fs->list));
			fs->list[fs->count++] =
			    (struct function){f, i + 1, i + 1, false};
		} else if (jqlex_is(&f->lex, i, JQLEX_OTHER, ";") &&
		    depth > 0 && --depth == 0) {
			fs->list[fs->count - 1].to = i;
		}
	}
}

static struct span
name_of(const struct function *f)
{
	return f->file->lex.tokens[f->from].text;
}

/* Marks all functions that f may call; by name only, so perhaps too many. */
static void
reach(struct functions *fs, struct function *f)
{
	const struct jqlex *lex = &f->file->lex;

	f->reached = true;
	for (int i = f->from + 1; i < f->to; i++) {
		if (lex->tokens[i].type != JQLEX_WORD || jqlex_is_key(lex, i))
			continue;
		for (int j = 0; j < fs->count; j++)
			if (!fs->list[j].reached &&
			    span_eq(name_of(&fs->list[j]), lex->tokens[i].text))
				reach(fs, &fs->list[j]);
	}
}

/* {name}, or a pattern: as {name: $x}, as {$name}. */
static bool
takes_member(const struct jqlex *lex, int i)
{
	bool pattern;

	if (!jqlex_is_key(lex, i))
		return false;
	pattern = jqlex_is(lex, lex->tokens[i].inside - 1, JQLEX_WORD, "as");
	if (lex->tokens[i].type == JQLEX_VARIABLE || pattern)
		return pattern;
	return jqlex_is(lex, i + 1, JQLEX_CLOSE, "}") ||
	    jqlex_is(lex, i + 1, JQLEX_OTHER, ",");
}

static bool
reads_at(const struct jqlex *lex, int i, const char *field)
{
	if (!jqlex_is(lex, i, lex->tokens[i].type, field))
		return false;
	switch (lex->tokens[i].type) {
	case JQLEX_FIELD:
		return jqlex_starts_term(lex, i);
	case JQLEX_WORD:
	case JQLEX_VARIABLE:
		return takes_member(lex, i);
	default:
		return false;
	}
}

static bool
find_read(const struct function *f, const char *field, int *line)
{
	const struct jqlex *lex = &f->file->lex;

	for (int i = f->from + 1; i < f->to; i++) {
		if (reads_at(lex, i, field)) {
			*line = lex->tokens[i].line;
			return true;
		}
	}
	return false;
}

bool
source_reads(const struct source *s, const char *name, const char *field,
    const struct source_file **file, int *line)
{
	struct functions fs = {NULL, 0};
	bool found = false;

	for (int i = 0; i < s->count; i++)
		collect_file(&fs, &s->files[i]);
	for (int i = 0; i < fs.count; i++)
		if (!fs.list[i].reached && span_is(name_of(&fs.list[i]), name))
			reach(&fs, &fs.list[i]);
	for (int i = 0; i < fs.count && !found; i++) {
		if (!fs.list[i].reached)
			continue;
		found = find_read(&fs.list[i], field, line);
		*file = fs.list[i].file;
	}
	free(fs.list);
	return found;
}
