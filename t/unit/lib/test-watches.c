#include "conf/watches.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "tap.h"

static char dir[] = "/tmp/test-watches-XXXXXX";

static void
put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0)
		perror(name), exit(1);
}

static struct watches *
load(const char *text, struct err *err)
{
	put("w.yaml", text);
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
	 "  finalizer: example.com/name\n"
	 "  when: .spec.x == 1\n"
	 "  retiredFinalizers: [example.com/old, example.com/older]\n"
	 "  adopt: {label: example.com/instance_1.x}\n"
	 "  reconcilePeriod: 10h\n"
	 "  manageStatus: false\n"
	 "  random: true\n"
	 "  guardStatus: true\n"
	 "  maxConcurrentReconciles: 3\n"
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
	ok(e->dependent_count == 3 && e->related_count == 2, "kinds");
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
		e->throttle_limit == 0 && e->primary.namespaces.count == 0 &&
		!e->reads_owned && !e->reads_now &&
		e->reconcile_period_ms == 0 && e->filter_count == 0,
	    "defaults");
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
	put("sub/q.jq", "def desired: [];");
	put("sub/w.yaml", "- {version: v1, kind: Pod, program: q.jq}\n");
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

/* "primary|dependent|related|related", with commas in between */
static void
scoped(const char *text, const struct watches_scope *scope, const char *want,
    const char *what)
{
	struct err err = ERR_INIT;
	struct watches *w;
	struct buf b = BUF_INIT;

	put("w.yaml", text);
	w = watches_load("w.yaml", scope, &err);
	for (size_t i = 0; w != NULL && i < 4; i++) {
		const struct watch_entry *e = &w->entries[0];
		const struct watch_kind *kinds[] = {
		    &e->primary, e->dependents, e->related, e->related + 1};
		const struct textlist *l = &kinds[i]->namespaces;

		for (size_t j = 0; j < l->count; j++)
			buf_addf(&b, "%s%s", j > 0 ? "," : "", l->items[j]);
		buf_adds(&b, i < 3 ? "|" : "");
	}
	is(w != NULL ? buf_str(&b) : err.message, want, what);
	watches_free(w);
	buf_release(&b);
}

TEST(namespaces)
{
	struct watches_scope all = {.all = true}, ab = {.namespaces = "a, b,a"},
			     none = {NULL, false}, blank = {" ", false},
			     both = {"a", true}, bad = {"a,,b", false};

	setenv("WATCH_NAMESPACE", " x ,y,\tx", 1);
	scoped(HEAD KINDS, &none, "x,y|x,y|o|", "WATCH_NAMESPACE");
	scoped(HEAD KINDS "  namespaces: [p, \"q,p\"]\n", NULL, "p,q|p,q|o|",
	    "the file goes before it");
	scoped(HEAD KINDS "  namespaces: []\n", NULL, "||o|",
	    "also when it says all");
	scoped(HEAD KINDS "  namespaces: []\n", &ab, "a,b|a,b|o|",
	    "-n goes before both, not before what other kinds say");
	scoped(HEAD KINDS, &all, "||o|", "-A as well");
	scoped(HEAD KINDS "  requireScope: cluster\n", &all, "||o|",
	    "-A is cluster scope, for any WATCH_NAMESPACE");
	setenv("WATCH_NAMESPACE", " ", 1);
	scoped(HEAD KINDS, NULL, "||o|", "blanks are all namespaces");
	setenv("WATCH_NAMESPACE", "x", 1);
	scoped(HEAD KINDS, &blank, "||o|",
	    "-n without a name is all namespaces, whatever the variable says");
	scoped(HEAD KINDS "  requireScope: cluster\n", &blank, "||o|",
	    "... and cluster scope");
	scoped(HEAD KINDS, &both, "-n and -A exclude each other", "-n and -A");
	scoped(HEAD KINDS, &bad,
	    "option --namespace: \"\" is not a name of a namespace",
	    "-n with an empty name");
	setenv("WATCH_NAMESPACE", "a,", 1);
	scoped(HEAD KINDS, NULL,
	    "WATCH_NAMESPACE: \"\" is not a name of a namespace",
	    "WATCH_NAMESPACE with an empty name");
	scoped(HEAD KINDS, &all, "||o|", "... does not count beside -A");
	setenv("WATCH_NAMESPACE", "a,B_c", 1);
	scoped(HEAD KINDS, NULL,
	    "WATCH_NAMESPACE: \"B_c\" is not a name of a namespace",
	    "WATCH_NAMESPACE with a bad name");
	unsetenv("WATCH_NAMESPACE");
	scoped(HEAD KINDS "  namespaces: [a, -b]\n", NULL,
	    "w.yaml:8: namespaces: \"-b\" is not a name of a namespace",
	    "a bad name in the file");
}

