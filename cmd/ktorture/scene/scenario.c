#include "scene/scenario.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/nearest.h"
#include "base/mem.h"
#include "conf/yamlvalue.h"
#include "json/jvtext.h"
#include "libjq/jqfiles.h"
#include "process/file.h"
#include "scene/kindname.h"
#include "value/duration.h"

/* A file as it is read. */
struct reader {
	struct opfolder *folder;
	const char *path; /* borrowed */
	int line;	  /* where the step or rule began */
	bool then;	  /* the word was there */
	jv steps, rules;
	struct err *err;
};

static int fail(struct reader *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static int
fail(struct reader *r, const char *fmt, ...)
{
	struct buf b = BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	buf_addv(&b, fmt, ap);
	va_end(ap);
	err_set(
	    r->err, ERR_PERMANENT, "%s:%d: %s", r->path, r->line, buf_str(&b));
	buf_release(&b);
	return -1;
}

/* ---- words ---- */

static struct span
cut_word(struct span *rest)
{
	struct span word = *rest;

	word.n = 0;
	while (word.n < rest->n && !span_is_among(rest->p[word.n], SPAN_BLANKS))
		word.n++;
	*rest = span_trim_start(span_skip(*rest, word.n), SPAN_BLANKS);
	return word;
}

/* "A NAME" at the beginning. */
static int
cut_name(struct reader *r, struct span *rest, struct span *name)
{
	const char *end;

	if (!span_take(rest, "\"") || (end = span_find(*rest, '"')) == NULL)
		return fail(r, "a name in double quotes is missing");
	*name = span_make(rest->p, (size_t)(end - rest->p));
	*rest = span_trim_start(span_skip(*rest, name->n + 1), SPAN_BLANKS);
	return 0;
}

static int
no_more(struct reader *r, struct span rest)
{
	if (rest.n == 0)
		return 0;
	return fail(r, "\"%.*s\" is too much", SPAN_ARG(rest));
}

static jv
text_value(struct span s)
{
	return jv_string_sized(s.p, (int)s.n);
}

/* ---- objects ---- */

/* One value as YAML; lines are those of the file. */
static jv
read_value(struct reader *r, struct span text, const char *what)
{
	struct buf padded = BUF_INIT;
	jv documents, value = jv_invalid();

	for (int i = 1; i < r->line; i++)
		buf_addc(&padded, '\n');
	buf_addspan(&padded, text);
	documents = yamlvalue_documents(r->path, buf_span(&padded), r->err);
	buf_release(&padded);
	if (!jv_is_valid(documents))
		return documents;
	if (jv_array_length(jv_copy(documents)) == 1)
		value = jv_array_get(jv_copy(documents), 0);
	jv_free(documents);
	if (jv_get_kind(value) == JV_KIND_OBJECT ||
	    jv_get_kind(value) == JV_KIND_ARRAY)
		return value;
	jv_free(value);
	fail(r, "%s is missing", what);
	return jv_invalid();
}

/* FILE or {OBJECT}: a list of objects. */
static jv
read_objects(struct reader *r, struct span rest)
{
	jv object;

	if (rest.n == 0) {
		fail(r, "a file or an {object} is missing");
		return jv_invalid();
	}
	if (*rest.p != '{') {
		char *name = mem_dup(rest.p, rest.n);
		jv objects = opfolder_documents(r->folder, name, r->err);

		if (jv_is_valid(objects) &&
		    jv_array_length(jv_copy(objects)) == 0) {
			jv_free(objects);
			objects = jv_invalid();
			fail(r, "%s/%s is not there, or has no object",
			    r->folder->path, name);
		}
		free(name);
		return objects;
	}
	object = read_value(r, rest, "an {object}");
	if (!jv_is_valid(object))
		return object;
	if (jvtext_span(jvtext_peek(object, "apiVersion")).n == 0 ||
	    jvtext_span(jvtext_peek(object, "kind")).n == 0 ||
	    jvtext_span(jvtext_peek(jvtext_peek(object, "metadata"), "name"))
		    .n == 0) {
		jv_free(object);
		fail(r, "the object needs apiVersion, kind and metadata.name");
		return jv_invalid();
	}
	return JV_ARRAY(opfolder_place(r->folder, object));
}

static jv
find_kind(struct reader *r, struct span name)
{
	jv k = kindname_find(r->folder->kinds, name);

	if (!jv_is_valid(k)) {
		char *names = kindname_list(r->folder->kinds);

		fail(r,
		    "unknown kind \"%.*s\": write one of %s, or one of "
		    "Kubernetes",
		    SPAN_ARG(name), names);
		free(names);
	}
	return k;
}

/* KIND/NAME [-n NAMESPACE] becomes {apiVersion, kind, namespace, name}. */
static jv
cut_reference(struct reader *r, struct span *rest)
{
	struct span word = cut_word(rest), ns = SPAN_NONE;
	struct span kind = span_cut(&word, '/');
	jv k, ref = jv_object();

	if (span_starts(*rest, "-n ")) {
		cut_word(rest);
		ns = cut_word(rest);
	}
	if (kind.n == 0 || word.n == 0) {
		fail(r, "write KIND/NAME");
		jv_free(ref);
		return jv_invalid();
	}
	k = find_kind(r, kind);
	if (!jv_is_valid(k)) {
		jv_free(ref);
		return k;
	}
	ref = jv_object_set(ref, jv_string("apiVersion"),
	    jv_copy(jvtext_peek(k, "apiVersion")));
	ref = jv_object_set(
	    ref, jv_string("kind"), jv_copy(jvtext_peek(k, "kind")));
	if (jv_get_kind(jvtext_peek(k, "namespaced")) == JV_KIND_TRUE)
		ref = jv_object_set(ref, jv_string("namespace"),
		    ns.n > 0 ? text_value(ns)
			     : jv_string(r->folder->namespace_));
	jv_free(k);
	return jv_object_set(ref, jv_string("name"), text_value(word));
}

static jv
reference_of(jv object_peek)
{
	static const char *const keys[] = {"namespace", "name", NULL};
	jv metadata = jvtext_peek(object_peek, "metadata");
	jv ref = jv_object();

	ref = jv_object_set(ref, jv_string("apiVersion"),
	    jv_copy(jvtext_peek(object_peek, "apiVersion")));
	ref = jv_object_set(
	    ref, jv_string("kind"), jv_copy(jvtext_peek(object_peek, "kind")));
	for (const char *const *k = keys; *k != NULL; k++)
		if (jv_is_valid(jvtext_peek(metadata, *k)))
			ref = jv_object_set(ref, jv_string(*k),
			    jv_copy(jvtext_peek(metadata, *k)));
	return ref;
}

/* ---- steps ---- */

/* `then` is of the first step of a line. Takes step. */
static void
add_step(struct reader *r, const char *what, jv step)
{
	step = jv_object_set(step, jv_string("do"), jv_string(what));
	if (r->then)
		step = jv_object_set(step, jv_string("then"), jv_true());
	r->then = false;
	r->steps = jv_array_append(r->steps, step);
}

static void
add_object(struct reader *r, const char *what, jv object)
{
	add_step(r, what, JV_OBJECT(jv_string("object"), object));
}

/* create, apply. What is made before the example is made with it. */
static int
step_object(struct reader *r, const char *what, struct span rest)
{
	jv objects = read_objects(r, rest);

	if (!jv_is_valid(objects))
		return -1;
	if (span_is(rest, "example.yaml")) {
		jv_free(objects);
		objects = jv_copy(r->folder->before);
		if (jv_is_valid(r->folder->primary))
			objects = jv_array_append(
			    objects, jv_copy(r->folder->primary));
	}
	jv_array_foreach(objects, i, o) add_object(r, what, o);
	jv_free(objects);
	return 0;
}

static int
step_recreate(struct reader *r, const char *what, struct span rest)
{
	jv objects = read_objects(r, rest), last, step;

	(void)what;
	if (!jv_is_valid(objects))
		return -1;
	last = jv_array_get(
	    jv_copy(objects), jv_array_length(jv_copy(objects)) - 1);
	jv_free(objects);
	if (span_is(rest, "example.yaml") && jv_is_valid(r->folder->primary)) {
		jv_free(last);
		last = jv_copy(r->folder->primary);
	}
	add_step(r, "delete", reference_of(last));
	step = JV_OBJECT(
	    jv_string("object"), last, jv_string("whenGone"), jv_true());
	r->then = true;
	add_step(r, "create", step);
	return 0;
}

/* edit, status */
static int
step_patch(struct reader *r, const char *what, struct span rest)
{
	jv step = cut_reference(r, &rest), patch;

	if (!jv_is_valid(step))
		return -1;
	patch = read_value(r, rest, "a {patch}");
	if (!jv_is_valid(patch)) {
		jv_free(step);
		return -1;
	}
	step = jv_object_set(step, jv_string("patch"), patch);
	if (strcmp(what, "status") == 0)
		step = jv_object_set(
		    step, jv_string("subresource"), jv_string("status"));
	add_step(r, "patch", step);
	return 0;
}

static int
step_delete(struct reader *r, const char *what, struct span rest)
{
	jv step = cut_reference(r, &rest);

	if (!jv_is_valid(step))
		return -1;
	if (no_more(r, rest) != 0) {
		jv_free(step);
		return -1;
	}
	add_step(r, what, step);
	return 0;
}

static int
step_wait(struct reader *r, const char *what, struct span rest)
{
	uint64_t ms;

	if (duration_parse_ms(rest, &ms) != 0)
		return fail(r, "\"%.*s\" is not a duration, as 10m or 1h30m",
		    SPAN_ARG(rest));
	add_step(r, what, JV_OBJECT(jv_string("ms"), jv_number((double)ms)));
	return 0;
}

/* drift and the others of resolve.h */
static int
step_index(struct reader *r, const char *what, struct span rest)
{
	uint64_t index;

	if (!span_number(rest, 1000, &index))
		return fail(
		    r, "%s: write the number of an object, from 0", what);
	add_step(
	    r, what, JV_OBJECT(jv_string("index"), jv_number((double)index)));
	return 0;
}

/* "NAME" JQ: {KEY: NAME, jq: JQ}, owned. The expression compiles. */
static jv
read_expression(struct reader *r, const char *key, struct span rest)
{
	struct span name = SPAN_NONE;
	struct err err = ERR_INIT;
	char *text;
	jq_state *jq;
	jv v = jv_invalid();

	if (cut_name(r, &rest, &name) != 0)
		return v;
	if (rest.n == 0) {
		fail(r, "an expression of jq is missing");
		return v;
	}
	text = mem_dup(rest.p, rest.n);
	jq = scenario_expression(r->folder, text, &err);
	free(text);
	if (jq == NULL) {
		fail(r, "%s", err.message);
		return v;
	}
	jq_teardown(&jq);
	return JV_OBJECT(jv_string(key), text_value(name), jv_string("jq"),
	    text_value(rest));
}

static int
step_expect(struct reader *r, const char *what, struct span rest)
{
	jv step = read_expression(r, "name", rest);

	if (!jv_is_valid(step))
		return -1;
	add_step(r, what, step);
	return 0;
}

/* ---- rules ---- */

static int
add_rule(struct reader *r, jv rule)
{
	if (r->then) {
		jv_free(rule);
		return fail(r, "a rule has no \"then\"");
	}
	if (!jv_is_valid(rule))
		return -1;
	r->rules = jv_array_append(r->rules, rule);
	return 0;
}

static int
rule_expression(struct reader *r, const char *what, struct span rest)
{
	return add_rule(r, read_expression(r, what, rest));
}

static int
rule_path(struct reader *r, const char *what, struct span rest)
{
	jv k = find_kind(r, cut_word(&rest));
	jv rule = jv_object();

	if (!jv_is_valid(k)) {
		jv_free(rule);
		return -1;
	}
	rule = jv_object_set(
	    rule, jv_string("kind"), jv_copy(jvtext_peek(k, "kind")));
	jv_free(k);
	if (rest.n < 1 || *rest.p != '.') {
		jv_free(rule);
		return fail(r, "%s: write KIND .PATH, as .status.nodes", what);
	}
	return add_rule(
	    r, jv_object_set(rule, jv_string(what), text_value(rest)));
}

static int
rule_kind(struct reader *r, const char *what, struct span rest)
{
	jv k = find_kind(r, cut_word(&rest)), kind;

	if (!jv_is_valid(k))
		return -1;
	kind = jv_copy(jvtext_peek(k, "kind"));
	jv_free(k);
	if (no_more(r, rest) != 0) {
		jv_free(kind);
		return -1;
	}
	return add_rule(r, JV_OBJECT(jv_string(what), kind));
}

static int
rule_patience(struct reader *r, const char *what, struct span rest)
{
	jv k = find_kind(r, cut_word(&rest)), kind;
	uint64_t ms;

	if (!jv_is_valid(k))
		return -1;
	kind = jv_copy(jvtext_peek(k, "kind"));
	jv_free(k);
	if (duration_parse_ms(rest, &ms) != 0) {
		jv_free(kind);
		return fail(r, "patience: write KIND DURATION, as Job 10s");
	}
	return add_rule(r,
	    JV_OBJECT(
		jv_string(what), kind, jv_string("ms"), jv_number((double)ms)));
}

/* ---- lines ---- */

static const struct verb {
	const char *name;
	int (*read)(struct reader *r, const char *what, struct span rest);
} verbs[] = {{"create", step_object}, {"apply", step_object},
    {"recreate", step_recreate}, {"edit", step_patch}, {"status", step_patch},
    {"delete", step_delete}, {"wait", step_wait}, {"expect", step_expect},
    {"drift", step_index}, {"lose", step_index}, {"foreign", step_index},
    {"unforeign", step_index}, {"always", rule_expression},
    {"history", rule_expression}, {"varies", rule_path},
    {"remembers", rule_expression}, {"again", rule_kind},
    {"unready", rule_kind}, {"back", rule_path}, {"patience", rule_patience}};

static const struct verb *
find_verb(struct span word)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		if (span_is(word, verbs[i].name))
			return &verbs[i];
	return NULL;
}

