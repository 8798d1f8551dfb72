#include "conf/watches.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "scratch.h"
#include "tap.h"

static struct watches *
load(const char *text, struct err *err)
{
	put_file("w.yaml", text);
	*err = (struct err)ERR_INIT;
	return watches_load("w.yaml", NULL, err);
}

/* The text is refused with exactly this message. */
static void
refused(const char *text, const char *message)
{
	struct err err;
	struct watches *w = load(text, &err);

	is(w == NULL ? err.message : "(loaded)", message, message);
	if (w == NULL && err.kind != ERR_PERMANENT)
		ok(false, "the error is permanent");
	watches_free(w);
}

#define HEAD                           \
	"- group: cache.example.com\n" \
	"  version: v1alpha1\n"        \
	"  kind: Memcached\n"          \
	"  program: p.jq\n"

static const char all_keys[] =
    HEAD "  operator: {image: \"${MEMCACHED_IMAGE}\", n: 3, s: '3',\n"
	 "    on: true, off: no, nothing: ~, list: [${N:-7}]}\n"
	 "  namespaces: [${WATCH_NAMESPACE}]\n"
	 "  selector: {matchLabels: {a: b}, matchExpressions: [\n"
	 "    {key: c, operator: In, values: [d, e]},\n"
	 "    {key: f, operator: DoesNotExist}]}\n"
	 "  namespaceSelector: {matchLabels: {team: a}}\n"
	 "  finalizer: example.com/name\n"
	 "  when: .spec.x == 1\n"
	 "  retiredFinalizers: [example.com/old, example.com/older]\n"
	 "  adopt: {label: example.com/instance_1.x}\n"
	 "  reconcilePeriod: 10h\n"
	 "  manageStatus: false\n"
	 "  random: true\n"
	 "  guardStatus: true\n"
	 "  maxConcurrentReconciles: 3\n"
	 "  evaluationsPerMinute: 6\n"
	 "  throttle: {limit: \"${LIMIT:-30}\", timeout: 10m}\n"
	 "  desiredReads: [owned, now]\n"
	 "  redact: [spec.password]\n"
	 "  dependents:\n"
	 "  - {apiVersion: apps/v1, kind: Deployment, manage: true,\n"
	 "     prune: always, retain: true}\n"
	 "  - {apiVersion: v1, kind: Pod, map: {label: cr, namespace: x},\n"
	 "     fields: [metadata.labels, status.phase], namespaces: []}\n"
	 "  - {apiVersion: v1, kind: Namespace, manage: true}\n"
	 "  related:\n"
	 "  - {apiVersion: v1, kind: Secret, namespaces: [\"o\"],\n"
	 "     map: {jq: '[{name: .metadata.name}]'}, optional: true,\n"
	 "     delete: true,\n"
	 "     fields: [metadata.labels]}\n"
	 "  - {apiVersion: v1, kind: Service, map: {field: [a.b, 'c[].d'],\n"
	 "     namespace: o}, patch: true}\n"
	 "  - {apiVersion: v1, kind: ConfigMap, map: {field: 'refs[].name',\n"
	 "     namespaceField: 'refs[].namespace'},\n"
	 "     namespaceSelector: \"x in (b,c),!y\"}\n"
	 "  filters: [[./a, \"x, y\", 60, \"${N:-7}\"], [cat]]\n";

