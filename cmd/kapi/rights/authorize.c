#include "rights/authorize.h"

#include <stdlib.h>

#include "base/map.h"
#include "rights/rights.h"
#include "text/gotext.h"

/* The verb of a path that is not a resource's is the method in lower case. */
static struct span
verb_of(struct request *r)
{
	if (r->on_resource)
		return span_str(request_verb_name(r->verb));
	return arena_lower(&r->arena, r->http->method);
}

struct action
authorize_action(struct request *r)
{
	struct action x = {.user = r->identity,
	    .verb = verb_of(r),
	    .on_resource = r->on_resource,
	    .group = r->group,
	    .plural = r->plural,
	    .subresource = r->subresource,
	    .name = r->name,
	    .namespace_ = r->namespace_,
	    .path = r->path};

	if (!r->on_resource)
		return x;
	/* The namespace of a Namespace is its own name. */
	if (x.group.n == 0 && span_is(x.plural, "namespaces"))
		x.namespace_ = x.name;
	if (x.name.n == 0 &&
	    (r->verb == REQUEST_LIST || r->verb == REQUEST_WATCH)) {
		/* A list with metadata.name= in its fieldSelector asks for one
		 * object: the first such term counts, in sorted order. */
		struct span rest = request_param(r, "fieldSelector");
		struct span first = SPAN_NONE;

		while (rest.n > 0) {
			struct span term = span_cut(&rest, ',');

			if (span_starts(term, "metadata.name=") &&
			    (first.p == NULL || span_cmp(term, first) < 0))
				first = term;
		}
		if (!span_take(&first, "metadata.name=="))
			span_take(&first, "metadata.name=");
		/* A name that cannot be part of a path does not count. */
		x.name = span_find(first, '/') != NULL ||
			span_find(first, '%') != NULL || span_is(first, ".") ||
			span_is(first, "..")
		    ? SPAN_NONE
		    : first;
	}
	return x;
}

static struct span
say(struct arena *a, const struct action *x)
{
	struct span user = gotext_quote(a, x->user->name), resource = x->plural;

	if (!x->on_resource)
		return arena_printf(a, "User %.*s cannot %.*s path %.*s",
		    SPAN_ARG(user), SPAN_ARG(x->verb),
		    SPAN_ARG(gotext_quote(a, x->path)));
	if (x->subresource.n > 0)
		resource = arena_printf(a, "%.*s/%.*s", SPAN_ARG(x->plural),
		    SPAN_ARG(x->subresource));
	return arena_printf(a,
	    "User %.*s cannot %.*s resource %.*s in API group %.*s %s%.*s",
	    SPAN_ARG(user), SPAN_ARG(x->verb),
	    SPAN_ARG(gotext_quote(a, resource)),
	    SPAN_ARG(gotext_quote(a, x->group)),
	    x->namespace_.n > 0 ? "in the namespace " : "at the cluster scope",
	    SPAN_ARG(x->namespace_.n > 0 ? gotext_quote(a, x->namespace_)
					 : SPAN_NONE));
}

struct problem *
authorize_forbidden(
    struct arena *a, const struct action *what, struct span reason)
{
	struct buf b = BUF_INIT;
	struct problem *p;
	struct span text;

	if (what->on_resource) {
		buf_addspan(&b, what->plural);
		if (what->group.n > 0) {
			buf_addc(&b, '.');
			buf_addspan(&b, what->group);
		}
		if (what->name.n > 0) {
			buf_addc(&b, ' ');
			buf_addspan(&b, gotext_quote(a, what->name));
		}
		buf_adds(&b, " is ");
	}
	buf_adds(&b, "forbidden: ");
	/* Escapes text of the client for browsers, as the server does. */
	text = say(a, what);
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (c == '&')
			buf_adds(&b, "&amp;");
		else if (c == '<')
			buf_adds(&b, "&lt;");
		else if (c == '>')
			buf_adds(&b, "&gt;");
		else
			buf_addc(&b, c);
	}
	if (reason.n > 0) {
		buf_adds(&b, ": ");
		buf_addspan(&b, reason);
	}
	p = problem_make(a, 403, "Forbidden", "%s", buf_str(&b));
	buf_release(&b);
	p->has_details = true;
	if (what->on_resource) {
		p->group = what->group;
		p->kind = what->plural;
		p->name = what->name;
	}
	return p;
}