static int
fail_verb(struct reader *r, struct span word)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		buf_addf(&b, "%s%s", i > 0 ? " " : "", verbs[i].name);
	fail(r, "unknown word \"%.*s\": write one of %s", SPAN_ARG(word),
	    buf_str(&b));
	buf_release(&b);
	return -1;
}

static int
read_one(struct reader *r, struct span text)
{
	struct span rest = span_trim(text, SPAN_BLANKS);
	struct span word = cut_word(&rest);
	const struct verb *v;

	r->then = span_is(word, "then");
	if (r->then)
		word = cut_word(&rest);
	v = find_verb(word);
	return v == NULL ? fail_verb(r, word) : v->read(r, v->name, rest);
}

static bool
goes_on(struct span line)
{
	return line.n > 0 && span_is_among(*line.p, " \t");
}

/* A step or rule is its line, and those below that begin with a blank. */
static int
read_lines(struct reader *r, struct span text)
{
	int line_number = 0;

	while (text.p != NULL) {
		struct span begun = text, line = span_cut(&text, '\n');

		r->line = ++line_number;
		if (span_trim(line, SPAN_BLANKS).n == 0 || *line.p == '#')
			continue;
		if (goes_on(line))
			return fail(r,
			    "it begins with a blank, but there is no step "
			    "before it");
		while (text.p != NULL && goes_on(text)) {
			line = span_cut(&text, '\n');
			line_number++;
		}
		begun.n = (size_t)(line.p + line.n - begun.p);
		if (read_one(r, begun) != 0)
			return -1;
	}
	return 0;
}