static void
keys_of_entry(const struct watch_entry *e)
{
	is(e->operator_json,
	    "{\"image\":\"memcached:1 # x\",\"n\":3,\"s\":\"3\",\"on\":true,"
	    "\"off\":\"no\",\"nothing\":null,\"list\":[\"7\"]}",
	    "operator is JSON, typed by YAML 1.2");
	ok(e->primary.namespaces.count == 2, "a value with commas splits");
	is(e->primary.namespaces.items[1], "b", "second namespace");
	is(e->primary.selector, "a=b,c in (d,e),!f", "selector as text");
	is(e->primary.namespace_selector, "team=a",
	    "namespaceSelector, beside namespaces");
	is(e->dependents[0].namespace_selector, "team=a",
	    "... counts for what follows the primary");
	is(e->dependents[1].namespace_selector, NULL,
	    "... and not for namespaces of its own");
	is(e->dependents[2].namespace_selector, NULL,
	    "... nor for a cluster-scoped kind");
	is(e->related[2].namespace_selector, "x in (b,c),!y",
	    "... of a kind alone");
	is(e->primary.api_version, "cache.example.com/v1alpha1",
	    "apiVersion of the primary");
	is(e->name, "memcached.cache.example.com", "name for logs");
	is(e->manager, "kpipe-memcached.cache.example.com", "field manager");
	is(e->program, "p.jq", "program");
	is(e->finalizer, "example.com/name", "finalizer");
	is(e->adopt, "example.com/instance_1.x", "adopt");
	is(e->when, ".spec.x == 1", "when");
	ok(e->retired_finalizers.count == 2, "retiredFinalizers");
	is(e->retired_finalizers.items[1], "example.com/older",
	    "... the second");
	ok(e->marks, "items may have marks, where there is a finalizer");
	ok(!e->proves, "... no owner reference needs a proof");
	ok(e->random, "random");
	ok(e->reconcile_period_ms == 36000000, "reconcilePeriod");
	ok(!e->manage_status, "manageStatus");
	ok(e->guard_status, "guardStatus");
	ok(e->max_concurrent == 3, "maxConcurrentReconciles");
	ok(e->evaluations_per_minute == 6, "evaluationsPerMinute");
	ok(e->throttle_limit == 30 && e->throttle_timeout_ms == 600000,
	    "throttle");
	ok(e->reads_owned && e->reads_now, "desiredReads");
	is(e->primary.redact.items[0], "spec.password", "redact");
	ok(e->filter_count == 2 && e->filters[0].command.count == 4 &&
		e->filters[1].command.count == 1,
	    "filters");
	is(e->filters[0].command.items[1], "x, y", "... a word is not split");
	is(e->filters[0].command.items[2], "60", "... a number is one");
	is(e->filters[0].command.items[3], "7", "... and a variable");
}

static void
keys_of_kinds(const struct watch_entry *e)
{
	ok(e->dependent_count == 3 && e->related_count == 3, "kinds");
	ok(e->dependents[0].prune_always && !e->dependents[2].prune_always,
	    "prune: always, and not without the key");
	ok(e->dependents[0].retain && !e->dependents[2].retain && e->retains,
	    "retain, and the entry has one");
	ok(!e->related[0].patches && e->related[1].patches, "patch");
	ok(e->related[0].deletes && !e->related[1].deletes,
	    "delete, and not without the key");
	ok(e->dependents[0].manage && e->dependents[0].namespaces.count == 2,
	    "a dependent inherits the namespaces");
	is(e->dependents[0].group, "apps", "group of a dependent");
	ok(e->dependents[1].map == WATCH_MAP_LABEL &&
		!e->dependents[1].metadata_only &&
		e->dependents[1].namespaces.count == 0,
	    "a map by label, projected, in all namespaces");
	is(e->dependents[1].map_namespace, "x", "namespace of a label map");
	ok(e->dependents[2].scope == WATCH_CLUSTER &&
		e->dependents[1].scope == WATCH_NAMESPACED,
	    "the scope of built-in kinds is known");
	ok(e->related[0].map == WATCH_MAP_JQ && e->related[0].optional &&
		e->related[0].metadata_only,
	    "a related kind");
	ok(e->related[1].map == WATCH_MAP_FIELD &&
		e->related[1].map_fields.count == 2,
	    "a map by fields of the primary");
	is(e->related[1].map_fields.items[1], "c[].d", "its second path");
	ok(e->related[1].namespaces.count == 1, "it is watched in one place");
	is(e->related[1].namespaces.items[0], "o", "... where the objects are");
	ok(e->related[2].map == WATCH_MAP_FIELD &&
		e->related[2].map_namespace_fields.count == 1 &&
		e->related[1].map_namespace_fields.count == 0,
	    "fields of the primary with namespaces, too");
	is(e->related[2].map_namespace_fields.items[0], "refs[].namespace",
	    "... the path to them");
	ok(e->related[2].namespaces.count == 0 && !e->related[2].follows,
	    "... which are watched everywhere");
}