#define BEYOND(list, what)                                               \
	"w.yaml:8: namespaces is [" list "], and no option goes beyond " \
	"it, but option " what ": leave the option out, or change namespaces"

/* The namespaces of the file are a ceiling. */
TEST(ceiling)
{
	struct watches_scope all = {.all = true}, blank = {" ", false},
			     p = {"p", false}, ba = {" b,a", false},
			     pa = {"p,a", false};

	setenv("WATCH_NAMESPACE", "x", 1);
	scoped(HEAD KINDS "  namespaces: [p]\n", NULL, "p|p|o|",
	    "a ceiling: the variable does not widen it");
	scoped(HEAD KINDS "  namespaces: [p]\n", &p, "p|p|o|",
	    "... -n may name it");
	scoped(HEAD KINDS "  namespaces: [\"a, p\", b]\n", &ba, "b,a|b,a|o|",
	    "... or choose from it");
	scoped(HEAD KINDS "  namespaces: [p]\n", &all,
	    BEYOND("p", "--all-namespaces names all"), "... not -A");
	scoped(HEAD KINDS "  namespaces: [p, \"b,c\"]\n", &blank,
	    BEYOND("p, b, c", "--namespace names all"), "... nor an empty -n");
	scoped(HEAD KINDS "  namespaces: [p, b]\n", &pa,
	    BEYOND("p, b", "--namespace names \"a\""),
	    "... nor one name too many");
	scoped(HEAD KINDS "  namespaces: [\"${NO}\", p]\n", &all,
	    BEYOND("p", "--all-namespaces names all"),
	    "... an item of it may be empty");
	scoped(HEAD KINDS "  namespaces: [\"${WATCH_NAMESPACE}\"]\n", &all,
	    BEYOND("x", "--all-namespaces names all"),
	    "... it may come from a variable");
	setenv("WATCH_NAMESPACE", " ", 1);
	scoped(HEAD KINDS "  namespaces: [\"${WATCH_NAMESPACE}\"]\n", &p,
	    "p|p|o|", "a variable of blanks makes none");
	unsetenv("WATCH_NAMESPACE");
	scoped(HEAD KINDS "  namespaces: [p]\n  requireScope: cluster\n", &p,
	    "w.yaml:1: memcached.cache.example.com requires cluster scope, "
	    "but option --namespace is \"p\": leave it out",
	    "cluster scope, and an option that narrows");
	scoped(HEAD KINDS "  namespaces: [p]\n  requireScope: cluster\n", &all,
	    BEYOND("p", "--all-namespaces names all"), "... that widens");
	scoped(HEAD KINDS "  namespaces: [p]\n"
			  "- {version: v1, kind: Pod, program: p.jq,\n"
			  "   namespaces: [q]}\n",
	    &p,
	    "w.yaml:10: namespaces is [q], and no option goes beyond it, but "
	    "option --namespace names \"p\": leave the option out, or change "
	    "namespaces",
	    "each entry has its own");
}

TEST(scope)
{
	setenv("WATCH_NAMESPACE", "x", 1);
	refused(HEAD "  requireScope: cluster\n",
	    "w.yaml:1: memcached.cache.example.com requires cluster scope, "
	    "but WATCH_NAMESPACE is \"x\": leave it out");
	unsetenv("WATCH_NAMESPACE");
	refused(HEAD "  requireScope: namespace\n",
	    "w.yaml:1: memcached.cache.example.com requires namespace scope, "
	    "but no namespace is given");
	refused(HEAD "  requireScope: galaxy\n",
	    "w.yaml:5: requireScope must be cluster or namespace, not "
	    "\"galaxy\"");
}

