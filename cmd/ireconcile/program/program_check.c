/*
 * Part of program/program.h and program/run.h: names in a program that cannot be
 * meant.
 */
#include "program/program.h"

#include "base/nearest.h"
#include "language/reads.h"
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

/* Whether the name is a slip of the keys: one wrong letter, or letters that are
 * missing, or too many (`reque`). Another word, such as `state`, does not
 * count. */
static bool
is_slip(const struct nearest *n)
{
	return n->distance == 1 ||
	    (n->distance == 2 &&
		(is_within(n->wanted, n->name) ||
		    is_within(n->name, n->wanted)));
}

static const struct reads_entries entries = {program_names, PROGRAM_MAP};

/* The program's own file. */
static const struct source_file *
file_of(const struct program *p)
{
	return &p->source.files[p->source.count - 1];
}

static int
line_of(const struct source_file *f, const struct jqparse_def *def)
{
	return f->lex.tokens[def->from].line;
}

static int
complain(const struct program *p, const struct jqparse_def *def,
    const struct nearest *n, struct err *err)
{
	struct err says = ERR_INIT;
	bool both = source_has_function(&p->source, n->name);

	err_set(&says, ERR_PERMANENT,
	    "%s:%d: %.*s is called nowhere (did you mean %.*s?)",
	    file_of(p)->path, line_of(file_of(p), def), SPAN_ARG(n->wanted),
	    SPAN_ARG(n->name));
	if (!both)
		*err = says;
	else
		log_warning("%s", says.message);
	return both ? 0 : -1;
}

int
program_check_functions(const struct program *p, struct err *err)
{
	const struct jqparse_def *def;
	int at = 0, rc = 0;

	while (rc == 0 &&
	    (def = reads_uncalled(&p->source, &entries, &at)) != NULL) {
		struct nearest nearest;

		nearest_init(&nearest, def->name);
		for (int i = 0; i < PROGRAM_MAP; i++)
			nearest_offer(&nearest, span_str(program_names[i]), 0);
		if (is_slip(&nearest))
			rc = complain(p, def, &nearest, err);
	}
	return rc;
}

void
program_warn_twice(const struct program *p)
{
	const struct source_file *f = file_of(p);

	for (int i = 0; i < PROGRAM_MAP; i++) {
		const struct jqparse_def *before = NULL;

		for (int d = 0; d < f->parse.def_count; d++) {
			const struct jqparse_def *def = &f->parse.defs[d];

			if (def->arity != 0 ||
			    !span_is(def->name, program_names[i]))
				continue;
			/* The next of its name hides it before a call. */
			if (before != NULL &&
			    !jqparse_is_used(&f->parse, before, before->end_use,
				def->first_use))
				log_warning("%s:%d: %s is defined again: that "
					    "in line %d is never called",
				    f->path, line_of(f, def), program_names[i],
				    line_of(f, before));
			before = def;
		}
	}
}

void
program_warn_finalize(const struct program *p)
{
	struct source_def d =
	    source_find_entry(&p->source, program_names[PROGRAM_FINALIZE]);

	log_warning("%s:%d: finalize is never called: no entry with this "
		    "program has a finalizer",
	    d.file->path, line_of(d.file, d.def));
}

/* ---- kinds ---- */

struct check {
	const struct program *program;
	const struct program_known *known;
	struct err *err;
};

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
check_kind(const struct check *k, const struct reads_member *r,
    const struct role *role, const struct role *other)
{
	struct buf text = BUF_INIT;

	if (textlist_has(role->kinds, r->name.p, r->name.n))
		return 0;
	suggest(&text, r->name, role, other);
	err_set(k->err, ERR_PERMANENT,
	    "%s:%d: no entry of watches.yaml has %s kind %.*s%s",
	    file_of(k->program)->path, r->line, role->what, SPAN_ARG(r->name),
	    buf_str(&text));
	buf_release(&text);
	return -1;
}

/* ---- members ---- */

/* apimachinery's ObjectMeta, with clusterName, which it once had. */
static const char *const metadata_members[] = {"name", "generateName",
    "namespace", "selfLink", "uid", "resourceVersion", "generation",
    "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
    "labels", "annotations", "ownerReferences", "finalizers", "clusterName",
    "managedFields", NULL};

static const char *const input_members[] = {"primary", "owned", "related",
    "operator", "now", "outstanding", "error", "loops", "plan", NULL};

