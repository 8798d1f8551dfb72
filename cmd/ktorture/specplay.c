#include "specplay.h"

#include <stdlib.h>

#include "base/mem.h"
#include "json/jvtext.h"
#include "scene/scenario.h"
#include "scene/specs.h"

struct specplay {
	struct specs specs;
	struct oracle *oracle; /* owned: of the example alone */
	jv example;	       /* owned: the primary at its end */
	jq_state **memory;     /* rules: remembers */
	size_t memory_count;
};

/* ---- records ---- */

static jv
text(const char *value)
{
	return jv_string(value);
}

static int
last_line(jv record)
{
	return jv_array_length(jv_copy(record)) - 1;
}

/* The place of its first end; the last one if there is none. */
static int
first_end(jv record)
{
	int last = last_line(record);

	for (int i = 0; i < last; i++) {
		jv line = jv_array_get(jv_copy(record), i);
		bool is_end = jv_is_valid(jvtext_peek(line, "end"));

		jv_free(line);
		if (is_end)
			return i;
	}
	return last;
}

static bool
is_same_object(jv a, jv b)
{
	jv m = jvtext_peek(a, "metadata"), n = jvtext_peek(b, "metadata");

	return span_eq(jvtext_span(jvtext_peek(a, "kind")),
		   jvtext_span(jvtext_peek(b, "kind"))) &&
	    span_eq(jvtext_span(jvtext_peek(a, "apiVersion")),
		jvtext_span(jvtext_peek(b, "apiVersion"))) &&
	    span_eq(jvtext_span(jvtext_peek(m, "name")),
		jvtext_span(jvtext_peek(n, "name")));
}

/* As it is at the end at that place; owned, invalid if it is not there. */
static jv
primary_at(const struct specplay *p, jv record, int at)
{
	jv line = jv_array_get(jv_copy(record), at), primary = jv_invalid();
	jv state = jv_copy(jvtext_peek(line, "state"));

	jv_free(line);
	if (jv_get_kind(state) != JV_KIND_ARRAY) {
		jv_free(state);
		return primary;
	}
	jv_array_foreach(state, i, object)
	{
		if (is_same_object(object, p->specs.object)) {
			jv_free(primary);
			primary = object;
		} else {
			jv_free(object);
		}
	}
	jv_free(state);
	return primary;
}

/* ---- what judges ---- */

/* By the record of another way to the same end, owned; other: of another such
 * play. */
static struct oracle *
judge(const struct campaign *r, jv clean, jv other, struct err *err)
{
	return oracle_new(clean, other,
	    scenario_rules(r->folder, jv_copy(r->specs->specs.rules), err),
	    err);
}

/* Which differences at an end count. */
enum ends {
	ENDS_ALL,
	ENDS_CONDITIONS,
	ENDS_NONE /* nor what a status says of it */
};

static bool
counts(jv violation, enum ends ends)
{
	static const char *const ignored[] = {"twice", "requests", NULL};
	struct span invariant =
	    jvtext_span(jvtext_peek(violation, "invariant"));
	struct span said = jvtext_span(jvtext_peek(violation, "text"));

	if (span_is(invariant, "end") && ends == ENDS_CONDITIONS)
		return span_starts(said, ".status.conditions");
	if (span_is(invariant, "end") || span_is(invariant, "claim"))
		return ends != ENDS_NONE;
	return !span_is_one_of(invariant, ignored);
}

static bool
has(jv found, jv violation)
{
	bool same = false;

	jv_array_foreach(found, i, v)
	{
		same = same ||
		    span_ends(jvtext_span(jvtext_peek(v, "text")),
			jv_string_value(jvtext_peek(violation, "text")));
		jv_free(v);
	}
	return same;
}

/* Adds those that count, with what was done before; takes both. */
static jv
add_found(jv found, jv more, enum ends ends, const char *when)
{
	jv_array_foreach(more, i, v)
	{
		jv said = jv_copy(jvtext_peek(v, "text"));

		if (counts(v, ends) && !has(found, v))
			found = jv_array_append(found,
			    jv_object_set(v, text("text"),
				jv_string_concat(text(when), said)));
		else {
			jv_free(said);
			jv_free(v);
		}
	}
	jv_free(more);
	return found;
}

/* ---- an error that no status tells of ---- */

static bool
is_edit(jv step)
{
	return jv_is_valid(step) &&
	    !span_is(jvtext_span(jvtext_peek(step, "do")), "settle");
}

/* The last error about the primary in the log since the last edit, before that
 * line; owned. */