TEST(refusals)
{
	struct err err = ERR_INIT;

	ok(watches_load("none.yaml", NULL, &err) == NULL, "a missing file");
	is(err.message, "cannot read none.yaml: No such file or directory",
	    "its message");
	refused("", "w.yaml:1: expected a list of entries");
	refused("kind: x\n", "w.yaml:1: expected a list of entries");
	refused(HEAD "  x: [\n",
	    "w.yaml:6: did not find expected node content while parsing a "
	    "flow node");
	refused(HEAD "  bogus: 1\n", "w.yaml:5: unknown key \"bogus\"");
	refused(HEAD "  \"kind program\": 1\n",
	    "w.yaml:5: unknown key \"kind program\"");
	refused(HEAD "  kind: Twice\n", "w.yaml:5: duplicate key \"kind\"");
}

TEST(refused_filters)
{
	refused(HEAD "  filters: ./a\n", "w.yaml:5: filters must be a list");
	refused(HEAD "  filters: [./a]\n",
	    "w.yaml:5: a filter must be a list: the program and its arguments");
	refused(
	    HEAD "  filters:\n  - []\n", "w.yaml:6: a filter has no program");
	refused(HEAD "  filters:\n  - ['', a]\n",
	    "w.yaml:6: a filter has no program");
	refused(HEAD "  filters:\n  - [a, [b]]\n",
	    "w.yaml:6: a word of a filter must be a string");
}

TEST(refused_adopt)
{
	refused(HEAD "  adopt: x\n", "w.yaml:5: adopt must be a mapping");
	refused(HEAD "  adopt: {}\n", "w.yaml:5: adopt.label is missing");
	refused(HEAD "  adopt: {labels: x}\n",
	    "w.yaml:5: unknown key \"labels\" (did you mean \"label\"?)");
	refused(HEAD "  adopt: {label: [x]}\n",
	    "w.yaml:5: adopt.label must be a string");
	refused(HEAD "  adopt: {label: a/b/c}\n",
	    "w.yaml:5: adopt.label must be the key of a label, not \"a/b/c\"");
	refused(HEAD "  adopt: {label: -a}\n",
	    "w.yaml:5: adopt.label must be the key of a label, not \"-a\"");
	refused(HEAD "  adopt: {label: Example.com/a}\n",
	    "w.yaml:5: adopt.label must be the key of a label, not "
	    "\"Example.com/a\"");
}

TEST(refused_entries)
{
	refused(
	    HEAD HEAD, "w.yaml:5: duplicate kind Memcached.cache.example.com");
	refused(HEAD "  dependents:\n"
		     "  - {apiVersion: v1, kind: Pod}\n"
		     "  - {apiVersion: v1, kind: Pod}\n",
	    "w.yaml:7: duplicate kind Pod");
	refused("- {group: a.b, version: v1, kind: K}\n",
	    "w.yaml:1: program is missing");
	refused("- {group: a.b, version: v1, kind: K, program: none.jq}\n",
	    "w.yaml:1: program none.jq: No such file or directory");
	refused("- {group: a.b, version: v1, program: p.jq}\n",
	    "w.yaml:1: kind is missing");
	refused("- {group: a.b/v1, version: v1, kind: K, program: p.jq}\n",
	    "w.yaml:1: group must be a name such as apps or example.com, not "
	    "\"a.b/v1\"");
	refused("- {group: a.b, kind: K, program: p.jq}\n",
	    "w.yaml:1: version is missing");
	refused("- 3\n", "w.yaml:1: an entry must be a mapping");
	refused(HEAD
	    "  operator: ${OPERATOR_NAME:?say which operator this is}\n",
	    "w.yaml:5: OPERATOR_NAME: say which operator this is");
	refused("- {group: a.b, version: \"${OPERATOR_NAME}\"}\n",
	    "w.yaml:1: version is empty: the variable OPERATOR_NAME is not "
	    "set");
	refused(HEAD "  finalizer: ${OPERATOR_NAME}\n",
	    "w.yaml:5: finalizer is empty: the variable OPERATOR_NAME is not "
	    "set");
	refused(HEAD "  random: ${OPERATOR_NAME}\n",
	    "w.yaml:5: random must be true or false, not \"\": the variable "
	    "OPERATOR_NAME is not set");
	refused("- {group: a.b, version: v1, kind: K, "
		"program: \"${OPERATOR_NAME}x.jq\"}\n",
	    "w.yaml:1: program x.jq: No such file or directory: the variable "
	    "OPERATOR_NAME is not set");
	refused(HEAD "  operator: {a: \"${OPERATOR_NAME:?}\"}\n",
	    "w.yaml:5: OPERATOR_NAME: is not set");
	setenv("OPERATOR_NAME", " \t", 1);
	refused(HEAD "  operator: {a: \"${OPERATOR_NAME:?name it}\"}\n",
	    "w.yaml:5: OPERATOR_NAME: name it");
	unsetenv("OPERATOR_NAME");
	refused(HEAD "  operator: {a: \"${1}\"}\n",
	    "w.yaml:5: bad substitution: write ${VAR}, ${VAR:-text} or "
	    "${VAR:?text}");
	refused(HEAD "  operator: 3\n", "w.yaml:5: operator must be a mapping");
}