/* ".primry: the input has no such member (did you mean .primary?)" */
static void
describe(const struct check *k, const struct reads_member *r, const char *path,
    const char *what, const struct nearest *near, struct err *err)
{
	struct buf text = BUF_INIT;

	buf_addf(&text, "%s:%d: %s.%.*s: %s", file_of(k->program)->path,
	    r->line, path, SPAN_ARG(r->name), what);
	if (near->name.n > 0)
		buf_addf(&text, " (did you mean %s.%.*s?)", path,
		    SPAN_ARG(near->name));
	err_set(err, ERR_PERMANENT, "%s", buf_str(&text));
	buf_release(&text);
}

/* Refuses a name that is not in names. A program that handles the lack of the
 * member is left alone, unless the name is a slip of the keys. */
static int
check_fixed(const struct check *k, const struct reads_member *r,
    const char *const *names, const char *path, const char *what)
{
	struct nearest near;

	if (span_is_one_of(r->name, names))
		return 0;
	nearest_init(&near, r->name);
	nearest_offer_all(&near, names);
	if (r->optional && (near.name.n == 0 || !is_slip(&near)))
		return 0;
	describe(k, r, path, what, &near, k->err);
	return -1;
}

/* .metadata is meant to be .primary.metadata. */
static struct span
in_primary(struct span name)
{
	static const char *const members[] = {"primary.apiVersion",
	    "primary.kind", "primary.metadata", "primary.spec",
	    "primary.status", NULL};

	for (int i = 0; members[i] != NULL; i++)
		if (span_is(name, members[i] + sizeof("primary.") - 1))
			return span_str(members[i]);
	return span_make("", 0);
}

static int
check_input(const struct check *k, const struct reads_member *r)
{
	const char *what = "the input has no such member";
	struct nearest near;

	nearest_init(&near, r->name);
	near.name = in_primary(r->name);
	if (span_is(r->name, "plan") && !k->program->defines[PROGRAM_PLAN])
		what = "the program has no function plan";
	else if (near.name.n == 0)
		return check_fixed(k, r, input_members, "", what);
	if (r->optional)
		return 0;
	describe(k, r, "", what, &near, k->err);
	return -1;
}

/* A key may be missing in one file and be there in another: only a warning. */
static int
check_operator(const struct check *k, const struct reads_member *r)
{
	const struct textlist *keys = k->known->operator_keys;
	struct err says = ERR_INIT;
	struct nearest near;

	if (textlist_has(keys, r->name.p, r->name.n))
		return 0;
	nearest_init(&near, r->name);
	for (size_t i = 0; i < keys->count; i++)
		nearest_offer(&near, span_str(keys->items[i]), 0);
	if (r->optional && (near.name.n == 0 || !is_slip(&near)))
		return 0;
	describe(k, r, ".operator", "operator in watches.yaml has no such key",
	    &near, &says);
	log_warning("%s", says.message);
	return 0;
}

/* A kind may have any member; but none is called almost as metadata. */
static int
check_object(const struct check *k, const struct reads_member *r)
{
	static const char metadata[] = "metadata";
	struct nearest near;

	nearest_init(&near, r->name);
	nearest_offer(&near, span_str(metadata), 0);
	if (near.name.n == 0 || near.distance == 0 || !is_slip(&near) ||
	    is_within(near.name, r->name))
		return 0;
	describe(k, r, "", "an object has no such member", &near, k->err);
	return -1;
}

static int
check_read(void *arg, const struct reads_member *r)
{
	const struct check *k = arg;
	const struct role owned = {"owned", "a dependent", k->known->owned};
	const struct role related = {"related", "a related", k->known->related};

	switch (r->of) {
	case READS_INPUT:
		return check_input(k, r);
	case READS_OWNED:
		return check_kind(k, r, &owned, &related);
	case READS_RELATED:
		return check_kind(k, r, &related, &owned);
	case READS_OPERATOR:
		return check_operator(k, r);
	case READS_OBJECT:
		return k->known->filters ? 0 : check_object(k, r);
	case READS_METADATA:
		return k->known->filters
		    ? 0
		    : check_fixed(k, r, metadata_members, ".metadata",
			  "the metadata of an object has no such member");
	default:
		return 0;
	}
}

int
program_check_reads(
    const struct program *p, const struct program_known *known, struct err *err)
{
	struct check check = {p, known, err};

	return reads_walk(&p->source, &entries,
	    p->defines[PROGRAM_MAP] ? READS_OBJECT : READS_INPUT, check_read,
	    &check);
}
