/* Part of builtin/rules.h. Names, labels, ports, selectors and images: see
 * rules.h. */
#include "builtin/rules.h"

#include "conf/selector.h"
#include "type/names.h"
#include "type/objectmeta.h"

#define REGEX_HINT "regex used for validation is "

static bool
lower_or_digit(char c)
{
	return span_is_lower(c) || span_is_digit(c);
}

static void
check_name(struct causes *c, const struct at *at, struct span s,
    enum name_rule rule, size_t max)
{
	const char *why = name_check_form(s, rule);

	if (s.n > max)
		rule_fail_text(c, at, s,
		    rule_say(c, "must be no more than %zu characters", max));
	if (why != NULL)
		rule_fail_text(c, at, s, why);
}

void
rule_dns_label(struct causes *c, const struct at *at, struct span s)
{
	check_name(c, at, s, NAME_LABEL, 63);
}

void
rule_dns_subdomain(struct causes *c, const struct at *at, struct span s)
{
	check_name(c, at, s, NAME_SUBDOMAIN, 253);
}

/* A subdomain whose labels may begin with, and hold, underscores. */
static bool
search_shaped(struct span s)
{
	size_t start = 0;

	for (size_t i = 0; i <= s.n; i++) {
		if (i < s.n) {
			if (!lower_or_digit(s.p[i]) && s.p[i] != '-' &&
			    s.p[i] != '_' && s.p[i] != '.')
				return false;
			if (s.p[i] != '.')
				continue;
		}
		if (s.p[start] == '_' && i - start > 1)
			start++;
		if (i == start || !lower_or_digit(s.p[start]) ||
		    !lower_or_digit(s.p[i - 1]))
			return false;
		start = i + 1;
	}
	return true;
}

void
rule_dns_search(struct causes *c, const struct at *at, struct span s)
{
	if (s.n > 253)
		rule_fail_text(c, at, s, "must be no more than 253 characters");
	if (!search_shaped(s))
		rule_fail_text(c, at, s,
		    "a lowercase RFC 1123 subdomain must consist of lower case "
		    "alphanumeric characters, '_', '-' or '.', and must start "
		    "and end with an alphanumeric character (e.g. "
		    "'example.com', " REGEX_HINT
		    "'_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
		    "(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')");
}

void
rule_qualified_name(struct causes *c, const struct at *at, struct span s)
{
	if (!name_is_qualified(s))
		name_qualified(c, rule_at_words(c->arena, at), s, s);
}

void
rule_label_value(struct causes *c, const struct at *at, struct span s)
{
	if (name_check_label_value(s) != NULL)
		name_label_value(c, rule_at_words(c->arena, at), s);
}

static bool
config_key_shaped(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!span_is_alnum(s.p[i]) && s.p[i] != '-' && s.p[i] != '_' &&
		    s.p[i] != '.')
			return false;
	return s.n > 0;
}

void
rule_config_key(struct causes *c, const struct at *at, struct span s)
{
	if (s.n > 253)
		rule_fail_text(c, at, s, "must be no more than 253 characters");
	if (!config_key_shaped(s))
		rule_fail_text(c, at, s,
		    "a valid config key must consist of alphanumeric "
		    "characters, '-', '_' or '.' (e.g. 'key.name',  or "
		    "'KEY_NAME',  or 'key-name', " REGEX_HINT
		    "'[-._a-zA-Z0-9]+')");
	if (span_is(s, "."))
		rule_fail_text(c, at, s, "must not be '.'");
	else if (span_is(s, ".."))
		rule_fail_text(c, at, s, "must not be '..'");
	else if (s.n > 2 && span_starts(s, ".."))
		rule_fail_text(c, at, s, "must not start with '..'");
}

void
rule_port_name(struct causes *c, const struct at *at, struct span s)
{
	bool shaped = s.n > 0, letter = false, twice = false;

	for (size_t i = 0; i < s.n; i++) {
		shaped = shaped && (lower_or_digit(s.p[i]) || s.p[i] == '-');
		letter = letter || span_is_lower(s.p[i]);
		twice = twice || (i > 0 && s.p[i] == '-' && s.p[i - 1] == '-');
	}
	if (s.n > 15)
		rule_fail_text(c, at, s, "must be no more than 15 characters");
	if (!shaped)
		rule_fail_text(c, at, s,
		    "must contain only alpha-numeric characters (a-z, 0-9), "
		    "and hyphens (-)");
	if (!letter)
		rule_fail_text(
		    c, at, s, "must contain at least one letter (a-z)");
	if (twice)
		rule_fail_text(
		    c, at, s, "must not contain consecutive hyphens");
	if (s.n > 0 && (s.p[0] == '-' || s.p[s.n - 1] == '-'))
		rule_fail_text(c, at, s, "must not begin or end with a hyphen");
}

void
rule_port_number(struct causes *c, const struct at *at, int64_t port)
{
	if (port < 1 || port > 65535)
		rule_fail_int(
		    c, at, port, "must be between 1 and 65535, inclusive");
}

void
rule_port(struct causes *c, const struct at *at, const struct node *port)
{
	int64_t number = 0;

	if (tree_is(port, NODE_STRING)) {
		rule_port_name(c, at, tree_text(port));
	} else {
		tree_get_int(port, &number);
		rule_port_number(c, at, number);
	}
}