/* ---- a scenario ---- */

/* t/run.scenario is "run". */
static jv
name_of(const char *path)
{
	struct span name = span_str(file_base(path));

	if (span_ends(name, ".scenario"))
		name.n -= strlen(".scenario");
	return text_value(name);
}

static jv
parse_json(const char *path, struct span text, struct err *err)
{
	jv v = jvtext_parse(text, err);

	if (!jv_is_valid(v)) {
		err_prefix(err, "%s", path);
		return v;
	}
	if (jv_get_kind(jvtext_peek(v, "steps")) == JV_KIND_ARRAY)
		return jv_is_valid(jvtext_peek(v, "name"))
		    ? v
		    : jv_object_set(v, jv_string("name"), name_of(path));
	jv_free(v);
	err_set(err, ERR_PERMANENT, "%s: a scenario has steps, a list", path);
	return jv_invalid();
}

jv
scenario_parse(
    struct opfolder *f, const char *path, struct span text, struct err *err)
{
	struct reader r = {.folder = f, .path = path, .err = err};
	jv scenario;
	int rc;

	if (span_starts(span_trim_start(text, SPAN_BLANKS), "{"))
		return parse_json(path, text, err);
	r.steps = jv_array();
	r.rules = jv_array();
	rc = read_lines(&r, text);
	if (rc == 0 && jv_array_length(jv_copy(r.steps)) == 0 &&
	    jv_array_length(jv_copy(r.rules)) == 0) {
		r.line = 1;
		rc = fail(&r, "there is no step and no rule in it");
	}
	if (rc != 0) {
		jv_free(r.steps);
		jv_free(r.rules);
		return jv_invalid();
	}
	scenario = JV_OBJECT(jv_string("name"), name_of(path));
	scenario = jv_object_set(scenario, jv_string("steps"), r.steps);
	scenario = jv_object_set(scenario, jv_string("rules"), r.rules);
	return jv_object_set(scenario, jv_string("marks"), jv_copy(f->marks));
}

