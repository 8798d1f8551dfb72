#include "conf/watches.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/array.h"
#include "base/mem.h"
#include "conf/conf.h"
#include "conf/expand.h"
#include "conf/instancename.h"
#include "conf/namespaces.h"
#include "conf/watchkind.h"
#include "conf/yaml.h"
#include "json/json.h"
#include "value/dnsname.h"
#include "value/objref.h"

/*
 * The namespaces of primaries for which the file has none. What the file has is
 * a ceiling: an option may only choose among them.
 */
struct scope {
	struct textlist namespaces;
	bool overrides;		 /* an option: it goes before the variable */
	const char *what, *text; /* borrowed; the source, and its text */
};

enum { THROTTLE_TIMEOUT_MS = 15 * 60 * 1000, CONCURRENT = 10 };

static int
load_kinds(struct conf *c, const struct yaml *y, enum watchkind_role role,
    struct watch_entry *e)
{
	struct watch_kind **kinds =
	    role == WATCHKIND_RELATED ? &e->related : &e->dependents;
	size_t *count =
	    role == WATCHKIND_RELATED ? &e->related_count : &e->dependent_count;

	if (conf_check_list(c, y,
		role == WATCHKIND_RELATED ? "related" : "dependents") != 0)
		return -1;
	*kinds = mem_zalloc((y->count + 1) * sizeof(**kinds));
	for (size_t i = 0; i < y->count; i++) {
		struct watch_kind *k = &(*kinds)[(*count)++];

		watchkind_init(k);
		if (watchkind_below(c, y->values[i], role, &e->primary, k) != 0)
			return -1;
		for (size_t j = 0; j < i; j++)
			if (watchkind_is(&(*kinds)[j], k))
				return watchkind_fail_duplicate(c, k);
	}
	return 0;
}

/* ---- an entry ---- */

static int
load_throttle(struct conf *c, const struct yaml *y, struct watch_entry *e)
{
	static const char *const allowed[] = {"limit", "timeout", NULL};
	const struct yaml *v;

	if (conf_keys(c, y, "throttle", allowed) != 0)
		return -1;
	if ((v = yaml_get(y, "limit")) == NULL)
		return conf_fail(c, y->line, "throttle.limit is missing");
	if (conf_count(c, v, "throttle.limit", &e->throttle_limit) != 0)
		return -1;
	v = yaml_get(y, "timeout");
	return v == NULL
	    ? 0
	    : conf_duration(c, v, "throttle.timeout", &e->throttle_timeout_ms);
}

static int
load_reads(struct conf *c, const struct yaml *y, struct watch_entry *e)
{
	static const char *const choices[] = {"owned", "now", NULL};
	struct textlist reads = {NULL, 0};
	int rc = conf_list(c, y, "desiredReads", &reads);

	for (size_t i = 0; rc == 0 && i < reads.count; i++) {
		struct yaml one = {.type = YAML_SCALAR,
		    .line = y->line,
		    .text = reads.items[i]};
		int choice;

		rc = conf_choice(c, &one, "desiredReads", choices, &choice);
		e->reads_owned = e->reads_owned || choice == 0;
		e->reads_now = e->reads_now || choice == 1;
	}
	textlist_release(&reads);
	return rc;
}

static int
load_require(struct conf *c, const struct yaml *y, struct watch_entry *e)
{
	static const char *const choices[] = {"cluster", "namespace", NULL};
	const char *text;

	if (conf_text(c, y, "requireScope", &text) != 0)
		return -1;
	if (strcasecmp(text, "cluster") == 0)
		e->require = WATCH_REQUIRE_CLUSTER;
	else if (strcasecmp(text, "namespace") == 0)
		e->require = WATCH_REQUIRE_NAMESPACE;
	else
		return conf_fail_choice(c, y, "requireScope", choices);
	return 0;
}

static int
load_program(struct conf *c, const struct yaml *y, struct watch_entry *e)
{
	const char *slash = strrchr(c->path, '/');
	struct buf path = BUF_INIT, why = BUF_INIT;
	char *name = NULL;

	if (conf_string(c, y, "program", &name) != 0)
		return -1;
	if (*name != '/' && slash != NULL)
		buf_add(&path, c->path, slash + 1 - c->path);
	buf_adds(&path, name);
	e->program = buf_take(&path);
	free(name);
	if (access(e->program, R_OK) == 0)
		return 0;
	buf_adds(&why, strerror(errno));
	conf_add_unset(&why, y);
	conf_fail(c, y->line, "program %s: %s", e->program, buf_str(&why));
	buf_release(&why);
	return -1;
}

