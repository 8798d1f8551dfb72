#include "scene/scenario.h"

#include <stdlib.h>

#include "operator.h"
#include "tap.h"
#include "values.h"

static struct opfolder folder;

static void
set_up(void)
{
	operator_make();
	folder = operator_load();
}

static void
tear_down(void)
{
	opfolder_release(&folder);
	operator_remove();
}

static jv
parsed(const char *text)
{
	struct err err = ERR_INIT;
	jv v = scenario_parse(&folder, "t/x.scenario", span_str(text), &err);

	return jv_is_valid(v) ? v : jv_string(err.message);
}

/* A part of what the text gives. */
static const char *
part(const char *text, const char *path)
{
	jv v = parsed(text);
	const char *s = jv_get_kind(v) == JV_KIND_STRING ? shown(jv_copy(v))
							 : shown(at(v, path));

	jv_free(v);
	return s;
}

TEST_F(steps)
{
	is(part("create example.yaml\n", ".steps.0.object.kind"), "'Secret'",
	    "what is made before the example");
	is(part("create example.yaml\n", ".steps.1.object.metadata.name"),
	    "'example'", "... and the example");
	is(part("apply {apiVersion: v1, kind: ConfigMap,\n"
		"  metadata: {name: a}}\n",
	       ".steps.0"),
	    "{'do':'apply','object':{'apiVersion':'v1','kind':'ConfigMap',"
	    "'metadata':{'name':'a','namespace':'default'}}}",
	    "an object on two lines");
	is(part("# x\n\nedit web/example {spec: {size: 5}}\n", ".steps.0"),
	    "{'apiVersion':'example.com/v1','do':'patch','kind':'Web','name':"
	    "'example','namespace':'default','patch':{'spec':{'size':5}}}",
	    "an edit");
	is(part(
	       "edit Web/a -n other [{op: remove, path: /spec}]\n", ".steps.0"),
	    "{'apiVersion':'example.com/v1','do':'patch','kind':'Web','name':"
	    "'a','namespace':'other','patch':[{'op':'remove','path':'/spec'}]}",
	    "... by a JSON patch, elsewhere");
	is(part("status Web/a {status: {x: 1}}\n", ".steps.0.subresource"),
	    "'status'", "a status");
	is(part("then delete Namespace/a\n", ".steps.0"),
	    "{'apiVersion':'v1','do':'delete','kind':'Namespace','name':'a',"
	    "'then':true}",
	    "of the cluster, at once");
	is(part("then create example.yaml\n", ".steps.0.then"), "true",
	    "the first of several is at once");
	is(part("then create example.yaml\n", ".steps.1.then"), "invalid",
	    "... the others are not");
	is(part("wait 1h30m\n", ".steps.0"), "{'do':'wait','ms':5400000}",
	    "time");
	is(part("drift 2\n", ".steps.0"), "{'do':'drift','index':2}",
	    "what the operator has made");
}

TEST_F(recreate)
{
	is(part("recreate example.yaml\n", ".steps.0"),
	    "{'apiVersion':'example.com/v1','do':'delete','kind':'Web','name':"
	    "'example','namespace':'default'}",
	    "the primary is deleted");
	is(part("recreate example.yaml\n", ".steps.1.whenGone"), "true",
	    "... and made when it is gone");
	is(part("recreate example.yaml\n", ".steps.1.then"), "true",
	    "... at once");
	is(part("recreate example.yaml\n", ".steps.1.object.kind"), "'Web'",
	    "... with its content");
}

