#include "scene/resolve.h"

#include "tap.h"
#include "values.h"

static const char made[] =
    "[{'apiVersion':'v1','kind':'Service','metadata':{'name':'s','namespace':"
    "'default'},'spec':{'clusterIP':'10.0.0.1','selector':{'app':'a'}}},"
    "{'apiVersion':'apps/v1','kind':'Deployment','metadata':{'name':'b',"
    "'namespace':'default','uid':'u','labels':{'x':'1'},'ownerReferences':[]},"
    "'spec':{'replicas':3},'status':{'replicas':3}},"
    "{'apiVersion':'apps/v1','kind':'Deployment','metadata':{'name':'a',"
    "'namespace':'other'},'spec':{'replicas':1}},"
    "{'apiVersion':'v1','kind':'Secret','metadata':{'name':'k','namespace':"
    "'default'},'data':{'p':'eA=='}},"
    "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p','namespace':"
    "'default','labels':{'app':'a'}},'spec':{'containers':[]}},"
    "{'apiVersion':'coordination.k8s.io/v1','kind':'Lease','metadata':{'name':"
    "'l','namespace':'default'}},"
    "{'apiVersion':'v1','kind':'Secret','metadata':{'name':'kpipe-marks-x',"
    "'namespace':'default'},'data':{'p':'eA=='}}]";

static const char job[] =
    "[{'apiVersion':'batch/v1','kind':'Job','metadata':{'name':'j'},"
    "'spec':{'selector':{},'template':{'metadata':{'labels':{'x':'1'}},"
    "'spec':{'containers':[]}}}}]";

/* The one step, or "none". */
static jv
resolved(const char *step, const char *state)
{
	jv s = value(step), m = value(made), all = value(state);
	jv steps = resolve_step(s, m, all, "default");
	jv one = jv_array_length(jv_copy(steps)) == 1
	    ? jv_array_get(jv_copy(steps), 0)
	    : jv_string("none");

	jv_free(steps);
	jv_free(s);
	jv_free(m);
	jv_free(all);
	return one;
}

static const char *
name_of(const char *step)
{
	jv one = resolved(step, "[]");
	const char *name = shown(at(one, ".name"));

	jv_free(one);
	return name;
}

static const char *
patch_of(const char *step)
{
	jv one = resolved(step, "[]");
	const char *patch = shown(at(one, ".patch"));

	jv_free(one);
	return patch;
}

TEST(open)
{
	jv lose = value("{'do':'lose'}"), wait = value("{'do':'wait'}");

	ok(resolve_is_open(lose), "a step that names what was made");
	ok(!resolve_is_open(wait), "one that does not");
	jv_free(lose);
	jv_free(wait);
}

TEST(order)
{
	is(name_of("{'do':'lose','index':0}"), "'b'",
	    "the first kind, its first namespace");
	is(name_of("{'do':'lose','index':1}"), "'p'", "the next kind");
	is(name_of("{'do':'lose','index':3}"), "'s'", "the last kind");
	is(name_of("{'do':'lose','index':4}"), "'a'",
	    "the second of the first kind");
	is(shown(resolved("{'do':'lose','index':5}", "[]")), "'none'",
	    "there are no more");
	is(shown(resolved("{'do':'lose','index':0,'then':true}", "[]")),
	    "{'apiVersion':'apps/v1','do':'delete','kind':'Deployment','name':"
	    "'b','namespace':'default','then':true}",
	    "a whole step");
}

TEST(drift)
{
	is(patch_of("{'do':'drift','index':0}"), "{'spec':{'replicas':4}}",
	    "a number of the spec");
	is(patch_of("{'do':'drift','index':1}"),
	    "{'metadata':{'labels':{'app':'a-drifted'}}}",
	    "a label, where the spec is final");
	is(patch_of("{'do':'drift','index':2}"),
	    "{'data':{'p':'ZHJpZnRlZA=='}}", "base64 of a Secret");
	is(patch_of("{'do':'drift','index':3}"),
	    "{'spec':{'selector':{'app':'a-drifted'}}}",
	    "the selector of a Service");
}

/* The spec of a foreign Job. */
static const char *
job_spec(void)
{
	jv step = value("{'do':'foreign','index':0}"), all = value(job);
	jv steps = resolve_step(step, all, all, "default");
	const char *spec = shown(at(steps, ".0.object.spec"));

	jv_free(steps);
	jv_free(step);
	jv_free(all);
	return spec;
}

TEST(foreign)
{
	is(shown(resolved("{'do':'foreign','index':0}", "[]")),
	    "{'do':'create','object':{'apiVersion':'apps/v1','kind':"
	    "'Deployment','metadata':{'annotations':{'" RESOLVE_FOREIGN
	    "':'0'},'name':'b','namespace':'default'},'spec':{'replicas':3}}}",
	    "its content, without its marks");
	is(shown(resolved("{'do':'foreign','index':3}", "[]")),
	    "{'do':'create','object':{'apiVersion':'v1','kind':'Service',"
	    "'metadata':{'annotations':{'" RESOLVE_FOREIGN
	    "':'3'},'name':'s','namespace':'default'},'spec':{'selector':{"
	    "'app':'a'}}}}",
	    "... without what the server gave it");
	is(job_spec(), "{'template':{'spec':{'containers':[]}}}",
	    "... of a Job the selector and its labels");
	is(shown(resolved("{'do':'foreign','index':4}", "[]")), "'none'",
	    "none of another namespace");
	is(shown(resolved("{'do':'unforeign','index':2}",
	       "[{'apiVersion':'v1','kind':'A','metadata':{'name':'x'}},"
	       "{'apiVersion':'v1','kind':'B','metadata':{'name':'y',"
	       "'annotations':{'" RESOLVE_FOREIGN "':'2'}}}]")),
	    "{'apiVersion':'v1','do':'delete','kind':'B','name':'y'}",
	    "... and goes again");
}