TEST(all_keys)
{
	struct err err;
	struct watches *w;

	setenv("MEMCACHED_IMAGE", "memcached:1 # x", 1);
	setenv("WATCH_NAMESPACE", "a, b", 1);
	w = load(all_keys, &err);
	is(w == NULL ? err.message : "", "", "every key is accepted");
	if (w == NULL)
		return;
	keys_of_entry(&w->entries[0]);
	keys_of_kinds(&w->entries[0]);
	ok(w->has_variables, "the value of a variable is in it");
	is(w->namespaces.kind, "Namespace", "Namespaces are selected");
	is(w->namespaces.selector, NULL, "... by two selectors");
	watches_free(w);
	unsetenv("WATCH_NAMESPACE");
}

TEST(defaults)
{
	struct err err;
	struct watches *w = load(HEAD, &err);
	struct watch_entry *e;

	is(w == NULL ? err.message : "", "", "the least entry");
	if (w == NULL)
		return;
	e = &w->entries[0];
	is(e->operator_json, "{}", "no operator");
	ok(e->manage_status && e->max_concurrent == 10 &&
		e->evaluations_per_minute == 0 && e->throttle_limit == 0 &&
		e->primary.namespaces.count == 0 && !e->reads_owned &&
		!e->reads_now && e->reconcile_period_ms == 0 &&
		e->filter_count == 0,
	    "defaults");
	ok(w->namespaces.kind == NULL, "no namespaces are selected");
	watches_free(w);
	setenv("WATCH_NAMESPACE", "x", 1);
	w = load(HEAD, &err);
	is(w->entries[0].primary.namespaces.items[0], "x",
	    "WATCH_NAMESPACE fills an entry without namespaces");
	watches_free(w);
	unsetenv("WATCH_NAMESPACE");
	w = load(HEAD "  namespaces: [${WATCH_NAMESPACE}]\n", &err);
	ok(w != NULL && w->entries[0].primary.namespaces.count == 0 &&
		!w->has_variables,
	    "an unset variable is all namespaces");
	watches_free(w);
}

TEST(program_path)
{
	struct err err = ERR_INIT;
	struct watches *w;

	mkdir("sub", 0700);
	put_file("sub/q.jq", "def desired: [];");
	put_file("sub/w.yaml", "- {version: v1, kind: Pod, program: q.jq}\n");
	w = watches_load("sub/w.yaml", NULL, &err);
	is(w == NULL ? err.message : w->entries[0].program, "sub/q.jq",
	    "program is relative to the file");
	if (w != NULL)
		is(w->entries[0].manager, "kpipe-pod",
		    "manager of a core kind");
	watches_free(w);
}

#define KINDS                                                            \
	"  dependents: [{apiVersion: v1, kind: Pod, manage: true}]\n"    \
	"  related: [{apiVersion: v1, kind: Secret, namespaces: [o]},\n" \
	"    {apiVersion: v1, kind: Service, namespaces: []}]\n"
#define BEYOND(list, what)                                               \
	"w.yaml:8: namespaces is [" list "], and no option goes beyond " \
	"it, but option " what ": leave the option out, or change namespaces"
#define NO_NAME " is not a name of a namespace"
#define NAMES_ALL "--all-namespaces names all"

/* want: "primary|dependent|related|related", with commas in between. The
 * namespaces of the file are a ceiling. */