TEST_F(rules)
{
	static const char text[] =
	    "wait 1s\n"
	    "expect \"five replicas\" any(objects(\"Deployment\");\n"
	    "  .spec.replicas == 5)\n"
	    "always \"one\" objects(\"Pod\") | length <= 1\n"
	    "history \"h\" made(\"Pod\") == []\n"
	    "varies Web .status.nodes\n"
	    "again Deployment\n"
	    "unready Pod\n"
	    "varies Pod .\n"
	    "back Web .status.phase\n"
	    "patience Web 10s\n"
	    "remembers \"r\" objects(\"Pod\") == []\n";

	is(part(text, ".steps.1.name"), "'five replicas'", "a name");
	is(part(text, ".rules.0"),
	    "{'always':'one','jq':'objects(\\'Pod\\') | length <= 1'}",
	    "of each state");
	is(part(text, ".rules.1.history"), "'h'", "of the history");
	is(part(text, ".rules.2"), "{'kind':'Web','varies':'.status.nodes'}",
	    "what may vary");
	is(part(text, ".rules.3"), "{'again':'Deployment'}",
	    "what may be made twice");
	is(part(text, ".rules.4"), "{'unready':'Pod'}",
	    "what Ready does not wait for");
	is(part(text, ".rules.5"), "{'kind':'Pod','varies':'.'}",
	    "all of an object may vary");
	is(part(text, ".rules.6"), "{'back':'.status.phase','kind':'Web'}",
	    "what may go back");
	is(part(text, ".rules.7"), "{'ms':10000,'patience':'Web'}",
	    "what may take its time");
	is(part(text, ".rules.8"),
	    "{'jq':'objects(\\'Pod\\') == []','remembers':'r'}",
	    "what depends on earlier specs");
	is(part(text, ".name"), "'x'", "the name of the file");
	is(part(text, ".marks.1"), "'ktorture-secret-10'", "its marks");
}

TEST_F(errors)
{
	is(part("wait 1s\n\nmake x\n", ""),
	    "'t/x.scenario:3: unknown word \\'make\\': write one of create "
	    "apply recreate edit status delete wait expect drift lose foreign "
	    "unforeign always history varies remembers again unready "
	    "back patience'",
	    "a word");
	is(part("edit Wbe/a {}\n", ""),
	    "'t/x.scenario:1: unknown kind \\'Wbe\\': write one of Web, "
	    "Deployment, ConfigMap, Web, or one of Kubernetes'",
	    "a kind");
	is(part("edit Web {}\n", ""), "'t/x.scenario:1: write KIND/NAME'",
	    "no name");
	is(part("edit Web/a\n", ""), "'t/x.scenario:1: a {patch} is missing'",
	    "no patch");
	is(part("wait 1s\nedit Web/a {spec: {\n", ""),
	    "'t/x.scenario:3: did not find expected node content while parsing "
	    "a flow node'",
	    "a patch that is cut short");
	is(part("wait soon\n", ""),
	    "'t/x.scenario:1: \\'soon\\' is not a duration, as 10m or 1h30m'",
	    "a duration");
	is(part("delete Web/a b\n", ""),
	    "'t/x.scenario:1: \\'b\\' is too much'", "a word too much");
	is(part("create b.yaml\n", "") + strlen("'t/x.scenario:1: ") +
		strlen(scratch),
	    "/b.yaml is not there, or has no object'", "a file");
	is(part("expect five 1\n", ""),
	    "'t/x.scenario:1: a name in double quotes is missing'",
	    "an expression without a name");
	ok(strstr(part("wait 1s\nalways \"a\" length |\n", ""),
	       "t/x.scenario:2: expression:1: syntax error") != NULL,
	    "an expression that is wrong");
	is(part("then always \"a\" 1\n", ""),
	    "'t/x.scenario:1: a rule has no \\'then\\''", "a rule at once");
	is(part("# nothing\n", ""),
	    "'t/x.scenario:1: there is no step and no rule in it'", "no step");
	is(part("  wait 1s\n", ""),
	    "'t/x.scenario:1: it begins with a blank, but there is no step "
	    "before it'",
	    "a blank at the beginning");
	is(part("patience Web soon\n", ""),
	    "'t/x.scenario:1: patience: write KIND DURATION, as Job 10s'",
	    "a duration");
	is(part("varies Web nodes\n", ""),
	    "'t/x.scenario:1: varies: write KIND .PATH, as .status.nodes'",
	    "a path");
}

TEST_F(json)
{
	is(part("{\"steps\":[{\"do\":\"wait\",\"ms\":1}]}", ".steps.0.ms"), "1",
	    "a scenario as JSON");
	is(part("{\"steps\":[]}", ".name"), "'x'", "... has a name");
	is(part("{\"name\":\"y\",\"steps\":[]}", ".name"), "'y'",
	    "... its own");
	is(part("{}", ""), "'t/x.scenario: a scenario has steps, a list'",
	    "... without steps");
}

TEST_F(written)
{
	struct err err = ERR_INIT;
	jv list;

	put_file("t/b.scenario", "wait 2s\n");
	put_file("t/a.scenario", "wait 1s\n");
	put_file("t/c.txt", "x\n");
	list = scenario_written(&folder, &err);
	is(shown(at(list, ".0.name")), "'a'", "the first");
	is(shown(at(list, ".1.name")), "'b'", "... and the next");
	is(shown(at(list, ".2")), "invalid", "... and no other file");
	jv_free(list);
	put_file("t/a.scenario", "wait\n");
	list = scenario_written(&folder, &err);
	ok(!jv_is_valid(list) && strstr(err.message, "/t/a.scenario:1: "),
	    "a wrong one is an error");
	jv_free(list);
}

