#include "kubectl/recipe.h"

#include <stdlib.h>

#include "base/array.h"
#include "value/base64.h"

static const char rbac[] = "rbac.authorization.k8s.io";
static const char rbac_v1[] = "rbac.authorization.k8s.io/v1";

static void
put(struct session *s, struct node *object, const char *key, const char *text)
{
	tree_put(&s->arena, object, key, tree_str(&s->arena, text));
}

static struct node *
new_object(
    struct session *s, const char *version, const char *kind, const char *name)
{
	struct node *object = tree_object(&s->arena);

	put(s, object, "apiVersion", version);
	put(s, object, "kind", kind);
	put(s, tree_make(&s->arena, object, "metadata"), "name", name);
	return object;
}

static struct node *
strings(struct session *s, const struct textlist *list)
{
	struct node *array = tree_array(&s->arena);

	for (size_t i = 0; i < list->count; i++)
		tree_append(&s->arena, array,
		    tree_string(&s->arena,
			arena_span(&s->arena, span_str(list->items[i]))));
	return array;
}

static struct node *
listed(struct session *s, const char *option)
{
	struct textlist list = {NULL, 0};
	struct node *array;

	flags_list(&s->flags, option, &list);
	array = strings(s, &list);
	textlist_release(&list);
	return array;
}

/* ---- data ---- */

static struct span
base64(struct session *s, struct span bytes)
{
	struct buf b = BUF_INIT;
	struct span text;

	base64_add(&b, bytes);
	text = arena_span(&s->arena, buf_span(&b));
	buf_release(&b);
	return text;
}

/* KEY=VALUE of each --from-literal; encoded: as a Secret has them. */
static struct node *
literals(struct session *s, bool encoded)
{
	struct node *data = tree_object(&s->arena);
	const char *one;

	for (size_t i = 0;
	     (one = flags_next(&s->flags, "--from-literal", &i)) != NULL;) {
		struct span value = span_str(one);
		struct span key = span_cut(&value, '=');

		tree_set(&s->arena, data, key,
		    tree_string(&s->arena, encoded ? base64(s, value) : value));
	}
	return data;
}

static struct node *
make_config_map(struct session *s, const char *name)
{
	struct node *object = new_object(s, "v1", "ConfigMap", name);
	struct node *data = literals(s, false);

	if (data->n > 0)
		tree_put(&s->arena, object, "data", data);
	return object;
}

static struct node *
make_secret(struct session *s, const char *name)
{
	struct node *object = new_object(s, "v1", "Secret", name);

	put(s, object, "type", flags_or(&s->flags, "--type", "Opaque"));
	tree_put(&s->arena, object, "data", literals(s, true));
	return object;
}

static struct node *
make_registry_secret(struct session *s, const char *name)
{
	struct node *object = new_object(s, "v1", "Secret", name);
	struct node *auths = tree_object(&s->arena);
	const char *user = flags_or(&s->flags, "--docker-username", "");
	const char *password = flags_or(&s->flags, "--docker-password", "");
	struct node *one =
	    tree_make(&s->arena, tree_make(&s->arena, auths, "auths"),
		flags_or(&s->flags, "--docker-server", ""));
	struct buf text = BUF_INIT;

	put(s, one, "username", user);
	put(s, one, "password", password);
	tree_put(&s->arena, one, "auth",
	    tree_string(&s->arena,
		base64(s, arena_printf(&s->arena, "%s:%s", user, password))));
	tree_write(&text, auths);
	put(s, object, "type", "kubernetes.io/dockerconfigjson");
	tree_put(&s->arena, tree_make(&s->arena, object, "data"),
	    ".dockerconfigjson",
	    tree_string(&s->arena, base64(s, buf_span(&text))));
	buf_release(&text);
	return object;
}

/* ---- rights ---- */