jv
scenario_read(struct opfolder *f, const char *path, struct err *err)
{
	struct buf text = BUF_INIT;
	jv scenario = jv_invalid();

	if (file_read(path, SCENARIO_FILE_MAX_MIB, &text, err) == 0)
		scenario = scenario_parse(f, path, buf_span(&text), err);
	buf_release(&text);
	return scenario;
}

static int
is_scenario(const struct dirent *d)
{
	return d->d_name[0] != '.' &&
	    span_ends(span_str(d->d_name), ".scenario");
}

/* Takes list; those without steps become rules of all. */
static jv
with_rules(struct opfolder *f, jv list)
{
	jv with_steps = jv_array(), done = jv_array();

	jv_array_foreach(list, i, s)
	{
		jv rules = jvtext_peek(s, "rules");

		if (jv_array_length(jv_copy(jvtext_peek(s, "steps"))) > 0)
			with_steps = jv_array_append(with_steps, s);
		else {
			if (jv_get_kind(rules) == JV_KIND_ARRAY)
				f->rules =
				    jv_array_concat(f->rules, jv_copy(rules));
			jv_free(s);
		}
	}
	jv_free(list);
	jv_array_foreach(with_steps, k, s)
	{
		jv rules = jv_copy(jvtext_peek(s, "rules"));

		if (jv_get_kind(rules) != JV_KIND_ARRAY) {
			jv_free(rules);
			rules = jv_array();
		}
		s = jv_object_set(s, jv_string("rules"),
		    jv_array_concat(rules, jv_copy(f->rules)));
		done = jv_array_append(done, s);
	}
	jv_free(with_steps);
	return done;
}