TEST_F(rules_of_all)
{
	struct err err = ERR_INIT;
	jv list;

	put_file("t/all.scenario", "varies Web .status.x\n");
	put_file("t/b.scenario", "wait 2s\nagain Web\n");
	list = scenario_written(&folder, &err);
	is(shown(at(list, ".0.name")), "'b'",
	    "a file of rules is not a scenario");
	is(shown(at(list, ".0.rules")),
	    "[{'again':'Web'},{'kind':'Web','varies':'.status.x'}]",
	    "... they are those of others, too");
	jv_free(list);
	list = scenario_defaults(&folder, &err);
	is(shown(at(list, ".0.rules.0.varies")), "'.status.x'",
	    "... also of generated ones");
	jv_free(list);
	jv_free(scenario_written(&folder, &err));
	is(shown(at(folder.rules, ".1")), "invalid", "... once");
}

/* The scenario of that name. */
static jv
named(jv list_peek, const char *name)
{
	jv found = jv_invalid();

	jv_array_foreach(list_peek, i, s)
	{
		if (span_is(jvtext_span(jvtext_peek(s, "name")), name)) {
			jv_free(found);
			found = s;
		} else
			jv_free(s);
	}
	return found;
}

static const char *
step(jv list_peek, const char *name, const char *path)
{
	jv s = named(list_peek, name);
	const char *text = jv_is_valid(s) ? shown(at(s, path)) : "no such";

	jv_free(s);
	return text;
}

TEST_F(defaults)
{
	struct err err = ERR_INIT;
	jv all = scenario_defaults(&folder, &err);

	is(err.message, "", "no error");
	is(step(all, "life", ".steps.0.object.kind"), "'Secret'",
	    "each begins with what is made first");
	is(step(all, "life", ".steps.2.do"), "'delete'", "life");
	is(step(all, "life", ".steps.1.object.spec.at"),
	    "'2020-01-01T00:00:00Z'", "... awake: its time has come");
	is(step(all, "asleep", ".steps.1.object.spec.at"),
	    "'2030-01-01T00:00:00Z'", "... and asleep");
	is(step(all, "change-0", ".steps.1.object.spec.at"),
	    "'2030-01-01T00:00:00Z'", "... until it is changed");
	is(step(all, "life", ".marks.0"), "'a3RvcnR1cmUtc2VjcmV0LTEw'",
	    "... with its marks");
	is(step(all, "change-0", ".steps.2.patch"),
	    "{'spec':{'at':'2020-01-01T00:00:00Z'}}",
	    "a time becomes one in the past");
	is(step(all, "change-1", ".steps.2.patch"), "{'spec':{'color':'redx'}}",
	    "a text");
	is(step(all, "change-2", ".steps.2.patch"), "{'spec':{'mode':'slow'}}",
	    "another of an enum");
	is(step(all, "change-3", ".steps.2.patch"), "{'spec':{'size':4}}",
	    "a number");
	is(step(all, "drift-0", ".steps.3"), "{'do':'drift','index':1}",
	    "an object of each kind");
	is(step(all, "drift-0", ".steps.4"), "invalid", "... and no more");
	is(step(all, "lose-0", ".steps.2"), "{'do':'lose','index':0}", "lost");
	is(step(all, "again", ".steps.3.whenGone"), "true", "made again");
	is(step(all, "rush", ".steps.3.then"), "true", "in a rush");
	is(step(all, "two", ".steps.2.object.metadata.name"), "'example-2'",
	    "two");
	is(step(all, "foreign", ".steps.0"), "{'do':'foreign','index':0}",
	    "a foreign object first");
	is(step(all, "invalid", ".steps.2.patch"),
	    "{'spec':{'at':{'wrong':true}}}", "what the schema refuses");
	is(step(all, "invalid", ".steps.3.patch"), "{'spec':{'at':''}}",
	    "... what it takes");
	is(step(all, "invalid", ".steps.4.patch"),
	    "{'spec':{'at':'2020-01-01T00:00:00Z'}}", "... and back");
	is(step(all, "pause", ".steps.2.patch"),
	    "{'metadata':{'annotations':{'kpipe.dev/paused':'true'}}}",
	    "paused");
	jv_free(all);
}