static struct problem *
authorize(struct request *r, const struct action *x)
{
	struct span reason;

	if (rights_allow(r->api->rights, &r->arena, x, &reason))
		return NULL;
	return authorize_forbidden(&r->arena, x, reason);
}

struct problem *
authorize_request(struct request *r)
{
	struct action x = authorize_action(r);
	struct problem *p = authorize(r, &x);

	r->forbidden = p != NULL;
	return p;
}

static struct action
create_action(struct request *r)
{
	struct action x = authorize_action(r);

	x.verb = span_str(request_verb_name(REQUEST_CREATE));
	return x;
}

struct problem *
authorize_connect(struct request *r)
{
	struct action x = create_action(r);
	struct span reason;

	if (r->verb == REQUEST_CREATE ||
	    rights_allow(r->api->rights, &r->arena, &x, &reason))
		return NULL;
	return problem_forbidden(
	    &r->arena, r->resource, r->name, arena_str(&r->arena, reason));
}

struct problem *
authorize_create(struct request *r)
{
	struct action x = create_action(r);

	return authorize(r, &x);
}

/* The smallest part of a rule: one text for each member. */
struct part {
	struct span verb;
	bool on_resource;
	struct span group, resource, name; /* name none: any */
	struct span path;
};

/* ---- what a rule covers ---- */

static bool
covers_text(const struct node *array, struct span text)
{
	return tree_has_text(array, span_str("*")) ||
	    tree_has_text(array, text);
}

static bool
covers_resource(struct arena *a, const struct node *array, struct span text)
{
	struct span rest = text;

	if (covers_text(array, text))
		return true;
	span_cut(&rest, '/');
	return rest.n > 0 &&
	    tree_has_text(array, arena_printf(a, "*/%.*s", SPAN_ARG(rest)));
}

static bool
covers_path(const struct node *urls, struct span path)
{
	for (size_t i = 0; i < tree_count(urls); i++) {
		struct span url = tree_text(urls->items[i]);

		if (span_eq(url, path))
			return true;
		if (span_ends(url, "*") && path.n >= url.n - 1 &&
		    span_eq(span_make(path.p, url.n - 1),
			span_make(url.p, url.n - 1)))
			return true;
	}
	return false;
}

struct search {
	struct arena *arena;
	const struct part *part;
	bool found;
};

static bool
search(void *arg, const struct node *rule, const struct rights_source *from)
{
	struct search *s = arg;
	const struct part *p = s->part;
	const struct node *names = tree_get(rule, "resourceNames");

	(void)from;
	if (!covers_text(tree_get(rule, "verbs"), p->verb))
		s->found = false;
	else if (!p->on_resource)
		s->found =
		    covers_path(tree_get(rule, "nonResourceURLs"), p->path);
	else
		s->found = covers_text(tree_get(rule, "apiGroups"), p->group) &&
		    covers_resource(
			s->arena, tree_get(rule, "resources"), p->resource) &&
		    (tree_count(names) == 0 ||
			(p->name.p != NULL && tree_has_text(names, p->name)));
	return !s->found;
}

/* ---- what is missing ---- */

struct missing {
	struct request *r;
	struct span namespace_;
	struct part *parts; /* in the order of the rules */
	size_t n;
	struct buf errors;
};

static void
check_part(struct missing *m, const struct part *p)
{
	struct search s = {&m->r->arena, p, false};

	rights_visit(m->r->api->rights, m->r->identity, m->namespace_, search,
	    &s, m->n == 0 ? &m->errors : NULL);
	if (s.found)
		return;
	m->parts = arena_more(&m->r->arena, m->parts, m->n, sizeof(*p));
	m->parts[m->n++] = *p;
}

