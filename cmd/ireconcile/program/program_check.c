/* Part of program/program.h: names in a program that cannot be meant. */
#include "program/program.h"

#include "language/certain.h"
#include "language/nearest.h"
#include "process/log.h"
#include "program/run.h"

/* All letters of `part` are in `whole`, in that order. */
static bool
is_within(struct span part, struct span whole)
{
	size_t at = 0;

	for (size_t i = 0; i < whole.n && at < part.n; i++)
		at += part.p[at] == whole.p[i];
	return at == part.n;
}

/* One slip of the keys, or letters that are missing, or too many: `reque`. A
 * word of its own, such as `state`, does not count. */
static bool
is_slip(const struct nearest *n)
{
	return n->distance == 1 ||
	    (n->distance == 2 &&
		(is_within(n->wanted, n->name) ||
		    is_within(n->name, n->wanted)));
}

static int
complain(const struct program *p, const struct certain *c, int line,
    const struct nearest *n, struct err *err)
{
	struct err says = ERR_INIT;
	bool both = source_has_function(&p->source, n->name);

	err_set(&says, ERR_PERMANENT,
	    "%s:%d: %.*s is called nowhere (did you mean %.*s?)", c->file->path,
	    line, SPAN_ARG(n->wanted), SPAN_ARG(n->name));
	if (!both)
		*err = says;
	else
		log_warning("%s", says.message);
	return both ? 0 : -1;
}

int
program_check_functions(const struct program *p, struct err *err)
{
	struct certain c;
	struct span name;
	int at = 0, line, rc = 0;

	certain_init(&c, &p->source, program_names, PROGRAM_MAP);
	while (rc == 0 && certain_uncalled(&c, &at, &name, &line)) {
		struct nearest nearest;

		nearest_init(&nearest, name);
		for (int i = 0; i < PROGRAM_MAP; i++)
			nearest_offer(&nearest, span_str(program_names[i]), 0);
		if (is_slip(&nearest))
			rc = complain(p, &c, line, &nearest, err);
	}
	certain_release(&c);
	return rc;
}

/* ---- kinds ---- */

struct role {
	const char *field;
	const char *what;
	const struct textlist *kinds;
};

static void
add_access(struct buf *text, const char *field, struct span kind)
{
	bool plain = span_find(kind, '.') == NULL;

	buf_addf(text, " (did you mean .%s%s%.*s%s?)", field,
	    plain ? "." : "[\"", SPAN_ARG(kind), plain ? "" : "\"]");
}

/* "(did you mean .owned.Secret?)" The kind itself in the other role; with the
 * group, if only that tells two apart; or the nearest one. */
static void
suggest(struct buf *text, struct span name, const struct role *role,
    const struct role *other)
{
	struct nearest nearest;

	nearest_init(&nearest, name);
	if (textlist_has(other->kinds, name.p, name.n)) {
		add_access(text, other->field, name);
		return;
	}
	for (size_t i = 0; i < role->kinds->count; i++) {
		struct span kind = span_str(role->kinds->items[i]);
		struct span alone = span_cut(&kind, '.');

		if (kind.p != NULL && span_eq(alone, name)) {
			add_access(
			    text, role->field, span_str(role->kinds->items[i]));
			return;
		}
		nearest_offer(&nearest, span_str(role->kinds->items[i]), 0);
	}
	if (nearest.name.n > 0)
		add_access(text, role->field, nearest.name);
}

static int
check_role(const struct certain *c, const struct role *role,
    const struct role *other, struct err *err)
{
	struct buf text = BUF_INIT;
	struct span name;
	int at = 0, line;

	while (certain_read(c, role->field, &at, &name, &line)) {
		if (textlist_has(role->kinds, name.p, name.n))
			continue;
		suggest(&text, name, role, other);
		err_set(err, ERR_PERMANENT,
		    "%s:%d: no entry of watches.yaml has %s kind %.*s%s",
		    c->file->path, line, role->what, SPAN_ARG(name),
		    buf_str(&text));
		buf_release(&text);
		return -1;
	}
	return 0;
}

int
program_check_kinds(const struct program *p, const struct textlist *owned,
    const struct textlist *related, struct err *err)
{
	struct role first = {"owned", "a dependent", owned};
	struct role second = {"related", "a related", related};
	struct certain c;
	int rc;

	certain_init(&c, &p->source, program_names, PROGRAM_MAP);
	rc = check_role(&c, &first, &second, err) != 0
	    ? -1
	    : check_role(&c, &second, &first, err);
	certain_release(&c);
	return rc;
}