/* The rule of that API group, made if it is not there. */
static struct node *
rule_of(struct session *s, struct node *rules, struct span group)
{
	struct node *rule, *groups = tree_array(&s->arena);
	struct node *names = listed(s, "--resource-name");

	for (uint32_t i = 0; i < rules->n; i++) {
		struct node *has = tree_get(rules->items[i], "apiGroups");

		if (span_eq(tree_text(has->items[0]), group))
			return rules->items[i];
	}
	rule = tree_object(&s->arena);
	tree_append(&s->arena, rules, rule);
	tree_append(&s->arena, groups,
	    tree_string(&s->arena, group.p == NULL ? span_str("") : group));
	tree_put(&s->arena, rule, "verbs", listed(s, "--verb"));
	tree_put(&s->arena, rule, "apiGroups", groups);
	tree_put(&s->arena, rule, "resources", tree_array(&s->arena));
	if (names->n > 0)
		tree_put(&s->arena, rule, "resourceNames", names);
	return rule;
}

/* RESOURCE[/SUBRESOURCE] */
static int
add_resource(struct session *s, struct node *rules, struct span sub)
{
	const struct offer *o = offers_find(s, span_cut(&sub, '/'));
	struct span text;

	if (o == NULL)
		return -1;
	text = sub.n == 0 ? o->plural
			  : arena_printf(&s->arena, "%.*s/%.*s",
				SPAN_ARG(o->plural), SPAN_ARG(sub));
	tree_append(&s->arena,
	    tree_get(rule_of(s, rules, o->group), "resources"),
	    tree_string(&s->arena, text));
	return 0;
}

static struct node *
make_role(struct session *s, const char *kind, const char *name)
{
	struct node *object = new_object(s, rbac_v1, kind, name);
	struct node *rules = tree_array(&s->arena);
	struct node *resources = listed(s, "--resource");
	struct node *urls = listed(s, "--non-resource-url"), *rule;

	for (uint32_t i = 0; i < resources->n; i++)
		if (add_resource(s, rules, tree_text(resources->items[i])) != 0)
			return NULL;
	if (urls->n > 0) {
		rules = tree_array(&s->arena);
		rule = tree_object(&s->arena);
		tree_append(&s->arena, rules, rule);
		tree_put(&s->arena, rule, "verbs", listed(s, "--verb"));
		tree_put(&s->arena, rule, "nonResourceURLs", urls);
	}
	tree_put(&s->arena, object, "rules", rules);
	return object;
}

static struct node *
subjects(struct session *s)
{
	struct node *all = tree_array(&s->arena), *one;
	struct node *users = listed(s, "--user");
	struct node *accounts = listed(s, "--serviceaccount");

	for (uint32_t i = 0; i < users->n; i++) {
		tree_append(&s->arena, all, one = tree_object(&s->arena));
		put(s, one, "kind", "User");
		tree_put(&s->arena, one, "name", users->items[i]);
		put(s, one, "apiGroup", rbac);
	}
	for (uint32_t i = 0; i < accounts->n; i++) {
		struct span name = tree_text(accounts->items[i]);

		tree_append(&s->arena, all, one = tree_object(&s->arena));
		put(s, one, "kind", "ServiceAccount");
		tree_put(&s->arena, one, "namespace",
		    tree_string(&s->arena, span_cut(&name, ':')));
		tree_put(&s->arena, one, "name", tree_string(&s->arena, name));
	}
	return all;
}

static struct node *
make_binding(struct session *s, const char *kind, const char *name)
{
	struct node *object = new_object(s, rbac_v1, kind, name), *ref;
	const char *cluster = session_option(s, "--clusterrole");

	tree_put(&s->arena, object, "subjects", subjects(s));
	ref = tree_make(&s->arena, object, "roleRef");
	put(s, ref, "apiGroup", rbac);
	put(s, ref, "kind", cluster == NULL ? "Role" : "ClusterRole");
	put(s, ref, "name",
	    cluster == NULL ? flags_or(&s->flags, "--role", "") : cluster);
	return object;
}

