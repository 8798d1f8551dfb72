#include "scene/opfolder.h"

#include <stdlib.h>
#include <unistd.h>

#include "operator.h"
#include "tap.h"
#include "values.h"

static void
set_up(void)
{
	operator_make();
}

static void
tear_down(void)
{
	operator_remove();
}

/* The error behind the folder's path. */
static const char *
failure(void)
{
	static struct err err;
	struct opfolder f;
	const char *at_path;

	err = (struct err)ERR_INIT;
	if (opfolder_load(&f, in_dir("watches.yaml"), "lib/jq", &err) == 0) {
		opfolder_release(&f);
		return "none";
	}
	at_path = strstr(err.message, scratch);
	return at_path == NULL ? err.message : at_path + strlen(scratch) + 1;
}

TEST_F(example)
{
	struct opfolder f = operator_load();

	is(shown(at(f.primary, ".metadata")),
	    "{'name':'example','namespace':'default'}",
	    "the primary, with a namespace");
	is(shown(at(f.before, ".0.metadata.name")), "'key'",
	    "the other document is made before it");
	is(shown(at(f.before, ".0.stringData")),
	    "{'password':'abcd--ktorture-secret-10'}",
	    "the value of its Secret has a mark");
	is(shown(jv_copy(f.marks)),
	    "['a3RvcnR1cmUtc2VjcmV0LTEw','ktorture-secret-10']",
	    "... which is known, also as base64");
	is(shown(at(f.kinds, ".0")),
	    "{'apiVersion':'example.com/v1','kind':'Web','namespaced':true}",
	    "the primary's kind is the first");
	is(shown(at(f.kinds, ".1.kind")), "'Deployment'", "... then others");
	opfolder_release(&f);
}

TEST_F(marks)
{
	struct opfolder f;

	put_file("t/before.yaml",
	    "{apiVersion: v1, kind: Secret, metadata: {name: a}, "
	    "data: {x: YWJj}}\n---\n"
	    "{apiVersion: v1, kind: Secret, metadata: {name: b}, "
	    "type: kubernetes.io/dockerconfigjson, "
	    "data: {.dockerconfigjson: e30=}}\n---\n"
	    "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, "
	    "data: {x: z}}\n");
	f = operator_load();
	/* YWJj is abc: a multiple of three. */
	is(shown(at(f.before, ".0.data.x")), "'YWJja3RvcnR1cmUtc2VjcmV0LTEw'",
	    "a mark behind the value");
	is(shown(at(f.before, ".1.data")), "{'.dockerconfigjson':'e30='}",
	    "a value with a form stays");
	is(shown(at(f.before, ".1.stringData")),
	    "{'ktorture':'ktorture-secret-11'}", "... beside one of its own");
	is(shown(at(f.before, ".2.data")), "{'x':'z'}",
	    "other kinds have none");
	is(shown(at(f.before, ".3.metadata.name")), "'key'",
	    "those of the example come behind");
	opfolder_release(&f);
}

TEST_F(namespaces)
{
	struct opfolder f;

	put_file("watches.yaml",
	    "- {group: example.com, version: v1, kind: Web, program: p.jq,\n"
	    "   namespaces: [\"${WEB_NAMESPACE:?set it}\"]}\n");
	unsetenv("WEB_NAMESPACE");
	f = operator_load();
	is(f.namespace_, "default", "a variable that must be set");
	opfolder_release(&f);
	put_file("operator.yaml", "env: {WEB_NAMESPACE: web}\n");
	unsetenv("WEB_NAMESPACE");
	f = operator_load();
	is(f.namespace_, "web", "... is that of operator.yaml");
	is(getenv("WEB_NAMESPACE"), "web", "... also for the operator");
	is(shown(at(f.before, ".0.kind")), "'Namespace'",
	    "another namespace is made first");
	is(shown(at(f.primary, ".metadata.namespace")), "'web'",
	    "... and has the primary");
	opfolder_release(&f);
	unsetenv("WEB_NAMESPACE");
}

TEST_F(files)
{
	struct opfolder f;

	mkdir(in_dir("crd"), 0700);
	if (rename(in_dir("crd.yaml"), in_dir("crd/webs.yaml")) != 0)
		abort();
	f = operator_load();
	is(shown(at(f.crds, ".0.metadata.name")), "'webs.example.com'",
	    "a folder of CRDs");
	opfolder_release(&f);
	unlink(in_dir("example.yaml"));
	f = operator_load();
	ok(!jv_is_valid(f.primary), "no example");
	opfolder_release(&f);
}

TEST_F(errors)
{
	put_file("example.yaml", "apiVersion: v1\nkind: [\n");
	is(failure(),
	    "example.yaml:3: did not find expected node content "
	    "while parsing a flow node",
	    "a file that is not YAML");
	put_file("example.yaml", "{apiVersion: v1, kind: Pod}\n");
	is(failure(),
	    "example.yaml: document 1: apiVersion, kind or metadata.name is "
	    "missing",
	    "an object without a name");
	put_file("example.yaml", EXAMPLE);
	put_file("watches.yaml", "- {group: example.com}\n");
	ok(strstr(failure(), "watches.yaml:1: ") != NULL,
	    "watches.yaml that is wrong");
}