static jv
last_error(const struct specplay *p, jv record, int end)
{
	jv error = jv_invalid();
	struct span name = jvtext_span(
	    jvtext_peek(jvtext_peek(p->specs.object, "metadata"), "name"));
	struct buf b = BUF_INIT;

	buf_addf(&b, "/%.*s: ", SPAN_ARG(name));
	for (int i = 0; i < end; i++) {
		jv line = jv_array_get(jv_copy(record), i);
		jv log = jvtext_peek(line, "log");
		struct span said = jvtext_span(log);

		if (is_edit(jvtext_peek(line, "do"))) {
			jv_free(error);
			error = jv_invalid();
		} else if (span_starts(said, "error: ") &&
		    span_has(said, buf_str(&b))) {
			jv_free(error);
			error = jv_copy(log);
		}
		jv_free(line);
	}
	buf_release(&b);
	return error;
}

static jv
hidden_error(const struct specplay *p, jv error, jv primary)
{
	if (!jv_is_valid(error) || !oracle_same_status(p->example, primary))
		return jv_array();
	return JV_ARRAY(JV_OBJECT(text("invariant"), text("claim"),
	    text("object"), text(""), text("text"),
	    jv_string_concat(text("the status does not tell of an error: "),
		jv_copy(error))));
}

/* ---- what cannot be put back ---- */

/* The rules that say so, compiled. */
static int
read_memory(struct specplay *p, const struct opfolder *f, struct err *err)
{
	int rc = 0;

	jv_array_foreach(f->rules, i, rule)
	{
		jv name = jvtext_peek(rule, "remembers");
		jq_state *jq = NULL;

		if (rc == 0 && jv_is_valid(name)) {
			jq = scenario_expression(
			    f, jv_string_value(jvtext_peek(rule, "jq")), err);
			rc = jq != NULL ? 0 : -1;
			if (rc != 0)
				err_prefix(err, "remembers \"%s\"",
				    jv_string_value(name));
		}
		if (jq != NULL) {
			p->memory = mem_grow(
			    p->memory, p->memory_count, sizeof(jq_state *));
			p->memory[p->memory_count++] = jq;
		}
		jv_free(rule);
	}
	return rc;
}

/* Whether one of them is true of the state in that line; -1 with err. */
static int
remembers(const struct specplay *p, jv record, int at, struct err *err)
{
	jv line = jv_array_get(jv_copy(record), at);
	int yes = 0;

	for (size_t i = 0; i < p->memory_count && yes == 0; i++)
		yes = scenario_holds(
		    p->memory[i], jv_copy(jvtext_peek(line, "state")), err);
	jv_free(line);
	return yes;
}

/* ---- a spec ---- */

/* A play in which it is edited. */
struct edited {
	jv record, part; /* all of it; until the end after the edits */
	jv primary;	 /* at that end; invalid: it is not there */
	jv error;	 /* invalid: none */
	enum ends ends;
};

static void
edited_release(struct edited *e)
{
	jv_free(e->record);
	jv_free(e->part);
	jv_free(e->primary);
	jv_free(e->error);
}

/* Takes found. */
static jv
without_claims(jv found)
{
	jv rest = jv_array();

	jv_array_foreach(found, i, v)
	{
		if (span_is(jvtext_span(jvtext_peek(v, "invariant")), "claim"))
			jv_free(v);
		else
			rest = jv_array_append(rest, v);
	}
	jv_free(found);
	return rest;
}

/* Which differences to the end of a fresh operator count: one that fails leaves
 * what there is. */
static enum ends
ends_of(const struct specplay *p, const struct edited *e, jv fresh)
{
	jv error = jv_is_valid(fresh) ? last_error(p, fresh, last_line(fresh))
				      : jv_invalid();
	bool fails = jv_is_valid(error);

	jv_free(error);
	return e->ends == ENDS_ALL && fails ? ENDS_CONDITIONS : e->ends;
}

/* The differences to a fresh operator's end. Another play of that is needed only
 * to know what differs always. */
static jv
against_fresh(struct campaign *r, struct world *w, const struct edited *e,
    struct err *err)
{
	jv scenario = specs_fresh(&r->specs->specs, e->primary);
	jv found = jv_invalid();
	bool settled = false;

