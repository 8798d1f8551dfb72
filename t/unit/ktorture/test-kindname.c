#include "scene/kindname.h"

#include <stdlib.h>

#include "tap.h"
#include "values.h"

static const char own[] =
    "[{'apiVersion':'example.com/v1','kind':'CronJob','namespaced':true},"
    "{'apiVersion':'example.com/v1','kind':'World','namespaced':false}]";

static const char *
found(const char *name)
{
	jv kinds = value(own);
	jv k = kindname_find(kinds, span_str(name));
	const char *text = shown(at(k, ".apiVersion"));

	jv_free(kinds);
	jv_free(k);
	return text;
}

TEST(names)
{
	is(found("CronJob"), "'example.com/v1'", "the operator's own first");
	is(found("cronjob"), "'example.com/v1'", "... in any case");
	is(found("CronJob.batch"), "'batch/v1'", "... that of a group");
	is(found("Deployment"), "'apps/v1'", "one of Kubernetes");
	is(found("Pod."), "'v1'", "of the core group");
	is(found("Deploymen"), "invalid", "a name that is cut short");
	is(found("Deployment.batch"), "invalid", "of no such group");
}

TEST(namespaces)
{
	jv kinds = value(own);
	char *names = kindname_list(kinds);

	ok(!kindname_is_namespaced(
	       kinds, span_str("example.com/v1"), span_str("World")),
	    "a kind of the cluster");
	ok(!kindname_is_namespaced(
	       kinds, span_str("v1"), span_str("Namespace")),
	    "... of Kubernetes");
	ok(kindname_is_namespaced(kinds, span_str("v1"), span_str("Pod")),
	    "one in namespaces");
	ok(kindname_is_namespaced(kinds, span_str("x/v1"), span_str("World")),
	    "an unknown one is");
	is(names, "CronJob, World", "the names");
	free(names);
	jv_free(kinds);
}