jv
scenario_written(struct opfolder *f, struct err *err)
{
	struct buf path = BUF_INIT;
	struct dirent **found = NULL;
	jv list = jv_array();
	int n;

	jv_free(f->rules);
	f->rules = jv_array();
	buf_addf(&path, "%s/t", f->path);
	n = scandir(buf_str(&path), &found, is_scenario, alphasort);
	for (int i = 0; i < n; i++) {
		buf_reset(&path);
		buf_addf(&path, "%s/t/%s", f->path, found[i]->d_name);
		free(found[i]);
		if (!jv_is_valid(list))
			continue;
		jv one = scenario_read(f, buf_str(&path), err);

		if (jv_is_valid(one))
			list = jv_array_append(list, one);
		else {
			jv_free(list);
			list = jv_invalid();
		}
	}
	free(found);
	buf_release(&path);
	return jv_is_valid(list) ? with_rules(f, list) : list;
}

jv
scenario_defaults(const struct opfolder *f, struct err *err)
{
	jv input;

	if (!jv_is_valid(f->primary))
		return jv_array();
	input = JV_OBJECT(jv_string("primary"), jv_copy(f->primary),
	    jv_string("before"), jv_copy(f->before), jv_string("crds"),
	    jv_copy(f->crds), jv_string("entries"), jv_copy(f->entries));
	input = jv_object_set(input, jv_string("marks"), jv_copy(f->marks));
	input = jv_object_set(input, jv_string("rules"), jv_copy(f->rules));
	input = jv_object_set(
	    input, jv_string("old"), jv_bool(f->old_watches != NULL));
	return opfolder_run(f, "scenes", input, err);
}

