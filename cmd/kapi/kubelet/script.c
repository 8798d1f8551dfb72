#include "kubelet/script.h"

#include "base/array.h"

#define PREFIX "playground.kpipe.dev/"

enum { EXIT_CODE_MAX = 255 };

struct span
script_text(struct arena *a, const struct node *pod, const char *name,
    struct span container)
{
	const struct node *all = tree_path(pod, "metadata.annotations");
	struct span own =
	    arena_printf(a, PREFIX "%s.%.*s", name, SPAN_ARG(container));
	struct span text = tree_text(tree_get_span(all, own));

	if (container.n > 0 && text.p != NULL)
		return text;
	own.n -= container.n + 1;
	return tree_text(tree_get_span(all, own));
}

/* ---- rules ---- */

static int
bad(struct err *err, const char *name, const char *why)
{
	return err_set(
	    err, ERR_PERMANENT, "annotation " PREFIX "%s: %s", name, why);
}

/* The annotation as a tree, NULL if there is none; -1 with err. */
static int
parse(struct arena *a, const struct node *pod, const char *name,
    struct span container, struct node **tree, struct err *err)
{
	struct span text = script_text(a, pod, name, container);
	struct err why = ERR_INIT;

	*tree = NULL;
	if (text.p == NULL)
		return 0;
	*tree = tree_parse_yaml(a, text, NULL, &why);
	return *tree != NULL ? 0 : bad(err, name, why.message);
}

enum member_kind { MEMBER_TEXT, MEMBER_BOOL, MEMBER_NUMBER, MEMBER_COMMAND };
struct rule_member {
	const char *name;
	enum member_kind kind;
	int64_t max;
};

static const struct rule_member run_members[] = {
    {"stdout", MEMBER_TEXT, 0},
    {"stderr", MEMBER_TEXT, 0},
    {"echo", MEMBER_BOOL, 0},
    {"seconds", MEMBER_NUMBER, SCRIPT_SECONDS_MAX},
    {"exitCode", MEMBER_NUMBER, EXIT_CODE_MAX},
    {"command", MEMBER_COMMAND, 0},
};
static const struct rule_member port_members[] = {
    {"greeting", MEMBER_TEXT, 0},
    {"answer", MEMBER_TEXT, 0},
    {"echo", MEMBER_BOOL, 0},
};

static bool
is_command(const struct node *n)
{
	if (!tree_is(n, NODE_ARRAY))
		return false;
	for (size_t i = 0; i < n->n; i++)
		if (!tree_is(n->items[i], NODE_STRING) &&
		    !tree_is(n->items[i], NODE_NUMBER))
			return false;
	return true;
}

/* NULL, or the type that the value must have, for an error. */
static const char *
check_value(const struct rule_member *m, const struct node *n)
{
	int64_t value;

	switch (m->kind) {
	case MEMBER_TEXT:
		return tree_is(n, NODE_STRING) ? NULL : "a text";
	case MEMBER_BOOL:
		return tree_is(n, NODE_TRUE) || tree_is(n, NODE_FALSE)
		    ? NULL
		    : "true or false";
	case MEMBER_COMMAND:
		return is_command(n) ? NULL : "a list of texts";
	case MEMBER_NUMBER:
		break;
	}
	return tree_get_int(n, &value) && value >= 0 && value <= m->max ? NULL
	    : m->max == EXIT_CODE_MAX ? "0 to 255"
				      : "0 to 3600";
}

static int
check_rule(const struct node *rule, const char *name,
    const struct rule_member *members, size_t count, struct err *err)
{
	struct err why = ERR_INIT;

	if (!tree_is(rule, NODE_OBJECT))
		return bad(err, name, "want a mapping for each rule");
	for (size_t i = 0; i < rule->n; i++) {
		struct span key = rule->members[i].key;
		const char *want = "unknown";
		size_t k = 0;

		while (k < count && !span_is(key, members[k].name))
			k++;
		if (k < count)
			want = check_value(&members[k], rule->members[i].value);
		if (want == NULL)
			continue;
		err_set(&why, ERR_PERMANENT, "%.*s: %s%s", SPAN_ARG(key),
		    k < count ? "want " : "", want);
		return bad(err, name, why.message);
	}
	return 0;
}

