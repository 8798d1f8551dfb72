#include "conf/watches.h"

#include <stdlib.h>

#include "base/mem.h"
#include "conf/conf.h"
#include "conf/expand.h"
#include "conf/namespaces.h"
#include "conf/watchentry.h"
#include "conf/watchkind.h"
#include "conf/yaml.h"
#include "value/objref.h"

/* requireScope against what was asked for. */
static int
check_scope(const struct watches *w, const struct watchentry_scope *scope,
    struct err *err)
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

static int
load_entries(struct conf *c, const struct yaml *y,
    const struct watchentry_scope *scope, struct watches *w)
{
	if (y->type != YAML_SEQUENCE || y->count == 0)
		return conf_fail(c, y->line, "expected a list of entries");
	w->entries = mem_zalloc(y->count * sizeof(*w->entries));
	for (size_t i = 0; i < y->count; i++) {
		struct watch_entry *e = &w->entries[w->count++];

		watchentry_init(e);
		e->path = w->path;
		if (watchentry_load(c, y->values[i], scope, e) != 0)
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
read_scope(struct watchentry_scope *s, const struct watches_scope *asked,
    struct err *err)
{
	const char *variable = getenv("WATCH_NAMESPACE");

	*s = (struct watchentry_scope){.what = "WATCH_NAMESPACE",
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
	struct watchentry_scope scope;
	struct watches *w = mem_zalloc(sizeof(*w));
	struct yaml *y = NULL;
	int rc = -1;

	w->path = mem_strdup(path);
	if (read_scope(&scope, asked, err) == 0 &&
	    (y = expand_load(path, err)) != NULL &&
	    load_entries(&c, y, &scope, w) == 0)
		rc = check_scope(w, &scope, err);
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
		watchentry_release(&w->entries[i]);
	free(w->entries);
	free(w->path);
	free(w);
}

void
watch_kind_name(const struct watch_kind *k, struct buf *out)
{
	objref_add_kind(out, span_str(k->kind), span_str(k->group));
}