/* ---- expressions ---- */

jq_state *
scenario_expression(const struct opfolder *f, const char *text, struct err *err)
{
	static const char *const names[] = {"torture/rules", NULL};

	return jqfiles_compile(&f->dirs, names, text, err);
}

jv
scenario_rules(const struct opfolder *f, jv rules, struct err *err)
{
	char *path = jqfiles_find(&f->dirs, "torture/rules", ".jq");
	struct buf text = BUF_INIT;
	jv done = jv_array();

	if (path == NULL)
		err_set(err, ERR_PERMANENT, "cannot find torture/rules.jq");
	if (path == NULL ||
	    file_read(path, SCENARIO_FILE_MAX_MIB, &text, err) != 0) {
		jv_free(done);
		done = jv_invalid();
	} else
		jv_array_foreach(rules, i, rule)
		{
			jv jq = jv_copy(jvtext_peek(rule, "jq"));

			if (jv_get_kind(jq) == JV_KIND_STRING)
				rule = jv_object_set(rule, jv_string("jq"),
				    jv_string_concat(
					jv_string(buf_str(&text)), jq));
			else
				jv_free(jq);
			done = jv_array_append(done, rule);
		}
	buf_release(&text);
	free(path);
	jv_free(rules);
	return done;
}

int
scenario_holds(jq_state *jq, jv input, struct err *err)
{
	jv result, message;
	int rc;

	jq_start(jq, input, 0);
	result = jq_next(jq);
	if (jv_is_valid(result)) {
		rc = jv_get_kind(result) == JV_KIND_TRUE;
		jv_free(result);
		return rc;
	}
	if (!jv_invalid_has_msg(jv_copy(result))) {
		jv_free(result);
		return 0;
	}
	message = jv_invalid_get_msg(result);
	rc = err_set(err, ERR_PERMANENT, "%s",
	    jv_get_kind(message) == JV_KIND_STRING ? jv_string_value(message)
						   : "an error of jq");
	jv_free(message);
	return rc;
}