static void
check_resource(struct missing *m, const struct node *rule, struct part p)
{
	const struct node *verbs = tree_get(rule, "verbs");
	const struct node *names = tree_get(rule, "resourceNames");

	for (size_t i = 0; i < tree_count(verbs); i++) {
		p.verb = tree_text(verbs->items[i]);
		p.name = SPAN_NONE;
		if (tree_count(names) == 0)
			check_part(m, &p);
		for (size_t j = 0; j < tree_count(names); j++) {
			p.name = tree_text(names->items[j]);
			check_part(m, &p);
		}
	}
}

/* ---- in words ---- */

static void
add_list(struct arena *a, struct buf *b, const char *key, struct span text)
{
	if (text.p == NULL)
		return;
	buf_addf(b, "%s%s:[%.*s]", b->data[b->len - 1] == '{' ? "" : ", ", key,
	    SPAN_ARG(gotext_quote(a, text)));
}

/* Parts of a resource that differ in the verb alone are one line. */
struct line {
	struct span head; /* up to the verbs */
	struct buf verbs;
};

static struct span
head_of(struct arena *a, const struct part *p)
{
	struct buf b = BUF_INIT;

	buf_addc(&b, '{');
	if (p->on_resource) {
		add_list(a, &b, "APIGroups", p->group);
		add_list(a, &b, "Resources", p->resource);
		add_list(a, &b, "ResourceNames", p->name);
	} else
		add_list(a, &b, "NonResourceURLs", p->path);
	buf_adds(&b, ", Verbs:[");
	return tree_keep(a, &b);
}

static struct problem *
refuse(const struct missing *m, struct span name)
{
	struct request *r = m->r;
	const struct user *u = r->identity;
	struct buf b = BUF_INIT;
	struct problem *p;
	struct map lines = MAP_INIT;
	struct line **all;

	buf_addf(&b, "user %.*s (groups=[",
	    SPAN_ARG(gotext_quote(&r->arena, u->name)));
	for (size_t i = 0; i < u->group_count; i++) {
		if (i > 0)
			buf_addc(&b, ' ');
		buf_addspan(&b, gotext_quote(&r->arena, u->groups[i]));
	}
	buf_adds(&b,
	    "]) is attempting to grant RBAC permissions not currently held:");
	for (size_t i = 0; i < m->n; i++) {
		struct span head = head_of(&m->r->arena, &m->parts[i]),
			    verb = gotext_quote(&m->r->arena, m->parts[i].verb);
		struct span key = m->parts[i].on_resource
		    ? head
		    : arena_printf(&m->r->arena, "%.*s%.*s", SPAN_ARG(head),
			  SPAN_ARG(verb));
		struct line *l = map_get(&lines, key);

		if (l != NULL && !m->parts[i].on_resource)
			continue;
		if (l == NULL) {
			l = arena_zalloc(&m->r->arena, sizeof(*l));
			l->head = head;
			map_put(&lines, key, l);
		}
		if (l->verbs.len > 0)
			buf_addc(&l->verbs, ' ');
		buf_addspan(&l->verbs, verb);
	}
	all = (struct line **)map_sorted(&lines);
	for (size_t i = 0; i < lines.count; i++) {
		buf_addf(&b, "\n%.*s", SPAN_ARG(all[i]->head));
		buf_addspan(&b, buf_span(&all[i]->verbs));
		buf_adds(&b, "]}");
		buf_release(&all[i]->verbs);
	}
	free(all);
	map_release(&lines);
	if (m->errors.len > 0)
		buf_addf(&b, "; resolution errors: [%.*s]",
		    SPAN_ARG(rights_errors(&r->arena, buf_span(&m->errors))));
	p = problem_forbidden(&r->arena, r->resource, name, buf_str(&b));
	buf_release(&b);
	return p;
}

/* ---- the four kinds ---- */