static int64_t
number(const struct node *rule, const char *key)
{
	int64_t value = 0;

	tree_get_int(tree_get(rule, key), &value);
	return value;
}

static struct script_run
run_of(const struct node *rule)
{
	return (struct script_run){
	    .out = tree_text(tree_get(rule, "stdout")),
	    .err = tree_text(tree_get(rule, "stderr")),
	    .echo = tree_true(tree_get(rule, "echo")),
	    .ms = (uint64_t)number(rule, "seconds") * 1000,
	    .exit_code = number(rule, "exitCode"),
	};
}

/* Whether the command fits the pattern, word by word: "*" is any word, "**" at
 * the end any number of words. */
static bool
fits(const struct node *pattern, const struct span *command, size_t n)
{
	size_t i;

	if (pattern == NULL)
		return true;
	for (i = 0; i < pattern->n; i++) {
		/* A number: its digits. */
		struct span word = pattern->items[i]->text;

		if (i + 1 == pattern->n && span_is(word, "**"))
			return true;
		if (i == n ||
		    (!span_is(word, "*") && !span_eq(word, command[i])))
			return false;
	}
	return i == n;
}

enum script_found
script_exec(struct arena *a, const struct node *pod, struct span container,
    const struct span *command, size_t n, struct script_run *run,
    struct err *err)
{
	static const char name[] = "exec";
	struct node *rules;

	if (parse(a, pod, name, container, &rules, err) != 0)
		return SCRIPT_BAD;
	if (rules != NULL && !tree_is(rules, NODE_ARRAY)) {
		bad(err, name, "want a list of rules");
		return SCRIPT_BAD;
	}
	for (size_t i = 0; i < tree_count(rules); i++)
		if (check_rule(rules->items[i], name, run_members,
			COUNT(run_members), err) != 0)
			return SCRIPT_BAD;
	for (size_t i = 0; i < tree_count(rules); i++)
		if (fits(tree_get(rules->items[i], "command"), command, n)) {
			*run = run_of(rules->items[i]);
			return SCRIPT_FOUND;
		}
	return SCRIPT_NONE;
}

enum script_found
script_attach(struct arena *a, const struct node *pod, struct span container,
    struct script_run *run, struct err *err)
{
	static const char name[] = "attach";
	struct node *rule;

	if (parse(a, pod, name, container, &rule, err) != 0)
		return SCRIPT_BAD;
	if (rule == NULL)
		return SCRIPT_NONE;
	/* The last member, the command, is not allowed here. */
	if (check_rule(rule, name, run_members, COUNT(run_members) - 1, err) !=
	    0)
		return SCRIPT_BAD;
	*run = run_of(rule);
	return SCRIPT_FOUND;
}

enum script_found
script_port(struct arena *a, const struct node *pod, unsigned port,
    struct script_port *found, struct err *err)
{
	static const char name[] = "ports";
	struct span key = arena_printf(a, "%u", port);
	const struct node *rule;
	struct node *ports;

	if (parse(a, pod, name, SPAN_NONE, &ports, err) != 0)
		return SCRIPT_BAD;
	if (ports != NULL && !tree_is(ports, NODE_OBJECT)) {
		bad(err, name, "want a mapping from ports to rules");
		return SCRIPT_BAD;
	}
	rule = tree_get_span(ports, key);
	if (rule == NULL)
		return SCRIPT_NONE;
	if (check_rule(rule, name, port_members, COUNT(port_members), err) != 0)
		return SCRIPT_BAD;
	*found = (struct script_port){
	    .greeting = tree_text(tree_get(rule, "greeting")),
	    .answer = tree_text(tree_get(rule, "answer")),
	    .echo = tree_true(tree_get(rule, "echo")),
	};
	return SCRIPT_FOUND;
}