static const struct {
	const char *variable, *more, *option; /* option: of -n; or -A */
	const char *want, *what;
} scopes[] = {
    {" x ,y,\tx", "", "none", "x,y|x,y|o|", "WATCH_NAMESPACE"},
    {"x", "namespaces: [p, \"q,p\"]", NULL, "p,q|p,q|o|",
	"the file goes before it"},
    {"x", "namespaces: []", NULL, "||o|", "also when it says all"},
    {"x", "namespaces: []", "a, b,a", "a,b|a,b|o|",
	"-n goes before both, not before what other kinds say"},
    {"x", "", "-A", "||o|", "-A as well"},
    {"x", "requireScope: cluster", "-A", "||o|",
	"-A is cluster scope, for any WATCH_NAMESPACE"},
    {" ", "", NULL, "||o|", "blanks are all namespaces"},
    {"x", "", " ", "||o|",
	"-n without a name is all namespaces, whatever the variable says"},
    {"x", "requireScope: cluster", " ", "||o|", "... and cluster scope"},
    {"x", "", "-A a", "-n and -A exclude each other", "-n and -A"},
    {"x", "", "a,,b", "option --namespace: \"\"" NO_NAME,
	"-n with an empty name"},
    {"a,", "", NULL, "WATCH_NAMESPACE: \"\"" NO_NAME,
	"WATCH_NAMESPACE with an empty name"},
    {"a,", "", "-A", "||o|", "... does not count beside -A"},
    {"a,B_c", "", NULL, "WATCH_NAMESPACE: \"B_c\"" NO_NAME,
	"WATCH_NAMESPACE with a bad name"},
    {NULL, "namespaces: [a, -b]", NULL, "w.yaml:8: namespaces: \"-b\"" NO_NAME,
	"a bad name in the file"},
    {"x", "namespaces: [p]", NULL, "p|p|o|",
	"a ceiling: the variable does not widen it"},
    {"x", "namespaces: [p]", "p", "p|p|o|", "... -n may name it"},
    {"x", "namespaces: [\"a, p\", b]", " b,a", "b,a|b,a|o|",
	"... or choose from it"},
    {"x", "namespaces: [p]", "-A", BEYOND("p", NAMES_ALL), "... not -A"},
    {"x", "namespaces: [p, \"b,c\"]", " ",
	BEYOND("p, b, c", "--namespace names all"), "... nor an empty -n"},
    {"x", "namespaces: [p, b]", "p,a",
	BEYOND("p, b", "--namespace names \"a\""), "... nor one name too many"},
    {"x", "namespaces: [\"${NO}\", p]", "-A", BEYOND("p", NAMES_ALL),
	"... an item of it may be empty"},
    {"x", "namespaces: [\"${WATCH_NAMESPACE}\"]", "-A", BEYOND("x", NAMES_ALL),
	"... it may come from a variable"},
    {" ", "namespaces: [\"${WATCH_NAMESPACE}\"]", "p", "p|p|o|",
	"a variable of blanks makes none"},
    {NULL, "namespaces: [p]\n  requireScope: cluster", "p",
	"w.yaml:1: memcached.cache.example.com requires cluster scope, but "
	"option --namespace is \"p\": leave it out",
	"cluster scope, and an option that narrows"},
    {NULL, "namespaces: [p]\n  requireScope: cluster", "-A",
	BEYOND("p", NAMES_ALL), "... that widens"},
    {NULL,
	"namespaces: [p]\n"
	"- {version: v1, kind: Pod, program: p.jq,\n   namespaces: [q]}",
	"p",
	"w.yaml:10: namespaces is [q], and no option goes beyond it, but "
	"option --namespace names \"p\": leave the option out, or change "
	"namespaces",
	"each entry has its own"},
};

static void
namespaces_of(const struct watch_entry *e, struct buf *b)
{
	const struct watch_kind *kinds[] = {
	    &e->primary, e->dependents, e->related, e->related + 1};

	for (size_t i = 0; i < COUNT(kinds); i++) {
		const struct textlist *l = &kinds[i]->namespaces;

		buf_adds(b, i > 0 ? "|" : "");
		for (size_t j = 0; j < l->count; j++)
			buf_addf(b, "%s%s", j > 0 ? "," : "", l->items[j]);
	}
}

TEST(scopes)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < COUNT(scopes); i++) {
		const char *option = scopes[i].option;
		struct watches_scope scope = {option, false};
		struct err err = ERR_INIT;
		struct watches *w;

		if (option != NULL && strncmp(option, "-A", 2) == 0)
			scope = (struct watches_scope){
			    option[2] != '\0' ? option + 3 : NULL, true};
		else if (option != NULL && strcmp(option, "none") == 0)
			scope.namespaces = NULL;
		if (scopes[i].variable != NULL)
			setenv("WATCH_NAMESPACE", scopes[i].variable, 1);
		buf_reset(&b);
		buf_addf(&b, HEAD KINDS "  %s\n", scopes[i].more);
		put_file("w.yaml", buf_str(&b));
		w = watches_load(
		    "w.yaml", option != NULL ? &scope : NULL, &err);
		buf_reset(&b);
		if (w != NULL)
			namespaces_of(&w->entries[0], &b);
		is(w != NULL ? buf_str(&b) : err.message, scopes[i].want,
		    scopes[i].what);
		watches_free(w);
		unsetenv("WATCH_NAMESPACE");
	}
	buf_release(&b);
}

