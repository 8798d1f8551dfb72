#include "rights/rights.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"
#include "store/store.h"
#include "text/gotext.h"
#include "text/template.h"
#include "type/resource.h"

static const char group_name[] = "rbac.authorization.k8s.io";

/* An object of one of the four kinds, parsed. */
struct grant {
	struct grant *next; /* in its list */
	struct stored *object;
	struct arena arena;
	const struct node *tree;
};

/* Bindings of a namespace, in the order they were made. */
struct list {
	struct grant *first;
	char namespace_[];
};

enum { ROLES, CLUSTER_ROLES, BINDINGS, CLUSTER_BINDINGS, KINDS };
static const char *const plurals[KINDS] = {
    "roles", "clusterroles", "rolebindings", "clusterrolebindings"};

struct rights {
	struct store *store;
	struct rights_kind {
		struct rights *rights;
		struct collection *collection;
		struct store_hook hook;
	} kinds[KINDS];
	struct map roles[2]; /* entries by key: ROLES, CLUSTER_ROLES */
	struct map lists;    /* struct list by namespace; "": of the cluster */
};

/* ---- options ---- */

static const char *mode = "AlwaysAllow";

const struct opt rights_opt_table[] = {
    {0, "authorization-mode", "AlwaysAllow|RBAC", OPT_STRING, &mode, NULL,
	"whether rights are checked (AlwaysAllow)"},
    OPT_END,
};

int
rights_wanted(bool *wanted, struct err *err)
{
	struct span rest = span_str(mode);
	bool all = false, rbac = false;

	while (rest.p != NULL) {
		struct span one = span_cut(&rest, ',');

		if (span_is(one, "AlwaysAllow"))
			all = true;
		else if (span_is(one, "RBAC"))
			rbac = true;
		else if (!span_is(one, "Node")) /* there are no kubelets */
			return err_set(err, ERR_PERMANENT,
			    "option --authorization-mode: \"%.*s\": want "
			    "AlwaysAllow or RBAC",
			    SPAN_ARG(one));
	}
	*wanted = rbac && !all;
	return 0;
}

/* ---- what is there ---- */

static void
grant_free(struct grant *e)
{
	if (e == NULL)
		return;
	arena_release(&e->arena);
	store_unref(e->object);
	free(e);
}

/* NULL: it cannot be read, and grants nothing. */
static struct grant *
grant_new(struct stored *o)
{
	struct grant *e = mem_zalloc(sizeof(*e));
	struct err err = ERR_INIT;

	e->object = store_ref(o);
	e->tree =
	    tree_parse(&e->arena, text_span(o->json), TREE_LIMITS, NULL, &err);
	if (e->tree != NULL)
		return e;
	grant_free(e);
	return NULL;
}

static struct list *
list_of(struct rights *x, struct span ns)
{
	struct list *l = map_get(&x->lists, ns);

	if (l != NULL)
		return l;
	l = mem_zalloc(sizeof(*l) + ns.n + 1);
	if (ns.n > 0)
		memcpy(l->namespace_, ns.p, ns.n);
	map_put(&x->lists, span_str(l->namespace_), l);
	return l;
}

static void
take(struct rights_kind *k, struct stored *o, bool there)
{
	struct grant *e = there ? grant_new(o) : NULL;
	size_t i = (size_t)(k - k->rights->kinds);
	struct list *l;
	struct grant **at, *old;

	if (i == ROLES || i == CLUSTER_ROLES) {
		grant_free(e != NULL
			? map_put(&k->rights->roles[i], e->object->key, e)
			: map_del(&k->rights->roles[i], o->key));
	} else {
		l = list_of(k->rights, o->namespace_);
		/* A binding takes the place of its old state; a new one goes to
		 * the end. */
		at = &l->first;
		while (*at != NULL && !span_eq((*at)->object->key, o->key))
			at = &(*at)->next;
		old = *at;
		if (e != NULL)
			e->next = old == NULL ? NULL : old->next;
		*at = e != NULL ? e : old == NULL ? NULL : old->next;
		grant_free(old);
		/* A namespace without bindings needs none: clients may name any
		 * number. */
		if (l->first == NULL) {
			map_del(&k->rights->lists, span_str(l->namespace_));
			free(l);
		}
	}
}

static void
changed(void *arg, struct collection *c, const struct store_change *change)
{
	(void)c;
	take(arg, change->now, change->type != CHANGE_DELETED);
}

struct rights *
rights_new(const struct api *api)
{
	struct rights *x = mem_zalloc(sizeof(*x));

	x->store = api->store;
	for (size_t i = 0; i < KINDS; i++) {
		struct rights_kind *k = &x->kinds[i];
		struct stored *o = NULL;

		k->rights = x;
		k->collection = resource_storage(
		    api->registry, span_str(group_name), span_str(plurals[i]))
				    ->collection;
		k->hook = (struct store_hook){.fn = changed, .arg = k};
		while ((o = store_next(k->collection, SPAN_NONE,
			    o == NULL ? SPAN_NONE : o->key)) != NULL)
			take(k, o, true);
		store_add_hook(x->store, k->collection, &k->hook);
	}
	return x;
}