static int
load_operator(struct conf *c, const struct yaml *y, struct watch_entry *e)
{
	struct buf json = BUF_INIT;

	if (y->type != YAML_MAPPING)
		return conf_fail(c, y->line, "operator must be a mapping");
	yaml_to_json(y, &json);
	free(e->operator_json);
	e->operator_json = buf_take(&json);
	return 0;
}

static int
load_instance(struct conf *c, const struct yaml *y, struct watch_entry *e)
{
	struct err err = ERR_INIT;
	const char *name;

	if (conf_text(c, y, "instance", &name) != 0)
		return -1;
	if (*name == '\0')
		return 0; /* a variable that is not set */
	if (instancename_check("instance", name, &err) != 0)
		return conf_fail(c, y->line, "%s", err.message);
	e->instance = mem_strdup(name);
	return 0;
}

static char *
lower_name(const char *prefix, const struct watch_kind *k)
{
	struct buf name = BUF_INIT;

	buf_adds(&name, prefix);
	watch_kind_name(k, &name);
	buf_str(&name);
	for (size_t i = 0; i < name.len; i++)
		name.data[i] = tolower((unsigned char)name.data[i]);
	return buf_take(&name);
}

/* The first of names that is not in the ceiling; all (no names) is "". NULL: none
 * goes beyond it. */
static const char *
beyond(const struct textlist *names, const struct textlist *ceiling)
{
	if (names->count == 0)
		return "";
	for (size_t i = 0; i < names->count; i++)
		if (!textlist_has(
			ceiling, names->items[i], strlen(names->items[i])))
			return names->items[i];
	return NULL;
}

/* The namespaces that were asked for are among those of the file. */
static int
check_ceiling(struct conf *c, int line, const struct scope *scope,
    const struct textlist *ceiling)
{
	const char *name = beyond(&scope->namespaces, ceiling);
	struct buf list = BUF_INIT;

	if (name == NULL)
		return 0;
	for (size_t i = 0; i < ceiling->count; i++)
		buf_addf(&list, "%s%s", i > 0 ? ", " : "", ceiling->items[i]);
	conf_fail(c, line,
	    "namespaces is [%s], and no option goes beyond it, but %s names "
	    "%s%s%s: leave the option out, or change namespaces",
	    buf_str(&list), scope->what, *name == '\0' ? "all" : "\"", name,
	    *name == '\0' ? "" : "\"");
	buf_release(&list);
	return -1;
}

/* An option chooses among what the file has, and counts alone where that is
 * empty; the variable counts without the key. */
static int
load_primary_namespaces(struct conf *c, const struct yaml *y,
    const struct scope *scope, struct watch_entry *e)
{
	struct textlist *out = &e->primary.namespaces;

	if (y != NULL && watchkind_namespaces(c, y, out) != 0)
		return -1;
	if (y != NULL && !scope->overrides)
		return 0;
	if (out->count > 0 && check_ceiling(c, y->line, scope, out) != 0)
		return -1;
	for (size_t i = 0; i < out->count; i++) {
		const char *name = out->items[i];

		if (!textlist_has(&scope->namespaces, name, strlen(name)))
			textlist_add(&e->left_out, name, strlen(name));
	}
	textlist_copy(out, &scope->namespaces);
	return 0;
}

static int
load_primary(struct conf *c, const struct yaml *y, const struct scope *scope,
    struct watch_entry *e)
{
	struct watch_kind *k = &e->primary;
	const struct yaml *v;
	const char *group = "";
	struct buf name = BUF_INIT;

	if ((v = yaml_get(y, "group")) != NULL &&
	    conf_text(c, v, "group", &group) != 0)
		return -1;
	if (*group != '\0' && !dnsname_is_subdomain(span_str(group)))
		return conf_fail(c, v->line,
		    "group must be a name such as apps or example.com, not "
		    "\"%s\"",
		    group);
	k->group = mem_strdup(group);
	if (conf_member(c, y, "version", &k->version) != 0 ||
	    conf_member(c, y, "kind", &k->kind) != 0)
		return -1;
	if (*group != '\0')
		buf_addf(&name, "%s/", group);
	buf_adds(&name, k->version);
	k->api_version = buf_take(&name);
	e->name = lower_name("", k);
	e->manager = lower_name("kpipe-", k);
	if (watchkind_common(c, y, k) != 0)
		return -1;
	return load_primary_namespaces(c, yaml_get(y, "namespaces"), scope, e);
}

