/*
 * Part of builtin/topics.h. Rules of webhook configurations, which kapi
 * keeps and never calls. Source: pkg/apis/admissionregistration/validation.
 */
#include "builtin/topics.h"
#include "type/hookclient.h"

static bool
holds_text(const struct node *array, const char *text)
{
	const struct node *n;

	for (size_t i = 0; (n = builtin_item(array, i)) != NULL; i++)
		if (tree_text_is(n, text))
			return true;
	return false;
}

static void
check_star(struct causes *c, const struct at *up, const struct node *rule,
    const char *key, const char *what)
{
	const struct node *all = rule_given(rule, key);

	if (tree_count(all) == 0)
		rule_fail_required(c, AT(up, key), "");
	if (tree_count(all) > 1 && holds_text(all, "*"))
		rule_fail_invalid(c, AT(up, key), all,
		    rule_say(c, "if '*' is present, must not specify other %s",
			what));
}

static void
check_webhook_rule(
    struct causes *c, const struct at *at, const struct node *rule)
{
	const struct node *operations = rule_given(rule, "operations"), *n;
	const struct node *resources = rule_given(rule, "resources");

	check_star(c, at, rule, "operations", "operations");
	for (size_t i = 0; (n = builtin_item(operations, i)) != NULL; i++)
		if (!rule_text_is_any(n, "*", "CONNECT", "CREATE", "DELETE",
			"UPDATE", (char *)NULL))
			rule_fail_unsupported(c,
			    AT_INDEX(AT(at, "operations"), i), n, "*",
			    "CONNECT", "CREATE", "DELETE", "UPDATE",
			    (char *)NULL);
	check_star(c, at, rule, "apiGroups", "API groups");
	check_star(c, at, rule, "apiVersions", "API versions");
	if (tree_count(resources) == 0)
		rule_fail_required(c, AT(at, "resources"), "");
	if (tree_count(resources) > 1 && holds_text(resources, "*/*"))
		rule_fail_invalid(c, AT(at, "resources"), resources,
		    "if '*/*' is present, must not specify other resources");
}

/* A domain of three segments, as names of webhooks are. */
static void
check_full_name(struct causes *c, const struct at *at, struct span s)
{
	size_t dots = 0, before = c->n;

	if (s.n == 0) {
		rule_fail_required(c, at, "");
		return;
	}
	rule_dns_subdomain(c, at, s);
	for (size_t i = 0; i < s.n; i++)
		dots += s.p[i] == '.';
	if (c->n == before && dots < 2)
		rule_fail_text(c, at, s,
		    "should be a domain with at least three segments "
		    "separated by dots");
}

static void
check_effects(struct causes *c, const struct at *at, const struct node *hook)
{
	const struct node *effects = rule_given(hook, "sideEffects");
	const struct node *versions =
	    rule_given(hook, "admissionReviewVersions");
	int64_t seconds;

	if (effects == NULL)
		rule_fail_required(c, AT(at, "sideEffects"),
		    "must specify one of None, NoneOnDryRun");
	else if (!rule_text_is_any(
		     effects, "None", "NoneOnDryRun", (char *)NULL))
		rule_fail_unsupported(c, AT(at, "sideEffects"), effects, "None",
		    "NoneOnDryRun", (char *)NULL);
	if (tree_count(versions) == 0)
		rule_fail_required(c, AT(at, "admissionReviewVersions"),
		    "must specify one of v1, v1beta1");
	else if (!holds_text(versions, "v1") &&
	    !holds_text(versions, "v1beta1"))
		rule_fail_invalid(c, AT(at, "admissionReviewVersions"),
		    versions, "must include at least one of v1, v1beta1");
	if (tree_get_int(rule_given(hook, "timeoutSeconds"), &seconds) &&
	    (seconds < 1 || seconds > 30))
		rule_fail_int(c, AT(at, "timeoutSeconds"), seconds,
		    "the timeout value must be between 1 and 30 seconds");
}

void
webhooks_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct node *hook, *rule;

	(void)x;
	for (size_t i = 0;
	     (hook = builtin_item(rule_given(object, "webhooks"), i)) != NULL;
	     i++) {
		const struct at *at = AT_INDEX(AT(NULL, "webhooks"), i);
		check_full_name(
		    c, AT(at, "name"), tree_text(rule_given(hook, "name")));
		check_effects(c, at, hook);
		for (size_t k = 0; (rule = builtin_item(
					rule_given(hook, "rules"), k)) != NULL;
		     k++)
			check_webhook_rule(
			    c, AT_INDEX(AT(at, "rules"), k), rule);
		check_enum(c, at, hook, "failurePolicy", "Fail", "Ignore");
		check_enum(c, at, hook, "matchPolicy", "Equivalent", "Exact");
		rule_selector(c, AT(at, "namespaceSelector"),
		    rule_given(hook, "namespaceSelector"));
		rule_selector(c, AT(at, "objectSelector"),
		    rule_given(hook, "objectSelector"));
		hookclient_check(c,
		    rule_at_words(c->arena, AT(at, "clientConfig")),
		    rule_given(hook, "clientConfig"));
	}
}