void
rights_free(struct rights *x)
{
	struct list *l;
	void *e;

	if (x == NULL)
		return;
	for (size_t i = 0; i < KINDS; i++)
		store_remove_hook(
		    x->store, x->kinds[i].collection, &x->kinds[i].hook);
	for (size_t i = 0; i < 2; i++) {
		for (size_t j = 0; (e = map_next(&x->roles[i], &j)) != NULL;)
			grant_free(e);
		map_release(&x->roles[i]);
	}
	for (size_t i = 0; (l = map_next(&x->lists, &i)) != NULL;) {
		while (l->first != NULL) {
			struct grant *next = l->first->next;

			grant_free(l->first);
			l->first = next;
		}
		free(l);
	}
	map_release(&x->lists);
	free(x);
}

/* ---- whose ---- */

const struct node *
rights_all(struct arena *a)
{
	return template_tree(a,
	    "[{'verbs':['*'],'apiGroups':['*'],'resources':['*']},"
	    "{'verbs':['*'],'nonResourceURLs':['*']}]",
	    NULL);
}

bool
rights_is_superuser(const struct user *u)
{
	return users_has_group(u, span_str("system:masters"));
}

static bool
is_account(struct span user, struct span ns, struct span name)
{
	return ns.n > 0 && span_take(&user, "system:serviceaccount:") &&
	    user.n == ns.n + 1 + name.n &&
	    span_eq(span_make(user.p, ns.n), ns) && user.p[ns.n] == ':' &&
	    span_eq(span_skip(user, ns.n + 1), name);
}

static bool
is_meant(const struct user *u, const struct node *subject, struct span ns)
{
	struct span name = tree_text(tree_get(subject, "name"));
	struct span own = tree_text(tree_get(subject, "namespace"));
	struct span kind = tree_text(tree_get(subject, "kind"));

	if (span_is(kind, "User"))
		return span_eq(u->name, name);
	if (span_is(kind, "Group"))
		return users_has_group(u, name);
	return span_is(kind, "ServiceAccount") &&
	    is_account(u->name, own.n > 0 ? own : ns, name);
}

struct rights_source {
	const struct grant *binding;
	const struct node *subject;
};

/* The first subject that the user is. */
static const struct node *
subject_of(const struct grant *binding, const struct user *u)
{
	const struct node *subjects = tree_get(binding->tree, "subjects");

	for (size_t i = 0; i < tree_count(subjects); i++)
		if (is_meant(
			u, subjects->items[i], binding->object->namespace_))
			return subjects->items[i];
	return NULL;
}

/* ---- which rules ---- */

static const struct grant *
find_role(const struct rights *x, const struct node *ref, struct span ns)
{
	struct span name = tree_text(tree_get(ref, "name"));
	struct buf key = BUF_INIT;
	const struct grant *e;

	if (tree_text_is(tree_get(ref, "kind"), "ClusterRole"))
		return map_get(&x->roles[CLUSTER_ROLES], name);
	buf_addspan(&key, ns);
	buf_addc(&key, '/');
	buf_addspan(&key, name);
	e = map_get(&x->roles[ROLES], buf_span(&key));
	buf_release(&key);
	return e;
}

const struct node *
rights_role(
    const struct rights *x, const struct node *role_ref, struct span namespace_)
{
	const struct grant *e = find_role(x, role_ref, namespace_);

	return e == NULL ? NULL : e->tree;
}

/* Separated by newlines; each once. */
static void
add_missing(struct buf *errors, const struct node *ref)
{
	struct buf b = BUF_INIT;
	struct span rest;

	buf_addf(&b, "%s.%s \"%.*s\" not found",
	    tree_text_is(tree_get(ref, "kind"), "Role") ? "role"
							: "clusterrole",
	    group_name, SPAN_ARG(tree_text(tree_get(ref, "name"))));
	for (rest = buf_span(errors); rest.n > 0;)
		if (span_eq(span_cut(&rest, '\n'), buf_span(&b)))
			buf_reset(&b);
	if (b.len > 0 && errors->len > 0)
		buf_addc(errors, '\n');
	buf_addspan(errors, buf_span(&b));
	buf_release(&b);
}

static bool
visit_list(const struct rights *x, const struct list *l, const struct user *u,
    rights_fn *fn, void *arg, struct buf *errors)
{
	for (const struct grant *b = l == NULL ? NULL : l->first; b != NULL;
	     b = b->next) {
		struct rights_source from = {b, subject_of(b, u)};
		const struct node *ref = tree_get(b->tree, "roleRef"), *rules;
		const struct grant *role;

		if (from.subject == NULL)
			continue;
		role = find_role(x, ref, b->object->namespace_);
		if (role == NULL && errors != NULL)
			add_missing(errors, ref);
		rules = role == NULL ? NULL : tree_get(role->tree, "rules");
		for (size_t i = 0; i < tree_count(rules); i++)
			if (!fn(arg, rules->items[i], &from))
				return false;
	}
	return true;
}

