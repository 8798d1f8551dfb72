/*
 * Part of builtin/topics.h. Rules of security contexts. Source:
 * ValidateSecurityContext and validatePodSpecSecurityContext. That a cluster
 * forbids privileged containers is a flag of its server; kapi allows them.
 */
#include "builtin/topics.h"

#include "base/array.h"

static void
check_id(struct causes *c, const struct at *up, const struct node *context,
    const char *key)
{
	int64_t id;

	if (tree_get_int(rule_given(context, key), &id) &&
	    (id < 0 || id > INT32_MAX))
		rule_fail_int(c, AT(up, key), id,
		    "must be between 0 and 2147483647, inclusive");
}

/* A struct of the server's own, said with all its members. */
static const struct node *
go_context(struct arena *a, const struct node *context)
{
	static const char *const keys[][2] = {{"Capabilities", "capabilities"},
	    {"Privileged", "privileged"}, {"SELinuxOptions", "seLinuxOptions"},
	    {"WindowsOptions", "windowsOptions"}, {"RunAsUser", "runAsUser"},
	    {"RunAsGroup", "runAsGroup"}, {"RunAsNonRoot", "runAsNonRoot"},
	    {"ReadOnlyRootFilesystem", "readOnlyRootFilesystem"},
	    {"AllowPrivilegeEscalation", "allowPrivilegeEscalation"},
	    {"ProcMount", "procMount"}, {"SeccompProfile", "seccompProfile"},
	    {"AppArmorProfile", "appArmorProfile"}};
	struct node *n = tree_object(a);

	for (size_t i = 0; i < COUNT(keys); i++) {
		tree_put(a, n, keys[i][0],
		    rule_given_or_null(a, context, keys[i][1]));
	}
	return n;
}

static void
check_seccomp(struct causes *c, const struct at *at, const struct node *profile)
{
	const struct node *type = rule_given(profile, "type");
	bool file = !tree_empty(rule_given(profile, "localhostProfile"));

	if (profile == NULL)
		return;
	if (tree_empty(type))
		rule_fail_required(c, AT(at, "type"),
		    "type is required when seccompProfile is set");
	else if (!rule_text_is_any(type, "Localhost", "RuntimeDefault",
		     "Unconfined", (char *)NULL))
		rule_fail_unsupported(c, AT(at, "type"), type, "Localhost",
		    "RuntimeDefault", "Unconfined", (char *)NULL);
	else if (tree_text_is(type, "Localhost") && !file)
		rule_fail_required(c, AT(at, "localhostProfile"),
		    "must be set when seccomp type is Localhost");
}

void
security_container(
    struct causes *c, const struct at *at, const struct node *context)
{
	const struct node *added = tree_path(context, "capabilities.add"),
			  *each;

	if (context == NULL)
		return;
	check_id(c, at, context, "runAsUser");
	check_id(c, at, context, "runAsGroup");
	check_seccomp(
	    c, AT(at, "seccompProfile"), rule_given(context, "seccompProfile"));
	if (!tree_is(
		rule_given(context, "allowPrivilegeEscalation"), NODE_FALSE))
		return;
	if (tree_true(rule_given(context, "privileged")))
		rule_fail_invalid(c, at, go_context(c->arena, context),
		    "cannot set `allowPrivilegeEscalation` to false and "
		    "`privileged` to true");
	for (size_t i = 0; (each = builtin_item(added, i)) != NULL; i++)
		if (tree_text_is(each, "CAP_SYS_ADMIN"))
			rule_fail_invalid(c, at, go_context(c->arena, context),
			    "cannot set `allowPrivilegeEscalation` to false "
			    "and `capabilities.Add` CAP_SYS_ADMIN");
}

void
security_pod(struct causes *c, const struct at *up, const struct node *spec)
{
	const struct at *at = AT(up, "securityContext");
	const struct node *context = rule_given(spec, "securityContext");

	check_id(c, at, context, "fsGroup");
	check_id(c, at, context, "runAsUser");
	check_id(c, at, context, "runAsGroup");
	check_seccomp(
	    c, AT(at, "seccompProfile"), rule_given(context, "seccompProfile"));
	if (tree_true(rule_given(spec, "shareProcessNamespace")) &&
	    tree_true(rule_given(spec, "hostPID")))
		rule_fail_invalid(c, AT(at, "shareProcessNamespace"),
		    rule_given(spec, "shareProcessNamespace"),
		    "ShareProcessNamespace and HostPID cannot both be "
		    "enabled");
}
