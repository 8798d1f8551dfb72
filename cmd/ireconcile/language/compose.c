/*
 * Part of language/source.h: source_compose looks up the calls of a program,
 * and makes its text.
 */
#include "language/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "language/edit.h"
#include "language/flow.h"
#include "language/guards.h"
#include "language/prelude.h"
#include "language/spot.h"

struct function {
	struct source_file *file;
	const struct jqparse_def *def;
	bool wanted;
};

struct linker {
	struct function *list; /* in the order of the text */
	int count;
	struct prelude prelude;
	const struct source *source;
	struct err *err;
};

static void
collect(struct linker *l, struct source *s)
{
	int n = 0;

	for (int i = 0; i < s->count; i++)
		n += s->files[i].parse.def_count;
	l->list = mem_array(NULL, (size_t)n + 1, sizeof(*l->list));
	for (int i = 0; i < s->count; i++)
		for (int d = 0; d < s->files[i].parse.def_count; d++)
			l->list[l->count++] = (struct function){
			    &s->files[i], &s->files[i].parse.defs[d], false};
}

/* "(did you mean config_map/3?)" */
static void
suggest(const struct linker *l, struct span name, struct buf *text)
{
	struct nearest nearest;

	nearest_init(&nearest, name);
	for (int i = 0; i < l->count; i++)
		nearest_offer(
		    &nearest, l->list[i].def->name, l->list[i].def->arity);
	prelude_offer(&nearest);
	guards_offer(&nearest);
	if (!source_has_function(l->source, name) &&
	    source_library_has(l->source, name))
		buf_adds(text, " (include \"operator\"; has it)");
	else if (nearest.name.n > 0)
		buf_addf(text, " (did you mean %.*s/%d?)",
		    SPAN_ARG(nearest.name), nearest.arity);
}

/* Appends that the function is defined only below its call: a definition counts
 * from its place on. False: the function is not defined below. */
static bool
say_later(const struct linker *l, const struct source_file *f,
    const struct jqparse_use *use, struct buf *text)
{
	for (int i = 0; i < l->count; i++) {
		const struct function *d = &l->list[i];
		int line = d->file->lex.tokens[d->def->from].line;

		if (d->def->arity != use->arity ||
		    !span_eq(d->def->name, use->name))
			continue;
		if (d->file == f)
			buf_addf(text,
			    " is defined only below, in line %d: move it up",
			    line);
		else
			buf_addf(text, " is defined only later, in %s:%d",
			    d->file->path, line);
		return true;
	}
	return false;
}

static int
complain(struct linker *l, const struct source_file *f,
    const struct jqparse_use *use)
{
	const char *says = guards_refusal(use->name);
	struct buf text = BUF_INIT;

	if (says != NULL) {
		buf_addf(&text, says, SPAN_ARG(use->name));
	} else {
		buf_addf(&text, "%.*s/%d", SPAN_ARG(use->name), use->arity);
		if (!say_later(l, f, use, &text)) {
			buf_adds(&text, " is not defined");
			suggest(l, use->name, &text);
		}
	}
	err_set(l->err, ERR_PERMANENT, "%s:%d: %s", f->path,
	    f->lex.tokens[use->token].line, buf_str(&text));
	buf_release(&text);
	return -1;
}

/* The function that a use in function i means. -1: the program does not define
 * it. */
static int
find(const struct linker *l, int i, const struct jqparse_use *use)
{
	for (int k = i; k >= 0; k--)
		if (l->list[k].def->arity == use->arity &&
		    span_eq(l->list[k].def->name, use->name))
			return k;
	return -1;
}

static int look_up_function(struct linker *l, int i, bool put_in);

/* Looks up the calls from..to - 1 of file f, which are in function i.
 * put_in: the text has the calls, so it needs what they call. */
static int
look_up_calls(struct linker *l, const struct source_file *f, int i, int from,
    int to, bool put_in)
{
	for (int k = from; k < to; k++) {
		const struct jqparse_use *use = &f->parse.uses[k];
		int found = find(l, i, use);

		if (found >= 0) {
			if (put_in && look_up_function(l, found, true) != 0)
				return -1;
			continue;
		}
		found = prelude_find(use->name, use->arity);
		if (found < 0 && !guards_is_free(use->name, use->arity))
			return complain(l, f, use);
		if (found >= 0 && put_in)
			prelude_want(&l->prelude, found);
	}
	return 0;
}

static int
look_up_function(struct linker *l, int i, bool put_in)
{
	struct function *f = &l->list[i];

	if (f->wanted)
		return 0;
	f->wanted = put_in;
	return look_up_calls(
	    l, f->file, i, f->def->first_use, f->def->end_use, put_in);
}

/* Looks up all calls. The author's functions are put in, called or not, and
 * those of libraries if they are called; the calls in the others must be right,
 * too. */
static int
look_up(struct linker *l)
{
	for (int i = 0; i < l->count; i++)
		if (l->list[i].file->trust == JQPARSE_STRANGE &&
		    look_up_function(l, i, true) != 0)
			return -1;
	for (int i = 0; i < l->count; i++)
		if (look_up_function(l, i, false) != 0)
			return -1;
	return 0;
}

static void
add_line_breaks(struct buf *out, const char *from, const char *to)
{
	for (; from < to; from++)
		if (*from == '\n')
			buf_addc(out, '\n');
}

/* The text of a file, with each line in its place. */
static void
write_file(struct source *s, struct source_file *f, const struct function *list)
{
	const char *at = f->text;
	size_t from;

	if (f->what == JQPARSE_EXPRESSION) {
		buf_adds(&s->text, "def _map: (\n");
		s->lines++;
	}
	from = s->text.len;
	for (int d = 0; d < f->parse.def_count; d++) {
		const struct jqparse_def *def = &f->parse.defs[d];
		const char *end = f->lex.tokens[def->to - 1].text.p + 1;

		if (list[d].wanted)
			end = edit_write(&f->parse, &f->lex, def->from, def->to,
			    at, &s->text);
		else
			add_line_breaks(&s->text, at, end);
		at = end;
	}
	add_line_breaks(&s->text, at, at + strlen(at));
	buf_addc(&s->text, '\n');
	f->first_line = s->lines + 1;
	f->lines = 0;
	for (size_t i = from; i < s->text.len; i++)
		f->lines += s->text.data[i] == '\n';
	s->lines += f->lines;
	if (f->what == JQPARSE_EXPRESSION) {
		buf_adds(&s->text, ");\n");
		s->lines++;
	}
}

int
source_compose(struct source *s, struct err *err)
{
	struct linker l = {.source = s, .err = err};
	int at = 0;
	int rc;

	collect(&l, s);
	rc = look_up(&l);
	if (rc == 0) {
		flow_mark(s);
		buf_reset(&s->text);
		s->lines = s->traced ? spot_define(&s->text) : 0;
		s->lines += prelude_write(&l.prelude, &s->text);
		s->lines += guards_add(&s->text);
		for (int i = 0; i < s->count; i++) {
			write_file(s, &s->files[i], &l.list[at]);
			at += s->files[i].parse.def_count;
		}
	}
	s->dirs = NULL;
	free(l.list);
	return rc;
}

bool
source_has_function(const struct source *s, struct span name)
{
	struct source_def d = source_next(s, SOURCE_START);

	while (d.def != NULL && !span_eq(d.def->name, name))
		d = source_next(s, d);
	return d.def != NULL;
}