void
rights_visit(const struct rights *x, const struct user *u,
    struct span namespace_, rights_fn *fn, void *arg, struct buf *errors)
{
	if (visit_list(
		x, map_get(&x->lists, span_str("")), u, fn, arg, errors) &&
	    namespace_.n > 0)
		visit_list(
		    x, map_get(&x->lists, namespace_), u, fn, arg, errors);
}

/* ---- what they allow ---- */

static bool
has_or_all(const struct node *array, struct span text)
{
	return tree_has_text(array, span_str("*")) ||
	    tree_has_text(array, text);
}

static bool
allows_resource(
    struct arena *a, const struct node *rule, const struct action *x)
{
	const struct node *resources = tree_get(rule, "resources");
	const struct node *names = tree_get(rule, "resourceNames");
	struct span full = x->plural;

	if (!has_or_all(tree_get(rule, "verbs"), x->verb) ||
	    !has_or_all(tree_get(rule, "apiGroups"), x->group))
		return false;
	if (x->subresource.n > 0)
		full = arena_printf(a, "%.*s/%.*s", SPAN_ARG(x->plural),
		    SPAN_ARG(x->subresource));
	if (!has_or_all(resources, full) &&
	    (x->subresource.n == 0 ||
		!tree_has_text(resources,
		    arena_printf(a, "*/%.*s", SPAN_ARG(x->subresource)))))
		return false;
	return tree_count(names) == 0 || tree_has_text(names, x->name);
}

static bool
allows_path(const struct node *rule, const struct action *x)
{
	const struct node *urls = tree_get(rule, "nonResourceURLs");

	if (!has_or_all(tree_get(rule, "verbs"), x->verb))
		return false;
	for (size_t i = 0; i < tree_count(urls); i++) {
		struct span url = tree_text(urls->items[i]);

		if (span_eq(url, x->path) || span_is(url, "*"))
			return true;
		if (span_ends(url, "*") && x->path.n >= url.n - 1 &&
		    span_eq(span_make(x->path.p, url.n - 1),
			span_make(url.p, url.n - 1)))
			return true;
	}
	return false;
}

struct asking {
	struct arena *arena;
	const struct action *what;
	bool allowed;
	struct rights_source by;
};

static bool
ask(void *arg, const struct node *rule, const struct rights_source *from)
{
	struct asking *q = arg;

	q->allowed = q->what->on_resource
	    ? allows_resource(q->arena, rule, q->what)
	    : allows_path(rule, q->what);
	if (q->allowed)
		q->by = *from;
	return !q->allowed;
}

struct span
rights_errors(struct arena *a, struct span errors)
{
	struct buf b = BUF_INIT;
	bool several = span_find(errors, '\n') != NULL;

	if (several)
		buf_addc(&b, '[');
	for (struct span rest = errors; rest.p != NULL;) {
		buf_addspan(&b, span_cut(&rest, '\n'));
		if (rest.p != NULL)
			buf_adds(&b, ", ");
	}
	if (several)
		buf_addc(&b, ']');
	return tree_keep(a, &b);
}

bool
rights_allow(const struct rights *x, struct arena *a, const struct action *what,
    struct span *reason)
{
	struct asking q = {.arena = a, .what = what};
	struct buf errors = BUF_INIT;

	if (reason != NULL)
		*reason = span_str("");
	if (x == NULL || rights_is_superuser(what->user))
		return true;
	rights_visit(x, what->user, what->namespace_, ask, &q, &errors);
	if (reason != NULL && q.allowed) {
		const struct stored *o = q.by.binding->object;
		const struct node *ref =
		    tree_get(q.by.binding->tree, "roleRef");
		struct span kind = tree_text(tree_get(q.by.subject, "kind"));
		struct span name = tree_text(tree_get(q.by.subject, "name"));
		struct span ns = tree_text(tree_get(q.by.subject, "namespace"));
		bool of_cluster = o->namespace_.n == 0;

		if (span_is(kind, "ServiceAccount"))
			name = arena_printf(a, "%.*s/%.*s", SPAN_ARG(name),
			    SPAN_ARG(ns.n > 0 ? ns : o->namespace_));
		*reason = arena_printf(a,
		    "RBAC: allowed by %sRoleBinding \"%.*s%s%.*s\" of %.*s "
		    "\"%.*s\" to %.*s %.*s",
		    of_cluster ? "Cluster" : "", SPAN_ARG(o->name),
		    of_cluster ? "" : "/", SPAN_ARG(o->namespace_),
		    SPAN_ARG(tree_text(tree_get(ref, "kind"))),
		    SPAN_ARG(tree_text(tree_get(ref, "name"))), SPAN_ARG(kind),
		    SPAN_ARG(gotext_quote(a, name)));
	} else if (reason != NULL && errors.len > 0)
		*reason = arena_printf(a, "RBAC: %.*s",
		    SPAN_ARG(rights_errors(a, buf_span(&errors))));
	buf_release(&errors);
	return q.allowed;
}