/* [DOMAIN/]NAME, as the API server checks keys of labels and finalizers. */
static bool
is_qualified(const char *key)
{
	const char *slash = strchr(key, '/'), *name = slash ? slash + 1 : key;
	size_t len = strlen(name);

	if (slash == key || len == 0 || len > 63 ||
	    !isalnum((unsigned char)*name) ||
	    !isalnum((unsigned char)name[len - 1]))
		return false;
	for (const char *p = key; p < name - 1; p++)
		if (!islower((unsigned char)*p) &&
		    !isdigit((unsigned char)*p) && *p != '-' && *p != '.')
			return false;
	for (const char *p = name; *p != '\0'; p++)
		if (!isalnum((unsigned char)*p) && strchr("-_.", *p) == NULL)
			return false;
	return true;
}

static int
load_when(struct conf *c, const struct yaml *y, struct watch_entry *e)
{
	e->when_line = y->line;
	return conf_string(c, y, "when", &e->when);
}

static int
load_finalizer(struct conf *c, const struct yaml *y, struct watch_entry *e)
{
	if (conf_string(c, y, "finalizer", &e->finalizer) != 0)
		return -1;
	/* The API server refuses names without a domain for custom kinds. */
	if (strchr(e->finalizer, '/') == NULL || !is_qualified(e->finalizer))
		return conf_fail(c, y->line,
		    "finalizer must be DOMAIN/NAME, not \"%s\"", e->finalizer);
	return 0;
}

static int
load_retired(struct conf *c, const struct yaml *y, struct watch_entry *e)
{
	struct textlist *list = &e->retired_finalizers;

	if (conf_list(c, y, "retiredFinalizers", list) != 0)
		return -1;
	for (size_t i = 0; i < list->count; i++) {
		const char *name = list->items[i];

		if (strchr(name, '/') == NULL || !is_qualified(name))
			return conf_fail(c, y->line,
			    "retiredFinalizers must be DOMAIN/NAME, not \"%s\"",
			    name);
		if (e->finalizer != NULL && strcmp(name, e->finalizer) == 0)
			return conf_fail(c, y->line,
			    "%s is the finalizer, so it is not retired", name);
	}
	return 0;
}

static int
load_adopt(struct conf *c, const struct yaml *y, struct watch_entry *e)
{
	static const char *const allowed[] = {"label", NULL};
	const struct yaml *v;
	const char *key;

	if (conf_keys(c, y, "adopt", allowed) != 0)
		return -1;
	if ((v = yaml_get(y, "label")) == NULL)
		return conf_fail(c, y->line, "adopt.label is missing");
	if (conf_text(c, v, "adopt.label", &key) != 0)
		return -1;
	if (*key == '\0')
		return 0; /* a variable that is not set: nothing is adopted */
	if (!is_qualified(key))
		return conf_fail(c, v->line,
		    "adopt.label must be the key of a label, not \"%s\"", key);
	e->adopt = mem_strdup(key);
	return 0;
}

static int
load_command(struct conf *c, const struct yaml *y, struct watch_filter *f)
{
	f->line = y->line;
	if (y->type != YAML_SEQUENCE)
		return conf_fail(c, y->line,
		    "a filter must be a list: the program and its arguments");
	for (size_t i = 0; i < y->count; i++) {
		const char *word = "";

		if (conf_text(c, y->values[i], "a word of a filter", &word) !=
		    0)
			return -1;
		textlist_add(&f->command, word, strlen(word));
	}
	if (f->command.count == 0 || *f->command.items[0] == '\0')
		return conf_fail(c, y->line, "a filter has no program");
	return 0;
}

/* A list of commands, each a list of words. Whether there is such a program is
 * for kpipe, which runs it. */
static int
load_filters(struct conf *c, const struct yaml *y, struct watch_entry *e)
{
	if (conf_check_list(c, y, "filters") != 0)
		return -1;
	e->filters = mem_zalloc((y->count + 1) * sizeof(*e->filters));
	for (size_t i = 0; i < y->count; i++) {
		struct watch_filter *f = &e->filters[e->filter_count++];

		textlist_init(&f->command);
		if (load_command(c, y->values[i], f) != 0)
			return -1;
	}
	return 0;
}