#define POD "apiVersion: v1, kind: Pod, "
#define NAMED(item) "related: [{" POD item "}]"
#define DEPENDS(item) "dependents: [{" POD item "}]"
#define ABOVE_0 "must be a whole number above 0, not "
#define NOT_SET "the variable OPERATOR_NAME is not set"
#define SUBSTITUTION \
	"bad substitution: write ${VAR}, ${VAR:-text} or ${VAR:?text}"

static const struct {
	const char *entry, *message; /* without the file */
} refused_entries[] = {
    {"x: [\n",
	"7: did not find expected node content while parsing a flow node"},
    {"bogus: 1", "5: unknown key \"bogus\""},
    {"\"kind program\": 1", "5: unknown key \"kind program\""},
    {"kind: Twice", "5: duplicate key \"kind\""},
    {"dependant: []",
	"5: unknown key \"dependant\" (did you mean \"dependents\"?)"},
    {"apiVersion: v1",
	"5: an entry has group and version instead of apiVersion"},
    {"requireScope: namespace",
	"1: memcached.cache.example.com requires namespace scope, but no "
	"namespace is given"},
    {"requireScope: galaxy",
	"5: requireScope must be cluster or namespace, not \"galaxy\""},
    {"filters: ./a", "5: filters must be a list"},
    {"filters: [./a]",
	"5: a filter must be a list: the program and its arguments"},
    {"filters:\n  - []", "6: a filter has no program"},
    {"filters:\n  - ['', a]", "6: a filter has no program"},
    {"filters:\n  - [a, [b]]", "6: a word of a filter must be a string"},
    {"adopt: x", "5: adopt must be a mapping"},
    {"adopt: {}", "5: adopt.label is missing"},
    {"adopt: {labels: x}",
	"5: unknown key \"labels\" (did you mean \"label\"?)"},
    {"adopt: {label: [x]}", "5: adopt.label must be a string"},
    {"adopt: {label: a/b/c}",
	"5: adopt.label must be the key of a label, not \"a/b/c\""},
    {"adopt: {label: -a}",
	"5: adopt.label must be the key of a label, not \"-a\""},
    {"adopt: {label: Example.com/a}",
	"5: adopt.label must be the key of a label, not \"Example.com/a\""},
    {"dependents:\n  - {" POD "}\n  - {" POD "}", "7: duplicate kind Pod"},
    {"operator: 3", "5: operator must be a mapping"},
    {"operator: ${OPERATOR_NAME:?say which operator this is}",
	"5: OPERATOR_NAME: say which operator this is"},
    {"operator: {a: \"${OPERATOR_NAME:?}\"}", "5: OPERATOR_NAME: is not set"},
    {"operator: {a: \"${BLANKS:?name it}\"}", "5: BLANKS: name it"},
    {"operator: {a: \"${1}\"}", "5: " SUBSTITUTION},
    {"finalizer: ${OPERATOR_NAME}", "5: finalizer is empty: " NOT_SET},
    {"random: ${OPERATOR_NAME}",
	"5: random must be true or false, not \"\": " NOT_SET},
    {NAMED("map: {label: a, namespace: \"a,b\"}"),
	"5: map.namespace: \"a,b\" is not a name of a namespace"},
    {"reconcilePeriod: 10",
	"5: reconcilePeriod must be a duration such as 30s or 1h30m, not "
	"\"10\""},
    {"maxConcurrentReconciles: 0",
	"5: maxConcurrentReconciles " ABOVE_0 "\"0\""},
    {"maxConcurrentReconciles: many",
	"5: maxConcurrentReconciles " ABOVE_0 "\"many\""},
    {"dependents:\n  - {" POD "manage: true, prune: never}",
	"6: prune must be last or always, not \"never\""},
    {DEPENDS("manage: true, prune: alway"),
	"5: prune must be last or always, not \"alway\" (did you mean "
	"\"always\"?)"},
    {DEPENDS("manage: true, prune: [last]"),
	"5: prune must be last or always, not a list"},
    {DEPENDS("prune: always"), "5: prune is allowed only with manage: true"},
    {DEPENDS("retain: true"), "5: retain is allowed only with manage: true"},
    {DEPENDS("delete: true"), "5: delete is allowed only for related kinds"},
    {DEPENDS("patch: true"), "5: patch is allowed only for related kinds"},
    {NAMED("patch: true, fields: [spec]"),
	"5: patch is not allowed with fields"},
    {"related:\n"
     "  - {apiVersion: apiextensions.k8s.io/v1, delete: true,\n"
     "     kind: CustomResourceDefinition, fields: [metadata.labels]}",
	"6: delete of a CustomResourceDefinition is not allowed with fields: "
	"without its spec the objects that would be deleted with it are not "
	"known; leave fields out"},
    {"related:\n  - {" POD "patch: true}",
	"6: patch: finalizer is needed, to give back what is held"},
    {"scope: Cluster\n  namespaceSelector: a=b",
	"6: namespaceSelector: a Memcached is in no namespace; leave it out"},
    {"namespaceSelector: {}",
	"5: namespaceSelector is empty: leave it out, to select all "
	"namespaces"},
    {"namespaceSelector: {matchLabel: {a: b}}",
	"5: unknown key \"matchLabel\" (did you mean \"matchLabels\"?)"},
    {"namespaceSelector: a > 3",
	"5: namespaceSelector must be like a=b, a!=b, a in (b,c), a notin "
	"(b,c), a or !a, with commas between, not \"a > 3\""},
    {"related: [{apiVersion: v1, kind: Node, namespaceSelector: a}]",
	"5: namespaceSelector: a Node is in no namespace; leave it out"},
    {"evaluationsPerMinute: 0", "5: evaluationsPerMinute " ABOVE_0 "\"0\""},
    {"evaluationsPerMinute: 0.5", "5: evaluationsPerMinute " ABOVE_0 "\"0.5\""},
    {"manageStatus: maybe",
	"5: manageStatus must be true or false, not \"maybe\""},
    {"throttle: {limit: 0}", "5: throttle.limit " ABOVE_0 "\"0\""},
    {"throttle: {number: 1}",
	"5: unknown key \"number\": known are limit, timeout"},
    {"throttle: {timeout: 1m}", "5: throttle.limit is missing"},
    {"finalizer: name", "5: finalizer must be DOMAIN/NAME, not \"name\""},
    {"finalizer: ä/b", "5: finalizer must be DOMAIN/NAME, not \"ä/b\""},
    {"finalizer: example.com/a/b",
	"5: finalizer must be DOMAIN/NAME, not \"example.com/a/b\""},
    {"finalizer: example.com/",
	"5: finalizer must be DOMAIN/NAME, not \"example.com/\""},
    {"finalizer: example.com/a\n"
     "  retiredFinalizers: [example.com/b, example.com/a]",
	"6: example.com/a is the finalizer, so it is not retired"},
    {"when: ''", "5: when is empty"},
    {"retiredFinalizers: [a]",
	"5: retiredFinalizers must be DOMAIN/NAME, not \"a\""},
    {"namespaces: x", "5: namespaces must be a list"},
    {"desiredReads: [status]",
	"5: desiredReads must be owned or now, not \"status\""},
    {"selector: {matchExpressions: [{key: a, operator: Is}]}",
	"5: operator must be In, NotIn, Exists or DoesNotExist, not \"Is\""},
    {"dependents:\n  - {" POD "manage: true,\n     fields: [metadata]}",
	"7: fields are allowed only with manage: false"},
    {"dependents: [{apiVersion: v1, kind: Namespace, manage: true}]",
	"5: a Namespace cannot be owned by a namespaced Memcached: finalizer "
	"is needed"},
    {NAMED("manage: true"), "5: manage is allowed only for dependents"},
    {NAMED("map: x"),
	"5: map must be owner, {label: KEY}, {field: PATH} or {jq: EXPR}"},
    {NAMED("map: {field: a, namespace: n, namespaceField: b}"),
	"5: map has namespace or namespaceField, not both"},
    {NAMED("map: {label: a, namespaceField: b}"),
	"5: map.namespaceField is allowed only with field"},
    {NAMED("map: {field: [a, b], namespaceField: c}"),
	"5: map.namespaceField needs one path for each of map.field: it has 1, "
	"and map.field 2"},
    {NAMED("map: {field: a, namespaceField: .b}"),
	"5: map.namespaceField: bad field path \".b\": it begins with no dot"},
    {NAMED("map: {field: a, namespaceField: []}"),
	"5: map.namespaceField is empty"},
    {NAMED("map: {field: spec.a, namespaceField: 'spec.refs[].b'}"),
	"5: map.namespaceField: spec.refs[].b goes through a list that spec.a "
	"does not go through"},
    {NAMED("map: {field: 'a[].b', namespaceField: 'a[].c[]'}"),
	"5: map.namespaceField: a[].c[] goes through a list that a[].b does "
	"not go through"},
    {"related: [{apiVersion: v1, kind: Node, map: {field: a,\n"
     "     namespaceField: b}}]",
	"6: map.namespaceField: a Node is in no namespace; leave it out"},
    {NAMED("map: {field: a, namespacefield: b}"),
	"5: unknown key \"namespacefield\" (did you mean "
	"\"namespaceField\"?)"},
    {"related: [Pod]", "5: a kind of related must be a mapping"},
    {"related: [{apiVersion: v1/Pod, kind: Pod}]",
	"5: apiVersion must be VERSION or GROUP/VERSION, such as v1 or "
	"apps/v1, not \"v1/Pod\""},
    {NAMED("fields: [.spec]"),
	"5: fields: bad field path \".spec\": it begins with no dot"},
    {"redact: [.spec.a]",
	"5: redact: bad field path \".spec.a\": it begins with no dot"},
    {"related: [{kind: Pod}]", "5: apiVersion is missing"},
    {NAMED("scope: x"), "5: scope must be Namespaced or Cluster, not \"x\""},
    {"scope: cluster",
	"5: scope must be Namespaced or Cluster, not \"cluster\" (did you "
	"mean \"Cluster\"?)"},
};