static const struct {
	const char *entry, *message;
} refused_values[] = {
    {"  related:\n"
     "  - {apiVersion: v1, kind: Pod, map: {label: a, namespace: \"a,b\"}}\n",
	"w.yaml:6: map.namespace: \"a,b\" is not a name of a namespace"},
    {"  reconcilePeriod: 10\n",
	"w.yaml:5: reconcilePeriod must be a duration such as 30s or 1h30m, "
	"not \"10\""},
    {"  maxConcurrentReconciles: 0\n",
	"w.yaml:5: maxConcurrentReconciles must be a whole number above 0, not "
	"\"0\""},
    {"  maxConcurrentReconciles: many\n",
	"w.yaml:5: maxConcurrentReconciles must be a whole number above 0, not "
	"\"many\""},
    {"  dependents:\n"
     "  - {apiVersion: v1, kind: Pod, manage: true, prune: never}\n",
	"w.yaml:6: prune must be last or always, not \"never\""},
    {"  dependents:\n"
     "  - {apiVersion: v1, kind: Pod, manage: true, prune: alway}\n",
	"w.yaml:6: prune must be last or always, not \"alway\" (did you mean "
	"\"always\"?)"},
    {"  dependents:\n"
     "  - {apiVersion: v1, kind: Pod, manage: true, prune: [last]}\n",
	"w.yaml:6: prune must be last or always, not a list"},
    {"  dependents:\n"
     "  - {apiVersion: v1, kind: Pod, prune: always}\n",
	"w.yaml:6: prune is allowed only with manage: true"},
    {"  dependents:\n"
     "  - {apiVersion: v1, kind: Pod, retain: true}\n",
	"w.yaml:6: retain is allowed only with manage: true"},
    {"  dependents:\n"
     "  - {apiVersion: v1, kind: Pod, delete: true}\n",
	"w.yaml:6: delete is allowed only for related kinds"},
    {"  dependents:\n"
     "  - {apiVersion: v1, kind: Pod, patch: true}\n",
	"w.yaml:6: patch is allowed only for related kinds"},
    {"  related:\n"
     "  - {apiVersion: v1, kind: Pod, patch: true, fields: [spec]}\n",
	"w.yaml:6: patch is not allowed with fields"},
    {"  related:\n"
     "  - {apiVersion: apiextensions.k8s.io/v1, delete: true,\n"
     "     kind: CustomResourceDefinition, fields: [metadata.labels]}\n",
	"w.yaml:6: delete of a CustomResourceDefinition is not allowed with "
	"fields: without its spec the objects that would be deleted with it "
	"are not known; leave fields out"},
    {"  related:\n"
     "  - {apiVersion: v1, kind: Pod, patch: true}\n",
	"w.yaml:6: patch: finalizer is needed, to give back what is held"},
    {"  manageStatus: maybe\n",
	"w.yaml:5: manageStatus must be true or false, not \"maybe\""},
    {"  throttle: {limit: 0}\n",
	"w.yaml:5: throttle.limit must be a whole number above 0, not \"0\""},
    {"  throttle: {number: 1}\n",
	"w.yaml:5: unknown key \"number\": known are limit, timeout"},
    {"  throttle: {timeout: 1m}\n", "w.yaml:5: throttle.limit is missing"},
    {"  finalizer: name\n",
	"w.yaml:5: finalizer must be DOMAIN/NAME, not \"name\""},
    {"  finalizer: ä/b\n",
	"w.yaml:5: finalizer must be DOMAIN/NAME, not \"ä/b\""},
    {"  finalizer: example.com/a/b\n",
	"w.yaml:5: finalizer must be DOMAIN/NAME, not \"example.com/a/b\""},
    {"  finalizer: example.com/\n",
	"w.yaml:5: finalizer must be DOMAIN/NAME, not \"example.com/\""},
    {"  finalizer: example.com/a\n"
     "  retiredFinalizers: [example.com/b, example.com/a]\n",
	"w.yaml:6: example.com/a is the finalizer, so it is not retired"},
    {"  when: ''\n", "w.yaml:5: when is empty"},
    {"  retiredFinalizers: [a]\n",
	"w.yaml:5: retiredFinalizers must be DOMAIN/NAME, not \"a\""},
    {"  namespaces: x\n", "w.yaml:5: namespaces must be a list"},
    {"  desiredReads: [status]\n",
	"w.yaml:5: desiredReads must be owned or now, not \"status\""},
    {"  selector: {matchExpressions: [{key: a, operator: Is}]}\n",
	"w.yaml:5: operator must be In, NotIn, Exists or DoesNotExist, not "
	"\"Is\""},
    {"  dependents:\n"
     "  - {apiVersion: v1, kind: Pod, manage: true,\n"
     "     fields: [metadata]}\n",
	"w.yaml:7: fields are allowed only with manage: false"},
    {"  dependents:\n"
     "  - {apiVersion: v1, kind: Namespace, manage: true}\n",
	"w.yaml:6: a Namespace cannot be owned by a namespaced Memcached: "
	"finalizer is needed"},
    {"  related:\n"
     "  - {apiVersion: v1, kind: Pod, manage: true}\n",
	"w.yaml:6: manage is allowed only for dependents"},
    {"  related: [{apiVersion: v1, kind: Pod, map: x}]\n",
	"w.yaml:5: map must be owner, {label: KEY}, {field: PATH} or "
	"{jq: EXPR}"},
    {"  related: [Pod]\n", "w.yaml:5: a kind of related must be a mapping"},
    {"  related: [{apiVersion: v1/Pod, kind: Pod}]\n",
	"w.yaml:5: apiVersion must be VERSION or GROUP/VERSION, such as v1 or "
	"apps/v1, not \"v1/Pod\""},
    {"  related: [{apiVersion: v1, kind: Pod, fields: [.spec]}]\n",
	"w.yaml:5: fields: bad field path \".spec\": it begins with no dot"},
    {"  redact: [.spec.a]\n",
	"w.yaml:5: redact: bad field path \".spec.a\": it begins with no dot"},
    {"  related: [{kind: Pod}]\n", "w.yaml:5: apiVersion is missing"},
    {"  related: [{apiVersion: v1, kind: Pod, scope: x}]\n",
	"w.yaml:5: scope must be Namespaced or Cluster, not \"x\""},
    {"  scope: cluster\n",
	"w.yaml:5: scope must be Namespaced or Cluster, not \"cluster\" (did "
	"you mean \"Cluster\"?)"},
    {"  dependant: []\n",
	"w.yaml:5: unknown key \"dependant\" (did you mean \"dependents\"?)"},
    {"  apiVersion: v1\n",
	"w.yaml:5: an entry has group and version instead of apiVersion"},
};

TEST(refused_values)
{
	for (size_t i = 0; i < COUNT(refused_values); i++) {
		struct buf text = BUF_INIT;

		buf_adds(&text, HEAD);
		buf_adds(&text, refused_values[i].entry);
		refused(buf_str(&text), refused_values[i].message);
		buf_release(&text);
	}
}

int
main(void)
{
	unsetenv("WATCH_NAMESPACE");
	unsetenv("OPERATOR_NAME");
	if (mkdtemp(dir) == NULL || chdir(dir) != 0)
		return perror(dir), 1;
	put("p.jq", "def desired: [];");
	tap_run();
	unlink("sub/q.jq");
	unlink("sub/w.yaml");
	rmdir("sub");
	unlink("p.jq");
	unlink("w.yaml");
	if (chdir("/") != 0 || rmdir(dir) != 0)
		perror(dir);
	return tap_done();
}