void
rule_labels(struct causes *c, const struct at *at, const struct node *labels)
{
	if (!tree_is(labels, NODE_OBJECT))
		return;
	for (size_t i = 0; i < labels->n; i++) {
		rule_qualified_name(c, at, labels->members[i].key);
		rule_label_value(c, at, tree_text(labels->members[i].value));
	}
}

void
rule_annotations(
    struct causes *c, const struct at *at, const struct node *annotations)
{
	if (tree_is(annotations, NODE_OBJECT))
		objectmeta_check_annotations(
		    c, rule_at_words(c->arena, at), annotations);
}

static void
check_requirement(struct causes *c, const struct at *at, const struct node *r)
{
	const struct node *operator= rule_given(r, "operator");
	const struct node *values = rule_given(r, "values");

	if (rule_text_is_any(operator, "In", "NotIn", (char *)NULL)) {
		if (tree_count(values) == 0)
			rule_fail_required(c, AT(at, "values"),
			    "must be specified when `operator` is 'In' or "
			    "'NotIn'");
	} else if (rule_text_is_any(operator, "Exists", "DoesNotExist",
		       (char *)NULL)) {
		if (tree_count(values) > 0)
			rule_fail_forbidden(c, AT(at, "values"),
			    "may not be specified when `operator` is 'Exists' "
			    "or 'DoesNotExist'");
	} else {
		rule_fail_text(c, AT(at, "operator"), tree_text(operator),
		    "not a valid selector operator");
	}
	rule_qualified_name(c, AT(at, "key"), tree_text(rule_given(r, "key")));
	for (size_t i = 0; i < tree_count(values); i++)
		rule_label_value(c, AT_INDEX(AT(at, "values"), i),
		    tree_text(values->items[i]));
}

void
rule_selector(
    struct causes *c, const struct at *at, const struct node *selector)
{
	const struct node *all = rule_given(selector, "matchExpressions");

	rule_labels(
	    c, AT(at, "matchLabels"), rule_given(selector, "matchLabels"));
	for (size_t i = 0; i < tree_count(all); i++)
		check_requirement(
		    c, AT_INDEX(AT(at, "matchExpressions"), i), all->items[i]);
}

bool
rule_selector_is_empty(const struct node *selector)
{
	return tree_count(rule_given(selector, "matchLabels")) == 0 &&
	    tree_count(rule_given(selector, "matchExpressions")) == 0;
}

static bool
requirement_matches(const struct node *r, const struct node *labels)
{
	const struct node *op = rule_given(r, "operator");
	const struct node *values = rule_given(r, "values");
	const struct node *label =
	    tree_get_span(labels, tree_text(rule_given(r, "key")));
	bool among = false;

	for (size_t i = 0; label != NULL && i < tree_count(values); i++)
		among = among ||
		    span_eq(tree_text(values->items[i]), tree_text(label));
	return selector_meets(tree_text_is(op, "In") ? LABEL_IN
		: tree_text_is(op, "NotIn")	     ? LABEL_NOT_IN
		: tree_text_is(op, "Exists")	     ? LABEL_EXISTS
						     : LABEL_ABSENT,
	    label != NULL, among);
}

bool
rule_selector_matches(const struct node *selector, const struct node *labels)
{
	const struct node *pairs = rule_given(selector, "matchLabels");
	const struct node *all = rule_given(selector, "matchExpressions");

	for (size_t i = 0; i < tree_count(pairs); i++) {
		const struct node *label =
		    tree_get_span(labels, pairs->members[i].key);
		if (label == NULL ||
		    !span_eq(
			tree_text(label), tree_text(pairs->members[i].value)))
			return false;
	}
	for (size_t i = 0; i < tree_count(all); i++)
		if (!requirement_matches(all->items[i], labels))
			return false;
	return true;
}

/* ---- names of images ---- */

static bool
path_ok(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!(span_is_lower(s.p[i]) || span_is_digit(s.p[i]) ||
			memchr("._-/", s.p[i], 4) != NULL))
			return false;
	return s.n > 0;
}

bool
rule_image_is_latest(struct span image)
{
	const char *at = span_find(image, '@');
	struct span name =
	    at == NULL ? image : span_make(image.p, (size_t)(at - image.p));
	const char *slash = span_find_last(name, '/');
	size_t after = slash == NULL ? 0 : (size_t)(slash - name.p) + 1;
	const char *colon = name.n > after
	    ? memrchr(name.p + after, ':', name.n - after)
	    : NULL;
	struct span tag = SPAN_NONE, path;
	const char *first;

	if (colon != NULL) {
		tag =
		    span_make(colon + 1, name.n - (size_t)(colon - name.p) - 1);
		name.n = (size_t)(colon - name.p);
	}
	path = name;
	first = span_find(name, '/');
	if (first != NULL) {
		size_t n = (size_t)(first - name.p);
		if (memchr(name.p, '.', n) || memchr(name.p, ':', n) ||
		    span_is(span_make(name.p, n), "localhost"))
			path = span_make(first + 1, name.n - n - 1);
	}
	if (!path_ok(path))
		return false;
	if (colon != NULL)
		return span_is(tag, "latest");
	return at == NULL;
}