/* ---- Pods ---- */

static struct node *
containers(struct session *s, struct span name)
{
	struct node *all = tree_array(&s->arena), *one = tree_object(&s->arena);

	tree_append(&s->arena, all, one);
	tree_put(&s->arena, one, "name", tree_string(&s->arena, name));
	put(s, one, "image", flags_or(&s->flags, "--image", ""));
	return all;
}

struct node *
recipe_pod(struct session *s, const char *name)
{
	struct node *object = new_object(s, "v1", "Pod", name);

	put(s, tree_make(&s->arena, tree_get(object, "metadata"), "labels"),
	    "run", name);
	tree_put(&s->arena, tree_make(&s->arena, object, "spec"), "containers",
	    containers(s, span_str(name)));
	return object;
}

static struct node *
make_deployment(struct session *s, const char *name)
{
	struct arena *a = &s->arena;
	struct node *object = new_object(s, "apps/v1", "Deployment", name);
	struct node *spec = tree_make(a, object, "spec"), *template;
	struct span image = span_str(flags_or(&s->flags, "--image", ""));

	put(s, tree_make(a, tree_get(object, "metadata"), "labels"), "app",
	    name);
	tree_put(a, spec, "replicas",
	    tree_number(a, span_str(flags_or(&s->flags, "--replicas", "1"))));
	put(s, tree_make(a, tree_make(a, spec, "selector"), "matchLabels"),
	    "app", name);
	template = tree_make(a, spec, "template");
	put(s, tree_make(a, tree_make(a, template, "metadata"), "labels"),
	    "app", name);
	tree_put(a, tree_make(a, template, "spec"), "containers",
	    containers(s, span_cut(&image, ':')));
	return object;
}

/* ---- all of them ---- */

static const struct {
	const char *type, *short_name;
	const char *version, *kind; /* kind NULL: make */
	struct node *(*make)(struct session *s, const char *name);
	struct node *(*make_kind)(
	    struct session *s, const char *kind, const char *name);
} types[] = {
    {"namespace", "ns", "v1", "Namespace", NULL, NULL},
    {"serviceaccount", "sa", "v1", "ServiceAccount", NULL, NULL},
    {"configmap", "cm", NULL, NULL, make_config_map, NULL},
    {"deployment", "deployment", NULL, NULL, make_deployment, NULL},
    {"role", "role", NULL, "Role", NULL, make_role},
    {"clusterrole", "clusterrole", NULL, "ClusterRole", NULL, make_role},
    {"rolebinding", "rolebinding", NULL, "RoleBinding", NULL, make_binding},
    {"clusterrolebinding", "clusterrolebinding", NULL, "ClusterRoleBinding",
	NULL, make_binding},
};

static struct node *
make_any_secret(struct session *s, const char *type, const char *name)
{
	if (strcmp(type, "generic") == 0)
		return make_secret(s, name);
	if (strcmp(type, "docker-registry") != 0)
		flags_not_here("create secret %s", type);
	return make_registry_secret(s, name);
}

struct node *
recipe_make(struct session *s, struct words args)
{
	struct span type = arena_lower(
	    &s->arena, span_str(args.count > 0 ? args.items[0] : ""));
	bool secret = span_is(type, "secret");
	const char *name;

	if (args.count < 2u + secret) {
		session_refuse(s, "error: create needs a type and a name");
		return NULL;
	}
	name = args.items[1];
	if (secret)
		return make_any_secret(s, name, args.items[2]);
	for (size_t i = 0; i < COUNT(types); i++) {
		if (!span_is(type, types[i].type) &&
		    !span_is(type, types[i].short_name))
			continue;
		if (types[i].make != NULL)
			return types[i].make(s, name);
		if (types[i].make_kind != NULL)
			return types[i].make_kind(s, types[i].kind, name);
		return new_object(s, types[i].version, types[i].kind, name);
	}
	flags_not_here("create %.*s", SPAN_ARG(type));
}