static int
load_dependents(struct conf *c, const struct yaml *y, struct watch_entry *e)
{
	return load_kinds(c, y, WATCHKIND_DEPENDENT, e);
}

static int
load_related(struct conf *c, const struct yaml *y, struct watch_entry *e)
{
	return load_kinds(c, y, WATCHKIND_RELATED, e);
}

/* ---- the keys of an entry ---- */

enum key_type {
	KEY_OF_PRIMARY, /* load_primary has read it */
	KEY_LOADED,	/* a function reads it */
	KEY_BOOL,	/* from here on: into the member at an offset */
	KEY_COUNT,
	KEY_DURATION
};

struct entry_key {
	const char *name;
	enum key_type type;
	int (*load)(
	    struct conf *c, const struct yaml *y, struct watch_entry *e);
	size_t offset;
};

#define AT(member) offsetof(struct watch_entry, member)

/* In the order in which they are read. */
static const struct entry_key keys[] = {
    {"group", KEY_OF_PRIMARY, NULL, 0},
    {"version", KEY_OF_PRIMARY, NULL, 0},
    {"kind", KEY_OF_PRIMARY, NULL, 0},
    {"scope", KEY_OF_PRIMARY, NULL, 0},
    {"optional", KEY_OF_PRIMARY, NULL, 0},
    {"selector", KEY_OF_PRIMARY, NULL, 0},
    {"redact", KEY_OF_PRIMARY, NULL, 0},
    {"namespaces", KEY_OF_PRIMARY, NULL, 0},
    {"namespaceSelector", KEY_OF_PRIMARY, NULL, 0},
    {"program", KEY_LOADED, load_program, 0},
    {"operator", KEY_LOADED, load_operator, 0},
    {"instance", KEY_LOADED, load_instance, 0},
    {"requireScope", KEY_LOADED, load_require, 0},
    {"when", KEY_LOADED, load_when, 0},
    {"finalizer", KEY_LOADED, load_finalizer, 0},
    {"retiredFinalizers", KEY_LOADED, load_retired, 0},
    {"marks", KEY_BOOL, NULL, AT(marks)},
    {"random", KEY_BOOL, NULL, AT(random)},
    {"adopt", KEY_LOADED, load_adopt, 0},
    {"reconcilePeriod", KEY_DURATION, NULL, AT(reconcile_period_ms)},
    {"manageStatus", KEY_BOOL, NULL, AT(manage_status)},
    {"guardStatus", KEY_BOOL, NULL, AT(guard_status)},
    {"maxConcurrentReconciles", KEY_COUNT, NULL, AT(max_concurrent)},
    {"evaluationsPerMinute", KEY_COUNT, NULL, AT(evaluations_per_minute)},
    {"throttle", KEY_LOADED, load_throttle, 0},
    {"desiredReads", KEY_LOADED, load_reads, 0},
    {"dependents", KEY_LOADED, load_dependents, 0},
    {"related", KEY_LOADED, load_related, 0},
    {"filters", KEY_LOADED, load_filters, 0},
};

enum { KEYS = COUNT(keys) };

static int
load_key(struct conf *c, const struct yaml *y, const struct entry_key *k,
    struct watch_entry *e)
{
	void *member = (char *)e + k->offset;

	switch (k->type) {
	case KEY_OF_PRIMARY:
		break;
	case KEY_LOADED:
		return k->load(c, y, e);
	case KEY_BOOL:
		return conf_bool(c, y, k->name, member);
	case KEY_COUNT:
		return conf_count(c, y, k->name, member);
	case KEY_DURATION:
		return conf_duration(c, y, k->name, member);
	}
	return 0;
}