TEST(refused_entries)
{
	struct buf text = BUF_INIT, want = BUF_INIT;

	setenv("BLANKS", " \t", 1);
	for (size_t i = 0; i < COUNT(refused_entries); i++) {
		buf_reset(&text);
		buf_reset(&want);
		buf_addf(&text, HEAD "  %s\n", refused_entries[i].entry);
		buf_addf(&want, "w.yaml:%s", refused_entries[i].message);
		refused(buf_str(&text), buf_str(&want));
	}
	buf_release(&text);
	buf_release(&want);
}

TEST(refused_files)
{
	static const struct {
		const char *text, *message; /* of line 1 */
	} cases[] = {
	    {"", "expected a list of entries"},
	    {"kind: x\n", "expected a list of entries"},
	    {"- 3\n", "an entry must be a mapping"},
	    {"- {group: a.b, version: v1, kind: K}\n", "program is missing"},
	    {"- {group: a.b, version: v1, kind: K, program: none.jq}\n",
		"program none.jq: No such file or directory"},
	    {"- {group: a.b, version: v1, program: p.jq}\n", "kind is missing"},
	    {"- {group: a.b/v1, version: v1, kind: K, program: p.jq}\n",
		"group must be a name such as apps or example.com, not "
		"\"a.b/v1\""},
	    {"- {group: a.b, kind: K, program: p.jq}\n", "version is missing"},
	    {"- {group: a.b, version: \"${OPERATOR_NAME}\"}\n",
		"version is empty: " NOT_SET},
	    {"- {group: a.b, version: v1, kind: K, "
	     "program: \"${OPERATOR_NAME}x.jq\"}\n",
		"program x.jq: No such file or directory: " NOT_SET},
	};
	struct err err = ERR_INIT;
	struct buf want = BUF_INIT;

	ok(watches_load("none.yaml", NULL, &err) == NULL, "a missing file");
	is(err.message, "cannot read none.yaml: No such file or directory",
	    "its message");
	for (size_t i = 0; i < COUNT(cases); i++) {
		buf_reset(&want);
		buf_addf(&want, "w.yaml:1: %s", cases[i].message);
		refused(cases[i].text, buf_str(&want));
	}
	refused(
	    HEAD HEAD, "w.yaml:5: duplicate kind Memcached.cache.example.com");
	setenv("WATCH_NAMESPACE", "x", 1);
	refused(HEAD "  requireScope: cluster\n",
	    "w.yaml:1: memcached.cache.example.com requires cluster scope, "
	    "but WATCH_NAMESPACE is \"x\": leave it out");
	unsetenv("WATCH_NAMESPACE");
	buf_release(&want);
}

int
main(void)
{
	unsetenv("WATCH_NAMESPACE");
	unsetenv("OPERATOR_NAME");
	scratch_make();
	if (chdir(scratch) != 0)
		return 1;
	put_file("p.jq", "def desired: [];");
	tap_run();
	scratch_remove();
	return tap_done();
}
