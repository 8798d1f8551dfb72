// alone: it has functions in place of the tool's
/* rights: which rules allow an action, and of which bindings. */
#include "rights/rights.h"

#include "stub-rbac.h"

static struct rights *rights;

static void
set_up(void)
{
	struct api api;

	rbac_set_up();
	api = (struct api){.store = store};
	rights = rights_new(&api);
}

static void
tear_down(void)
{
	rights_free(rights);
	rbac_tear_down();
}

static const struct span groups[] = {{"system:authenticated", 20}, {"g", 1}};
static struct user user = {.groups = groups, .group_count = 2};

/* what: "VERB GROUP:RESOURCE[/SUBRESOURCE] [NAME]" or "VERB /PATH" */
static struct action
action_of(const char *name, const char *ns, const char *what)
{
	struct span rest = span_str(what);
	struct action x = {.user = &user, .namespace_ = span_str(ns)};

	user.name = span_str(name);
	x.verb = span_cut(&rest, ' ');
	if (rest.n > 0 && rest.p[0] == '/') {
		x.path = rest;
		x.namespace_ = SPAN_NONE;
		return x;
	}
	x.on_resource = true;
	x.subresource = span_cut(&rest, ' ');
	x.name = rest;
	x.group = span_cut(&x.subresource, ':');
	x.plural = span_cut(&x.subresource, '/');
	return x;
}

static bool
may(const char *name, const char *ns, const char *what)
{
	struct action x = action_of(name, ns, what);

	return rights_allow(rights, &arena, &x, NULL);
}

static const char *
why(const char *name, const char *ns, const char *what)
{
	struct action x = action_of(name, ns, what);
	struct span reason;

	rights_allow(rights, &arena, &x, &reason);
	return arena_str(&arena, reason);
}

static void
bind(const char *plural, const char *ns, const char *role_kind,
    const char *role, const char *subject)
{
	put(plural, ns, arena_str(&arena, arena_printf(&arena, "b-%s", role)),
	    "",
	    arena_str(&arena,
		arena_printf(&arena,
		    "\"roleRef\":{\"kind\":\"%s\",\"name\":\"%s\"},"
		    "\"subjects\":[{%s}]",
		    role_kind, role, subject)));
}

TEST(rules)
{
	static const char pods[] = "\"apiGroups\":[\"\"],"
				   "\"resources\":[\"pods\"],"
				   "\"verbs\":[\"get\",\"list\"]";
	static const char any[] = "\"apiGroups\":[\"*\"],"
				  "\"resources\":[\"*\"],\"verbs\":[\"*\"]";
	static const char scale[] = "\"apiGroups\":[\"apps\"],"
				    "\"resources\":[\"*/scale\"],"
				    "\"verbs\":[\"*\"]";
	static const char log[] = "\"apiGroups\":[\"\"],"
				  "\"resources\":[\"pods/log\"],"
				  "\"verbs\":[\"get\"]";
	static const char named[] = "\"apiGroups\":[\"\"],"
				    "\"resources\":[\"secrets\"],"
				    "\"resourceNames\":[\"a\",\"b\"],"
				    "\"verbs\":[\"*\"]";
	static const char urls[] = "\"nonResourceURLs\":[\"/a\",\"/b/*\","
				   "\"/c*\"],\"verbs\":[\"get\"]";
	static const char url_any[] = "\"nonResourceURLs\":[\"*\"],"
				      "\"verbs\":[\"*\"]";
	static const struct {
		const char *rule, *what;
		bool allowed;
	} rows[] = {
	    {pods, "get :pods", true},
	    {pods, "list :pods", true},
	    {pods, "watch :pods", false},
	    {pods, "GET :pods", false},
	    {pods, "get apps:pods", false},
	    {pods, "get :secrets", false},
	    {pods, "get :pods/log", false},
	    {pods, "get :pods x", true},
	    {any, "use x.example.com:things/status x", true},
	    {any, "get /api", false},
	    {scale, "get apps:deployments/scale d", true},
	    {scale, "patch apps:statefulsets/scale s", true},
	    {scale, "get apps:deployments d", false},
	    {scale, "get apps:deployments/status d", false},
	    {scale, "get :replicationcontrollers/scale r", false},
	    {log, "get :pods/log p", true},
	    {log, "get :pods/exec p", false},
	    {log, "get :pods p", false},
	    {named, "get :secrets a", true},
	    {named, "delete :secrets b", true},
	    {named, "get :secrets c", false},
	    {named, "list :secrets", false},
	    {urls, "get /a", true},
	    {urls, "get /a/x", false},
	    {urls, "get /b/x/y", true},
	    {urls, "get /b/", true},
	    {urls, "get /b", false},
	    {urls, "get /c", true},
	    {urls, "get /cd", true},
	    {urls, "post /a", false},
	    {url_any, "post /x", true},
	    {url_any, "get :pods", false},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		set_up();
		put("clusterroles", "", "r", "",
		    arena_str(&arena,
			arena_printf(
			    &arena, "\"rules\":[{%s}]", rows[i].rule)));
		bind("clusterrolebindings", "", "ClusterRole", "r",
		    "\"kind\":\"User\",\"name\":\"joe\"");
		ok(may("joe", "n", rows[i].what) == rows[i].allowed,
		    rows[i].what);
		tear_down();
	}
}