static int
check_entry(struct conf *c, const struct yaml *y, struct watch_entry *e)
{
	struct span name =
	    json_raw_string(json_get(span_str(e->operator_json), "name"));

	if (e->program == NULL)
		return conf_fail(c, y->line, "program is missing");
	/* The setting `name` is meant to tell instances apart. */
	if (e->instance == NULL && instancename_is(name))
		e->instance = mem_dup(name.p, name.n);
	/* Without a finalizer there can be none; a cluster-scoped primary can
	 * own everything, and so anybody can claim that it does. */
	if (e->finalizer == NULL || e->primary.scope == WATCH_CLUSTER)
		e->marks = false;
	for (size_t i = 0; i < e->dependent_count; i++) {
		e->retains = e->retains || e->dependents[i].retain;
		e->proves = e->proves ||
		    (e->primary.scope == WATCH_CLUSTER &&
			e->dependents[i].manage);
	}
	for (size_t i = 0; i < e->related_count; i++) {
		e->retains = e->retains || e->related[i].patches;
		if (e->related[i].patches && e->finalizer == NULL)
			return conf_fail(c, e->related[i].line,
			    "patch: finalizer is needed, to give back what is "
			    "held");
	}
	if (e->marks || e->primary.scope == WATCH_CLUSTER)
		return 0;
	for (size_t i = 0; i < e->dependent_count; i++)
		if (e->dependents[i].manage && !e->dependents[i].retain &&
		    e->dependents[i].scope == WATCH_CLUSTER)
			return conf_fail(c, e->dependents[i].line,
			    "a %s cannot be owned by a namespaced %s: "
			    "%s",
			    e->dependents[i].kind, e->primary.kind,
			    e->finalizer == NULL
				? "finalizer is needed"
				: "it needs marks, but marks is false");
	return 0;
}

static int
load_entry(struct conf *c, const struct yaml *y, const struct scope *scope,
    struct watch_entry *e)
{
	const char *allowed[KEYS + 1] = {NULL};
	const struct yaml *v;

	for (size_t i = 0; i < KEYS; i++)
		allowed[i] = keys[i].name;
	e->line = y->line;
	if ((v = yaml_get(y, "apiVersion")) != NULL)
		return conf_fail(c, v->line,
		    "an entry has group and version instead of apiVersion");
	if (conf_keys(c, y, "an entry", allowed) != 0 ||
	    load_primary(c, y, scope, e) != 0)
		return -1;
	for (size_t i = 0; i < KEYS; i++) {
		v = yaml_get(y, keys[i].name);
		if (v != NULL && load_key(c, v, &keys[i], e) != 0)
			return -1;
	}
	return check_entry(c, y, e);
}

static void
init_entry(struct watch_entry *e)
{
	*e = (struct watch_entry){.manage_status = true,
	    .marks = true,
	    .max_concurrent = CONCURRENT,
	    .throttle_timeout_ms = THROTTLE_TIMEOUT_MS,
	    .operator_json = mem_strdup("{}")};
	textlist_init(&e->retired_finalizers);
	textlist_init(&e->left_out);
	watchkind_init(&e->primary);
}

static void
release_entry(struct watch_entry *e)
{
	watchkind_release(&e->primary);
	for (size_t i = 0; i < e->dependent_count; i++)
		watchkind_release(&e->dependents[i]);
	for (size_t i = 0; i < e->related_count; i++)
		watchkind_release(&e->related[i]);
	for (size_t i = 0; i < e->filter_count; i++)
		textlist_release(&e->filters[i].command);
	free(e->dependents);
	free(e->related);
	free(e->filters);
	free(e->name);
	free(e->manager);
	free(e->program);
	free(e->operator_json);
	free(e->instance);
	free(e->when);
	free(e->finalizer);
	textlist_release(&e->retired_finalizers);
	textlist_release(&e->left_out);
	free(e->adopt);
}

/* ---- the file ---- */

/* requireScope against what was asked for. */
static int
check_scope(const struct watches *w, const struct scope *scope, struct err *err)
{
	bool restricted = scope->namespaces.count > 0;

	for (size_t i = 0; i < w->count; i++) {
		const struct watch_entry *e = &w->entries[i];

		if (e->require == WATCH_REQUIRE_CLUSTER && restricted)
			return err_set(err, ERR_PERMANENT,
			    "%s:%d: %s requires cluster scope, but %s is "
			    "\"%s\": leave it out",
			    w->path, e->line, e->name, scope->what,
			    scope->text);
		if (e->require == WATCH_REQUIRE_NAMESPACE && !restricted)
			return err_set(err, ERR_PERMANENT,
			    "%s:%d: %s requires namespace scope, but no "
			    "namespace is given",
			    w->path, e->line, e->name);
	}
	return 0;
}