static struct problem *
check_rules(struct request *r, struct span name, const struct node *rules)
{
	struct missing m = {.r = r, .namespace_ = r->namespace_};
	struct problem *p = NULL;

	for (size_t i = 0; i < tree_count(rules); i++) {
		const struct node *groups =
		    tree_get(rules->items[i], "apiGroups");
		const struct node *resources =
		    tree_get(rules->items[i], "resources");
		const struct node *urls =
		    tree_get(rules->items[i], "nonResourceURLs");
		const struct node *verbs = tree_get(rules->items[i], "verbs");

		for (size_t k = 0; k < tree_count(groups); k++)
			for (size_t j = 0; j < tree_count(resources); j++)
				check_resource(&m, rules->items[i],
				    (struct part){.on_resource = true,
					.group = tree_text(groups->items[k]),
					.resource =
					    tree_text(resources->items[j])});
		for (size_t k = 0; k < tree_count(urls); k++)
			for (size_t j = 0; j < tree_count(verbs); j++)
				check_part(&m,
				    &(struct part){
					.path = tree_text(urls->items[k]),
					.verb = tree_text(verbs->items[j])});
	}
	if (m.n > 0)
		p = refuse(&m, name);
	buf_release(&m.errors);
	return p;
}

static bool
may(struct request *r, const char *verb, struct span group, struct span plural,
    struct span name)
{
	struct action x = {.user = r->identity,
	    .verb = span_str(verb),
	    .on_resource = true,
	    .group = group,
	    .plural = plural,
	    .name = name,
	    .namespace_ = r->namespace_};

	return rights_allow(r->api->rights, &r->arena, &x, NULL);
}

static bool
aggregates(const struct node *role)
{
	return tree_count(
		   tree_path(role, "aggregationRule.clusterRoleSelectors")) > 0;
}

/* An aggregating role can get any rule, so its author must have all rights. */
static struct problem *
check_aggregation(struct request *r, struct span name)
{
	if (check_rules(r, name, rights_all(&r->arena)) == NULL)
		return NULL;
	return problem_forbidden(&r->arena, r->resource, name,
	    "must have cluster-admin privileges to use the aggregationRule");
}

static struct problem *
check_binding(struct request *r, const struct node *object)
{
	const struct node *ref = tree_get(object, "roleRef"), *role;
	struct span name = tree_text(tree_get(ref, "name"));
	struct span kind = tree_text(tree_get(ref, "kind"));
	struct span group = tree_text(tree_get(ref, "apiGroup"));
	struct span plural =
	    span_str(span_is(kind, "ClusterRole") ? "clusterroles" : "roles");

	if (!span_is(kind, "ClusterRole") && !span_is(kind, "Role"))
		return problem_make(&r->arena, 500, "InternalError",
		    "Internal error occurred: unsupported role reference kind: "
		    "%.*s",
		    SPAN_ARG(gotext_quote(&r->arena, kind)));
	if (may(r, "bind", group, plural, name))
		return NULL;
	role = rights_role(r->api->rights, ref, r->namespace_);
	/* The server's error names the binding's resource, not the role's. */
	if (role == NULL)
		return problem_not_found(&r->arena, r->resource, name);
	return check_rules(r, tree_path_text(object, "metadata.name"),
	    tree_get(role, "rules"));
}

/* Whether nothing differs but what the garbage collector may change. */
static bool
changes_owners_only(
    struct arena *a, const struct node *live, const struct node *object)
{
	static const char *const keys[] = {
	    "ownerReferences", "finalizers", "managedFields"};
	struct node *x = tree_copy(a, live), *y = tree_copy(a, object);

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		tree_remove(tree_make(a, x, "metadata"), keys[i]);
		tree_remove(tree_make(a, y, "metadata"), keys[i]);
	}
	return tree_equal(x, y);
}

struct problem *
authorize_escalation(
    struct request *r, const struct node *live, const struct node *object)
{
	if (rights_is_superuser(r->identity) ||
	    (live != NULL && changes_owners_only(&r->arena, live, object)))
		return NULL;
	if (span_is(r->plural, "roles") || span_is(r->plural, "clusterroles")) {
		struct span name = tree_path_text(object, "metadata.name");
		struct problem *p;

		if (may(r, "escalate", r->group, r->plural, r->name))
			return NULL;
		p = check_rules(r, name, tree_get(object, "rules"));
		if (p == NULL && (aggregates(live) || aggregates(object)))
			p = check_aggregation(r, name);
		return p;
	}
	return check_binding(r, object);
}