	for (int again = 0; again < 2 && !settled; again++) {
		jv fresh = campaign_play(r, w, scenario, false, NULL, err);
		jv other = again && jv_is_valid(fresh)
		    ? campaign_play(r, w, scenario, true, NULL, err)
		    : jv_copy(fresh);
		struct oracle *o = jv_is_valid(other)
		    ? judge(r, jv_copy(fresh), other, err)
		    : NULL;

		enum ends ends = ends_of(r->specs, e, fresh);

		jv_free(fresh);
		jv_free(found);
		found = jv_invalid();
		if (o == NULL)
			break;
		found = add_found(jv_array(),
		    without_claims(oracle_check(o, jv_copy(e->part))), ends,
		    "edited: ");
		oracle_free(o);
		settled = jv_array_length(jv_copy(found)) == 0;
	}
	jv_free(scenario);
	return found;
}

/* After the edits; owned, invalid with err. */
static jv
check_edited(struct campaign *r, struct world *w, const struct edited *e,
    struct err *err)
{
	const struct specplay *p = r->specs;

	if (!jv_is_valid(e->primary) ||
	    jv_equal(specs_content(e->primary), specs_content(p->example)))
		return add_found(jv_array(),
		    oracle_check(p->oracle, jv_copy(e->part)), e->ends,
		    "edited: ");
	return against_fresh(r, w, e, err);
}

jv
specplay_play(struct campaign *r, struct world *w, jv edits,
    const char *recording, jv *record, struct err *err)
{
	const struct specplay *p = r->specs;
	jv way = specs_way(&p->specs, edits, err), found;
	struct edited e = {.ends = ENDS_ALL};
	int end, edited, back;

	if (!jv_is_valid(way))
		return way;
	e.record = campaign_play(r, w, way, false, recording, err);
	jv_free(way);
	if (!jv_is_valid(e.record))
		return e.record;
	end = first_end(e.record);
	e.primary = primary_at(p, e.record, end);
	e.part = jv_array_slice(jv_copy(e.record), 0, end + 1);
	e.error = last_error(p, e.record, end);
	edited = remembers(p, e.record, end, err);
	back =
	    edited < 0 ? -1 : remembers(p, e.record, last_line(e.record), err);
	if (edited > 0)
		e.ends = ENDS_NONE;
	oracle_learn(p->oracle, jv_copy(e.record));
	found = back < 0 ? jv_invalid() : check_edited(r, w, &e, err);
	if (jv_is_valid(found)) {
		found = add_found(found, hidden_error(p, e.error, e.primary),
		    ENDS_ALL, "edited: ");
		found =
		    add_found(found, oracle_check(p->oracle, jv_copy(e.record)),
			back > 0 ? ENDS_NONE : ENDS_ALL, "put back: ");
		if (record != NULL)
			*record = jv_copy(e.record);
	}
	edited_release(&e);
	return found;
}

/* ---- all ---- */

int
specplay_begin(struct campaign *r, struct world *w, jv *found, struct err *err)
{
	struct specplay *p = mem_zalloc(sizeof(*p));
	jv scenario, clean, other;

	*found = jv_array();
	p->example = jv_invalid();
	if (specs_load(&p->specs, r->folder, err) != 0) {
		free(p);
		return -1;
	}
	r->specs = p;
	if (read_memory(p, r->folder, err) != 0)
		return -1;
	if (p->specs.singles == 0)
		return 0;
	scenario = specs_fresh(&p->specs, p->specs.object);
	clean = campaign_play(r, w, scenario, false, NULL, err);
	other = jv_is_valid(clean)
	    ? campaign_play(r, w, scenario, true, NULL, err)
	    : jv_invalid();
	jv_free(scenario);
	if (jv_is_valid(other))
		p->oracle = judge(r, jv_copy(clean), other, err);
	if (p->oracle != NULL) {
		p->example = primary_at(p, clean, first_end(clean));
		*found = add_found(*found,
		    oracle_check(p->oracle, jv_copy(clean)), ENDS_ALL, "");
	}
	jv_free(clean);
	return p->oracle != NULL ? 0 : -1;
}

void
specplay_free(struct specplay *p)
{
	if (p == NULL)
		return;
	specs_release(&p->specs);
	oracle_free(p->oracle);
	jv_free(p->example);
	for (size_t i = 0; i < p->memory_count; i++)
		jq_teardown(&p->memory[i]);
	free(p->memory);
	free(p);
}

size_t
specplay_count(const struct campaign *r)
{
	return r->specs == NULL ? 0 : specs_count(&r->specs->specs);
}

size_t
specplay_singles(const struct campaign *r)
{
	return r->specs == NULL ? 0 : r->specs->specs.singles;
}

jv
specplay_edits(const struct campaign *r, size_t n)
{
	return specs_get(&r->specs->specs, r->seed, n);
}