TEST_F(expressions)
{
	struct err err = ERR_INIT;
	jq_state *jq = scenario_expression(
	    &folder, "objects(\"Pod\") | length == 1", &err);

	ok(jq != NULL, "an expression");
	ok(scenario_holds(jq, value("[{'kind':'Pod'},{'kind':'A'}]"), &err) ==
		1,
	    "is true of a state");
	ok(scenario_holds(jq,
	       value("[{'change':'ADDED','object':{'kind':"
		     "'Pod'}}]"),
	       &err) == 1,
	    "... of changes");
	ok(scenario_holds(jq, value("[]"), &err) == 0, "... and false");
	ok(scenario_holds(jq, value("[1]"), &err) == -1 && *err.message,
	    "... and an error");
	jq_teardown(&jq);
	jq = scenario_expression(&folder, "length", &err);
	ok(scenario_holds(jq, value("[]"), &err) == 0, "only true is true");
	jq_teardown(&jq);
}

TEST_F(alone)
{
	struct err err = ERR_INIT;
	jv rules = scenario_rules(&folder,
	    value("[{'always':'a','jq':'objects(\\'A\\')'},{'again':'B'}]"),
	    &err);
	jv text = at(rules, ".0.jq");

	ok(span_starts(jvtext_span(text), "# ") &&
		span_ends(jvtext_span(text), "\nobjects(\"A\")"),
	    "a program that stands alone");
	is(shown(at(rules, ".1")), "{'again':'B'}", "... other rules stay");
	jv_free(text);
	jv_free(rules);
}

TEST_F(scheduled)
{
	struct err err = ERR_INIT;
	jv all;

	opfolder_release(&folder);
	put_file("example.yaml",
	    "{apiVersion: example.com/v1, kind: Web, metadata: {name: a}, "
	    "spec: {at: \"*/5 * * * *\"}}\n");
	folder = operator_load();
	all = scenario_defaults(&folder, &err);
	is(step(all, "lose-0", ".steps.1"), "{'do':'wait','ms':70000}",
	    "with a schedule, the first minute passes");
	is(step(all, "lose-0", ".steps.2.do"), "'lose'", "... before a step");
	is(step(all, "change-0", ".steps.2.patch"),
	    "{'spec':{'at':'*/6 * * * *'}}", "another schedule");
	jv_free(all);
}

/* Numbers of the scenarios of an operator of ours, "" if all is well. */
static const char *
folder_of(const char *name)
{
	static struct buf text;
	struct err err = ERR_INIT;
	struct opfolder f;
	jv names = jv_object(), all;
	int changes = 0, count;

	buf_reset(&text);
	buf_addf(&text, "pipeline/%s/watches.yaml", name);
	if (opfolder_load(&f, buf_str(&text), "lib/jq", &err) != 0)
		exit(printf("Bail out! %s\n", err.message));
	buf_reset(&text);
	all = scenario_written(&f, &err);
	if (jv_is_valid(all))
		all = jv_array_concat(all, scenario_defaults(&f, &err));
	if (!jv_is_valid(all))
		exit(printf("Bail out! %s\n", err.message));
	count = jv_array_length(jv_copy(all));
	jv_array_foreach(all, i, s)
	{
		jv n = at(s, ".name");

		changes += span_starts(jvtext_span(n), "change-");
		names = jv_object_set(names, n, jv_true());
		jv_free(s);
	}
	if (jv_object_length(jv_copy(names)) != count)
		buf_adds(&text, "a name twice ");
	if (changes < 1 || changes > 8)
		buf_addf(&text, "%d changes ", changes);
	if (count - changes < 9)
		buf_addf(&text, "%d others", count - changes);
	jv_free(names);
	jv_free(all);
	opfolder_release(&f);
	return buf_str(&text);
}

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#else
#define __lsan_disable() ((void)0)
#define __lsan_enable() ((void)0)
#endif

/* libjq keeps a key of a path of cronjob's schema. */
TEST(ours)
{
	static const char *const names[] = {
	    "memcached", "at", "cronjob", "experimental", "iotservice", NULL};

	unsetenv("OPERATOR_NAME");
	__lsan_disable();
	for (const char *const *n = names; *n != NULL; n++)
		is(folder_of(*n), "", *n);
	__lsan_enable();
	unsetenv("OPERATOR_NAME");
}