static const char role[] =
    "\"rules\":[{\"apiGroups\":[\"\"],\"resources\":[\"pods\"],"
    "\"verbs\":[\"get\"]}]";

TEST_F(subjects)
{
	static const char account[] = "\"kind\":\"ServiceAccount\","
				      "\"name\":\"acc\"";

	put("roles", "n", "r", "", role);
	bind("rolebindings", "n", "Role", "r", account);
	ok(may("system:serviceaccount:n:acc", "n", "get :pods"),
	    "an account of the binding's namespace");
	ok(!may("system:serviceaccount:m:acc", "n", "get :pods"),
	    "... of another");
	ok(!may("acc", "n", "get :pods"), "... a user of that name");
	bind("rolebindings", "n", "Role", "r",
	    "\"kind\":\"ServiceAccount\",\"name\":\"acc\","
	    "\"namespace\":\"m\"");
	ok(may("system:serviceaccount:m:acc", "n", "get :pods"),
	    "... that is named");
	ok(!may("system:serviceaccount:n:acc", "n", "get :pods"),
	    "the changed binding is the only one");
	bind("rolebindings", "n", "Role", "r",
	    "\"kind\":\"Group\",\"name\":\"g\"");
	ok(may("x", "n", "get :pods"), "a group");
	bind("rolebindings", "n", "Role", "r",
	    "\"kind\":\"Group\",\"name\":\"h\"");
	ok(!may("x", "n", "get :pods"), "... another");
}

TEST_F(scope)
{
	static const char joe[] = "\"kind\":\"User\",\"name\":\"joe\"";

	put("clusterroles", "", "r", "", role);
	bind("rolebindings", "n", "ClusterRole", "r", joe);
	ok(may("joe", "n", "get :pods"), "a ClusterRole in a namespace");
	is(why("joe", "n", "get :pods"),
	    "RBAC: allowed by RoleBinding \"b-r/n\" of ClusterRole \"r\" "
	    "to User \"joe\"",
	    "... the reason");
	ok(!may("joe", "m", "get :pods"), "... not in another");
	ok(!may("joe", "", "get :pods"), "... nor in all");
	drop("rolebindings", "n", "b-r");
	ok(!may("joe", "n", "get :pods"), "a binding that is gone");
	bind("clusterrolebindings", "", "ClusterRole", "r", joe);
	ok(may("joe", "m", "get :pods") && may("joe", "", "get :pods"),
	    "in the cluster: in all namespaces");
	put("clusterroles", "", "r", "", "\"rules\":[]");
	ok(!may("joe", "m", "get :pods"), "the role has changed");
	drop("clusterroles", "", "r");
	is(why("joe", "m", "get :pods"),
	    "RBAC: clusterrole.rbac.authorization.k8s.io \"r\" not found",
	    "the role is gone");
}

TEST_F(superuser)
{
	static const struct span masters[] = {{"system:masters", 14}};
	struct user root = {.groups = masters, .group_count = 1};
	struct action x = action_of("joe", "n", "delete :nodes");

	ok(rights_allow(NULL, &arena, &x, NULL), "without rights");
	ok(!rights_allow(rights, &arena, &x, NULL), "with rights");
	x.user = &root;
	ok(rights_allow(rights, &arena, &x, NULL), "system:masters");
}