/* The kind Namespace is watched for the selector of k, too. */
static void
note_namespaces(struct watches *w, const struct watch_kind *k)
{
	struct watch_kind *n = &w->namespaces;

	if (k->namespace_selector == NULL)
		return;
	if (n->kind == NULL) {
		*n = (struct watch_kind){.line = k->line,
		    .api_version = mem_strdup("v1"),
		    .group = mem_strdup(""),
		    .version = mem_strdup("v1"),
		    .kind = mem_strdup("Namespace"),
		    .scope = WATCH_CLUSTER,
		    .selector = mem_strdup(k->namespace_selector),
		    .metadata_only = true};
		watchkind_init(n);
		textlist_add(&n->fields, "metadata.labels", 15);
	} else if (n->selector != NULL &&
	    strcmp(n->selector, k->namespace_selector) != 0) {
		free(n->selector);
		n->selector = NULL;
	}
}

static void
note_all_namespaces(struct watches *w)
{
	for (size_t i = 0; i < w->count; i++) {
		const struct watch_entry *e = &w->entries[i];

		note_namespaces(w, &e->primary);
		for (size_t j = 0; j < e->dependent_count; j++)
			note_namespaces(w, &e->dependents[j]);
		for (size_t j = 0; j < e->related_count; j++)
			note_namespaces(w, &e->related[j]);
	}
}

static int
load_entries(struct conf *c, const struct yaml *y, const struct scope *scope,
    struct watches *w)
{
	if (y->type != YAML_SEQUENCE || y->count == 0)
		return conf_fail(c, y->line, "expected a list of entries");
	w->entries = mem_zalloc(y->count * sizeof(*w->entries));
	for (size_t i = 0; i < y->count; i++) {
		struct watch_entry *e = &w->entries[w->count++];

		init_entry(e);
		e->path = w->path;
		if (load_entry(c, y->values[i], scope, e) != 0)
			return -1;
		for (size_t j = 0; j < i; j++)
			if (watchkind_is(&w->entries[j].primary, &e->primary))
				return watchkind_fail_duplicate(c, &e->primary);
	}
	return 0;
}

/*
 * From -n or -A if given, else from WATCH_NAMESPACE. An empty -n is all
 * namespaces, as an empty variable is, and as operator-sdk has it.
 */
static int
read_scope(struct scope *s, const struct watches_scope *asked, struct err *err)
{
	const char *variable = getenv("WATCH_NAMESPACE");

	*s = (struct scope){.what = "WATCH_NAMESPACE",
	    .text = variable != NULL ? variable : ""};
	textlist_init(&s->namespaces);
	if (asked != NULL && asked->namespaces != NULL && asked->all)
		return err_set(
		    err, ERR_PERMANENT, "-n and -A exclude each other");
	if (asked != NULL && (asked->namespaces != NULL || asked->all)) {
		s->overrides = true;
		s->what = asked->all ? "option --all-namespaces"
				     : "option --namespace";
		s->text = asked->all ? "" : asked->namespaces;
		return asked->all
		    ? 0
		    : namespaces_parse(&s->namespaces, s->what, s->text, err);
	}
	return namespaces_parse(&s->namespaces, s->what, s->text, err);
}

struct watches *
watches_load(
    const char *path, const struct watches_scope *asked, struct err *err)
{
	struct conf c = {path, err};
	struct scope scope;
	struct watches *w = mem_zalloc(sizeof(*w));
	struct yaml *y = NULL;
	int rc = -1;

	w->path = mem_strdup(path);
	if (read_scope(&scope, asked, err) == 0 &&
	    (y = expand_load(path, err)) != NULL &&
	    load_entries(&c, y, &scope, w) == 0)
		rc = check_scope(w, &scope, err);
	note_all_namespaces(w);
	w->has_variables = y != NULL && y->has_variables;
	textlist_release(&scope.namespaces);
	yaml_tree_free(y);
	if (rc == 0)
		return w;
	watches_free(w);
	return NULL;
}

void
watches_free(struct watches *w)
{
	if (w == NULL)
		return;
	for (size_t i = 0; i < w->count; i++)
		release_entry(&w->entries[i]);
	watchkind_release(&w->namespaces);
	free(w->entries);
	free(w->path);
	free(w);
}

void
watch_kind_name(const struct watch_kind *k, struct buf *out)
{
	objref_add_kind(out, span_str(k->kind), span_str(k->group));
}
